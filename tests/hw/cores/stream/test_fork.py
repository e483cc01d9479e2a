"""One stream to several."""

import pytest

from rewardware.hw.cores.stream.fork import StreamFork
from rewardware.sim.cocotb import simulate


def test_fork():
    fork = StreamFork(5, 3)
    assert fork.ways == 3
    simulate(fork, bench="tests.hw.cores.stream.bench_fork", parameters={"ways": 3}, after_noise=True)


def test_bad_ways():
    with pytest.raises(ValueError, match="^Ways must be at least 1, not 0$"):
        StreamFork(5, 0)
    with pytest.raises(TypeError, match="^Ways must be an integer, not 'two'$"):
        StreamFork(5, "two")
