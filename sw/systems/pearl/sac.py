"""SAC with prioritised replay on PEARL."""

from typing import ClassVar

from ...algorithms.actor_critic_config import PrioritizedSACConfig
from ...algorithms.policies import SquashedGaussian
from ...algorithms.replay_parameters import ReplayParameters
from ...algorithms.sac_learner import SACLearner
from ...core.environments.environment import Environment
from .agent import ReplayAgent

__all__ = ["SAC"]


class SAC(ReplayAgent):
    """Soft actor-critic, for bounded vector actions, in PyTorch; parameters and errors: :class:`.ReplayAgent`."""

    name = "prioritized-sac"
    configuration: ClassVar[type[ReplayParameters]] = PrioritizedSACConfig
    kind: ClassVar[type[Environment]] = Environment
    config: PrioritizedSACConfig
    learner: SACLearner

    def _make_networks(self, seed: int) -> tuple[SACLearner, SquashedGaussian]:
        sizes = self.environment.observation_size, self.environment.action_size
        return SACLearner(*sizes, self.config, seed), SquashedGaussian(self.config, self.environment.action_size)
