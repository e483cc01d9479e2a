"""What an algorithm of the user's own is made of, in one place; `examples` has algorithms made of it."""

from ..agents.environment import DiscreteEnvironment, Environment
from .actor_pool import ActorPool
from .dqn_config import DQNConfig
from .policies import EpsilonGreedy
from .prioritized_replay_buffer import PrioritizedReplayBuffer
from .training_loop import TrainingLoop

__all__ = [
    "ActorPool", "DQNConfig", "DiscreteEnvironment", "Environment", "EpsilonGreedy", "PrioritizedReplayBuffer",
    "TrainingLoop",
]  # fmt: skip
