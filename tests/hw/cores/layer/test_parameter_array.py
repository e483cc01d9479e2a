"""The memory of parameters against a table that is read and written at random."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.config import LayerConfig
from rewardware.hw.cores.layer.parameter_array import ParameterArray
from rewardware.sim.cocotb import simulate

from ..bench_play import Expected

WIDTH = BINARY16.width


def pack(words):
    """Words as integers."""
    return sum(words[..., lane].astype(object) << WIDTH * lane for lane in range(words.shape[-1]))


@pytest.mark.parametrize(("outputs", "units", "readers"), [(5, 3, 2), (2, 1, 0)])
def test_parameter_array(outputs, units, readers):
    config = LayerConfig(inputs=2, outputs=outputs, units=units, arithmetic=FloatLaneConfig(format=BINARY16))
    rng, count, words = np.random.default_rng(units), 2000, config.words
    table = np.zeros((words, units), np.int64)
    new_words = rng.integers(1 << WIDTH, size=(count, units))
    # The host comes while nobody else does, the update while no stage reads.
    owner = rng.integers(3, size=count)
    lanes = {name: rng.integers(units, size=count) for name in ("host_read", "host_write")}
    addresses = {
        name: rng.integers(words, size=count)
        for name in ("host_read", "host_write", "update", "new_words", *(f"reads__{port}" for port in range(readers)))
    }
    given = {f"{name}__address": address for name, address in addresses.items()}
    for name, lane in lanes.items():
        given[f"{name}__address"] = addresses[name] << config.lane_width | lane
    owners = {"host_read": 0, "host_write": 0, "update": 1, "new_words": 1}
    enabled = {name: (rng.random(count) < 0.7) & (owner == owners.get(name, 2)) for name in addresses}
    given |= {f"{name}__enable": enable for name, enable in enabled.items()}
    given["new_words__enable"] = enabled["new_words"] * ((1 << units) - 1)
    given |= {"host_write__data": rng.integers(1 << WIDTH, size=count), "new_words__data": pack(new_words)}
    read = {name: np.zeros((count, units), np.int64) for name in ("update", *addresses) if "write" not in name}
    for cycle in range(count):
        for name, rows in read.items():
            rows[cycle] = table[addresses[name][cycle]]
        if enabled["host_write"][cycle]:
            table[addresses["host_write"][cycle], lanes["host_write"][cycle]] = given["host_write__data"][cycle]
        if enabled["new_words"][cycle]:
            table[addresses["new_words"][cycle]] = new_words[cycle]
    chosen = read.pop("host_read")[np.arange(count), lanes["host_read"]]
    read.pop("new_words")
    outputs = {f"{name}__data": Expected(pack(rows), 1, enabled[name]) for name, rows in read.items()}
    outputs["host_read__data"] = Expected(chosen, 1, enabled["host_read"])
    simulate(
        ParameterArray(config, readers),
        bench="tests.hw.cores.bench_play",
        parameters={"inputs": given, "outputs": outputs},
    )


def test_bad_readers():
    config = LayerConfig(inputs=1, outputs=1, units=1)
    with pytest.raises(ValueError, match="^Readers must be from 0 to 4, not 5$"):
        ParameterArray(config, 5)
    with pytest.raises(TypeError, match="^Readers must be an integer, not 1.5$"):
        ParameterArray(config, 1.5)
