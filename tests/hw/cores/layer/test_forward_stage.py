"""The forward stage of a layer against its reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE, LayerConfig
from rewardware.hw.cores.layer.forward_stage import ForwardStage
from rewardware.sim.cocotb import simulate

from .weighted_stage import WeightedStage

HALF = FloatLaneConfig(format=BINARY16, adder_depth=3, multiplier_depth=1)
BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=5, multiplier_depth=2)


@pytest.mark.parametrize(
    ("inputs", "outputs", "units", "activation", "arithmetic"),
    [
        (7, 5, 3, "relu", BINARY32_LANE),
        # As many partial sums as the adder has stages.
        (9, 6, 6, "linear", BINARY32_LANE),
        (4, 22, 2, "relu", HALF),
        # Not as many rows as that.
        (2, 5, 5, "relu", BRAIN),
        (1, 1, 1, "linear", BRAIN),
        (3, 5, 4, "tanh", HALF),
        (3, 4, 2, "leaky_relu", BINARY32_LANE),
    ],
    ids=["two groups", "one group", "many groups", "few inputs", "one", "tanh", "leaky ReLU"],
)
def test_forward_stage(inputs, outputs, units, activation, arithmetic):
    config = LayerConfig(inputs=inputs, outputs=outputs, units=units, activation=activation, arithmetic=arithmetic)
    stage = ForwardStage(config)
    _simulate(stage)


@pytest.mark.parametrize("bias", [True, False], ids=["with biases", "without biases"])
def test_sets_of_parameters_in_turn(bias):
    _simulate(ForwardStage(LayerConfig(inputs=3, outputs=5, units=2, parameter_sets=3, bias=bias)))


def _simulate(stage):
    simulate(
        WeightedStage(stage),
        bench="tests.hw.cores.layer.bench_stage",
        parameters={
            "config": stage.config,
            "stage": "forward",
            "latency": stage.latency,
            "period": stage.config.forward_cycles,
        },
        after_noise=True,
    )
