"""Weights for actors: never torn, always the latest, what is refused."""

import multiprocessing
import time

import numpy as np
import pytest

from rewardware.sw.actors.weights_buffer import WeightsBuffer

SHAPES = [(300, 301), (17,), (1, 1)]


def weights(value):
    return [np.full(shape, value, np.float32) for shape in SHAPES]


def publish(buffer, versions):
    for version in range(2, versions + 1):
        buffer.publish(version, weights(version))


def test_readers_never_see_torn_weights():
    versions = 3_000
    buffer = WeightsBuffer(weights(0))
    process = multiprocessing.get_context("spawn").Process(target=publish, args=(buffer, versions), daemon=True)
    process.start()
    try:
        last, seen, until = 0, set(), time.monotonic() + 120
        while last < versions:
            assert time.monotonic() < until
            step, arrays = buffer.read()
            assert [array.shape for array in arrays] == SHAPES
            assert {float(value) for array in arrays for value in (array.min(), array.max())} == {float(step)}
            assert step >= last
            last = step
            seen.add(step)
        assert len(seen) > 10
    finally:
        process.kill()
        process.join(10)
        buffer.close()


def test_read_gives_what_was_published_last():
    buffer = WeightsBuffer(weights(0))
    try:
        assert buffer.version == 1
        for number in range(1, 6):
            buffer.publish(number * 7, weights(number))
            step, arrays = buffer.read()
            assert step == number * 7 and buffer.version == number + 1
            assert all((array == number).all() for array in arrays)
        with pytest.raises(ValueError, match=r"Weights must have shapes .*, not \[\(2,\)\]"):
            buffer.publish(0, [np.zeros(2, np.float32)])
        assert buffer.version == 6
    finally:
        buffer.close()


def test_a_copy_that_was_written_to_meanwhile_is_read_again(monkeypatch):
    """The reader finds that the publisher came twice between its copy and its second look."""
    buffer, looks = WeightsBuffer(weights(0)), iter([1, 3, 3, 3])
    try:
        buffer.publish(5, weights(5))
        buffer.publish(6, weights(6))
        monkeypatch.setattr(WeightsBuffer, "version", property(lambda _: next(looks)))
        assert buffer.read()[0] == 6 and next(looks, None) is None
        looks = iter([1, 3])
        with pytest.raises(TimeoutError, match="Weights were published faster than they could be read, for 0 seconds"):
            buffer.read(limit=0.0)
    finally:
        buffer.close()
