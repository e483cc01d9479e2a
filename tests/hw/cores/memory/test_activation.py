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
    table = {f"{side}_enable": flags(rng, cycles, 0.8) for side in ("read", "write")}
    table |= {f"{side}_half": flags(rng, cycles) for side in ("read", "write")}
    table |= {f"{side}_parity": flags(rng, cycles) for side in ("read", "write")}
    table |= {f"{side}_row": rng.integers(0, config.rows, cycles) for side in ("read", "write")}
    table["read_column"] = flags(rng, cycles)
    table["read_lane"] = rng.integers(0, lanes, cycles)
    table["write_data"] = rng.integers(0, 1 << 32, (cycles, lanes))
    masks = flags(rng, (cycles, lanes), 0.7)
    table["write_enable"][:fill] = 1
    table["write_half"][:fill] = 0
    table["write_row"][:fill] = np.arange(fill)
    masks[:fill] = 1
    table["read_enable"][:fill] = 0
    for side in ("read", "write"):
        table[f"{side}_index"] = table[f"{side}_row"] % lanes
    column = table["read_column"] == 1
    table["read_row"][column] -= table["read_index"][column]
    pairs = column & (table["read_half"] == 1)
    table["read_lane"][pairs] &= -2
    table["write_mask"] = masks @ (1 << np.arange(lanes))

    memory = ActivationMemoryReference(config)
    expected = np.zeros((cycles, lanes), np.int64)
    for cycle in range(cycles):
        row = {port: values[cycle] for port, values in table.items()}
        if row["read_enable"]:
            half, parity = bool(row["read_half"]), row["read_parity"]
            expected[cycle] = (
                memory.read_column(row["read_row"], row["read_lane"], half=half, parity=parity)
                if row["read_column"]
                else memory.read_row(row["read_row"], half=half)
            )
        if row["write_enable"]:
            half, parity = bool(row["write_half"]), row["write_parity"]
            memory.write_row(row["write_row"], row["write_data"], masks[cycle] == 1, half=half, parity=parity)
    component = ActivationMemory(config)
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": table,
            "outputs": {"read_data": Expected(expected, component.latency, table["read_enable"] == 1)},
        },
    )


def test_bad_configuration_is_refused():
    with pytest.raises(ValueError, match="Lanes must be even, not 5"):
        ActivationMemoryConfig(lanes=5, rows=10)
    with pytest.raises(ValueError, match=r"Rows must be a multiple of lanes \(4\), not 10"):
        ActivationMemoryConfig(lanes=4, rows=10)
