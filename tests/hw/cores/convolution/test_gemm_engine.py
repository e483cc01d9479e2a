"""The GEMM engine, its cycles, and what its configuration refuses."""

import itertools

import pytest

from rewardware.hw.cores.convolution.commands import Dataflow
from rewardware.hw.cores.convolution.cycles import Gemm, completion_cycles, gemm_cycles
from rewardware.hw.cores.convolution.gemm_config import GemmEngineConfig
from rewardware.hw.cores.convolution.systolic_array_config import SystolicArrayConfig
from rewardware.sim.cocotb import simulate

from .configurations import ARRAYS
from .with_memories import WithMemories


def _config(array, **settings):
    rows = {"input_rows": 30 * array.rows, "weight_rows": 250, "sum_rows": 60 * array.drains}
    return GemmEngineConfig(array=array, **rows | {"depth_width": 8, "size_width": 9} | settings)


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_gemm_engine(array):
    config = _config(array)
    simulate(
        WithMemories(config),
        bench="tests.hw.cores.convolution.bench_gemm_engine",
        parameters={"config": config, "products": 200},
        after_noise=True,
    )


@pytest.mark.parametrize("drains", [1, 4])
def test_cycles_are_those_of_the_equation(drains):
    array = SystolicArrayConfig(rows=62, columns=66, drains=drains)
    config = GemmEngineConfig(array=array, input_rows=620, weight_rows=1000, sum_rows=1000)
    for a, b, c in itertools.product((66, 100, 784), (62, 147, 400), (66, 64, 192)):
        blocks = -(-a // 62) * -(-c // 66), -(-b // 62) * -(-c // 66), -(-b // 62) * -(-a // 66)
        once = 62 + 66 + array.chain + 7, 62 + 66 + min(c, 66) + 6, 62 + 66 + 66 + 6
        for dataflow, passes, steps, more in zip(Dataflow, blocks, (b, a, c), once, strict=True):
            if steps >= 66 or dataflow == Dataflow.NON_STATIONARY:
                assert gemm_cycles(config, dataflow, a, b, c) == passes * steps + more


def test_passes_shorter_than_drains_and_loads():
    array = SystolicArrayConfig(rows=62, columns=66)
    config = GemmEngineConfig(array=array, input_rows=620, weight_rows=1000, sum_rows=1000)
    # Two passes of three steps; the second one's sums can leave after those of the first, or its block is loaded.
    assert gemm_cycles(config, Dataflow.NON_STATIONARY, 124, 3, 1) == 62 + 3 + 62 + 66 + 62 + 7
    assert gemm_cycles(config, Dataflow.WEIGHT_STATIONARY, 3, 124, 66) == 66 + 3 + 62 + 66 + 66 + 6
    assert gemm_cycles(config, Dataflow.WEIGHT_STATIONARY, 3, 62, 67) == 3 + 3 + 62 + 66 + 66 + 6


@pytest.mark.parametrize(("half", "load"), [(1, 0), (0, 66)], ids=["other halves", "same halves"])
def test_idle_cycles_between_dataflows(half, load):
    chain = 62
    config = GemmEngineConfig(
        array=SystolicArrayConfig(rows=62, columns=66), input_rows=620, weight_rows=1000, sum_rows=1000
    )
    pixels, products, channels = 100, 200, 80
    passes_and_steps = {
        Dataflow.NON_STATIONARY: (4, products),
        Dataflow.WEIGHT_STATIONARY: (8, pixels),
        Dataflow.INPUT_STATIONARY: (8, channels),
    }
    for first, second in itertools.product(Dataflow, repeat=2):
        gemms = [
            Gemm(dataflow=dataflow, pixels=pixels, products=products, channels=channels, input_half=of, weight_half=of)
            for dataflow, of in ((first, 0), (second, half))
        ]
        one, two = completion_cycles(config, gemms)
        passes, steps = passes_and_steps[second]
        # The completion of an NS product comes a chain after its last step.
        drained = [chain * (dataflow == Dataflow.NON_STATIONARY) for dataflow in (first, second)]
        idle = two - drained[1] - (one - drained[0]) - passes * steps
        if second in (Dataflow.NON_STATIONARY, first):
            assert idle == 0
        elif first == Dataflow.NON_STATIONARY:
            assert idle == max(chain, load)
        else:
            assert idle == load


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"input_rows": 10}, r"Rows must be a multiple of lanes \(4\), not 10"),
        ({"weight_rows": 0}, "Weight rows must be from 1 to 16777216, not 0"),
        ({"sum_rows": 0}, "Sum rows must be from 1 to 16777216, not 0"),
        ({"sum_rows": 5}, r"Sum rows must be a multiple of drains \(2\), not 5"),
        ({"size_width": 0}, "Size width must be from 1 to 24, not 0"),
        ({"depth_width": 25}, "Depth width must be from 1 to 24, not 25"),
        (
            {"depth_width": 6},
            "Depth width must be such that a sum holds 63 products, not only 31 of 8 by 8 bits in 20: not 6",
        ),
    ],
)
def test_bad_configurations_are_refused(settings, message):
    array = SystolicArrayConfig(rows=4, columns=3, drains=2, sum_width=20)
    with pytest.raises(ValueError, match=message):
        _config(array, **{"depth_width": 4} | settings)
    with pytest.raises(TypeError, match="Array must be of the kind SystolicArrayConfig, not 4"):
        GemmEngineConfig(array=4, input_rows=4, weight_rows=4, sum_rows=4)
