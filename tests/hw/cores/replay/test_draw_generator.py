"""Draws against their reference."""

import pytest

from rewardware.hw.cores.replay.draw_generator import DrawGenerator
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize("lanes", [1, 3])
def test_draw_generator(lanes):
    bench = "tests.hw.cores.replay.bench_draw_generator"
    simulate(DrawGenerator(lanes), bench=bench, parameters={"lanes": lanes}, after_noise=True)
