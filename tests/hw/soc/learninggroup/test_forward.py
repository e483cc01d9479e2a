"""Weight grouping and steps forward on the RTL of the whole device, against the reference."""

import numpy as np
import pytest

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig, Network, Rates
from rewardware.hw.soc.learninggroup.hardware import LearningGroupHardware
from rewardware.sw.device.learninggroup import LearningGroupDevice
from rewardware.sw.device.open import open_device
from rewardware.sw.program.learninggroup import MemoryMap
from rewardware.sw.reference.learninggroup.iteration import LearningGroupReference
from rewardware.sw.reference.learninggroup.state import initial_state

HARDWARE = LearningGroupHardware(
    device=LearningGroupConfig(
        name="test", cores=3, clusters=5, cluster_vpus=1, blocks=4, groups=4, features=64, steps=4,
        optimizer_format="binary16",
    ),
    activation_rows=256, error_rows=256, result_rows=256, state_rows=512, aggregate_rows=64, scalar_rows=64,
    weight_rows=256, parameter_rows=256, grouping_rows=256, index_rows=64, list_rows=256, tuples=64,
    instruction_depth=256,
)  # fmt: skip
STEPS = 3


@pytest.fixture(scope="module")
def simulation():
    with open_device("sim", HARDWARE) as device:
        yield device


@pytest.mark.parametrize(
    ("agents", "episodes", "groups", "hidden"),
    [(3, 7, 3, 13), (5, 2, 4, 8), (1, 4, 1, 5)],
    ids=["two batches, units that no core has", "agents side by side in a block", "one agent, dense"],
)
def test_steps(simulation, agents, episodes, groups, hidden):
    """Choices and values of two iterations: every bit."""
    network = Network(observation_size=11, hidden_size=hidden, actions=5, agents=agents, groups=groups)
    random = np.random.default_rng(agents)
    state = initial_state(network, HARDWARE.device.cores, seed=5)
    for name, numbers in state.items():
        if name != "random" and not name.startswith("square"):
            state[name] = random.normal(0, 0.6, numbers.shape)
    reference = LearningGroupReference(HARDWARE.device, network, Rates(), episodes=episodes)
    reference.load(state)
    device = LearningGroupDevice(simulation, HARDWARE, network, episodes=episodes, steps=STEPS)
    device.load(state)
    for _ in range(2):
        reference.start()
        device.start()
        for _ in range(STEPS):
            observations = random.normal(0, 1, (episodes, agents, 11))
            for expected, got in zip(reference.step(observations), device.step(observations), strict=True):
                np.testing.assert_array_equal(got, expected)
    assert not reference.nonfinite_layers()
    with pytest.raises(RuntimeError, match="An iteration has 3 steps, and begins with start"):
        device.step(observations)


def test_what_does_not_fit():
    network = Network(observation_size=60, hidden_size=64, agents=3, groups=4)
    with pytest.raises(
        ValueError, match="Activation rows must be at least 688 for this network and iteration, not 256"
    ):
        MemoryMap(HARDWARE, network, 2, 3)
