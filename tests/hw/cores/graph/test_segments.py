"""Forward and backward half of a learner, with streams at the cut, against the reference."""

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.sim.cocotb import simulate

from .segments import Segments


def test_segments():
    arithmetic = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=2, multiplier_depth=1)
    # Outputs whose activation has a derivative also leave at the cut.
    config = NetworkConfig(sizes=(3, 7, 5), units=(4, 2), output_activation="relu", arithmetic=arithmetic)
    simulate(Segments(config), bench="tests.hw.cores.graph.bench_segments", parameters={"config": config})
