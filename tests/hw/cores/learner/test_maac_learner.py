"""A whole learner of attentive critics against its reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.learner.maac_config import MAACNetworksConfig
from rewardware.hw.cores.learner.maac_learner import MAACLearner
from rewardware.hw.cores.learner.maac_learner_config import MAACLearnerConfig
from rewardware.sim.cocotb import simulate

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize(
    ("agents", "heads", "hidden_size", "critic_units", "policy_backward", "shared_update"),
    [
        (3, 2, 6, (2, 1, 3, 2, 3, 4, 1), "host", False),
        (2, 1, 5, (1,) * 7, "host", True),
        (3, 1, 5, (2, 1, 2, 2, 1, 3, 1), "device", False),
    ],
    ids=["three", "two", "policies"],
)
def test_maac_learner(agents, heads, hidden_size, critic_units, policy_backward, shared_update):
    networks = MAACNetworksConfig(
        agents=agents,
        observations=4,
        actions=3,
        hidden_size=hidden_size,
        heads=heads,
        policy_units=(2, 2, 1),
        critic_units=critic_units,
        arithmetic=BRAIN,
    )
    config = MAACLearnerConfig(
        agents=networks, update_interval=4, policy_backward=policy_backward, shared_update=shared_update
    )
    simulate(
        MAACLearner(config),
        bench="tests.hw.cores.learner.bench_maac_learner",
        parameters={"config": config, "limit": 50_000},
    )


def test_policies_are_updated_here_or_there():
    with pytest.raises(ValueError, match="^Policy backward must be one of host, device, not 'both'$"):
        MAACLearnerConfig(agents=MAACNetworksConfig(agents=2, observations=2, actions=2), policy_backward="both")
