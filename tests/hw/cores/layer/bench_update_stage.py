"""Passes of an optimiser over a layer, against the reference, and the cycles that they take."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float.host import to_bits
from rewardware.sw.reference.optimizer.float_adam import AdamRates, float_adam
from rewardware.sw.reference.optimizer.sgd import sgd
from tests.hw.cores.float.operands import extremes

from .stimulus import numbers


class Bench:
    """A stage whose memories the bench fills and reads."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.layer.arithmetic.format
        self.shape = self.config.layer.rows, self.config.layer.groups * self.config.layer.units
        self.names = ("weights", "gradients", *(f"state_{index}" for index in range(len(self.config.algorithm.state))))

    async def access(self, name, values=None):
        """Read all parameters of a memory, also those of the last group that are no outputs, or write them."""
        dut, layer = self.dut, self.config.layer
        read = np.zeros(self.shape, np.int64)
        for (row, output), _ in np.ndenumerate(read):
            group, lane = divmod(output, layer.units)
            port = f"{name}_read" if values is None else f"{name}_write"
            getattr(dut, f"{port}__enable").value = 1
            getattr(dut, f"{port}__address").value = (row * layer.groups + group) << layer.lane_width | lane
            if values is not None:
                getattr(dut, f"{port}__data").value = int(values[row, output])
            await RisingEdge(dut.clk)
            await ReadOnly()
            read[row, output] = int(getattr(dut, f"{name}_read__data").value)
            await RisingEdge(dut.clk)
            getattr(dut, f"{port}__enable").value = 0
        return read

    async def step(self):
        """One pass; returns its cycles, and whether it said that a number is infinite or NaN."""
        await RisingEdge(self.dut.clk)
        self.dut.start.value = 1
        cycles, nonfinite = 0, False
        while cycles < 2 * parameters()["cycles"]:
            await RisingEdge(self.dut.clk)
            self.dut.start.value = 0
            cycles += 1
            await ReadOnly()
            nonfinite |= bool(self.dut.nonfinite.value)
            if int(self.dut.done.value):
                break
        await RisingEdge(self.dut.clk)
        return cycles, nonfinite


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench, random = Bench(dut), rng("numbers")
    outputs, number_format, shape = bench.config.layer.outputs, bench.format, bench.shape
    dut.start.value = 0
    for name in bench.names:
        getattr(dut, f"{name}_read__enable").value = getattr(dut, f"{name}_write__enable").value = 0
    await clock_and_reset(dut)
    kept = [to_bits(number_format, numbers(random, number_format, *shape)) for _ in bench.names]
    corners = random.choice(extremes(number_format), shape)
    for step in range(1, 5):
        weights, gradient, *moments = kept
        gradient = to_bits(number_format, numbers(random, number_format, *shape))
        if step == 3:
            # Lanes of the last group that are no outputs must not say anything.
            gradient[:, outputs:] = number_format.infinity
        if step == 4:
            gradient = np.where(random.random(shape) < 0.2, corners, gradient)
            gradient[-1, outputs - 1] = number_format.infinity
        if moments:
            # A mean of squares.
            moments[1] &= ~np.int64(number_format.sign_bit)
        for name, values in zip(bench.names, (weights, gradient, *moments), strict=True):
            await bench.access(name, values)
        rates = AdamRates.of_step(step, learning_rate=0.1, epsilon=1e-3).rounded(number_format)
        dut.rates.value = sum(
            int(getattr(rates, name)) << number_format.width * place
            for place, name in enumerate(bench.config.algorithm.rates)
        )
        cycles, nonfinite = await bench.step()
        assert cycles == parameters()["cycles"], f"A pass took {cycles} cycles, not {parameters()['cycles']}"
        if bench.config.optimizer == "adam":
            expected = float_adam(number_format, weights, *moments, gradient, rates)
        else:
            expected = (sgd(number_format, weights, gradient, rates.learning_rate),)
        for values in expected:
            values[:, outputs:] = 0
        kept = [expected[0], gradient, *expected[1:]]
        for name, values in zip(bench.names, kept, strict=True):
            compare(values.tolist(), (await bench.access(name)).tolist(), name, step)
        infinity = number_format.infinity
        assert nonfinite == any((values & infinity == infinity).any() for values in expected)
        assert nonfinite == (step == 4), f"Step {step} has numbers that are infinite or NaN: {nonfinite}"
