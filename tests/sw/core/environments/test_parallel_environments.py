"""PettingZoo's environments side by side: against the environment itself, who ends when, failures, refusals."""

import gymnasium
import numpy as np
import pytest
from mpe2 import simple_spread_v3, simple_tag_v3
from pettingzoo.test import parallel_api_test

from rewardware.sw.core.environments.episode_batch import EpisodeBatch
from rewardware.sw.core.environments.failure import EnvironmentFailure, NonFiniteError
from rewardware.sw.core.environments.make_parallel_environment import parallel_environment_factory
from rewardware.sw.core.environments.parallel_environments import ParallelEnvironments
from rewardware.sw.core.environments.predator_prey import PredatorPrey
from rewardware.sw.core.environments.predator_prey_batch import PredatorPreyBatch
from rewardware.sw.core.environments.predator_prey_config import MODES, PredatorPreyConfig

from .parallel import Broken, Staggered, Unlike, staggered


class FromCells(ParallelEnvironments):
    """Predator-Prey from the cells that `PredatorPreyBatch` draws of the same generator."""

    def __init__(self, config, episodes):
        super().__init__(lambda: PredatorPrey(config), episodes, steps=config.steps)
        self._batch = PredatorPreyBatch(config, episodes)

    def reset(self, generator):
        self._cells = self._batch.draw(generator)
        return super().reset(np.random.default_rng(0))

    def _begin(self, episode, environment):
        return environment.reset(options={"cells": self._cells[episode]})[0]


@pytest.mark.parametrize("make", [Staggered, lambda: Staggered(lengths=(1, 1)), simple_spread_v3.parallel_env])
def test_what_the_tests_play_conforms_to_the_parallel_interface(make):
    parallel_api_test(make(), num_cycles=30)


@pytest.mark.parametrize("vision", [0, 1])
@pytest.mark.parametrize("mode", MODES)
def test_predator_prey_has_the_same_episodes_in_both(mode, vision):
    """Observations, rewards and ends of the vectorised batch, to the bit, episode after episode."""
    config = PredatorPreyConfig(size=3, predators=2, steps=15, mode=mode, vision=vision)
    fast, plain = PredatorPreyBatch(config, 9), FromCells(config, 9)
    for name in ("episodes", "agents", "observation_size", "actions", "steps"):
        assert getattr(fast, name) == getattr(plain, name), name
    assert isinstance(fast, EpisodeBatch) and isinstance(plain, EpisodeBatch)
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    choices, ended_early = np.random.default_rng(1), 0
    for _ in range(3):
        expected, found = fast.reset(one), plain.reset(other)
        for step in range(config.steps):
            assert np.array_equal(fast.alive, plain.alive)
            assert found.dtype == expected.dtype
            assert np.array_equal(found[plain.alive], expected[plain.alive])
            ended_early += int((~plain.alive).sum())
            actions = choices.integers(0, 5, (9, 2))
            (expected, wanted), (found, rewards) = fast.step(actions), plain.step(actions)
            assert rewards.dtype == wanted.dtype and np.array_equal(rewards, wanted), step
        assert not fast.alive.any() and not plain.alive.any()
    assert (ended_early > 0) == (mode == "mixed")
    assert one.random() == other.random()


def test_episodes_are_those_of_the_environment_with_its_seed():
    batch = ParallelEnvironments(simple_spread_v3.parallel_env, 3)
    assert (batch.agents, batch.observation_size, batch.actions, batch.steps) == (3, 18, 5, 25)
    generator, choices = np.random.default_rng(0), np.random.default_rng(1)
    seeds = []
    for _ in range(2):
        observations = batch.reset(generator)
        seeds += batch.seeds
        alone = [simple_spread_v3.parallel_env() for _ in range(3)]
        for environment, seed, rows in zip(alone, batch.seeds, observations, strict=True):
            assert np.array_equal(list(environment.reset(seed=seed)[0].values()), rows)
        for step in range(25):
            assert batch.alive.all(), step
            actions = choices.integers(0, 5, (3, 3))
            observations, rewards = batch.step(actions)
            for episode, environment in enumerate(alone):
                found, gained, *_ = environment.step(dict(zip(environment.agents, actions[episode], strict=True)))
                assert np.array_equal(list(gained.values()), rewards[episode])
                # After the last step nobody goes on.
                expected = list(found.values()) if step < 24 else np.zeros((3, 18))
                assert np.array_equal(expected, observations[episode])
        assert not batch.alive.any() and batch.outcome() == {"length": 25.0}
    assert len(set(seeds)) == 6
    batch.close()


def test_agents_end_at_different_times():
    """Agent 0 terminates in step 2, agent 2 in step 3, agent 1 is truncated in step 4: the end of the episode."""
    batch = ParallelEnvironments(Staggered, 2)
    observations = batch.reset(np.random.default_rng(0))
    assert observations.dtype == np.float32 and observations.shape == (2, 3, 3)
    assert observations[0, 0, 2] != observations[1, 0, 2]
    ends = np.array([2, 4, 3])
    for step in range(1, 6):
        assert np.array_equal(batch.alive, np.tile(ends >= step, (2, 1))), step
        actions = np.array([[0, 1, 3], [2, 2, 0]])
        observations, rewards = batch.step(actions)
        # Actions of the environment begin at 2.
        assert np.array_equal(rewards, np.where(ends >= step, step + (actions + 2) / 8, 0))
        for agent in range(3):
            seen = [agent, step] if ends[agent] > step else [0, 0]
            assert np.array_equal(observations[:, agent, :2], [seen, seen])
    assert batch.outcome() == {"length": 4.0}
    assert batch.reset(np.random.default_rng(1))[0, 0, 1] == 0 and batch.alive.all()
    batch.close()
    assert all(environment.closed for environment in batch._environments)


def test_an_agent_that_comes_back_acts_again():
    def again(environment, result):
        environment.agents = ["agent_0", "agent_1"]
        return {"agent_0": np.full(3, 7.0), **result[0]}, *result[1:]

    batch = ParallelEnvironments(lambda: Broken(again, at=3), 1)
    batch.reset(np.random.default_rng(0))
    alive = []
    for _ in range(3):
        observations, _ = batch.step(np.zeros((1, 3), int))
        alive.append(batch.alive[0].tolist())
    assert alive == [[True] * 3, [False, True, True], [True, True, False]] and (observations[0, 0] == 7).all()


def test_an_agent_that_has_ended_does_not_act_though_it_is_still_named():
    """Whoever is terminated stands still, whatever the environment's ``agents`` say."""

    class Lingering(Staggered):
        def step(self, actions):
            self.agents = list(actions)
            result = super().step(actions)
            self.agents = list(self.possible_agents)
            return result

    batch, alone = ParallelEnvironments(Lingering, 2), ParallelEnvironments(Staggered, 2)
    batch.reset(np.random.default_rng(0)), alone.reset(np.random.default_rng(0))
    for _ in range(2):
        (_, found), (_, expected) = (each.step(np.zeros((2, 3), int)) for each in (batch, alone))
        assert np.array_equal(found, expected)
    assert batch.alive.tolist() == [[False, True, True]] * 2


def wrong(change):
    def spoil(environment, result):
        return change(*result)

    return spoil


@pytest.mark.parametrize(
    ("change", "at", "error", "words"),
    [
        (lambda *_: 1 / 0, 2, EnvironmentFailure, "Step 2 of environment 0 (seed {seed}): ZeroDivisionError: division"),
        (lambda *_: 1 / 0, 0, EnvironmentFailure, "Reset of environment 0 (seed {seed}): ZeroDivisionError: division"),
        (lambda *_: None, 1, EnvironmentFailure, "TypeError: cannot unpack non-iterable NoneType"),
        (lambda o, r, *rest: ({}, r, *rest), 1, EnvironmentFailure, "agent agent_0 goes on and has no observation"),
        (lambda o, r, *rest: (o, {}, *rest), 1, EnvironmentFailure, "agent agent_0 acted and has no reward"),
        (
            lambda o, r, *rest: (dict.fromkeys(o, np.zeros(4)), r, *rest), 1, EnvironmentFailure,
            "the observation of agent agent_0 must have shape (3,), not (4,)",
        ),
        (
            lambda o, r, *rest: (dict.fromkeys(o, np.array([0, np.nan, 0])), r, *rest), 1, NonFiniteError,
            "element 1 of the observation of agent agent_0 is nan; observations must be finite",
        ),
        (
            lambda o, r, *rest: (o, dict.fromkeys(r, -np.inf), *rest), 3, NonFiniteError,
            "Step 3 of environment 0 (seed {seed}): the reward of agent agent_1 is -inf; rewards must be finite",
        ),
    ],
)  # fmt: skip
def test_errors_of_the_environment_say_where(change, at, error, words):
    batch = ParallelEnvironments(lambda: Broken(wrong(change), at=at), 2)
    with pytest.raises(EnvironmentFailure) as failure:
        batch.reset(np.random.default_rng(3))
        for _ in range(4):
            batch.step(np.zeros((2, 3), int))
    assert type(failure.value) is error and words.format(seed=batch.seeds[0]) in str(failure.value)
    assert failure.value.__cause__ is not None


def test_a_reset_must_leave_somebody():
    def nobody(environment, result):
        environment.agents = []
        return result

    with pytest.raises(EnvironmentFailure, match="Reset of environment 0 .*: no agent is there"):
        ParallelEnvironments(lambda: Broken(nobody, at=0), 1).reset(np.random.default_rng(0))


class NoAgents(Staggered):
    def __init__(self):
        super().__init__(lengths=())


class Endless(Staggered):
    def __init__(self):
        super().__init__()
        del self.max_cycles


@pytest.mark.parametrize(
    ("make", "settings", "error", "words"),
    [
        (
            lambda: simple_spread_v3.parallel_env(continuous_actions=True), {}, ValueError,
            "The action space of agent agent_0 must be Discrete, not Box",
        ),
        (
            lambda: Unlike(action=gymnasium.spaces.Discrete(3, start=2)), {}, ValueError,
            "All agents must have the action space of agent_0, Discrete(4, start=2); agent_2 has Discrete(3, start=2)",
        ),
        (
            lambda: Unlike(observation=gymnasium.spaces.Discrete(3)), {}, ValueError,
            "The observation space of agent agent_2 must be a Box, not Discrete(3)",
        ),
        (
            lambda: Unlike(observation=gymnasium.spaces.Box(0, 1, (3, 1))), {}, ValueError,
            "The observation space of agent agent_2 must be a vector, not of shape (3, 1)",
        ),
        (
            lambda: Unlike(observation=gymnasium.spaces.Box(0, 1, (5,))), {}, ValueError,
            "All agents must observe as many elements as agent_0, 3; agent_2 observes 5",
        ),
        (simple_tag_v3.parallel_env, {}, ValueError, "as many elements as adversary_0, 16; agent_0 observes 14"),
        (NoAgents, {}, ValueError, "must have agents; its possible_agents are empty"),
        (Endless, {}, ValueError, "has no max_cycles that says how long its episodes are: give their steps"),
        (Staggered, {"steps": 0}, ValueError, "steps must be at least 1, not 0"),
        (Staggered, {"steps": 2.5}, TypeError, "steps must be a whole number, not 2.5"),
        (lambda: gymnasium.make("CartPole-v1"), {}, TypeError, "must be a ParallelEnv of PettingZoo, not gymnasium"),
        (simple_spread_v3.env, {}, TypeError, "must be a ParallelEnv of PettingZoo, not pettingzoo"),
        (Staggered(), {}, TypeError, "must be given as a function that makes one, not as tests."),
    ],
)  # fmt: skip
def test_refuses_what_it_cannot_play(make, settings, error, words):
    with pytest.raises(error) as refused:
        ParallelEnvironments(make, 2, **settings)
    assert words in str(refused.value)


def test_refuses_environments_that_differ():
    made = [Staggered(), Staggered(actions=3)]
    to_make = iter(made)
    with pytest.raises(ValueError, match="Environments must all be alike; .* has other agents or spaces than"):
        ParallelEnvironments(lambda: next(to_make), 2)
    assert all(environment.closed for environment in made)
    with pytest.raises(ValueError, match="episodes must be at least 1, not 0"):
        ParallelEnvironments(Staggered, 0)


def test_identifiers(tmp_path, monkeypatch):
    here = f"{staggered.__module__}:staggered"
    assert parallel_environment_factory(here) is staggered
    assert parallel_environment_factory("mpe2/simple_spread_v3")().possible_agents == ["agent_0", "agent_1", "agent_2"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "registering.py").write_text(
        "import pettingzoo\n"
        "from tests.sw.core.environments.parallel import Staggered\n"
        "pettingzoo.register('parallel', 'own/staggered-v0', Staggered, max_cycles=9)\n"
        "number = 3\n"
    )
    with pytest.raises(
        ValueError, match="'own/staggered-v0' cannot be made: .*; if it registers it, add --import MODULE"
    ):
        parallel_environment_factory("own/staggered-v0")
    with pytest.raises(ValueError, match="must name a function or a class that makes it, not int"):
        parallel_environment_factory("registering:number")
    assert parallel_environment_factory("own/staggered-v0")().max_cycles == 9
    for identifier, words in (
        ("nowhere:make", "'nowhere:make' cannot be made: No module named 'nowhere'"),
        (
            f"{staggered.__module__}:nothing",
            "cannot be made: module tests.sw.core.environments.parallel has no nothing",
        ),
        (":make", "Environment must have the form MODULE:FACTORY, not ':make'"),
        ("mpe2/simple_hop_v3", "'mpe2/simple_hop_v3' cannot be made: No module named 'mpe2.simple_hop_v3'"),
        ("mpe2/all_modules", "Environment must have the form mpe2/simple_spread_v3, not 'mpe2/all_modules'"),
    ):
        with pytest.raises(ValueError, match=words):
            parallel_environment_factory(identifier)
