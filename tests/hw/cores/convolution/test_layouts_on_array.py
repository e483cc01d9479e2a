"""Whole convolutions from a feature map to sums: each algorithm in each dataflow, against the references."""

import pytest

from rewardware.hw.cores.convolution.gemm_config import GemmEngineConfig
from rewardware.hw.cores.convolution.systolic_array_config import SystolicArrayConfig
from rewardware.sim.cocotb import simulate

from .with_layouts import WithLayouts, layout_config

ARRAYS = {
    "3x5, F(2, 3)": (SystolicArrayConfig(rows=3, columns=5, input_width=10, weight_width=12, sum_width=38), ((2, 3),)),
    "5x4, F(4, 3)": (
        SystolicArrayConfig(rows=5, columns=4, input_width=15, weight_width=18, sum_width=47, drains=2),
        ((4, 3),),
    ),
}


@pytest.mark.parametrize(("array", "transforms"), ARRAYS.values(), ids=ARRAYS)
def test_convolutions(array, transforms):
    config = GemmEngineConfig(
        array=array, input_rows=120 * array.rows, weight_rows=600, sum_rows=600, size_width=8, depth_width=8
    )
    layout = layout_config(config, transforms)
    simulate(
        WithLayouts(config, layout),
        bench="tests.hw.cores.convolution.bench_layouts_on_array",
        parameters={"config": config, "layout": layout},
    )
