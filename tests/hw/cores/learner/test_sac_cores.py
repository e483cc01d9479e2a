"""Cores between the networks of soft actor-critic, against their references."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE, LayerConfig
from rewardware.hw.cores.learner.lesser_value import LesserValue
from rewardware.hw.cores.learner.squashed_gaussian import SquashedGaussian
from rewardware.hw.cores.learner.squashed_gaussian_config import SquashedGaussianConfig
from rewardware.hw.cores.learner.squashed_gaussian_derivative import SquashedGaussianDerivative
from rewardware.hw.cores.learner.temperature_stage import TemperatureStage
from rewardware.hw.cores.learner.temporal_difference_config import TemporalDifferenceConfig
from rewardware.hw.cores.learner.twin_critic_loss import TwinCriticLoss
from rewardware.sim.cocotb import simulate

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


def _simulate(core, bench, **told):
    simulate(
        core,
        bench=f"tests.hw.cores.learner.bench_{bench}",
        parameters={"config": core.config, **told},
        after_noise=True,
    )


@pytest.mark.parametrize(
    ("actions", "derivable", "arithmetic"), [(3, True, BINARY32_LANE), (1, False, BRAIN)], ids=["three", "one"]
)
def test_squashed_gaussian(actions, derivable, arithmetic):
    core = SquashedGaussian(SquashedGaussianConfig(actions=actions, arithmetic=arithmetic), derivable)
    latencies = {name: getattr(core, name) for name in ("action_latency", "density_latency")}
    _simulate(core, "squashed_gaussian", derivable=derivable, **latencies)


@pytest.mark.parametrize(("actions", "arithmetic"), [(3, BINARY32_LANE), (1, BRAIN)], ids=["three", "one"])
def test_squashed_gaussian_derivative(actions, arithmetic):
    core = SquashedGaussianDerivative(SquashedGaussianConfig(actions=actions, arithmetic=arithmetic))
    _simulate(core, "squashed_gaussian_derivative", latency=core.latency)


@pytest.mark.parametrize(
    ("loss", "arithmetic"), [("squared", BINARY32_LANE), ("huber", BRAIN)], ids=["squared", "huber"]
)
def test_twin_critic_loss(loss, arithmetic):
    core = TwinCriticLoss(TemporalDifferenceConfig(values=1, loss=loss, arithmetic=arithmetic))
    _simulate(core, "twin_critic_loss", latency=core.latency)


def test_lesser_value():
    _simulate(LesserValue(BRAIN), "lesser_value")


def test_temperature_stage():
    core = TemperatureStage(LayerConfig(inputs=1, outputs=1, units=1, activation="linear", bias=False))
    _simulate(core, "temperature_stage", latency=core.latency)
