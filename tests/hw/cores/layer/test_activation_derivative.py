"""The derivative of an activation against its reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.activation_derivative import ActivationDerivative
from rewardware.hw.cores.layer.config import LayerConfig
from rewardware.sim.cocotb import simulate

HALF = FloatLaneConfig(format=BINARY16)
BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=1, multiplier_depth=2)


@pytest.mark.parametrize(("activation", "arithmetic"), [("relu", HALF), ("leaky_relu", HALF), ("tanh", BRAIN)])
def test_activation_derivative(activation, arithmetic):
    config = LayerConfig(inputs=2, outputs=5, units=2, activation=activation, arithmetic=arithmetic)
    stage = ActivationDerivative(config, 3)
    assert stage.samples == 3
    simulate(
        stage,
        bench="tests.hw.cores.layer.bench_activation_derivative",
        parameters={"config": config, "latency": stage.latency},
        after_noise=True,
    )


def test_a_linear_layer():
    config = LayerConfig(inputs=2, outputs=5, units=2, activation="linear")
    with pytest.raises(ValueError, match="^Activation must be one that has a derivative, not 'linear'$"):
        ActivationDerivative(config, 3)
