"""Shell, sequencer and an engine behind AXI, against masters that are not ours."""

import pytest

from rewardware.hw.soc.bus.axi_top import AxiTop
from rewardware.sim.cocotb import simulate
from tests.hw.soc.shell.row_memory import RowMemory, RowMemoryConfig


@pytest.mark.parametrize("stall", [0.0, 0.5])
@pytest.mark.parametrize("lanes, depth", [(3, 100), (1, 47)])
def test_axi(lanes, depth, stall):
    config = RowMemoryConfig(lanes=lanes, depth=depth)
    simulate(
        AxiTop(RowMemory(config)), bench="tests.hw.soc.shell.bench_axi", parameters={"config": config, "stall": stall}
    )
