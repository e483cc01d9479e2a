"""The derivative of an activation against its reference."""

import pytest

from rewardware.hw.cores.float.config import BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.activation_derivative import ActivationDerivative
from rewardware.hw.cores.layer.config import LayerConfig
from rewardware.sim.cocotb import simulate

HALF = FloatLaneConfig(format=BINARY16)


def test_activation_derivative():
    config = LayerConfig(inputs=2, outputs=5, units=2, arithmetic=HALF)
    stage = ActivationDerivative(config, 3)
    assert stage.samples == 3
    simulate(stage, bench="tests.hw.cores.layer.bench_activation_derivative", parameters={"config": config})


def test_a_linear_layer():
    config = LayerConfig(inputs=2, outputs=5, units=2, activation="linear")
    with pytest.raises(ValueError, match="^Activation must be relu, not 'linear'$"):
        ActivationDerivative(config, 3)
