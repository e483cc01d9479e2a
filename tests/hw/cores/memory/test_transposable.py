"""Transposable memory: equality with the reference, and its documented errors."""

import numpy as np
import pytest

from rewardware.hw.cores.memory.config import TransposableConfig
from rewardware.hw.cores.memory.transposable import TransposableMemory
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.memory.transposable import TransposableMemoryReference

from ..bench_play import Expected
from ..stimulus import flags


@pytest.mark.parametrize(("lanes", "blocks", "width"), [(4, 4, 16), (6, 3, 32), (5, 2, 9)])
def test_equals_reference(lanes, blocks, width):
    config = TransposableConfig(lanes=lanes, rows=lanes * blocks, width=width)
    rng = np.random.default_rng(lanes)
    fill = config.rows
    cycles = fill + 400
    table = {f"{side}__enable": flags(rng, cycles, 0.8) for side in ("read", "write")}
    table |= {f"{side}__column": flags(rng, cycles) for side in ("read", "write")}
    table |= {f"{side}__lane": rng.integers(0, lanes, cycles) for side in ("read", "write")}
    table |= {f"{side}__row": rng.integers(0, config.rows, cycles) for side in ("read", "write")}
    table["write__data"] = rng.integers(0, 1 << width, (cycles, lanes))
    masks = flags(rng, (cycles, lanes), 0.7)
    # Every row is written once before anything is read.
    table["write__enable"][:fill] = 1
    table["write__column"][:fill] = 0
    table["write__row"][:fill] = np.arange(fill)
    masks[:fill] = 1
    table["read__enable"][:fill] = 0
    for side in ("read", "write"):
        table[f"{side}__index"] = table[f"{side}__row"] % lanes
        column = table[f"{side}__column"] == 1
        table[f"{side}__row"][column] -= table[f"{side}__index"][column]
        # What a column access does not use must not matter.
        table[f"{side}__index"][column] = rng.integers(0, lanes, column.sum())
    writes = table["write__enable"] == 1
    table["write__enable"] = table["write__enable"] * (masks @ (1 << np.arange(lanes)))

    memory = TransposableMemoryReference(config)
    expected = np.zeros((cycles, lanes), np.int64)
    for cycle in range(cycles):
        row = {port: values[cycle] for port, values in table.items()}
        if row["read__enable"]:
            expected[cycle] = (
                memory.read_column(row["read__row"], row["read__lane"])
                if row["read__column"]
                else memory.read_row(row["read__row"])
            )
        if writes[cycle]:
            mask = masks[cycle] == 1
            if row["write__column"]:
                memory.write_column(row["write__row"], row["write__lane"], row["write__data"], mask)
            else:
                memory.write_row(row["write__row"], row["write__data"], mask)
    component = TransposableMemory(config)
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": table,
            "outputs": {"read__data": Expected(expected, component.latency, table["read__enable"] == 1)},
        },
    )


def test_bad_configuration_is_refused():
    with pytest.raises(ValueError, match=r"Rows must be a multiple of lanes \(4\), not 10"):
        TransposableConfig(lanes=4, rows=10)
    with pytest.raises(ValueError, match="Lanes must be from 2 to 128, not 1"):
        TransposableConfig(lanes=1, rows=10)
    with pytest.raises(TypeError, match="Width must be an integer, not 8.0"):
        TransposableConfig(lanes=4, rows=8, width=8.0)
