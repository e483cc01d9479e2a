"""DDPG with prioritised replay on PEARL."""

from typing import ClassVar

from ...algorithms.actor_critic_config import PrioritizedDDPGConfig
from ...algorithms.ddpg_learner import DDPGLearner
from ...algorithms.policies import NoisyActor
from ...algorithms.replay_parameters import ReplayParameters
from ...core.environments.environment import Environment
from .agent import ReplayAgent
from .device_ddpg_learner import DeviceDDPGLearner, require_suitable

__all__ = ["DDPG"]


class DDPG(ReplayAgent):
    """Deep deterministic policy gradient, for bounded vector actions; parameters and errors: :class:`.ReplayAgent`."""

    name = "prioritized-ddpg"
    configuration: ClassVar[type[ReplayParameters]] = PrioritizedDDPGConfig
    kind: ClassVar[type[Environment]] = Environment
    config: PrioritizedDDPGConfig
    learner: DDPGLearner | DeviceDDPGLearner

    def _make_networks(self, seed: int) -> tuple[DDPGLearner | DeviceDDPGLearner, NoisyActor]:
        sizes = self.environment.observation_size, self.environment.action_size
        policy = NoisyActor(self.config, self.environment.action_size)
        if self._learner_hardware is None:
            return DDPGLearner(*sizes, self.config, seed), policy
        require_suitable(self._learner_hardware, *sizes, self.config)
        return DeviceDDPGLearner(self.config, seed, self._open_learner()), policy
