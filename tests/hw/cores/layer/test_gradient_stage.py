"""The gradient stage of a layer against its reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE, LayerConfig
from rewardware.hw.cores.layer.gradient_stage import GradientStage
from rewardware.sim.cocotb import simulate

HALF = FloatLaneConfig(format=BINARY16, adder_depth=3, multiplier_depth=1)
BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=5, multiplier_depth=2)
TESTS = ["same_bits_as_the_reference", "takes_as_many_cycles_as_it_says"]
# A batch of 65 535 samples takes seconds, so only stages with few cycles per sample get one.
ALL_TESTS = [*TESTS, "counts_the_largest_batch"]


@pytest.mark.parametrize(
    ("inputs", "outputs", "units", "arithmetic", "samples", "tests"),
    [
        (4, 5, 3, BINARY32_LANE, 4, ALL_TESTS),
        # A word comes back just when it is wanted.
        (3, 4, 4, BINARY32_LANE, 3, TESTS),
        # Passes wait for the adder.
        (1, 2, 2, BRAIN, 5, ALL_TESTS),
        (9, 6, 1, HALF, 2, TESTS),
    ],
    ids=["two groups", "as many words as stages", "few inputs", "many groups"],
)
def test_gradient_stage(inputs, outputs, units, arithmetic, samples, tests):
    config = LayerConfig(inputs=inputs, outputs=outputs, units=units, arithmetic=arithmetic)
    _simulate(GradientStage(config, samples), tests)


def test_the_smallest_layer():
    arithmetic = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=1, multiplier_depth=1)
    config = LayerConfig(inputs=1, outputs=1, units=1, arithmetic=arithmetic, bias=False)
    _simulate(GradientStage(config, 2), ALL_TESTS)


@pytest.mark.parametrize(
    ("inputs", "bias", "sets"), [(3, True, 3), (3, False, 2), (1, False, 3)], ids=["with biases", "without", "one row"]
)
def test_sets_of_parameters_in_turn(inputs, bias, sets):
    _simulate(GradientStage(LayerConfig(inputs=inputs, outputs=5, units=4, parameter_sets=sets, bias=bias)))


def _simulate(stage, tests=TESTS):
    simulate(
        stage,
        bench="tests.hw.cores.layer.bench_gradient_stage",
        parameters={"config": stage.config, "period": stage.config.gradient_cycles, "latency": stage.latency},
        tests=tests,
        after_noise=True,
    )


def test_bad_samples():
    config = LayerConfig(inputs=1, outputs=1, units=1)
    with pytest.raises(ValueError, match="^Samples must be from 2 to 256, not 1$"):
        GradientStage(config, 1)
    with pytest.raises(TypeError, match="^Samples must be an integer, not 2.5$"):
        GradientStage(config, 2.5)
