"""An unaligned memory that several users share: the reference of the memory behind a choice of the first who asks."""

import numpy as np
import pytest

from rewardware.hw.cores.memory.config import SharedUnalignedConfig, UnalignedConfig
from rewardware.hw.cores.memory.shared_unaligned import SharedUnalignedMemory
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.memory.unaligned import UnalignedMemoryReference

from ..bench_play import Expected
from ..stimulus import flags

LANES, ROWS, WIDTH = 5, 6, 7


@pytest.mark.parametrize(("readers", "writers"), [(3, 2), (1, 1)])
def test_equals_reference(readers, writers):
    config = SharedUnalignedConfig(
        memory=UnalignedConfig(lanes=LANES, rows=ROWS, width=WIDTH), readers=readers, writers=writers
    )
    rng = np.random.default_rng(readers)
    cycles = ROWS + 600
    table, granted = {}, {}
    asks = {"read": flags(rng, (cycles, readers), 0.4), "write": flags(rng, (cycles, writers), 0.5)}
    # Every word is written once before anything is read.
    asks["read"][:ROWS], asks["write"][:ROWS] = 0, 1
    for kind, users in (("read", readers), ("write", writers)):
        before = np.cumsum(asks[kind], axis=1) - asks[kind]
        granted[kind] = before == 0
        for user in range(users):
            table[f"{kind}s__{user}__row"] = rng.integers(0, ROWS, cycles)
            table[f"{kind}s__{user}__lane"] = rng.integers(0, LANES, cycles)
            table[f"{kind}s__{user}__enable"] = asks[kind][:, user].copy()
    for user in range(writers):
        masks = rng.integers(1, 1 << LANES, cycles)
        masks[:ROWS] = (1 << LANES) - 1
        table[f"writes__{user}__row"][:ROWS], table[f"writes__{user}__lane"][:ROWS] = np.arange(ROWS), 0
        table[f"writes__{user}__enable"] = table[f"writes__{user}__enable"] * masks
        table[f"writes__{user}__data"] = rng.integers(0, 1 << WIDTH, (cycles, LANES))

    memory = UnalignedMemoryReference(config.memory)
    expected = np.zeros((cycles, LANES), np.int64)
    for cycle in range(cycles):
        for user in range(readers):
            if asks["read"][cycle, user] and granted["read"][cycle, user]:
                expected[cycle] = memory.read(table[f"reads__{user}__row"][cycle], table[f"reads__{user}__lane"][cycle])
        for user in range(writers):
            if asks["write"][cycle, user] and granted["write"][cycle, user]:
                place, data = (
                    [table[f"writes__{user}__{name}"][cycle] for name in ("row", "lane")],
                    f"writes__{user}__data",
                )
                lanes = table[f"writes__{user}__enable"][cycle] >> np.arange(LANES) & 1
                memory.write(*place, table[data][cycle], lanes == 1)
    component = SharedUnalignedMemory(config)
    outputs = {f"{kind}_granted": Expected(bits @ (1 << np.arange(bits.shape[1])), 0) for kind, bits in granted.items()}
    read = asks["read"].any(axis=1)
    for user in range(readers):
        outputs[f"reads__{user}__data"] = Expected(expected, component.latency, read)
    simulate(component, bench="tests.hw.cores.bench_play", parameters={"inputs": table, "outputs": outputs})


def test_bad_configuration_is_refused():
    memory = UnalignedConfig(lanes=LANES, rows=ROWS, width=WIDTH)
    with pytest.raises(ValueError, match="Readers must be from 1 to 64, not 0"):
        SharedUnalignedConfig(memory=memory, readers=0)
    with pytest.raises(TypeError, match="Memory must be"):
        SharedUnalignedConfig(memory=LANES)
