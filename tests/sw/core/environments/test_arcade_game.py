"""Games that are loaded once: the same bits as ale-py's own, reset after reset."""

import pickle

import gymnasium
import numpy as np
import pytest
from ale_py.env import AtariEnv

from rewardware.sw.core.environments.arcade_game import ArcadeGame
from rewardware.sw.core.environments.make_environment import make_environment

GAMES = [
    ("breakout", {}),
    ("pong", {"frameskip": (2, 5)}),
    ("breakout", {"mode": 8, "difficulty": 1, "full_action_space": True}),
    ("carnival", {"repeat_action_probability": 0.9, "max_num_frames_per_episode": 90}),
    # It draws from its generator while it is loaded.
    ("berzerk", {}),
    # Sounds are no part of a state.
    ("pong", {"sound_obs": True}),
]


@pytest.fixture
def loads(monkeypatch):
    """Games that ale-py loaded."""
    found, load = [], AtariEnv.load_game

    def counted(self):
        found.append(self)
        load(self)

    monkeypatch.setattr(AtariEnv, "load_game", counted)
    return found


def flat(observation):
    return list(observation.values()) if isinstance(observation, dict) else [observation]


def assert_same(envs, results):
    """Results of a reset or a step are the same, and so are both screens."""
    (mine, *about), (yours, *also) = results
    assert about == also
    assert all(np.array_equal(a, b) for a, b in zip(flat(mine), flat(yours), strict=True))
    one, other = (env.ale.getScreenRGB() for env in envs)
    assert np.array_equal(one, other)


@pytest.mark.parametrize(("game", "settings"), GAMES, ids=lambda value: value if isinstance(value, str) else "-")
def test_resets_with_a_seed_have_the_bits_of_a_game_loaded_anew(game, settings):
    generator = np.random.default_rng(3)
    envs = [kind(game, obs_type="ram", **settings) for kind in (ArcadeGame, AtariEnv)]
    for seed in (0, 7, None, 7, 2**32 - 1, *generator.integers(2**31, size=3).tolist()):
        assert_same(envs, [env.reset(seed=seed) for env in envs])
        for action in generator.integers(envs[0].action_space.n, size=generator.integers(40, 120)).tolist():
            results = [env.step(action) for env in envs]
            assert_same(envs, results)
            if results[0][2] or results[0][3]:
                break
        one, other = (env.clone_state(include_rng=True).serialize() for env in envs)
        assert one == other


@pytest.mark.parametrize(
    ("game", "settings", "expected"), [("breakout", {}, 1), ("berzerk", {}, 4), ("pong", {"sound_obs": True}, 4)]
)
def test_a_game_is_loaded_once_where_its_state_is_all_there_is(game, settings, expected, loads):
    env = ArcadeGame(game, obs_type="ram", **settings)
    for seed in range(3):
        env.reset(seed=seed)
        env.reset()
    assert len(loads) == expected


def test_games_are_made_so_in_every_process(loads):
    env = make_environment("ALE/Breakout-v5", obs_type="ram")
    again = gymnasium.make(pickle.loads(pickle.dumps(env.spec)))
    for made in (env, again):
        assert type(made.unwrapped) is ArcadeGame and made.spec.id == "ALE/Breakout-v5"
        assert made.unwrapped.ale.getFloat("repeat_action_probability") == 0.25
        observations = [made.reset(seed=5)[0] for _ in range(2)]
        assert np.array_equal(*observations)
    assert len(loads) == 2
    # The registry is everybody's.
    assert gymnasium.spec("ALE/Breakout-v5").entry_point == "ale_py.env:AtariEnv"
