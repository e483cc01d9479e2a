"""The limit that packing sets: every cycle of every cluster is accounted for."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.cores.vector.matrix_config import SLOTS, MatrixConfig
from rewardware.hw.soc.learninggroup.config import Network
from rewardware.sw.mapping.product_limit import ProductLimit, product_limit
from rewardware.sw.reference.learninggroup.grouping import Grouping

CONFIG = MatrixConfig(cluster_vpus=1, blocks=4, clusters=11, cores=2, features=60)
STEPS, BATCHES = 3, 2


def groupings(groups, cores):
    """Groupings of a network whose hidden units are not the same number in each core."""
    rng, network = np.random.default_rng(groups), Network(observation_size=9, hidden_size=13, groups=groups)
    return {
        name: Grouping(
            layer, rng.integers(0, groups, layer.rows), rng.integers(0, groups, layer.columns), groups, cores, 13
        )
        for name, layer in network.layers.items()
    }


@pytest.mark.parametrize("groups", [1, 3, 12])
def test_every_cycle_is_accounted_for(groups):
    layers = groupings(groups, CONFIG.cores)
    limit = product_limit(CONFIG, layers, steps=STEPS, batches=BATCHES)
    parts = {part.name: getattr(limit, part.name) for part in dataclasses.fields(ProductLimit) if part.name != "cycles"}
    assert sum(parts.values()) == limit.cycles
    assert min(parts.values()) >= 0
    assert {name: limit.percent(name) for name in parts} == {name: 100 * parts[name] / limit.cycles for name in parts}
    # Forward, backward, gradient; nothing goes back to observations, or from the first step to what was heard.
    often = {name: 3 * STEPS - {"encoder": STEPS, "communication": 1}.get(name, 0) for name in layers}
    unmasked = sum(often[name] * int(grouping.mask.sum()) for name, grouping in layers.items())
    assert limit.operations == unmasked * BATCHES * CONFIG.blocks * SLOTS


def test_equal_sums_in_full_rounds_lose_nothing():
    """One group, one core, and clusters that the columns of every layer fill: only the seams are left."""
    network = Network(observation_size=64, hidden_size=64, actions=2)
    layers = {
        name: Grouping(layer, np.zeros(layer.rows, int), np.zeros(layer.columns, int), 1, 1, 64)
        for name, layer in network.layers.items()
    }
    config = MatrixConfig(cluster_vpus=1, blocks=4, clusters=4, cores=1, features=256)
    limit = product_limit(config, layers, steps=2, batches=1)
    assert limit.unequal == limit.free == limit.padding == 0
    assert limit.percent("between") < 1
