"""The ring of transitions."""

import numpy as np
import pytest

from rewardware.sw.algorithms.replay_buffer import ReplayBuffer


def filled(count: int, capacity: int) -> ReplayBuffer:
    buffer = ReplayBuffer(capacity, 3, 2, 0.9, seed=4)
    for step in range(count):
        buffer.add(np.full(3, step), np.full(2, -step), step, np.full(3, step + 1), terminated=step % 5 == 0)
    return buffer


def test_oldest_give_way():
    buffer = filled(25, 10)
    assert buffer.size == 10
    assert sorted(buffer.rewards[:10]) == list(range(15, 25))


def test_grows_without_losing():
    buffer = filled(3000, 5000)
    assert np.array_equal(buffer.rewards[: buffer.size], np.arange(3000))
    assert np.array_equal(buffer.observations[: buffer.size, 0], np.arange(3000))


def test_fields_of_a_sample_belong_together():
    batch = filled(2000, 1500).sample(400)
    assert len(batch) == 400
    assert np.array_equal(batch.observations[:, 0], batch.rewards)
    assert np.array_equal(batch.next_observations[:, 0], batch.rewards + 1)
    assert np.array_equal(batch.actions[:, 1], -batch.rewards)
    expected = np.where(batch.rewards % 5 == 0, np.float32(0), np.float32(0.9))
    assert np.array_equal(batch.discounts, expected)


def test_draws_are_uniform_and_cover_everything():
    buffer = filled(100, 100)
    counts = np.bincount(buffer.sample(100_000).rewards.astype(int), minlength=100)
    assert abs(counts - 1000).max() < 6 * np.sqrt(1000)


def test_restored_buffer_draws_the_same():
    for count, capacity in ((25, 10), (7, 10), (1500, 3000)):
        buffer, other = filled(count, capacity), ReplayBuffer(capacity, 3, 2, 0.9, seed=99)
        buffer.sample(5)
        other.restore(*buffer.state())
        for one in (buffer, other):
            one.add(np.zeros(3), np.zeros(2), 7.0, np.zeros(3), terminated=False)
        assert np.array_equal(buffer.sample(50).rewards, other.sample(50).rewards)
        assert buffer.position == other.position and buffer.size == other.size


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("observation", [0, np.nan, 0], "Observations of an experience must be finite in float32, not nan"),
        ("action", [np.inf, 0], "Actions of an experience must be finite in float32, not inf"),
        ("reward", -np.inf, "Rewards of an experience must be finite in float32, not -inf"),
        ("reward", 1e39, r"Rewards of an experience must be finite in float32, not 1e\+39"),
        ("next_observation", [0, 0, np.nan], "Next observations of an experience must be finite in float32, not nan"),
    ],
)
def test_what_is_not_finite_is_refused(name, value, words):
    buffer = filled(3, 10)
    transition = {"observation": np.ones(3), "action": np.ones(2), "reward": 1.0, "next_observation": np.ones(3)}
    with pytest.raises(ValueError, match=words):
        buffer.add(**transition | {name: value}, terminated=False)
    assert buffer.size == 3 and all(np.isfinite(values).all() for values in buffer.state()[0].values())
    buffer.add(**transition, terminated=False)
    assert buffer.size == 4
