"""DQN's gradient step in PyTorch, float32, on the processor."""

from collections.abc import Mapping

import numpy as np
import torch
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_

from ..agents.initialization import initial_layers
from ..agents.torch_networks import build_network, load_modules, save_modules
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
        batch = {name: torch.from_numpy(values) for name, values in experiences.items()}
        with torch.no_grad():
            future = self.target(batch["next_observation"])
            chooser = self.online(batch["next_observation"]) if self.config.double_q else future
            best = future.gather(1, chooser.argmax(1, keepdim=True)).squeeze(1)
            targets = batch["reward"] + self.config.gamma * ~batch["terminated"] * best
        values = self.online(batch["observation"]).gather(1, batch["action"].unsqueeze(1)).squeeze(1)
        if self.config.loss == "huber":
            losses = functional.smooth_l1_loss(values, targets, reduction="none")
        else:
            # Half of it, so that the slope is the error, as within Huber's.
            losses = 0.5 * (values - targets).square()
        self.optimizer.zero_grad()
        (torch.from_numpy(weights) * losses).mean().backward()
        clip_grad_norm_(self.online.parameters(), self.config.max_grad_norm)
        self.optimizer.param_groups[0]["lr"] = learning_rate
        self.optimizer.step()
        return (values - targets).detach().numpy()

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
