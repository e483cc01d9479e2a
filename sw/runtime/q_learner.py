"""DQN's gradient step in PyTorch, float32, on the processor."""

from collections.abc import Mapping

import numpy as np
import torch

from ..agents.initialization import initial_layers
from ..agents.torch_networks import build_network, load_modules, save_modules
from .dense_layers import backward, clip_gradients, dense_layers, forward
from .dqn_config import DQNConfig

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
        Of the first weights.
    threads
        Of PyTorch; one is best for networks of this size. ``None``: as many as it is set to.
    """

    def __init__(self, observation_size: int, actions: int, config: DQNConfig, seed: int, threads: int | None = 1):
        if threads is not None:
            torch.set_num_threads(threads)
        layers = initial_layers((observation_size, *config.hidden_sizes, actions), np.random.default_rng(seed))
        self.config = config
        self.online, self.target = build_network(layers), build_network(layers)
        self.target.requires_grad_(False)
        self._layers, self._target_layers = dense_layers(self.online), dense_layers(self.target)
        self._parameters = list(self.online.parameters())
        self.optimizer = torch.optim.Adam(self.online.parameters(), fused=True)

    @torch.no_grad()
    def values(self, observations: np.ndarray) -> np.ndarray:
        """Of every action, float32, shape (rows, actions)."""
        return self.online(torch.from_numpy(observations)).numpy()

    def train(self, experiences: Mapping[str, np.ndarray], weights: np.ndarray, learning_rate: float) -> np.ndarray:
        """One gradient step; the temporal-difference errors, float32, shape (batch,).

        Parameters
        ----------
        experiences
            ``observation`` and ``next_observation`` (float32), ``action`` (int64), ``reward`` (float32),
            ``terminated`` (bool), in rows. A truncated episode went on: its last state has a future.
        weights
            Importance weights, float32.
        learning_rate
            Adam's step.
        """
        config = self.config
        batch = {name: torch.from_numpy(values) for name, values in experiences.items()}
        future, _ = forward(self._target_layers, batch["next_observation"])
        chooser = forward(self._layers, batch["next_observation"])[0] if config.double_q else future
        best = future.gather(1, chooser.argmax(1, keepdim=True)).squeeze(1)
        targets = batch["reward"] + config.gamma * ~batch["terminated"] * best
        values, inputs = forward(self._layers, batch["observation"])
        actions = batch["action"].unsqueeze(1)
        errors = values.gather(1, actions).squeeze(1) - targets
        # Of half the squared error, or of Huber's, which is that up to an error of 1; the loss is the mean.
        slopes = errors.clamp(-1, 1) if config.loss == "huber" else errors
        slopes = torch.from_numpy(weights) * (1 / len(weights)) * slopes
        backward(self._layers, inputs, torch.zeros_like(values).scatter_(1, actions, slopes.unsqueeze(1)))
        clip_gradients(self._parameters, config.max_grad_norm)
        self.optimizer.param_groups[0]["lr"] = learning_rate
        self.optimizer.step()
        return errors.numpy()

    def update_target(self) -> None:
        """Copy the online network."""
        self.target.load_state_dict(self.online.state_dict())

    def save(self) -> dict[str, np.ndarray]:
        """Everything that training changes, as arrays by name."""
        return save_modules(self._parts())

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        load_modules(self._parts(), state)

    def _parts(self) -> dict[str, torch.nn.Module | torch.optim.Optimizer]:
        return {"online": self.online, "target": self.target, "optimizer": self.optimizer}
