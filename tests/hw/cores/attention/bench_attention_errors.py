"""Scores, weights and messages that are not finite, one kind after the other, through the forward half of attention.

Parameters: those of :mod:`.bench_attention`.
"""

from collections import Counter

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import clock_and_reset, compare
from rewardware.sw.reference.attention.attention import attend
from rewardware.sw.reference.attention.products import product
from rewardware.sw.reference.float import host
from tests.hw.cores.attention.bench_attention import Bench


async def count_flags(dut, flags):
    """Count the cycles in which the half says that a number is not finite."""
    while True:
        await ReadOnly()
        flags["nonfinite"] += int(dut.errors.value)
        await RisingEdge(dut.clk)


@cocotb.test()
async def tells_of_numbers_that_are_not_finite(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    flags = Counter()
    cocotb.start_soon(count_flags(dut, flags))
    largest = host.from_bits(bench.format, np.array([bench.format.largest]))[0]
    seen = []
    # Numbers that all are finite; a score of minus infinity, whose weight is 0; one of infinity, whose weight is no
    # number; an infinite value.
    for query, key, value in ((1, 1, 1), (largest, -largest, 1), (largest, largest, 1), (1, 1, np.inf)):
        queries, keys, values = bench.experiences(1)
        keys[:, :, -1, 0] = 0
        queries[0, 0, -1, 0], keys[0, 1, -1, 0], values[0, 1, -1, 0] = query, key, value
        await bench.check(bench.put(queries, keys, values))
        made = (product(bench.config.scores, queries, keys), *attend(bench.config, queries, keys, values))
        seen.append([not np.isfinite(table).all() for table in made])
        numbers = sum(int(np.count_nonzero(~np.isfinite(table))) for table in made)
        compare(numbers, flags.pop("nonfinite", 0), "numbers that are not finite", len(seen) - 1)
    compare([[0, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0]], seen, "scores, messages and weights", 0)
