"""DDPG and SAC with prioritised replay, whose experience is gathered by actors in processes."""

from typing import ClassVar

from ..agents.environment import Environment
from .actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from .ddpg_learner import DDPGLearner
from .parallel_agent import ParallelAgent
from .policies import NoisyActor, SquashedGaussian
from .replay_parameters import ReplayParameters
from .sac_learner import SACLearner

__all__ = ["ParallelDDPG", "ParallelSAC"]


class ParallelDDPG(ParallelAgent):
    """Deep deterministic policy gradient, for bounded vector actions; parameters and errors: `ParallelAgent`."""

    name = "parallel-ddpg"
    configuration: ClassVar[type[ReplayParameters]] = PrioritizedDDPGConfig
    kind: ClassVar[type[Environment]] = Environment
    config: PrioritizedDDPGConfig
    learner: DDPGLearner

    def _make_networks(self, seed: int) -> tuple[DDPGLearner, NoisyActor]:
        sizes = self.environment.observation_size, self.environment.action_size
        return DDPGLearner(*sizes, self.config, seed), NoisyActor(self.config, self.environment.action_size)


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
