"""Unaligned memory: equality with the reference, and its documented errors."""

import numpy as np
import pytest

from rewardware.hw.cores.memory.config import UnalignedConfig
from rewardware.hw.cores.memory.unaligned import UnalignedMemory
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.memory.unaligned import UnalignedMemoryReference

from ..bench_play import Expected
from ..stimulus import flags


@pytest.mark.parametrize(("lanes", "rows", "width"), [(4, 8, 16), (7, 5, 9), (2, 2, 1)])
def test_equals_reference(lanes, rows, width):
    config = UnalignedConfig(lanes=lanes, rows=rows, width=width)
    rng = np.random.default_rng(lanes)
    cycles = rows + 500
    table = {f"{side}__enable": flags(rng, cycles, 0.8) for side in ("read", "write")}
    table |= {f"{side}__row": rng.integers(0, rows, cycles) for side in ("read", "write")}
    table |= {f"{side}__lane": rng.integers(0, lanes, cycles) for side in ("read", "write")}
    # Often what is written in this very cycle.
    same = flags(rng, cycles, 0.3) == 1
    for place in ("row", "lane"):
        table[f"read__{place}"][same] = table[f"write__{place}"][same]
    table["write__data"] = rng.integers(0, 1 << width, (cycles, lanes))
    masks = flags(rng, (cycles, lanes), 0.7)
    # Every word is written once before anything is read.
    table["write__enable"][:rows] = 1
    table["write__row"][:rows], table["write__lane"][:rows] = np.arange(rows), 0
    masks[:rows] = 1
    table["read__enable"][:rows] = 0
    writes = table["write__enable"] == 1
    table["write__enable"] = table["write__enable"] * (masks @ (1 << np.arange(lanes)))

    memory = UnalignedMemoryReference(config)
    expected = np.zeros((cycles, lanes), np.int64)
    for cycle in range(cycles):
        row = {port: values[cycle] for port, values in table.items()}
        if row["read__enable"]:
            expected[cycle] = memory.read(row["read__row"], row["read__lane"])
        if writes[cycle]:
            memory.write(row["write__row"], row["write__lane"], row["write__data"], masks[cycle] == 1)
    component = UnalignedMemory(config)
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": table,
            "outputs": {"read__data": Expected(expected, component.latency, table["read__enable"] == 1)},
        },
    )


def test_words_behind_the_last_are_the_first():
    memory = UnalignedMemoryReference(UnalignedConfig(lanes=3, rows=2, width=8))
    memory.write(1, 2, [5, 6, 7])
    assert memory.words.tolist() == [6, 7, 0, 0, 0, 5]
    assert memory.read(1, 1).tolist() == [0, 5, 6]


def test_bad_configuration_is_refused():
    with pytest.raises(ValueError, match="Lanes must be from 2 to 256, not 1"):
        UnalignedConfig(lanes=1, rows=10)
    with pytest.raises(ValueError, match="Rows must be from 2 to 16777216, not 0"):
        UnalignedConfig(lanes=4, rows=0)
    with pytest.raises(TypeError, match="Width must be an integer, not 8.0"):
        UnalignedConfig(lanes=4, rows=8, width=8.0)
