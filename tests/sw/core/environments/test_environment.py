"""The agent's view of an environment: bounds, seeds, and playing an episode again."""

import contextlib

import gymnasium
import numpy as np
import pytest

from rewardware.sw.core.environments.environment import DiscreteEnvironment, Environment
from rewardware.sw.core.environments.make_environment import make_environment
from tests.sw.core.environments.environments import Drift, Forgetful


def test_actions_are_scaled_to_the_bounds():
    environment = Environment(Drift(), 0)
    corners = environment.unscale(np.array([[-1, -1], [0, 0], [1, 1]], np.float32))
    assert corners.tolist() == [[-3, 1], [0, 3], [3, 5]]


def test_episodes_depend_on_seed_and_number_alone():
    one, other = Environment(Drift(), 3), Environment(Drift(), 3)
    for _ in range(4):
        one.step(np.zeros(2))
    one.begin()
    other.begin()
    assert np.array_equal(one.observation, other.observation)
    assert not np.array_equal(one.observation, Environment(Drift(), 4).observation)


def test_mujoco_is_quiet_about_models_of_gymnasium_alone(tmp_path, monkeypatch, capfd):
    import mujoco

    monkeypatch.chdir(tmp_path)
    spoken = []
    make = gymnasium.make

    def make_and_warn(identifier):
        mujoco.get_mju_user_warning()("a mass is negative")
        return make(identifier)

    monkeypatch.setattr(gymnasium, "make", make_and_warn)
    for handler in (None, spoken.append):
        mujoco.set_mju_user_warning(handler)
        told = (
            contextlib.nullcontext() if handler else pytest.warns(RuntimeWarning, match="^MuJoCo: a mass is negative$")
        )
        try:
            with told:
                make_environment("HalfCheetah-v5").close()
            assert mujoco.get_mju_user_warning() is handler
        finally:
            mujoco.set_mju_user_warning(None)
    assert capfd.readouterr() == ("", "") and spoken == ["a mass is negative"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["Pendulum-v1", "MountainCarContinuous-v0", "HalfCheetah-v5"])
def test_restored_environment_goes_on_identically(name):
    generator = np.random.default_rng(0)
    one = Environment(name, 11)
    one.begin()
    for _ in range(60):
        one.step(generator.uniform(-1, 1, one.action_size))
    other = Environment(name, 0)
    other.restore(*one.state())
    assert other.episode_return == one.episode_return and other.episode == 1
    for _ in range(20):
        action = generator.uniform(-1, 1, one.action_size)
        left, right = one.step(action), other.step(action)
        assert np.array_equal(left[0], right[0]) and left[1:] == right[1:]


def test_environment_with_hidden_state_is_refused():
    one = Environment(Forgetful(), 0)
    for _ in range(3):
        one.step(np.zeros(2))
    with pytest.raises(ValueError, match="came out elsewhere than at the checkpoint"):
        Environment(Forgetful(), 0).restore(*one.state())


def test_observations_must_be_finite():
    class Broken(Drift):
        def step(self, action):
            return np.array([0, np.nan], np.float32), 0.0, False, False, {}

    environment = Environment(Broken(), 0)
    with pytest.raises(ValueError, match="Element 1 of the observation after step 1 of episode 0 is nan"):
        environment.step(np.zeros(2))


@pytest.mark.parametrize("reward", [np.nan, np.inf])
def test_rewards_must_be_finite(reward):
    class Broken(Drift):
        def step(self, action):
            return np.zeros(2, np.float32), reward, False, False, {}

    message = f"Reward 1 of an episode is {reward}; rewards must be finite"
    with pytest.raises(ValueError, match=message):
        Environment(Broken(), 0).step(np.zeros(2))
    with pytest.raises(ValueError, match=message):
        Environment(Broken(), 0).run_episode(0, lambda observation: np.zeros(2))


def test_first_observation_must_be_finite():
    class Broken(Drift):
        def reset(self, *, seed=None, options=None):
            return np.array([-np.inf, 0], np.float32), {}

    with pytest.raises(ValueError, match="Element 0 of the observation after step 0 of episode 0 is -inf"):
        Environment(Broken(), 0)


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ("CartPole-v1", r"The action space must be a Box of real numbers, not Discrete\(2\)"),
        ("NoSuchThing-v0", "Environment 'NoSuchThing-v0' cannot be made"),
    ],
)
def test_unsuitable_environments_are_refused(env, words):
    with pytest.raises(ValueError, match=words):
        Environment(env, 0)


def test_unbounded_actions_are_refused():
    class Unbounded(Drift):
        action_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)

    with pytest.raises(ValueError, match="The action space must be bounded"):
        Environment(Unbounded(), 0)


def test_numbered_actions_are_those_of_the_environment():
    class Counted(Drift):
        action_space = gymnasium.spaces.Discrete(3, start=5)

        def step(self, action):
            seen.append(action)
            return super().step(np.full(2, float(action), np.float32))

    seen, environment = [], DiscreteEnvironment(Counted(), 0)
    for action in range(environment.action_size):
        environment.step(np.asarray(action))
    assert seen == [5, 6, 7] and type(seen[0]) is int
    drawn = {int(environment.random_action(np.random.default_rng(seed))) for seed in range(40)}
    assert drawn == {0, 1, 2}
    with pytest.raises(ValueError, match="The action space must be Discrete, not Box"):
        DiscreteEnvironment(Drift(), 0)


def test_restored_environment_with_numbered_actions_goes_on_identically():
    one, other = DiscreteEnvironment("CartPole-v1", 3), DiscreteEnvironment("CartPole-v1", 0)
    for action in (0, 1, 1, 0):
        one.step(np.asarray(action))
    other.restore(*one.state())
    left, right = one.step(np.asarray(1)), other.step(np.asarray(1))
    assert (
        np.array_equal(left[0], right[0]) and left[1:] == right[1:] and one.episode_length == other.episode_length == 5
    )
