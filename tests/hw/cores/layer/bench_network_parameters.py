"""Updates of a network, one after another: when they end, and what they tell."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng


@cocotb.test()
async def updated_when_the_last_layer_is(dut):
    """The next update begins with the end of the one before, or later."""
    dut.start_update.value = dut.start_transfer.value = dut.parameters_in__valid.value = 0
    await clock_and_reset(dut)
    # The layers' ends are collected in a register.
    cycles = parameters()["cycles"] + 1
    starts, ends = [], []
    for cycle in range(8 * cycles):
        await FallingEdge(dut.clk)
        if int(dut.updated.value):
            ends.append(cycle)
        # Every second one waits.
        begins = cycle == (ends[-1] + len(ends) % 2 * 3 if ends else 0)
        dut.start_update.value = int(begins)
        if begins:
            starts.append(cycle)
        await RisingEdge(dut.clk)
    assert len(ends) > 4
    compare([cycles] * len(ends), [end - start for start, end in zip(starts, ends, strict=False)], "cycles", 0)


@cocotb.test()
async def infinity_of_any_array_is_told(dut):
    """One infinite number, anywhere in the weights or the target of any layer."""
    dut.start_update.value = dut.start_transfer.value = dut.load.value = dut.array.value = 0
    numbers, random = StreamSource(dut, "parameters_in"), rng("places")
    await clock_and_reset(dut)
    arrays, layers = parameters()["arrays"], parameters()["layers"]
    for port in ("tau", "rates", *(f"gradients_{index}__data" for index in range(len(layers)))):
        getattr(dut, port).value = 0
    # First, and last, no number is infinite.
    marks = [(array, index) for array in range(arrays) for index in range(len(layers))]
    for mark in (None, *marks, None):
        for array in range(arrays):
            dut.array.value, dut.load.value, dut.start_transfer.value = array, 1, 1
            await RisingEdge(dut.clk)
            dut.start_transfer.value = 0
            for index, count in enumerate(layers):
                values = [0] * count
                if mark == (array, index):
                    values[int(random.integers(count))] = parameters()["infinity"]
                for value in values:
                    numbers.put(value)
            while not int(dut.transferred.value):
                await RisingEdge(dut.clk)
        dut.start_update.value, told = 1, False
        while not int(dut.updated.value):
            await FallingEdge(dut.clk)
            told |= bool(int(dut.nonfinite.value))
            await RisingEdge(dut.clk)
            dut.start_update.value = 0
        compare(mark is not None, told, "infinity is told", mark)
