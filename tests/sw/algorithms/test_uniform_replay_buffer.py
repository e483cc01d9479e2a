"""The ring of experiences, and draws that are all alike."""

import numpy as np
import pytest

from rewardware.sw.algorithms.uniform_replay_buffer import UniformReplayBuffer


def experience(step):
    return {"observation": np.full((1, 3), step, np.float32), "reward": np.array([step], np.float32)}


def filled(count, capacity):
    buffer = UniformReplayBuffer(capacity, seed=4)
    for step in range(count):
        assert buffer.add(**experience(step)).tolist() == [step % capacity]
    return buffer


def kept(buffer):
    return buffer.state()[0]


def test_oldest_give_way():
    buffer = filled(25, 10)
    assert len(buffer) == 10
    assert kept(buffer)["reward"].tolist() == [*range(20, 25), *range(15, 20)]


def test_all_are_kept_until_it_is_full():
    buffer = filled(3000, 5000)
    assert np.array_equal(kept(buffer)["reward"], np.arange(3000))
    assert np.array_equal(kept(buffer)["observation"][:, 0], np.arange(3000))


def test_several_at_once_go_around_the_end():
    buffer = filled(8, 10)
    assert buffer.add(observation=np.ones((4, 3)), reward=np.arange(100, 104)).tolist() == [8, 9, 0, 1]
    assert kept(buffer)["reward"].tolist() == [102, 103, *range(2, 8), 100, 101]
    assert buffer.add(**experience(7)).tolist() == [2]


def test_what_is_drawn_belongs_together():
    batch = filled(2000, 1500).sample(400)
    assert np.array_equal(batch.experiences["observation"][:, 0], batch.experiences["reward"])
    # The first 500 places are of the second time around.
    steps = batch.indices + np.where(batch.indices < 500, 1500, 0)
    assert np.array_equal(batch.experiences["reward"], steps)
    assert batch.weights.tolist() == [1] * 400


def test_draws_are_uniform_and_cover_everything():
    buffer = filled(100, 200)
    counts = np.bincount(buffer.sample(100_000).indices, minlength=100)
    assert len(counts) == 100 and abs(counts - 1000).max() < 6 * np.sqrt(1000)


@pytest.mark.parametrize(("count", "capacity"), [(0, 10), (25, 10), (7, 10), (1500, 3000)])
def test_restored_buffer_draws_the_same(count, capacity):
    buffer, other = filled(count, capacity), UniformReplayBuffer(capacity, seed=99)
    if count:
        buffer.sample(5)
    other.restore(*buffer.state())
    indices = [one.add(**experience(7)).tolist() for one in (buffer, other)]
    assert indices[0] == indices[1]
    batches = [one.sample(50).experiences["reward"].tolist() for one in (buffer, other)]
    assert batches[0] == batches[1]
    assert kept(other)["reward"].tolist() == kept(buffer)["reward"].tolist()


def test_shapes_that_are_said_hold_from_the_first_experience():
    shapes = {"observation": (3,), "reward": ()}
    buffer = UniformReplayBuffer(10, shapes=shapes)
    assert {name: (values.shape, values.dtype) for name, values in kept(buffer).items()} == {
        "observation": ((0, 3), np.float32), "reward": ((0,), np.float32),
    }  # fmt: skip
    with pytest.raises(ValueError, match=r"Reward of an experience must be finite in float32, not 1e\+39"):
        buffer.add(observation=[1, 2, 3], reward=1e39)
    with pytest.raises(ValueError, match="Experiences must have"):
        buffer.add(observation=[1, 2], reward=1)
    assert buffer.add(observation=[1, 2, 3], reward=0.5).tolist() == [0]
    arrays, rest = buffer.state()
    with pytest.raises(KeyError, match="reward"):
        UniformReplayBuffer(10, shapes=shapes).restore({"observation": arrays["observation"]}, rest)


def test_there_is_nothing_in_an_empty_buffer():
    with pytest.raises(ValueError, match="There is nothing to sample: the buffer is empty"):
        UniformReplayBuffer(3).sample(1)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("observation", [[0, np.nan, 0]], "Observation of an experience must be finite in float32, not nan"),
        ("reward", [-np.inf], "Reward of an experience must be finite in float32, not -inf"),
        ("reward", [1e39], r"Reward of an experience must be finite in float32, not 1e\+39"),
    ],
)
def test_what_is_not_finite_is_refused(name, value, words):
    buffer = filled(3, 10)
    with pytest.raises(ValueError, match=words):
        buffer.add(**experience(3) | {name: value})
    assert len(buffer) == 3 and kept(buffer)["reward"].tolist() == [0, 1, 2]
    assert buffer.add(**experience(3)).tolist() == [3]
