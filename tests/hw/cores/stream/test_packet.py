"""The packet reader and its reference."""

import numpy as np
import pytest

from rewardware.hw.cores.stream.packet import PacketReader
from rewardware.hw.cores.stream.packet_config import PacketReaderConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.stream.packet import PacketReaderReference


def one_by_one(packets, requests):
    """The same told row by row."""
    stream = [(index == length - 1) for length in packets for index in range(length)]
    passed, underflow, overflow = [], [], []
    place = 0
    for request in requests:
        got = 0
        ended = request == 0
        while got < request and not ended:
            passed.append(place)
            got += 1
            ended = stream[place]
            place += 1
        overflow.append(not ended)
        while not ended:
            ended = stream[place]
            place += 1
        underflow.append(got < request)
    return passed, underflow, overflow


@pytest.mark.parametrize("seed", range(20))
def test_reference_tells_the_same_as_row_by_row(seed):
    random = np.random.default_rng(seed)
    requests = random.integers(0, 6, 30)
    packets = random.integers(1, 8, 30)
    reference = PacketReaderReference(PacketReaderConfig(width=8))
    for expected, got in zip(one_by_one(packets, requests), reference.read(packets, requests), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("width, count_width, stall", [(96, 9, 0.4), (33, 5, 0.0), (33, 5, 0.6)])
def test_packets(width, count_width, stall):
    random = np.random.default_rng(width)
    corners = [1, 1, 2, 2, 1, 0, 3, (1 << count_width) - 1]
    requests = np.array(corners + [int(value) for value in random.integers(0, 7, 60)])
    lengths = [1, 2, 1, 2, 5, 3, (1 << count_width) - 1]
    packets = np.array(lengths + [int(value) for value in random.integers(1, 8, 61)])
    reader = PacketReader(PacketReaderConfig(width=width, count_width=count_width))
    assert reader.latency == 0
    simulate(
        reader,
        bench="tests.hw.cores.stream.bench_packet",
        parameters={"config": reader.config, "packets": packets, "requests": requests, "stall": stall},
        after_noise=True,
    )


def test_configuration_says_what_is_allowed():
    with pytest.raises(ValueError, match="Width must be at least 2, not 1"):
        PacketReaderConfig(width=1)
    with pytest.raises(TypeError, match="Count width must be an integer, not 'x'"):
        PacketReaderConfig(width=8, count_width="x")
