"""The transfer engine of LearningGroup alone."""

import pytest

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig
from rewardware.hw.soc.learninggroup.hardware import LearningGroupHardware
from rewardware.hw.soc.learninggroup.instructions import Memory
from rewardware.hw.soc.learninggroup.transfer_engine import TransferEngine
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize("blocks", [1, 4])
def test_transfer_engine(blocks):
    device = LearningGroupConfig(name="test", cores=3, clusters=5, cluster_vpus=1, blocks=blocks, groups=4, features=48)
    hardware = LearningGroupHardware(
        device=device, state_rows=37, activation_rows=64, scalar_rows=50, aggregate_rows=40
    )
    engine = TransferEngine(hardware)
    parameters = {
        "width": hardware.shell.stream_width,
        "rows": {memory: engine.memory_rows(memory) for memory in Memory},
        "blocks": blocks,
        "aggregate_rows": hardware.aggregate_rows,
    }
    simulate(engine, bench="tests.hw.soc.learninggroup.bench_transfer_engine", parameters=parameters)
