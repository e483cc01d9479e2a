"""SAC's gradient step in PyTorch, float32, on the processor."""

import math
from typing import Any

import numpy as np
import torch

from ..networks.adam import Adam
from ..networks.network import shared_passes
from ..networks.squashed_normal import SquashedNormal
from .actor_critic import ActorCritic, tensors
from .actor_critic_config import PrioritizedSACConfig
from .first_layers import FirstLayers
from .policies import LOG_DEVIATION
from .replay_buffer import Batch

__all__ = ["SACLearner"]


class SACLearner(ActorCritic):
    """An actor that draws actions, two critics, targets that follow these, and a temperature.

    Parameters
    ----------
    observation_size, action_size
        Elements of an observation and of an action.
    config
        Hyper-parameters.
    seed
        Seed of the first weights, and of the actions that are drawn.
    first
        The user's own networks or first weights instead.

    Members
    -------
    logarithm
        Logarithm of the temperature.

    Source: T. Haarnoja et al., "Soft actor-critic algorithms and applications", 2019, algorithm 1.
    """

    def __init__(
        self,
        observation_size: int,
        action_size: int,
        config: PrioritizedSACConfig,
        seed: int,
        first: FirstLayers | None = None,
    ):
        super().__init__(observation_size, action_size, config, 2 * action_size, 2, seed, first)
        self.target_entropy = -float(action_size) if config.target_entropy is None else config.target_entropy
        self.logarithm = torch.tensor([math.log(config.temperature)])
        self._temperature_optimizer = Adam(self.logarithm, config.learning_rate)
        self._noise = torch.Generator().manual_seed(seed)

    def act(self, observations: np.ndarray) -> np.ndarray:
        """Means of the actor's distributions, in [-1, 1], float32."""
        return self.actor(torch.from_numpy(observations))[0][:, : self.action_size].tanh().numpy()

    @shared_passes()
    def train(self, batch: Batch, step: int) -> np.ndarray:
        """A step of the temperature, of both critics, then of the actor; absolute errors, float32, shape (batch,).

        Parameters
        ----------
        batch
            ``observation``, ``action``, ``reward`` and ``next_observation`` (float32), ``terminated`` (bool), in rows.
        step
            Nothing depends on it.
        """
        data, rows = tensors(batch), len(batch.weights)
        # One pass for both: the actor learns last.
        outputs, inputs = self.actor(torch.cat((data["observation"], data["next_observation"])))
        noise = [torch.randn(rows, self.action_size, generator=self._noise) for _ in range(2)]
        drawn = SquashedNormal(outputs, torch.cat(noise), LOG_DEVIATION)
        density, next_density = drawn.log_density.split(rows)
        temperature = float(self.logarithm.exp())
        self._temperature_optimizer.gradients[0] = -(density.mean() + self.target_entropy)
        self._temperature_optimizer.advance()
        following = torch.cat((data["next_observation"], drawn.actions[rows:]), 1)
        future = torch.minimum(*(target(following)[0] for target in self.target_critics)) - temperature * next_density
        errors = self._learn_values(data, self._discounted(data, future), batch.weights)
        self._learn_actions(data["observation"], inputs, drawn, temperature)
        for target, leader in zip(self.target_critics, self.critics, strict=True):
            target.follow(leader, self.config.tau)
        return errors

    def _learn_actions(
        self, observations: torch.Tensor, inputs: Any, drawn: SquashedNormal, temperature: float
    ) -> None:
        """Towards actions of greater value, of the lesser of both critics, and greater entropy."""
        taken = torch.cat((observations, drawn.actions[: len(observations)]), 1)
        (one, into_one), (other, into_other) = (critic(taken) for critic in self.critics)
        # A row has a derivative by the lesser value alone.
        rising = (one <= other) * (-1 / len(observations))
        first = self.critics[0].input_derivative(into_one, rising)
        second = self.critics[1].input_derivative(into_other, -1 / len(observations) - rising)
        slopes = (first + second)[:, self.observation_size :]
        self.actor.learn(inputs, drawn.derivative(slopes, temperature / len(observations)))

    def save(self) -> dict[str, np.ndarray]:
        """Everything that training changes, as arrays by name."""
        own = {"noise": self._noise.get_state().numpy().copy(), "logarithm": self.logarithm.numpy().copy()}
        return own | super().save()

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        self._noise.set_state(torch.from_numpy(np.array(state["noise"])))
        self.logarithm.copy_(torch.from_numpy(np.array(state["logarithm"])))
        super().load(state)

    def _parts(self) -> dict[str, Any]:
        return super()._parts() | {"temperature_optimizer": self._temperature_optimizer}
