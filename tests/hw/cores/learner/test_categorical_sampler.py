"""Actions drawn from logits against their reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE
from rewardware.hw.cores.learner.categorical_sampler import CategoricalSampler
from rewardware.sim.cocotb import simulate

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize(("count", "arithmetic"), [(5, BINARY32_LANE), (2, BRAIN)], ids=["five", "two"])
def test_categorical_sampler(count, arithmetic):
    # With five actions the probabilities also leave.
    probabilities = count == 5
    sampler = CategoricalSampler(arithmetic, count, probabilities)
    simulate(
        sampler,
        bench="tests.hw.cores.learner.bench_categorical_sampler",
        parameters={"config": arithmetic, "count": count, "cycles": sampler.cycles, "probabilities": probabilities},
        after_noise=True,
    )


def test_a_single_action_is_refused():
    with pytest.raises(ValueError, match="^Count must be from 2 to 4096, not 1$"):
        CategoricalSampler(BINARY32_LANE, 1)
