"""Accumulators: equality with the reference, entries revisited as early as allowed."""

import numpy as np
import pytest

from rewardware.hw.cores.array.accumulator import AccumulatorBank
from rewardware.hw.cores.array.config import ArrayConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.array.accumulator import AccumulatorBankReference

from ..bench_play import Expected
from ..stimulus import flags, mixed


@pytest.mark.parametrize(("lanes", "depth"), [(2, 5), (6, 3)])
def test_equals_reference(lanes, depth):
    config = ArrayConfig(lanes=lanes, accumulator_depth=depth)
    component = AccumulatorBank(config)
    rng = np.random.default_rng(depth)
    cycles = 800
    table = {
        "add_valid": flags(rng, cycles, 0.8),
        "add_first": flags(rng, cycles, 0.1),
        "add_buffer": flags(rng, cycles),
        "add_index": rng.integers(0, depth, cycles),
        "add_low": mixed(rng, (cycles, lanes), 57),
        "add_high": mixed(rng, (cycles, lanes), 57),
        "drain_enable": flags(rng, cycles, 0.8),
        "drain_index": rng.integers(0, depth, cycles),
    }
    # First of all, every entry is overwritten once.
    for cycle in range(2 * depth):
        table["add_buffer"][cycle], table["add_index"][cycle] = divmod(cycle, depth)
    for port, value in (("add_valid", 1), ("add_first", 1), ("drain_enable", 0)):
        table[port][: 2 * depth] = value
    table["drain_buffer"] = 1 - table["add_buffer"]

    bank = AccumulatorBankReference(config)
    drained = np.zeros((2, cycles, lanes), np.int64)
    touched = {}
    for cycle in range(cycles):
        entry = int(table["add_buffer"][cycle]), int(table["add_index"][cycle])
        if cycle - touched.get(entry, -9) < component.revisit:
            table["add_valid"][cycle] = 0
        other = int(table["drain_buffer"][cycle]), int(table["drain_index"][cycle])
        if cycle - touched.get(other, -9) < component.revisit:
            table["drain_enable"][cycle] = 0
        drained[:, cycle] = bank.drain(*other)
        if table["add_valid"][cycle]:
            touched[entry] = cycle
            first = bool(table["add_first"][cycle])
            bank.add(*entry, table["add_low"][cycle], table["add_high"][cycle], first=first)
    wanted = table["drain_enable"] == 1
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": table,
            "outputs": {
                "drain_low": Expected(drained[0], component.latency, wanted),
                "drain_high": Expected(drained[1], component.latency, wanted),
            },
        },
    )
