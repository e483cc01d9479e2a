"""DQN's gradient step in PyTorch, float32, on the processor."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ..networks.initialization import initial_layers
from ..networks.module_network import make_network
from ..networks.torch_networks import load_modules, save_modules
from ..networks.user_network import Layers
from .dqn_config import DQNConfig
from .replay_buffer import Batch
from .temporal_differences import temporal_differences

__all__ = ["QLearner"]


class QLearner:
    """An online network that learns the values of actions, and a target network that follows it in jumps.

    Parameters
    ----------
    observation_size, actions
        Elements of an observation, and how many actions there are.
    config
        Hyper-parameters.
    seed
        Seed of the first weights.
    first
        First weights (outputs x inputs) and biases instead, or a module of the user's.
    """

    def __init__(
        self,
        observation_size: int,
        actions: int,
        config: DQNConfig,
        seed: int,
        first: Layers | torch.nn.Module | None = None,
    ):
        if first is None:
            first = initial_layers((observation_size, *config.hidden_sizes, actions), np.random.default_rng(seed))
        self.config, self._discount = config, np.float32(config.gamma)
        self._network = make_network(first, config.learning_rate_at(0), config.precision)
        self._target = self._network.copy()
        self.online, self.target = self._network.module, self._target.module
        assert self._network.optimizer is not None
        self.optimizer = self._network.optimizer
        self._last: tuple[np.ndarray, np.ndarray, np.ndarray] = (np.zeros(1), np.zeros(1), np.zeros(1))

    def values(self, observations: np.ndarray) -> np.ndarray:
        """Value of every action, float32, shape (rows, actions)."""
        with torch.no_grad():
            return self.online(torch.from_numpy(observations)).numpy()

    def act(self, observations: np.ndarray) -> np.ndarray:
        """Numbers of the actions of the greatest value, int64."""
        return self.values(observations).argmax(1)

    def prepare(self, batch: Batch) -> Batch:
        """The batch with ``next_values``, the target network's of every action: float32, shape (batch, actions).

        Gradient steps do not change them: they can be found beside the step before.
        """
        values, _ = self._target(torch.from_numpy(batch.experiences["next_observation"]))
        return replace(batch, experiences=batch.experiences | {"next_values": values.numpy()})

    def train(self, batch: Batch, step: int) -> np.ndarray:
        """One gradient step after that many environment steps; absolute temporal-difference errors, shape (batch,).

        Parameters
        ----------
        batch
            From `prepare`: besides, ``observation`` and ``next_observation`` (float32), ``action`` (int64), ``reward``
            (float32), ``terminated`` (bool), in rows. A truncated episode went on: its last state has a future.
        step
            Says the learning rate.
        """
        config, data = self.config, batch.experiences
        choosing = next_values = data["next_values"]
        if config.double_q:
            choosing = self._network(torch.from_numpy(data["next_observation"]))[0].numpy()
        values, way = self._network(torch.from_numpy(data["observation"]))
        chosen, errors, slopes = temporal_differences(
            values.numpy(), data["action"], data["reward"], data["terminated"], next_values, choosing,
            self._discount, batch.weights, config.loss == "huber",
        )  # fmt: skip
        self._network.differentiate(way, torch.from_numpy(slopes))
        self.optimizer.clip(config.max_grad_norm)
        self.optimizer.learning_rate = config.learning_rate_at(step)
        self._network.advance()
        self._last = chosen, errors, batch.weights
        return np.abs(errors)

    def statistics(self) -> dict[str, float]:
        """Statistics of the last gradient step: loss, mean value of the actions taken, learning rate."""
        values, errors, weights = self._last
        sizes = np.abs(errors)
        huber = self.config.loss == "huber"
        losses = np.where((sizes <= 1) | (not huber), errors**2 / 2, sizes - 0.5)
        rate = self.optimizer.learning_rate
        return {"loss": float((weights * losses).mean()), "q": float(values.mean()), "learning_rate": rate}

    def weights(self) -> list[np.ndarray]:
        """Weights and biases of each layer of the online network, for actors; they go on changing."""
        return [parameter.detach().numpy() for parameter in self._network.parameters]

    def update_target(self) -> None:
        """Copy the online network."""
        self.target.load_state_dict(self.online.state_dict())

    def save(self) -> dict[str, np.ndarray]:
        """Everything that training changes, as arrays by name."""
        return save_modules(self._parts())

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        load_modules(self._parts(), state)

    def close(self) -> None:
        """Nothing is held."""

    def _parts(self) -> dict[str, Any]:
        return {"online": self.online, "target": self.target, "optimizer": self.optimizer}
