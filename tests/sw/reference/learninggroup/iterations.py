"""Networks and iterations to test with."""

import numpy as np

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig, Network, Rates
from rewardware.sw.reference.learninggroup.iteration import LearningGroupReference
from rewardware.sw.reference.learninggroup.state import parameter_shapes

# Words of 4 blocks x 8 lanes.
SMALL = LearningGroupConfig(name="small", cores=2, clusters=5, cluster_vpus=2, blocks=4, groups=8, batches=3)


def make(config=SMALL, *, groups=3, agents=3, episodes=5, hidden_size=10, seed=0, arithmetic="binary16", **rates):
    """A reference with random parameters, which are binary16 numbers whatever the arithmetic."""
    network = Network(observation_size=7, hidden_size=hidden_size, actions=5, agents=agents, groups=groups)
    reference = LearningGroupReference(
        config, network, Rates(**rates), episodes=episodes, seed=seed, arithmetic=arithmetic
    )
    generator = np.random.default_rng(seed)
    parameters = {
        name: generator.uniform(-1, 1, shape).astype(np.float16) / np.float16(2)
        for name, shape in parameter_shapes(network).items()
    }
    reference.load({**reference.save(), **parameters})
    return reference


def play(reference, steps=4, seed=1):
    """An iteration up to its training: observations, movements, gate actions, values, returns, scales, by step."""
    generator = np.random.default_rng(seed)
    shape = steps, reference.layout.episodes, reference.shape.agents
    observations = generator.integers(0, 3, (*shape, reference.shape.observation_size)) / 2
    returns = generator.normal(size=shape).astype(np.float16).astype(np.float64)
    scales = np.where(generator.random(shape) < 0.9, 0.5, 0)
    reference.start()
    results = [reference.step(observation) for observation in observations]
    policy, gate, values = (np.array(part) for part in zip(*results, strict=True))
    return observations, policy, gate, values, returns, scales
