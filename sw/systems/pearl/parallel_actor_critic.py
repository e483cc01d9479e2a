"""DDPG and SAC with prioritised replay, whose experience is gathered by actors in processes."""

from typing import ClassVar

from ...algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from ...algorithms.ddpg_learner import DDPGLearner
from ...algorithms.policies import NoisyActor, SquashedGaussian
from ...algorithms.replay_parameters import ReplayParameters
from ...algorithms.sac_learner import SACLearner
from ...core.environments.environment import Environment
from .device_ddpg_learner import DeviceDDPGLearner, require_suitable
from .learner_agent import LearnerAgent
from .parallel_agent import ParallelAgent

__all__ = ["ParallelDDPG", "ParallelSAC"]


class ParallelDDPG(ParallelAgent, LearnerAgent):
    """Deep deterministic policy gradient, for bounded vector actions, in PyTorch or on a learner in hardware.

    Parameters and errors: `ParallelAgent`, and ``learner`` of `LearnerAgent`.
    """

    name = "parallel-ddpg"
    configuration: ClassVar[type[ReplayParameters]] = PrioritizedDDPGConfig
    kind: ClassVar[type[Environment]] = Environment
    SETTINGS: ClassVar[tuple[str, ...]] = ParallelAgent.SETTINGS + LearnerAgent.SETTINGS
    config: PrioritizedDDPGConfig
    learner: DDPGLearner | DeviceDDPGLearner

    def _make_networks(self, seed: int) -> tuple[DDPGLearner | DeviceDDPGLearner, NoisyActor]:
        sizes = self.environment.observation_size, self.environment.action_size
        policy = NoisyActor(self.config, self.environment.action_size)
        if self._learner_hardware is None:
            return DDPGLearner(*sizes, self.config, seed), policy
        require_suitable(self._learner_hardware, *sizes, self.config)
        return DeviceDDPGLearner(self.config, seed, self._open_learner(self._learner_hardware)), policy


class ParallelSAC(ParallelAgent):
    """Soft actor-critic, for bounded vector actions; parameters and errors: `ParallelAgent`."""

    name = "parallel-sac"
    configuration: ClassVar[type[ReplayParameters]] = PrioritizedSACConfig
    kind: ClassVar[type[Environment]] = Environment
    config: PrioritizedSACConfig
    learner: SACLearner

    def _make_networks(self, seed: int) -> tuple[SACLearner, SquashedGaussian]:
        sizes = self.environment.observation_size, self.environment.action_size
        return SACLearner(*sizes, self.config, seed), SquashedGaussian(self.config, self.environment.action_size)
