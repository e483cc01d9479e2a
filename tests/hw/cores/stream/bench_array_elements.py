"""Arrays to elements and elements to arrays, in the cycles that the docstrings say.

Parameters: ``counts``, of elements of an array: of each there are ``elements_COUNT`` and ``array_COUNT``.
"""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, compare_all, parameters, rng
from tests.hw.cores.transfer_cycles import TransferCycles

ARRAYS = 40


class Bench:
    """A unit of each kind."""

    def __init__(self, dut, count):
        self.dut, self.count, self.random = dut, count, rng(f"arrays of {count}")
        self.elements, self.array = (
            (StreamSource(dut, f"{name}__i"), StreamSink(dut, f"{name}__o")) for name in self.names
        )

    @property
    def names(self):
        return f"elements_{self.count}", f"array_{self.count}"

    def set_stalls(self, stall_in, stall_out):
        """Set the stalls of all streams."""
        for source, sink in (self.elements, self.array):
            source.stall, sink.stall = stall_in, stall_out

    async def check(self):
        """Random arrays through both."""
        arrays = self.random.integers(1 << 7, size=(ARRAYS, self.count)).tolist()
        elements = [element for array in arrays for element in array]
        for source, given in ((self.elements[0], arrays), (self.array[0], elements)):
            for value in given:
                source.put(value)
        compare_all(elements, await self.elements[1].receive_all(len(elements)), self.elements[1].name)
        compare_all(arrays, await self.array[1].receive_all(len(arrays)), self.array[1].name)


@cocotb.test()
async def same_elements_in_the_same_order(dut):
    benches = [Bench(dut, count) for count in parameters()["counts"]]
    await clock_and_reset(dut)
    for bench in benches:
        for stalls in ((0.3, 0.3), (0.9, 0.0), (0.0, 0.9)):
            bench.set_stalls(*stalls)
            await bench.check()


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    benches = [Bench(dut, count) for count in parameters()["counts"]]
    for bench in benches:
        bench.set_stalls(0, 0)
    await clock_and_reset(dut)
    for bench in benches:
        elements, array = bench.names
        seen = TransferCycles(dut, *(f"{name}__{end}" for name in bench.names for end in ("i", "o")))
        await bench.check()
        count, number = bench.count, bench.count * ARRAYS
        first = seen.offered[f"{elements}__i"][0]
        compare(list(range(first, first + number)), seen.taken[f"{elements}__o"], "cycles of elements", count)
        compare(seen.taken[f"{elements}__o"][count - 1 :: count], seen.taken[f"{elements}__i"], "arrays taken", count)
        taken = seen.taken[f"{array}__i"]
        compare([1] * (number - 1), np.diff(taken), "cycles between elements", count)
        compare([cycle + 1 for cycle in taken[count - 1 :: count]], seen.offered[f"{array}__o"], "arrays", count)


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    benches = [Bench(dut, count) for count in parameters()["counts"]]
    for bench in benches:
        bench.set_stalls(0, 1)
    await clock_and_reset(dut)
    for bench in benches:
        for source, _ in (bench.elements, bench.array):
            for _ in range(2 * bench.count):
                source.put([1] * bench.count if source is bench.elements[0] else 1)
            for _ in range(3 * bench.count + 4):
                await RisingEdge(dut.clk)
            compare(0 if source is bench.elements[0] else bench.count, source.count, source.name, 0)
