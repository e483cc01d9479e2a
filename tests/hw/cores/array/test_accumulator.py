"""Accumulators: equality with the reference, entries revisited as early as allowed."""

import numpy as np
import pytest

from rewardware.hw.cores.array.accumulator import AccumulatorBank
from rewardware.hw.cores.array.config import ArrayConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.array.accumulator import AccumulatorBankReference

from ..bench_play import Expected
from ..stimulus import flags, mixed


@pytest.mark.parametrize(("lanes", "depth", "pipelined"), [(2, 5, False), (6, 3, False), (2, 5, True), (2, 2, True)])
def test_equals_reference(lanes, depth, pipelined):
    config = ArrayConfig(lanes=lanes, accumulator_depth=depth, pipelined=pipelined)
    component = AccumulatorBank(config)
    rng = np.random.default_rng(depth)
    cycles = 800
    table = {
        "add__valid": flags(rng, cycles, 0.8),
        "add__first": flags(rng, cycles, 0.1),
        "add__buffer": flags(rng, cycles),
        "add__entry": rng.integers(0, depth, cycles),
        "add__low": mixed(rng, (cycles, lanes), 57),
        "add__high": mixed(rng, (cycles, lanes), 57),
        "drain__enable": flags(rng, cycles, 0.8),
        "drain__entry": rng.integers(0, depth, cycles),
    }
    # First of all, every entry is overwritten once.
    for cycle in range(2 * depth):
        table["add__buffer"][cycle], table["add__entry"][cycle] = divmod(cycle, depth)
    for port, value in (("add__valid", 1), ("add__first", 1), ("drain__enable", 0)):
        table[port][: 2 * depth] = value
    table["drain__buffer"] = 1 - table["add__buffer"]

    bank = AccumulatorBankReference(config)
    drained = np.zeros((2, cycles, lanes), np.int64)
    touched = {}
    for cycle in range(cycles):
        entry = int(table["add__buffer"][cycle]), int(table["add__entry"][cycle])
        if cycle - touched.get(entry, -9) < component.revisit:
            table["add__valid"][cycle] = 0
        other = int(table["drain__buffer"][cycle]), int(table["drain__entry"][cycle])
        if cycle - touched.get(other, -9) < component.revisit:
            table["drain__enable"][cycle] = 0
        drained[:, cycle] = bank.drain(*other)
        if table["add__valid"][cycle]:
            touched[entry] = cycle
            first = bool(table["add__first"][cycle])
            bank.add(*entry, table["add__low"][cycle], table["add__high"][cycle], first=first)
    wanted = table["drain__enable"] == 1
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": table,
            "outputs": {
                "drain__low": Expected(drained[0], component.latency, wanted),
                "drain__high": Expected(drained[1], component.latency, wanted),
            },
        },
        after_noise=True,
    )
