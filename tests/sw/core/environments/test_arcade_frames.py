"""Frames of games: every pixel against exact fractions, from a game that is played frame by frame."""

from fractions import Fraction
from math import ceil, floor

import gymnasium
import numpy as np
import pytest

from rewardware.sw.core.environments.arcade_frames import ArcadeFrames
from rewardware.sw.core.environments.frame_environment import FrameEnvironment
from rewardware.sw.core.environments.make_environment import make_environment

GAME = "ALE/Breakout-v5"


def mean(screen, row, column):
    """Exact mean of the part of a screen that a pixel of a frame covers."""
    total = Fraction(0)
    tall, wide = (Fraction(size, 84) for size in screen.shape)
    for y in range(floor(row * tall), ceil((row + 1) * tall)):
        for x in range(floor(column * wide), ceil((column + 1) * wide)):
            height = min((row + 1) * tall, y + 1) - max(row * tall, y)
            width = min((column + 1) * wide, x + 1) - max(column * wide, x)
            total += int(screen[y, x]) * height * width
    return total / (tall * wide)


def played(actions, seed):
    """The maximum of the last two screens of each action, rewards and memories, of the bare game."""
    env = make_environment(GAME, obs_type="grayscale", frameskip=1)
    env.reset(seed=seed)
    for _ in range(env.unwrapped.np_random.integers(1, 31)):
        screen = env.step(0)[0]
    screens, rewards, memories = [screen], [], [env.unwrapped.ale.getRAM()]
    for action in actions:
        steps = [env.step(action) for _ in range(4)]
        screens.append(np.maximum(steps[2][0], steps[3][0]))
        rewards.append(sum(step[1] for step in steps))
        memories.append(env.unwrapped.ale.getRAM())
    return screens, rewards, memories


def test_frames_are_means_of_the_larger_of_two_screens():
    actions = [1, *np.random.default_rng(5).integers(0, 4, 60).tolist()]
    screens, rewards, memories = played(actions, 3)
    env = ArcadeFrames(make_environment(GAME, obs_type="ram", frameskip=1))
    observation, _ = env.reset(seed=3)
    assert observation.shape == (84, 84, 4) and observation.dtype == np.uint8
    assert (observation == observation[..., :1]).all()
    np.testing.assert_array_equal(env.memories, [memories[0]] * 2)
    observations = [observation]
    for index, action in enumerate(actions):
        observation, reward, *_ = env.step(action)
        assert reward == rewards[index]
        np.testing.assert_array_equal(env.memories, [memories[index + 1], memories[index]])
        np.testing.assert_array_equal(observation[..., :3], observations[-1][..., 1:])
        observations.append(observation)
    assert sum(rewards) > 0
    for screen, observation in zip(screens[::20], observations[::20], strict=True):
        for row in range(0, 84, 3):
            for column in range(0, 84, 5):
                # A sum in binary32 may fall on the other side of a half.
                apart = abs(mean(screen, row, column) - int(observation[row, column, 3]))
                assert apart <= Fraction(1, 2) + Fraction(1, 1000), (row, column)


def test_episodes_are_cut_off_after_five_minutes_and_repeat_from_their_seed():
    environment = FrameEnvironment(GAME, 0)
    assert environment.env.spec.kwargs["max_num_frames_per_episode"] == 18_000
    first = environment.observation
    for action in (1, 2, 3, 0, 2):
        last = environment.step(np.asarray(action))[0]
    arrays, rest = environment.state()
    assert not np.array_equal(first, last)
    again = FrameEnvironment(GAME, 7)
    again.restore(arrays, rest)
    np.testing.assert_array_equal(again.observation, last)
    np.testing.assert_array_equal(again.memories, environment.memories)


def test_only_games_have_frames():
    with pytest.raises(ValueError, match="CartPole-v1 must be a game of the Arcade Learning Environment"):
        FrameEnvironment("CartPole-v1", 0)
    with pytest.raises(ValueError, match="must be a game of the Arcade Learning Environment"):
        ArcadeFrames(gymnasium.make("CartPole-v1"))
    with pytest.raises(ValueError, match="An observation must be 4 frames of 84 x 84 pixels, not Box"):
        FrameEnvironment(make_environment(GAME, obs_type="rgb"), 0)
