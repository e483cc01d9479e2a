"""Packets of requests, and packets of their answers."""

import pytest

from rewardware.hw.cores.stream.packet_service import PacketService
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize("width", [21])
def test_packets(width):
    simulate(
        PacketService(width),
        bench="tests.hw.cores.stream.bench_packet_service",
        parameters={"width": width},
        after_noise=True,
    )
