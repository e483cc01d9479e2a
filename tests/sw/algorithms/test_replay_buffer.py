"""The ring of transitions."""

import numpy as np

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
