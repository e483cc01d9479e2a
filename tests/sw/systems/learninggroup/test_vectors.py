"""Words of vectors: where each is, and that lockstep sees one in the wrong place."""

import numpy as np
import pytest

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.reference.learninggroup.layout import Layout
from rewardware.sw.systems.learninggroup import driver
from rewardware.sw.systems.learninggroup.vectors import pack_vectors, unpack_vectors

from .test_rtl import make

SMALL = LearningGroupConfig(name="small", cluster_vpus=2, blocks=4, batches=3)


@pytest.mark.parametrize(("agents", "episodes"), [(3, 5), (5, 7), (1, 1), (7, 9), (2, 24)])
def test_words_are_those_of_the_reference_and_back(agents, episodes):
    layout = Layout(SMALL, agents, episodes)
    values = np.random.default_rng(0).integers(1, 100, (episodes, agents, 6))
    words = pack_vectors(layout, values)
    assert np.array_equal(words, layout.pack(values))
    for feature in range(6):
        assert np.array_equal(unpack_vectors(layout, words[feature]), values[:, :, feature])


@pytest.mark.parametrize("name", ["pack_vectors", "unpack_vectors"])
def test_lockstep_sees_agents_in_each_others_places(name, monkeypatch):
    right = getattr(driver, name)

    def wrong(layout, values):
        """The first two agents' places are swapped; the reference has what was meant."""
        if name == "pack_vectors":
            return right(layout, values[:, [1, 0, 2]])
        return right(layout, values)[:, [1, 0, 2]]

    monkeypatch.setattr(driver, name, wrong)
    agent = make("lockstep")
    try:
        with pytest.raises(LockstepError, match="Iteration 0, step 0: RTL differs from the reference in "):
            agent.learn(1)
    finally:
        agent.close()
