"""How actors choose actions, in NumPy: an actor needs no PyTorch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from .dqn_config import DQNConfig

__all__ = ["EpsilonGreedy", "NoisyActor", "SquashedGaussian", "forward"]

# Between which the logarithm of a standard deviation is kept.
LOG_DEVIATION = -20.0, 2.0

# What a network gives, from its weights and observations.
Outputs = Callable[[Sequence[np.ndarray], np.ndarray], np.ndarray]


def forward(weights: Sequence[np.ndarray], observations: np.ndarray) -> np.ndarray:
    """Outputs of a network of linear layers with ReLU between them.

    Parameters
    ----------
    weights
        Weights (outputs x inputs) and biases of each layer.
    observations
        Shape (rows, inputs).
    """
    values = observations
    for layer in range(0, len(weights), 2):
        if layer:
            values = np.maximum(values, 0)
        values = values @ weights[layer].T + weights[layer + 1]
    return values


@dataclass(frozen=True)
class EpsilonGreedy:
    """A random action in the share that the configuration says, else the one of the greatest value.

    Parameters
    ----------
    config : DQNConfig
        ``learning_starts``, and how exploration falls.
    actions : int
        How many there are.
    """

    config: DQNConfig
    actions: int

    def __call__(
        self, weights: Sequence[np.ndarray], observations: np.ndarray, step: int, generator: np.random.Generator
    ) -> np.ndarray:
        """Numbers of actions, int64."""
        share = 1.0 if step < self.config.learning_starts else self.config.exploration_at(step)
        explored = generator.integers(self.actions, size=len(observations))
        explores = generator.random(len(observations)) < share
        return np.where(explores, explored, forward(weights, observations).argmax(1))


@dataclass(frozen=True)
class NoisyActor:
    """DDPG's: the actor's action in [-1, 1] with noise; before learning starts any action.

    Parameters
    ----------
    config : PrioritizedDDPGConfig
        ``learning_starts`` and ``noise_scale``.
    actions : int
        Elements of an action.
    outputs : callable
        The network's, where it is no perceptron.
    """

    config: PrioritizedDDPGConfig
    actions: int
    outputs: Outputs = forward

    def __call__(
        self, weights: Sequence[np.ndarray], observations: np.ndarray, step: int, generator: np.random.Generator
    ) -> np.ndarray:
        """Actions, float32, shape (environments, elements)."""
        shape = len(observations), self.actions
        if step < self.config.learning_starts:
            return generator.uniform(-1, 1, shape).astype(np.float32)
        noise = self.config.noise_scale * generator.standard_normal(shape, np.float32)
        return (np.tanh(self.outputs(weights, observations)) + noise).clip(-1, 1).astype(np.float32)


@dataclass(frozen=True)
class SquashedGaussian:
    """SAC's: an action of the actor's distribution, in (-1, 1); before learning starts any action.

    Parameters
    ----------
    config : PrioritizedSACConfig
        ``learning_starts``.
    actions : int
        Elements of an action; the network has a mean and the logarithm of a standard deviation for each.
    outputs : callable
        The network's, where it is no perceptron.
    """

    config: PrioritizedSACConfig
    actions: int
    outputs: Outputs = forward

    def __call__(
        self, weights: Sequence[np.ndarray], observations: np.ndarray, step: int, generator: np.random.Generator
    ) -> np.ndarray:
        """Actions, float32, shape (environments, elements)."""
        shape = len(observations), self.actions
        if step < self.config.learning_starts:
            return generator.uniform(-1, 1, shape).astype(np.float32)
        mean, logarithm = np.split(self.outputs(weights, observations), 2, axis=1)
        noise = generator.standard_normal(shape, np.float32)
        return np.tanh(mean + np.exp(logarithm.clip(*LOG_DEVIATION)) * noise).astype(np.float32)
