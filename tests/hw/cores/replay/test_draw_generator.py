"""Draws against their reference."""

from rewardware.hw.cores.replay.draw_generator import DrawGenerator
from rewardware.sim.cocotb import simulate


def test_draw_generator():
    simulate(DrawGenerator(), bench="tests.hw.cores.replay.bench_draw_generator")
