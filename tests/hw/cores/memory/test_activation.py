"""Activation memory: equality with the reference in both precisions."""

import numpy as np
import pytest

from rewardware.hw.cores.memory.activation import ActivationMemory
from rewardware.hw.cores.memory.config import ActivationMemoryConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.memory.activation import ActivationMemoryReference

from ..bench_play import Expected
from ..stimulus import flags


@pytest.mark.parametrize(("lanes", "blocks"), [(4, 3), (6, 2)])
def test_equals_reference(lanes, blocks):
    config = ActivationMemoryConfig(lanes=lanes, rows=lanes * blocks)
    rng = np.random.default_rng(lanes)
    fill = config.rows
    cycles = fill + 600
    table = {f"{side}__enable": flags(rng, cycles, 0.8) for side in ("read", "write")}
    table |= {f"{side}__half": flags(rng, cycles) for side in ("read", "write")}
    table |= {f"{side}__parity": flags(rng, cycles) for side in ("read", "write")}
    table |= {f"{side}__row": rng.integers(0, config.rows, cycles) for side in ("read", "write")}
    table["read__column"] = flags(rng, cycles)
    table["read__lane"] = rng.integers(0, lanes, cycles)
    table["write__data"] = rng.integers(0, 1 << 32, (cycles, lanes))
    masks = flags(rng, (cycles, lanes), 0.7)
    table["write__enable"][:fill] = 1
    table["write__half"][:fill] = 0
    table["write__row"][:fill] = np.arange(fill)
    masks[:fill] = 1
    table["read__enable"][:fill] = 0
    for side in ("read", "write"):
        table[f"{side}__index"] = table[f"{side}__row"] % lanes
    column = table["read__column"] == 1
    table["read__row"][column] -= table["read__index"][column]
    pairs = column & (table["read__half"] == 1)
    table["read__lane"][pairs] &= -2
    writes = table["write__enable"] == 1
    table["write__enable"] = table["write__enable"] * (masks @ (1 << np.arange(lanes)))

    memory = ActivationMemoryReference(config)
    expected = np.zeros((cycles, lanes), np.int64)
    for cycle in range(cycles):
        row = {port: values[cycle] for port, values in table.items()}
        if row["read__enable"]:
            half, parity = bool(row["read__half"]), row["read__parity"]
            expected[cycle] = (
                memory.read_column(row["read__row"], row["read__lane"], half=half, parity=parity)
                if row["read__column"]
                else memory.read_row(row["read__row"], half=half)
            )
        if writes[cycle]:
            half, parity = bool(row["write__half"]), row["write__parity"]
            memory.write_row(row["write__row"], row["write__data"], masks[cycle] == 1, half=half, parity=parity)
    component = ActivationMemory(config)
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": table,
            "outputs": {"read__data": Expected(expected, component.latency, table["read__enable"] == 1)},
        },
    )


def test_bad_configuration_is_refused():
    with pytest.raises(ValueError, match="Lanes must be even, not 5"):
        ActivationMemoryConfig(lanes=5, rows=10)
    with pytest.raises(ValueError, match=r"Rows must be a multiple of lanes \(4\), not 10"):
        ActivationMemoryConfig(lanes=4, rows=10)
