"""LearningGroup in lockstep: what is compared, when, and what is said of a difference; the RTL is a reference here."""

import numpy as np
import pytest

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig, Network, Rates
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.reference.learninggroup.iteration import LearningGroupReference
from rewardware.sw.reference.learninggroup.state import initial_state
from rewardware.sw.systems.learninggroup.lockstep import LearningGroupLockstep

NETWORK = Network(observation_size=5, hidden_size=6, agents=2, groups=2)
CONFIG = LearningGroupConfig(name="test", cores=2, clusters=3, cluster_vpus=1, blocks=2, groups=4, features=32, steps=4)
EPISODES, STEPS = 3, 2


class Spoiled(LearningGroupReference):
    """Wrong in one number of one job, from its iteration ``since`` on."""

    def __init__(self, *arguments, job=None, since=0, **options):
        super().__init__(*arguments, **options)
        self.job, self.since, self.iterations, self.reports = job, since, 0, []

    def step(self, observations):
        movements, gates, values = super().step(observations)
        if self.job == "step" and self.iterations >= self.since and len(self.steps) == 2:
            values[1, 0] = -values[1, 0]
        return movements, gates, values

    def train(self, returns, scales):
        super().train(returns, scales)
        if self.job == "train" and self.iterations >= self.since:
            self.parameters["bias/value"] = -self.parameters["bias/value"]
        self.iterations += 1


def lockstep(every, **spoiled):
    arguments = CONFIG, NETWORK, Rates()
    engine = LearningGroupLockstep(
        LearningGroupReference(*arguments, episodes=EPISODES), Spoiled(*arguments, episodes=EPISODES, **spoiled), every
    )
    random = np.random.default_rng(1)
    state = initial_state(NETWORK, CONFIG.cores)
    state |= {name: random.normal(0, 0.5, one.shape) for name, one in state.items() if "square" not in name}
    state["random"] = initial_state(NETWORK, CONFIG.cores)["random"]
    engine.load(state)
    return engine


def play(engine, iterations):
    random = np.random.default_rng(2)
    for _ in range(iterations):
        engine.start()
        for _ in range(STEPS):
            engine.step(random.normal(0, 1, (EPISODES, NETWORK.agents, NETWORK.observation_size)))
        shape = STEPS, EPISODES, NETWORK.agents
        engine.train(random.normal(0, 1, shape), np.full(shape, 0.1))


@pytest.mark.parametrize("every", [1, 3])
def test_every_kth_iteration_is_compared_in_full(every):
    engine, alone = lockstep(every), lockstep(1).reference
    play(engine, 5)
    state = sum(np.size(array) for array in engine.save().values())
    checked = -(-5 // every)
    assert engine.counts()["lockstep_steps"] == checked
    assert engine.compared == engine.equal == checked * (state + STEPS * 3 * EPISODES * NETWORK.agents)
    play(alone, 5)
    for name, array in alone.save().items():
        np.testing.assert_array_equal(engine.save()[name], array)


@pytest.mark.parametrize(
    ("job", "words"),
    [
        ("step", r"Iteration 4, step 1: RTL differs from the reference in value\[1, 0\]: expected"),
        ("train", r"Iteration 4, update: RTL differs from the reference in bias/value\[0\]: expected"),
    ],
)
def test_a_difference_is_named(job, words):
    engine = lockstep(2, job=job, since=2)
    with pytest.raises(LockstepError, match=words):
        play(engine, 6)
    assert engine.equal < engine.compared


def test_comparisons_go_on_after_a_checkpoint():
    straight, first, second = lockstep(2), lockstep(2), lockstep(2)
    play(straight, 4)
    play(first, 3)
    second.restore_comparisons(first.comparisons())
    play(second, 1)
    assert second.comparisons() == straight.comparisons()
