"""The queue of experiences: against a list, in two processes, what it refuses."""

import multiprocessing
import time
from collections import deque

import numpy as np
import pytest

from rewardware.sw.actors.experience_ring import ExperienceRing

RECORD = np.dtype([("number", np.int64), ("observation", np.float32, (5,)), ("ends", np.bool_)])


def records(first, count):
    rows = np.zeros(count, RECORD)
    rows["number"] = first + np.arange(count)
    rows["observation"] = rows["number"][:, np.newaxis] * np.arange(5)
    rows["ends"] = rows["number"] % 3 == 0
    return rows


@pytest.mark.parametrize("capacity", [1, 7, 64])
def test_queue_is_a_list_in_order(capacity):
    ring, expected, rng, count = ExperienceRing(RECORD, capacity), deque(), np.random.default_rng(capacity), 0
    try:
        for _ in range(300):
            put = int(rng.integers(ring.room + 1))
            ring.put(records(count, put))
            expected.extend(records(count, put))
            count += put
            assert ring.available == len(expected) and ring.room == capacity - len(expected)
            take = int(rng.integers(len(expected) + 1))
            assert ring.peek(take).tobytes() == b"".join(expected.popleft().tobytes() for _ in range(take))
            ring.release(take)
    finally:
        ring.close()


def fill(ring, count):
    sent = 0
    while sent < count:
        rows = min(ring.room, count - sent, 1 + sent % 5)
        ring.put(records(sent, rows))
        sent += rows


def test_records_cross_processes_whole_and_in_order():
    ring, count = ExperienceRing(RECORD, 11), 20_000
    process = multiprocessing.get_context("spawn").Process(target=fill, args=(ring, count), daemon=True)
    process.start()
    try:
        taken, until = 0, time.monotonic() + 120
        while taken < count:
            available = ring.available
            assert available <= 11 and time.monotonic() < until
            assert np.array_equal(ring.peek(available), records(taken, available))
            ring.release(available)
            taken += available
        process.join(10)
        assert process.exitcode == 0 and ring.available == 0
    finally:
        process.kill()
        ring.close()


def test_what_does_not_fit_is_refused():
    ring = ExperienceRing(RECORD, 4)
    try:
        ring.put(records(0, 3))
        with pytest.raises(ValueError, match="There is room for 1 of 4 experiences, not for 2"):
            ring.put(records(3, 2))
        larger = np.zeros(1, np.dtype([("number", np.int64), ("observation", np.float32, (50,)), ("ends", np.bool_)]))
        with pytest.raises(ValueError, match="An experience must be a record of 29 bytes, .*, not of 209"):
            ring.put(larger)
        with pytest.raises(ValueError, match="There are 3 experiences in the queue, not 4"):
            ring.peek(4)
        with pytest.raises(ValueError, match="There are 3 experiences in the queue, not 4"):
            ring.release(4)
        assert np.array_equal(ring.peek(3), records(0, 3))
        with pytest.raises(ValueError, match="Capacity must be at least 1, not 0"):
            ExperienceRing(RECORD, 0)
    finally:
        ring.close()
