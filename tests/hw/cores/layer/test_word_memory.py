"""The memory of words against a table that is read and written at random."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.config import LayerConfig
from rewardware.hw.cores.layer.word_memory import WordMemory
from rewardware.sim.cocotb import simulate

from ..bench_play import Expected


@pytest.mark.parametrize(("outputs", "units", "readers"), [(5, 3, 2), (2, 1, 1)])
def test_word_memory(outputs, units, readers):
    config = LayerConfig(inputs=2, outputs=outputs, units=units, arithmetic=FloatLaneConfig(format=BINARY16))
    rng, count, words = np.random.default_rng(units), 2000, config.words
    table = np.zeros((words, units), np.int64)
    given = {
        "write__enable": rng.random(count) < 0.3,
        "write__address": rng.integers(words, size=count),
        "write__word": rng.integers(1 << 16, size=(count, units)),
        "access__enable": rng.random(count) < 0.3,
        "access__write": rng.random(count) < 0.4,
        "access__address": rng.integers(words, size=count),
        "access__lane": rng.integers(units, size=count),
        "access__value": rng.integers(1 << 16, size=count),
    }
    for port in range(readers):
        given[f"reads__{port}__enable"] = rng.random(count) < 0.7
        given[f"reads__{port}__address"] = rng.integers(words, size=count)
    read, numbers = np.zeros((readers, count, units), np.int64), np.zeros(count, np.int64)
    for cycle in range(count):
        now = {name: column[cycle] for name, column in given.items()}
        accessed = now["access__enable"]
        for port in range(readers):
            first = accessed and port == 0
            read[port, cycle] = table[now["access__address"] if first else now[f"reads__{port}__address"]]
        numbers[cycle] = table[now["access__address"], now["access__lane"]]
        if accessed and now["access__write"]:
            table[now["access__address"], now["access__lane"]] = now["access__value"]
        if not accessed and now["write__enable"]:
            table[now["write__address"]] = now["write__word"]
    outputs = {"access__number": Expected(numbers, 1, given["access__enable"])}
    for port in range(readers):
        enabled = given[f"reads__{port}__enable"]
        outputs[f"reads__{port}__word"] = Expected(read[port], 1, enabled & ~(given["access__enable"] & (port == 0)))
    simulate(
        WordMemory(config, readers),
        bench="tests.hw.cores.bench_play",
        parameters={"inputs": given, "outputs": outputs},
    )


def test_bad_readers():
    config = LayerConfig(inputs=1, outputs=1, units=1)
    with pytest.raises(ValueError, match="^Readers must be from 1 to 4, not 0$"):
        WordMemory(config, 0)
    with pytest.raises(TypeError, match="^Readers must be an integer, not 1.5$"):
        WordMemory(config, 1.5)
