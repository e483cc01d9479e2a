"""The buffer: what it keeps, how often it samples, what it refuses; the same on the device."""

import numpy as np
import pytest

from rewardware.hw.cores.replay.config import SumTreeConfig
from rewardware.hw.soc.pearl.config import PearlConfig
from rewardware.sw.algorithms.prioritized_replay_buffer import PrioritizedReplayBuffer
from rewardware.sw.core.checkpoint import read_checkpoint, write_checkpoint
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.replay import ReplayDevice
from rewardware.sw.device.replay_backends import open_sum_tree


def experience(numbers):
    numbers = np.asarray(numbers, np.float32)
    return {"observation": np.stack([numbers, -numbers], axis=1), "action": numbers.astype(np.int64)}


def test_the_latest_experiences_are_kept():
    with PrioritizedReplayBuffer(5) as buffer:
        assert buffer.add(**experience([0, 1, 2])).tolist() == [0, 1, 2]
        assert buffer.add(**experience([3, 4, 5, 6])).tolist() == [3, 4, 0, 1]
        assert len(buffer) == 5
        batch = buffer.sample(5)
        # All alike, a segment each.
        assert batch.experiences["action"].tolist() == [5, 6, 2, 3, 4] and batch.indices.tolist() == [0, 1, 2, 3, 4]
        assert (batch.experiences["observation"][:, 1] == -batch.experiences["action"]).all()
        assert (batch.weights == 1).all()


def test_weights_are_those_of_the_probabilities():
    with PrioritizedReplayBuffer(4, alpha=1, beta=0.5, epsilon=0) as buffer:
        buffer.add(**experience([0, 1, 2, 3]))
        buffer.update_priorities(np.array([0, 1, 2, 3]), np.array([1.0, 3.0, 0.0, 4.0]))
        batch = buffer.sample(4000, stratified=False)
        counts = np.bincount(batch.indices, minlength=4)
        assert counts[2] == 0 and np.abs(counts / 4000 - np.array([1, 3, 0, 4]) / 8).max() < 0.03
        expected = (np.array([1, 3, 0, 4])[batch.indices] / 2.0) ** -0.5
        assert np.allclose(batch.weights, expected / expected.max(), rtol=1e-6)
        assert (buffer.sample(8, beta=0).weights == 1).all()


def test_a_new_experience_has_the_greatest_priority():
    with PrioritizedReplayBuffer(4, alpha=1, epsilon=0) as buffer:
        buffer.add(**experience([0]))
        buffer.update_priorities(np.array([0]), np.array([7.0]))
        buffer.update_priorities(np.array([0]), np.array([2.0]))
        buffer.add(**experience([1]))
        assert buffer.device.retrieve([0, 1]).tolist() == [2, 7]


def test_priorities_are_rounded_but_not_away():
    with ReplayDevice(open_sum_tree("reference", SumTreeConfig(leaves=4, priority_fraction=2))) as device:
        device.insert([0.0, 1e-9, 0.3, 0.4])
        assert device.retrieve([0, 1, 2, 3]).tolist() == [0, 0.25, 0.25, 0.5] and device.total() == 1


def test_the_device_samples_as_the_reference():
    found = []
    for backend in ("reference", "rtl"):
        config = PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=12)
        with PrioritizedReplayBuffer(150, device=ReplayDevice(open_sum_tree(backend, config), seed=9)) as buffer:
            rng, seen = np.random.default_rng(0), []
            for _ in range(6):
                buffer.add(**experience(rng.integers(1000, size=40)))
                for stratified in (True, False):
                    batch = buffer.sample(32, stratified=stratified)
                    buffer.update_priorities(batch.indices, rng.exponential(size=32))
                    seen += [batch.indices.tolist(), batch.weights.tolist()]
            found.append(seen)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda buffer: buffer.sample(3), "There is nothing to sample: the buffer is empty"),
        (lambda buffer: buffer.add(), "Experiences must be arrays with the same number of rows"),
        (lambda buffer: buffer.add(a=[1, 2], b=[1]), "Experiences must be arrays with the same number of rows"),
        (lambda buffer: buffer.add(a=[1] * 9), "There must be at most 8 experiences at once, not 9"),
        (lambda buffer: buffer.add(a=1.0, b=np.nan), "B of an experience must be finite in float64, not nan"),
        (lambda buffer: buffer.add(a=[[1.0], [np.inf]]), "A of an experience must be finite in float64, not inf"),
        (lambda buffer: buffer.update_priorities([0], [-1.0]), "Priorities must be at least 0, not -1"),
        (lambda buffer: buffer.update_priorities([0], [float("nan")]), "Priorities must be at least 0, not nan"),
        (lambda buffer: buffer.update_priorities([3], [1.0]), "Indices must be below the 0 experiences, not 3"),
        (lambda buffer: buffer.device.update([8], [1.0]), "Indices must be from 0 to 7, not 8"),
        (lambda buffer: buffer.device.update([0, 1], [1.0]), "as many priorities as indices, 2, not 1"),
        (lambda buffer: buffer.device.insert([1e6]), r"Priorities must be from 0 to 65536, not 1e\+06 \(number 0\)"),
        (lambda buffer: buffer.device.insert([1.0, np.nan]), r"Priorities must be from 0 to 65536, not nan \(number 1"),
        (lambda buffer: buffer.device.insert([np.inf]), "Priorities must be from 0 to 65536, not inf"),
        (lambda buffer: buffer.device.sample(4), "There is nothing to sample: all priorities are zero"),
        (lambda buffer: buffer.device.sample(0), "Number of samples must be from 1 to 65535, not 0"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(call, words):
    with PrioritizedReplayBuffer(8) as buffer:
        with pytest.raises(ValueError, match=words):
            call(buffer)
        assert len(buffer) == 0 and buffer.device.total() == 0


@pytest.mark.parametrize("count", [0, 90, 150, 360])
def test_a_restored_buffer_goes_on_identically(count, tmp_path):
    """Before it is full, and with the next leaf at the first one and in the middle; also on the other backend."""
    config = PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=12)

    def open_buffer(backend, seed):
        return PrioritizedReplayBuffer(150, device=ReplayDevice(open_sum_tree(backend, config), seed=seed))

    def go_on(buffer):
        seen = []
        for step in range(20):
            buffer.add(**experience([1000 + step]))
            batch = buffer.sample(8)
            buffer.update_priorities(batch.indices, batch.weights)
            seen += [batch.indices.tolist(), batch.weights.tolist(), batch.experiences["action"].tolist()]
        return seen

    with open_buffer("reference", 3) as buffer:
        for first in range(0, count, 30):
            buffer.add(**experience(range(first, first + 30)))
            batch = buffer.sample(20)
            buffer.update_priorities(batch.indices, np.abs(np.sin(batch.experiences["action"])) * 3)
        arrays, rest = buffer.state()
        write_checkpoint(tmp_path / "buffer.zip", arrays, rest)
        expected, end = go_on(buffer), buffer.state()
    for backend in ("reference", "rtl"):
        with open_buffer(backend, 4) as buffer:
            buffer.add(**experience([1, 2, 3]))
            buffer.restore(*read_checkpoint(tmp_path / "buffer.zip"))
            assert go_on(buffer) == expected
            arrays, rest = buffer.state()
            assert rest == end[1] and all((arrays[name] == values).all() for name, values in end[0].items())


def test_a_state_of_another_capacity_is_refused():
    with PrioritizedReplayBuffer(8) as one, PrioritizedReplayBuffer(9) as other:
        with pytest.raises(ValueError, match="There must be 9 priorities, not 8"):
            other.restore(*one.state())


def test_a_device_that_was_used_before_is_as_new():
    with ReplayDevice(open_sum_tree("reference", SumTreeConfig(leaves=4))) as device:
        device.insert([1.0, 2.0, 3.0])
        with PrioritizedReplayBuffer(4, device=ReplayDevice(device.backend)) as buffer:
            assert buffer.device.total() == 0
            assert buffer.add(**experience([7])).tolist() == [0]


def test_experiences_keep_their_form():
    with PrioritizedReplayBuffer(8) as buffer:
        buffer.add(**experience([1]))
        with pytest.raises(ValueError, match="Experiences must have"):
            buffer.add(action=[1])
        assert len(buffer) == 1


def test_one_experience_needs_no_first_dimension():
    with PrioritizedReplayBuffer(8) as buffer:
        assert buffer.add(observation=np.array([1, 2], np.float32), action=3, reward=0.5).tolist() == [0]
        assert buffer.add(observation=[[3, 4], [5, 6]], action=[1, 2], reward=[1.5, 2.5]).tolist() == [1, 2]
        kept = buffer.state()[0]
        assert kept["experiences/observation"].tolist() == [[1, 2], [3, 4], [5, 6]]
        assert kept["experiences/action"].tolist() == [3, 1, 2]
        assert kept["experiences/reward"].tolist() == [0.5, 1.5, 2.5]


def test_one_experience_of_vectors_is_known_by_those_before():
    with PrioritizedReplayBuffer(8) as buffer:
        buffer.add(observation=np.zeros((2, 3)), action=np.zeros((2, 2)))
        assert buffer.add(observation=[1, 2, 3], action=[4, 5]).tolist() == [2]
        assert buffer.state()[0]["experiences/action"].tolist() == [[0, 0], [0, 0], [4, 5]]


def test_numbers_that_the_first_type_cannot_hold_are_refused():
    with PrioritizedReplayBuffer(8) as buffer:
        buffer.add(reward=np.float32(1))
        with pytest.raises(ValueError, match=r"Reward of an experience must be finite in float32, not 1e\+39"):
            buffer.add(reward=1e39)
        assert len(buffer) == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"capacity": 1}, "Capacity must be at least 2, not 1"),
        ({"capacity": 8, "alpha": -1}, "Alpha must be at least 0, not -1"),
        ({"capacity": 8, "beta": 1.5}, "Beta must be from 0 to 1, not 1.5"),
        (
            {"capacity": 8, "device": "fpga"},
            "Backend must be reference, rtl, lockstep, uart.*, not 'fpga'",
        ),
    ],
)
def test_buffers_that_mean_nothing_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        PrioritizedReplayBuffer(**settings)


def test_a_closed_buffer_says_so():
    buffer = PrioritizedReplayBuffer(8)
    buffer.add(**experience([1]))
    buffer.close()
    with pytest.raises(DeviceError, match="The sum tree was closed"):
        buffer.sample(1)
