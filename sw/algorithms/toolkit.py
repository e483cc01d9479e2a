"""Building blocks of a user's own algorithm, in one place; `examples` has algorithms made of them."""

from ..actors.actor_pool import ActorPool
from ..core.environments.environment import DiscreteEnvironment, Environment
from .actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from .dqn_config import DQNConfig
from .policies import EpsilonGreedy, NoisyActor, SquashedGaussian
from .prioritized_replay_buffer import PrioritizedReplayBuffer
from .torch_steps import (
    columns,
    descend,
    draw_squashed,
    follow,
    optimizers,
    perceptron,
    perceptrons,
    values_of,
    weights_of,
)
from .training_loop import TrainingLoop

__all__ = [
    "ActorPool", "DQNConfig", "DiscreteEnvironment", "Environment", "EpsilonGreedy", "NoisyActor",
    "PrioritizedDDPGConfig", "PrioritizedReplayBuffer", "PrioritizedSACConfig", "SquashedGaussian", "TrainingLoop",
    "columns", "descend", "draw_squashed", "follow", "optimizers", "perceptron", "perceptrons", "values_of",
    "weights_of",
]  # fmt: skip
