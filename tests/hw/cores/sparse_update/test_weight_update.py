"""The update of weights against its reference, and the reference against what compression and RMSprop are."""

from dataclasses import replace

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, BINARY32
from rewardware.hw.cores.optimizer.rms_prop_config import RMSpropConfig
from rewardware.hw.cores.sparse.config import SparseConfig
from rewardware.hw.cores.sparse_update.weight_update import WeightUpdate
from rewardware.hw.cores.sparse_update.weight_update_config import WeightUpdateConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.optimizer.rms_prop import rms_prop
from rewardware.sw.reference.sparse.compression import decompress, parameter_words
from rewardware.sw.reference.sparse_update.weight_update import dense_words, update
from tests.hw.cores.sparse.grouped import grouped_layers
from tests.hw.cores.sparse.variants import CONFIGS

VARIANTS = {
    "binary16": WeightUpdateConfig(
        sparse=CONFIGS["four lanes"], rms_prop=RMSpropConfig(adder_depth=2, multiplier_depth=1)
    ),
    "binary32 in turns": WeightUpdateConfig(
        sparse=replace(CONFIGS["two lanes"], weight_width=16), rms_prop=RMSpropConfig(format=BINARY32), interval=2
    ),
}


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_engine(config):
    engine = WeightUpdate(config)
    simulate(
        engine,
        bench="tests.hw.cores.sparse_update.bench_weight_update",
        parameters={"config": config, "layers": 10, "latency": engine.latency},
        after_noise=True,
    )


@pytest.mark.parametrize("name", CONFIGS)
def test_reference(name):
    """Each unmasked weight with the gradient that the inverse of compression gives it; nothing else moves."""
    config, random = CONFIGS[name], np.random.default_rng(3)
    rates = {"decay": 0x3B00, "one_minus_decay": 0x2C00, "learning_rate": 0x1400, "epsilon": 0x1400}
    for layer in grouped_layers(config, random, 20):
        shape = config.parameter_words, config.lanes
        weights, squares = (random.integers(0, BINARY16.infinity, shape) for _ in "ws")
        banks = random.integers(0, BINARY16.infinity, (config.banks, config.weight_words))
        words = parameter_words(
            layer.forward, layer.row_list, layer.vectors, lanes=config.lanes, banks=config.banks,
            row_words=layer.row_words, parameter_base=layer.parameter_base,
        )  # fmt: skip
        got = update(BINARY16, BINARY16, weights, squares, banks, words, **rates)
        gradient = np.full((layer.rows, layer.row_words * config.lanes), -1)
        decompress(banks, layer.forward, layer.row_list, layer.column_list, gradient)
        end = layer.parameter_base + layer.rows * layer.row_words
        for before, after, part in zip((weights, squares), got, (0, 1), strict=True):
            inside = [numbers[layer.parameter_base : end].reshape(layer.rows, -1) for numbers in (weights, squares)]
            expected = before.copy()
            new = rms_prop(BINARY16, *inside, np.maximum(gradient, 0), **rates)[part]
            expected[layer.parameter_base : end] = np.where(gradient >= 0, new, inside[part]).reshape(-1, config.lanes)
            np.testing.assert_array_equal(after, expected)


def test_words_of_biases():
    words = dense_words(9, lanes=4, banks=8, parameter_base=5, weight_base=2)
    expected = {"parameter_address": [5, 6, 7], "mask": [15, 15, 1], "weight_address": [2, 2, 3], "phase": [0, 4, 0],
                "turn": [0, 4, 0]}  # fmt: skip
    assert {name: part.tolist() for name, part in words.items()} == expected


def test_bad_configuration():
    with pytest.raises(TypeError, match="^Sparse must be of the kind SparseConfig, not 3$"):
        WeightUpdateConfig(sparse=3)
    with pytest.raises(ValueError, match="^Gradient format must have the 16 bits of the banks, not 32$"):
        WeightUpdateConfig(gradient_format="binary32")
    with pytest.raises(ValueError, match="^Conversion depth must be from 0 to 7, not 8$"):
        WeightUpdateConfig(conversion_depth=8)
    with pytest.raises(ValueError, match="^Interval must be a divisor of lanes, not 3$"):
        WeightUpdateConfig(sparse=SparseConfig(), interval=3)
