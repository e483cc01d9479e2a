"""Agents that differ, side by side: padding, how they ended, refusals."""

import gymnasium
import numpy as np
import pytest
from mpe2 import simple_tag_v3

from rewardware.sw.core.environments.episode_batch import EpisodeBatch
from rewardware.sw.core.environments.failure import EnvironmentFailure
from rewardware.sw.core.environments.joint_environments import JointEnvironments
from rewardware.sw.core.environments.parallel_environments import ParallelEnvironments
from rewardware.sw.core.environments.rover_tower import RoverTower
from rewardware.sw.core.environments.rover_tower_config import RoverTowerConfig

from .parallel import Broken, Staggered, Unlike


class Uneven(Staggered):
    """Agents that observe 1, 2, 3 of the elements, and have 2, 3, 4 actions."""

    def __init__(self, **values):
        super().__init__(**values)
        for number, agent in enumerate(self.possible_agents):
            self.observation_spaces[agent] = gymnasium.spaces.Box(-9, 9, (number + 1,), np.float64)
            self.action_spaces[agent] = gymnasium.spaces.Discrete(number + 2, start=2)

    def _observations(self, agents):
        found = super()._observations(agents)
        return {agent: values[: int(agent[6:]) + 1] for agent, values in found.items()}


def test_agents_that_are_alike_play_as_without_padding():
    one, other = JointEnvironments(Staggered, 3), ParallelEnvironments(Staggered, 3)
    assert isinstance(one, EpisodeBatch) and one.present.all()
    found, expected = (batch.reset(np.random.default_rng(2)) for batch in (one, other))
    for _ in range(5):
        assert np.array_equal(found, expected) and np.array_equal(one.alive, other.alive)
        actions = np.random.default_rng(3).integers(0, 4, (3, 3))
        (found, gained), (expected, wanted) = one.step(actions), other.step(actions)
        assert np.array_equal(gained, wanted)
    assert one.outcome() == other.outcome()


def test_observations_are_padded_and_absent_actions_named():
    batch = JointEnvironments(Uneven, 2)
    assert (batch.sizes, batch.counts) == ((1, 2, 3), (2, 3, 4))
    assert (batch.observation_size, batch.actions) == (3, 4)
    assert batch.present.tolist() == [[True, True, False, False], [True, True, True, False], [True] * 4]
    assert batch.task == {
        "agents": 3, "observation_size": 3, "actions": 4, "steps": 5, "sizes": [1, 2, 3], "counts": [2, 3, 4],
    }  # fmt: skip
    observations = batch.reset(np.random.default_rng(0))
    assert observations.shape == (2, 3, 3)
    observations, rewards = batch.step(np.array([[0, 1, 3], [1, 2, 0]]))
    drawn = observations[:, 2, 2]
    expected = [[[0, 0, 0], [1, 1, 0], [2, 1, value]] for value in drawn]
    assert np.array_equal(observations, np.array(expected, np.float32)) and drawn.all()
    assert np.array_equal(rewards, 1 + (np.array([[0, 1, 3], [1, 2, 0]]) + 2) / 8)


def test_the_end_of_an_agent_is_told():
    """Agent 0 terminates in step 2, agent 2 in step 3, agent 1 is truncated in step 4."""
    batch = JointEnvironments(Staggered, 1)
    batch.reset(np.random.default_rng(0))
    ends, truncated = np.array([2, 4, 3]), np.array([False, True, False])
    for step in range(1, 6):
        observations, _ = batch.step(np.zeros((1, 3), int))
        finished = (ends < step) | ((ends == step) & ~truncated)
        assert np.array_equal(batch.finished[0], finished), step
        assert not observations[0, ends <= step].any()
        last = batch.last_observations[0]
        if step == 4:
            assert np.array_equal(last[1, :2], [1, 4]) and last[1, 2]
            last = last[[0, 2]]
        assert not last.any()


def test_an_end_without_an_observation_is_none_to_go_on_from():
    def silent(environment, result):
        return {agent: value for agent, value in result[0].items() if agent != "agent_1"}, *result[1:]

    batch = JointEnvironments(lambda: Broken(silent, at=4), 1)
    batch.reset(np.random.default_rng(0))
    for _ in range(4):
        batch.step(np.zeros((1, 3), int))
    assert batch.finished.all() and not batch.last_observations.any()


def test_rovers_and_towers_play_as_alone():
    config = RoverTowerConfig(agents=4, messages=3, steps=6)
    batch, alone = JointEnvironments(lambda: RoverTower(config), 2), RoverTower(config)
    assert (batch.sizes, batch.counts, batch.steps) == ((9, 9, 6, 6), (5, 5, 3, 3), 6)
    batch.reset(np.random.default_rng(0))
    alone.reset(seed=batch.seeds[1])
    actions = np.array([[0, 0, 0, 0], [1, 4, 2, 1]])
    for _ in range(6):
        observations, rewards = batch.step(actions)
        seen, gained, *_ = alone.step(dict(zip(alone.agents, actions[1].tolist(), strict=True)))
        assert np.array_equal(rewards[1], list(gained.values()))
        for agent, values in enumerate(seen.values()):
            found = (observations + batch.last_observations)[1, agent]
            assert np.array_equal(found[: len(values)], values) and not found[len(values) :].any()
    assert not batch.finished.any() and not batch.alive.any()


def test_refusals_and_failures():
    with pytest.raises(ValueError, match="The action space of agent agent_2 must be Discrete, not Box"):
        JointEnvironments(lambda: Unlike(action=gymnasium.spaces.Box(0, 1)), 1)
    with pytest.raises(ValueError, match=r"The observation space of agent agent_2 must be a vector, not of shape \(2,"):
        JointEnvironments(lambda: Unlike(observation=gymnasium.spaces.Box(0, 1, (2, 2))), 1)
    with pytest.raises(ValueError, match="as many elements as adversary_0, 16; agent_0 observes 14"):
        ParallelEnvironments(simple_tag_v3.parallel_env, 1)
    assert JointEnvironments(simple_tag_v3.parallel_env, 1).sizes == (16, 16, 16, 14)
    batch = JointEnvironments(Uneven, 1)
    batch.reset(np.random.default_rng(0))
    with pytest.raises(ValueError, match="Action of agent agent_1 must be between 0 and 2, not 3"):
        batch.step(np.array([[0, 3, 0]]))
    short = JointEnvironments(lambda: Broken(lambda _, result: ({**result[0], "agent_1": np.zeros(4)}, *result[1:])), 1)
    short.reset(np.random.default_rng(0))
    short.step(np.zeros((1, 3), int))
    with pytest.raises(EnvironmentFailure, match=r"observation of agent agent_1 must have shape \(3,\), not \(4,\)"):
        short.step(np.zeros((1, 3), int))
