"""Packets of requests, and packets of their answers."""

from rewardware.hw.cores.stream.packet_service import PacketService
from rewardware.sim.cocotb import simulate


def test_packets():
    width = 21
    simulate(
        PacketService(width),
        bench="tests.hw.cores.stream.bench_packet_service",
        parameters={"width": width},
        after_noise=True,
    )
