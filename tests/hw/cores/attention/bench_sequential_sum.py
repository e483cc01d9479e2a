"""Numbers through a sequential sum, against the reference, and the cycles of a sum.

Parameters: ``config``; ``count``, of the numbers of a sum; ``cycles``, of a sum.
"""

from functools import partial, reduce

import cocotb
import numpy as np

from rewardware.sim.cocotb import clock_and_reset, compare, parameters
from rewardware.sw.reference.float.host import add
from tests.hw.cores.learner.stream_bench import STALLS, StreamBench
from tests.hw.cores.transfer_cycles import TransferCycles

SUMS = 60


class Bench(StreamBench):
    """The core, and sums of a random table."""

    def __init__(self, dut):
        super().__init__(dut, parameters()["config"], ("i",), ("o",))

    async def sums(self, corners):
        """Sums of numbers about 1, and of a share of corner values."""
        table = self.numbers(SUMS, parameters()["count"], corners=corners)
        self.put(i=table)
        await self.check(o=reduce(partial(add, self.format), table.T))


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    for corners in (0.0, 0.5):
        for stalls in STALLS:
            bench.stall(*stalls)
            await bench.sums(corners)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    bench.stall(0, 0)
    seen = TransferCycles(dut, "i", "o")
    await bench.sums(0.0)
    firsts, sums = seen.taken["i"][:: parameters()["count"]], seen.taken["o"]
    # A sum is valid in the last of its cycles, and the next one begins after it.
    compare([parameters()["cycles"] - 1] * SUMS, np.subtract(sums, firsts), "cycles to a sum", 0)
    compare([parameters()["cycles"]] * (SUMS - 1), np.diff(sums), "cycles between sums", 0)
