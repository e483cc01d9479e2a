"""The packing of work items into waves, against one by hand."""

import pytest

from rewardware.hw.cores.vector.matrix_config import MatrixConfig
from rewardware.hw.cores.vector.matrix_layouts import error_slot_layout, operand_slot_layout, wave_layout
from rewardware.hw.cores.vector.wave_builder import WaveBuilder
from rewardware.sim.cocotb import simulate

VARIANTS = {
    "four blocks": MatrixConfig(cluster_vpus=1, blocks=4, clusters=11, features=40, error_ports=1),
    "two blocks": MatrixConfig(cluster_vpus=1, blocks=2, clusters=7, features=13, weight_banks=8),
    "fewer clusters than blocks": MatrixConfig(cluster_vpus=1, blocks=4, clusters=3, features=13),
}


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_waves(config):
    layouts = {"slot": operand_slot_layout, "error_slot": error_slot_layout, "wave": wave_layout}
    simulate(
        WaveBuilder(config),
        bench="tests.hw.cores.vector.bench_wave_builder",
        parameters={
            "config": config,
            "commands": 60,
            **{f"{name}_layout": layout(config) for name, layout in layouts.items()},
        },
        after_noise=True,
    )
