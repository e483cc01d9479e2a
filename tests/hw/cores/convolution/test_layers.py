"""A small network, layer by layer on all units, against the references: words of INT8, to the bit."""

from rewardware.hw.cores.convolution.gemm_config import GemmEngineConfig
from rewardware.hw.cores.convolution.systolic_array_config import SystolicArrayConfig
from rewardware.sim.cocotb import simulate

from .with_layouts import layout_config
from .with_stores import WithStores


def test_layers():
    array = SystolicArrayConfig(rows=5, columns=3, input_width=10, weight_width=12, sum_width=40, drains=2)
    config = GemmEngineConfig(
        array=array, input_rows=120 * array.rows, weight_rows=600, sum_rows=600, size_width=8, depth_width=8
    )
    layout = layout_config(config, ((2, 3),))
    simulate(
        WithStores(config, layout),
        bench="tests.hw.cores.convolution.bench_layers",
        parameters={"config": config, "layout": layout},
    )
