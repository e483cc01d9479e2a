"""The packing of items into rounds, against one by hand."""

import pytest

from rewardware.hw.cores.vector.matrix_config import MatrixConfig
from rewardware.hw.cores.vector.matrix_layouts import entry_layout, error_slot_layout, round_layout, slot_layout
from rewardware.hw.cores.vector.round_builder import RoundBuilder
from rewardware.sim.cocotb import simulate

VARIANTS = {
    "four blocks": MatrixConfig(cluster_vpus=1, blocks=4, clusters=11, features=40, error_ports=1),
    "two blocks": MatrixConfig(cluster_vpus=1, blocks=2, clusters=7, features=13, weight_banks=8),
    "fewer clusters than blocks": MatrixConfig(cluster_vpus=1, blocks=4, clusters=3, features=13),
}


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_rounds(config):
    layouts = {"slot": slot_layout, "error_slot": error_slot_layout, "round": round_layout, "entry": entry_layout}
    simulate(
        RoundBuilder(config),
        bench="tests.hw.cores.vector.bench_round_builder",
        parameters={
            "config": config,
            "commands": 60,
            **{f"{name}_layout": layout(config) for name, layout in layouts.items()},
        },
    )
