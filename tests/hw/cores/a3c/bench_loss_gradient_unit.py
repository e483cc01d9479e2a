"""Rollouts through the loss-gradient unit, against the reference, and the cycles that their steps take."""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.a3c.loss_gradient import loss_gradient
from rewardware.sw.reference.attention.softmax import shares
from rewardware.sw.reference.float import host
from tests.hw.cores.transfer_cycles import TransferCycles
from tests.sw.reference.learner.stimulus import loss_samples


class Bench:
    """The unit and its reference."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.arithmetic.format
        self.steps, self.errors = StreamSource(dut, "steps"), StreamSink(dut, "errors")
        self.random = rng("rollouts")
        # Steps at which an action has no probability.
        self.impossible = 0

    def bits(self, values):
        """Bit patterns of values."""
        return host.to_bits(self.format, values).reshape(np.shape(values)).tolist()

    def put(self, rollouts):
        """Queue rollouts of 1 to 7 steps; returns the rows of errors that have to come out."""
        rates = {"discount": 0.99, "entropy": 0.01, "value_slope": -2.0}
        rates = {
            name: host.from_bits(self.format, host.to_bits(self.format, [rate]))[0] for name, rate in rates.items()
        }
        for name, rate in rates.items():
            getattr(self.dut, name).value = int(self.bits(rate))
        return [row for _ in range(rollouts) for row in self._rollout(rates)]

    def _rollout(self, rates):
        count = int(self.random.integers(1, 8))
        # Corner values are among them, also in logits: probabilities of some steps are NaN, and some actions have none.
        values, logits, *_ = loss_samples(self.random, self.format, count + 1, self.config.actions)
        unlikely = self.random.random(logits.shape) < 0.1
        probabilities = shares(self.format, np.where(unlikely, logits.dtype.type(-1000), logits)[:count])
        self.impossible += int(np.sum((probabilities == 0).any(axis=1) & ~np.isnan(probabilities).any(axis=1)))
        actions = self.random.integers(0, self.config.actions, count)
        rewards, following = values[:count, 0], values[count, 0]
        # Most of the time what follows is finite, so that the errors before it are.
        if self.random.random() < 0.7:
            rewards, following = np.sign(np.nan_to_num(rewards)), following.dtype.type(0.5)
        given = values[:count, 1]
        found = loss_gradient(self.format, probabilities, given, actions, rewards, following, **rates)
        for step in reversed(range(count)):
            self.steps.put(
                {
                    "reward": {
                        "begins": step == count - 1,
                        "following": int(self.bits(following)),
                        "reward": int(self.bits(rewards[step])),
                    },
                    "action": int(actions[step]),
                    "value": int(self.bits(given[step])),
                    "probabilities": self.bits(probabilities[step]),
                }
            )
        return self.bits(found.errors[::-1])

    async def check(self, rows):
        """Compare the outputs with the expected ones."""
        for index, row in enumerate(rows):
            compare(row, await self.errors.receive(), "errors", index)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    for source, sink in ((0.3, 0.3), (0.9, 0), (0, 0.9)):
        bench.steps.stall, bench.errors.stall = source, sink
        await bench.check(bench.put(40))
    assert bench.impossible


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    bench.errors.stall = 1
    rows = bench.put(20)
    for _ in range(len(rows) * (parameters()["cycles"] + 4)):
        await RisingEdge(dut.clk)
    assert not len(bench.errors) and bench.steps.count < len(rows)
    bench.errors.stall = 0
    await bench.check(rows)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    bench.steps.stall = bench.errors.stall = 0
    await clock_and_reset(dut)
    seen = TransferCycles(dut, "errors")
    rows = bench.put(20)
    await bench.check(rows)
    between = np.diff(seen.taken["errors"][len(rows) // 2 :])
    compare([parameters()["cycles"]] * len(between), between, "cycles between steps", 0)
