"""Gradient steps whose products are of bfloat16: other bits than in binary32, and the same ones again."""

import dataclasses

import numpy as np
import pytest
from torch import nn

from rewardware.sw.algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.systems.pearl.ddpg import DDPG
from rewardware.sw.systems.pearl.dqn import DQN
from rewardware.sw.systems.pearl.sac import SAC
from tests.sw.algorithms.checkpoints import assert_same_arrays

from .test_actors import learned

AGENTS = {
    DQN: ("CartPole-v1", DQNConfig(hidden_sizes=(17, 8), learning_starts=20, batch_size=13)),
    DDPG: ("Pendulum-v1", PrioritizedDDPGConfig(hidden_sizes=(17, 8), learning_starts=20, batch_size=13)),
    SAC: ("Pendulum-v1", PrioritizedSACConfig(hidden_sizes=(17, 8), learning_starts=20, batch_size=13)),
}


def make(kind, precision):
    environment, config = AGENTS[kind]
    return kind(environment, dataclasses.replace(config, precision=precision))


@pytest.mark.parametrize("kind", AGENTS)
def test_training_in_bfloat16_goes_on_bit_identically(kind, tmp_path):
    straight, _ = learned(tmp_path / "straight.zip", make(kind, "bfloat16"), 100)
    learned(tmp_path / "agent.zip", make(kind, "bfloat16"), 60)
    resumed = kind.load(tmp_path / "agent.zip")
    assert resumed.config.precision == "bfloat16"
    assert_same_arrays(straight, learned(tmp_path / "resumed.zip", resumed, 40)[0])
    exact, _ = learned(tmp_path / "exact.zip", make(kind, "binary32"), 100)
    names = [name for name in exact if name.endswith("weight") and "target" not in name]
    assert names and all(np.isfinite(straight[name]).all() for name in names)
    assert not any(np.array_equal(straight[name], exact[name]) for name in names)


def test_other_precisions_and_modules_are_refused():
    with pytest.raises(ValueError, match="^precision must be binary32 or bfloat16, not 'float16'$"):
        PrioritizedSACConfig(precision="float16")
    module = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    with pytest.raises(ValueError, match="^precision must be binary32 for a module such as Sequential, not bfloat16$"):
        DQN("CartPole-v1", DQNConfig(precision="bfloat16"), network=module)
