"""The backward stage of a layer against its reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.backward_stage import BackwardStage
from rewardware.hw.cores.layer.config import BINARY32_LANE, LayerConfig
from rewardware.sim.cocotb import simulate

from .weighted_stage import WeightedStage

HALF = FloatLaneConfig(format=BINARY16, adder_depth=3, multiplier_depth=1)
BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=5, multiplier_depth=2)


@pytest.mark.parametrize(
    ("inputs", "outputs", "units", "arithmetic"),
    [
        (7, 5, 3, BINARY32_LANE),
        (9, 6, 6, BINARY32_LANE),
        # Errors come more slowly than they are worked on.
        (3, 8, 8, HALF),
        (22, 7, 2, HALF),
        # A pass waits for the adder.
        (2, 11, 5, BRAIN),
        # Sums come back just when they are wanted.
        (5, 3, 1, BRAIN),
        (6, 4, 1, BRAIN),
    ],
    ids=[
        "two groups",
        "one group",
        "few inputs of one group",
        "many groups",
        "few inputs",
        "as many as stages",
        "one more",
    ],
)
def test_backward_stage(inputs, outputs, units, arithmetic):
    config = LayerConfig(inputs=inputs, outputs=outputs, units=units, arithmetic=arithmetic)
    _simulate(BackwardStage(config))


@pytest.mark.parametrize("bias", [True, False], ids=["with biases", "without biases"])
def test_sets_of_parameters_in_turn(bias):
    _simulate(BackwardStage(LayerConfig(inputs=4, outputs=5, units=2, parameter_sets=3, bias=bias)))


def _simulate(stage):
    simulate(
        WeightedStage(stage),
        bench="tests.hw.cores.layer.bench_stage",
        parameters={
            "config": stage.config,
            "stage": "backward",
            # The first word is there with its last error.
            "latency": stage.config.units - 1 + stage.latency,
            "period": stage.config.backward_cycles,
        },
        after_noise=True,
    )
