"""A memory that several users share: the references of arbiters and memory, one after the other."""

import numpy as np
import pytest

from rewardware.hw.cores.memory.config import MemoryConfig, SharedMemoryConfig
from rewardware.hw.cores.memory.shared import SharedMemory
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.memory.arbiter import ArbiterReference
from rewardware.sw.reference.memory.memory import MemoryReference

from ..bench_play import Expected
from ..side_by_side import SideBySide
from ..stimulus import flags

CYCLES = 500
WIDTH = 6
CONFIGS = {
    "one": SharedMemoryConfig(depth=3),
    "many": SharedMemoryConfig(depth=7, readers=3, writers=2, lanes=3),
}


def bits(granted):
    return 0 if granted is None else 1 << granted


def played(name, config):
    """Users that ask at random, on few rows; what all of them see, and who is granted."""
    rng = np.random.default_rng(config.readers)
    reading, writing = flags(rng, (CYCLES, config.readers), 0.4), flags(rng, (CYCLES, config.writers), 0.4)
    rows, places = (rng.integers(0, config.depth, (CYCLES, users)) for users in (config.readers, config.writers))
    masks = writing * rng.integers(1, 1 << config.lanes, writing.shape)
    width = WIDTH // config.lanes
    words = rng.integers(0, 1 << WIDTH, writing.shape)
    readers, writers = ArbiterReference(config.readers), ArbiterReference(config.writers)
    memory = MemoryReference(MemoryConfig(depth=config.depth, lanes=config.lanes))
    shown, granted, conflicts = [], [], []
    for cycle in range(CYCLES):
        reader, met = readers.decide(reading[cycle])
        writer, clashed = writers.decide(writing[cycle])
        write = None
        if writer is not None:
            lanes = [masks[cycle, writer] >> lane & 1 for lane in range(config.lanes)]
            parts = [words[cycle, writer] >> width * lane & (1 << width) - 1 for lane in range(config.lanes)]
            write = places[cycle, writer], lanes, parts
        shown += memory.step([None if reader is None else rows[cycle, reader]], write)
        granted.append((bits(reader), bits(writer)))
        conflicts.append(met or clashed)
    known = np.array([row is not None for row in shown])
    values = [0 if row is None else sum(int(part) << width * lane for lane, part in enumerate(row)) for row in shown]
    inputs, outputs = {}, {f"{name}__conflict": Expected(np.array(conflicts), 0)}
    for kind, place in (("read", 0), ("write", 1)):
        outputs[f"{name}__{kind}_granted"] = Expected(np.array([pair[place] for pair in granted]), 0)
    for user in range(config.readers):
        inputs[f"{name}__reads__{user}__enable"] = reading[:, user]
        inputs[f"{name}__reads__{user}__address"] = rows[:, user]
        outputs[f"{name}__reads__{user}__data"] = Expected(np.array(values), 0, known)
    for user in range(config.writers):
        inputs[f"{name}__writes__{user}__enable"] = masks[:, user]
        inputs[f"{name}__writes__{user}__address"] = places[:, user]
        inputs[f"{name}__writes__{user}__data"] = words[:, user]
    return inputs, outputs


def test_equals_reference():
    units, inputs, outputs = {}, {}, {}
    for name, config in CONFIGS.items():
        units[name] = SharedMemory(WIDTH, config)
        given, expected = played(name, config)
        inputs, outputs = inputs | given, outputs | expected
    simulate(SideBySide(units), bench="tests.hw.cores.bench_play", parameters={"inputs": inputs, "outputs": outputs})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"depth": 0}, "Depth must be from 1 to 16777216, not 0"),
        ({"depth": 4, "readers": 0}, "Readers must be from 1 to 64, not 0"),
        ({"depth": 4, "writers": 65}, "Writers must be from 1 to 64, not 65"),
        ({"depth": 4, "lanes": 0}, "Lanes must be from 1 to 1024, not 0"),
    ],
)
def test_bad_configuration_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        SharedMemoryConfig(**fields)
