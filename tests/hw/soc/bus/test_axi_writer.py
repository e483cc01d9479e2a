"""Rows into a memory that is not ours."""

import pytest

from rewardware.sim.cocotb import simulate
from tests.hw.soc.bus.mover_top import MoverTop
from tests.hw.soc.bus.movers import MOVERS


@pytest.mark.parametrize("name", MOVERS)
def test_writer(name):
    config = MOVERS[name]
    simulate(MoverTop(config), bench="tests.hw.soc.bus.bench_axi_writer", parameters={"config": config})
