"""The gradient steps of AlphaZero, in PyTorch."""

from collections import deque
from typing import Any

import numpy as np
import torch
from torch import nn

from ...networks.torch_networks import load_modules, save_modules
from ..torch_steps import descend
from .alphazero_hyper_parameters import AlphaZeroHyperParameters
from .policy_value_network import PolicyValueNetwork
from .position_buffer import PositionBatch

__all__ = ["AlphaZeroLearner", "masked_scores"]

# Far below every score of a network, and a number still: 0 times it is 0.
LEAST_SCORE = -1e9
# Gradient steps whose losses are told together.
WINDOW = 100


def masked_scores(scores: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Scores whose softmax is 0 where an action is not legal."""
    return scores.masked_fill(~legal, LEAST_SCORE)


class AlphaZeroLearner:
    """Brings policy and value of a network nearer to what searches and games came to.

    The loss of a position is ``(z - v)**2 - pi * log(p) + c * |theta|**2``: z the outcome, v the value, pi the shares
    of visits of the search, p the softmax of the scores over the legal actions, theta all parameters, c of the
    configuration. A gradient step is Adam's, of the mean over a batch.

    Parameters
    ----------
    observation_shape, actions
        Observation shape and actions of the game.
    config
        Hyper-parameters.
    device
        PyTorch's device, on which it learns.

    Members
    -------
    network
        The network; its parameters change in place.
    steps
        Gradient steps done.

    Source: D. Silver et al., *A general reinforcement learning algorithm that masters chess, shogi, and Go through
    self-play*, Science 362, 2018.
    """

    def __init__(
        self,
        observation_shape: tuple[int, int, int],
        actions: int,
        config: AlphaZeroHyperParameters,
        device: str = "cpu",
    ):
        self.config, self.device, self.steps = config, device, 0
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.network = PolicyValueNetwork(observation_shape, actions, config.channels, config.value_hidden)
        self.network.to(device)
        # Its weight decay adds the gradient of half of what it is told.
        self._optimizer = torch.optim.Adam(
            self.network.parameters(), config.learning_rate, weight_decay=2 * config.l2, fused=True
        )
        self._told: deque[tuple[float, float, float]] = deque(maxlen=WINDOW)

    def train(self, batch: PositionBatch) -> None:
        """A gradient step.

        Raises
        ------
        FloatingPointError
            Training has diverged.
        """
        # Copies: how memory is aligned may change the last bits of a product.
        planes, legal, policies, outcomes = (
            torch.tensor(array, device=self.device)
            for array in (batch.planes, batch.legal, batch.policies, batch.outcomes)
        )
        scores, values = self.network(planes)
        logarithms = nn.functional.log_softmax(masked_scores(scores, legal), dim=1)
        policy_loss = -(policies * logarithms).sum(dim=1).mean()
        value_loss = (outcomes - values.squeeze(1).tanh()).square().mean()
        descend(self._optimizer, policy_loss + value_loss)
        self.steps += 1
        entropy = -(logarithms.exp() * logarithms).sum(dim=1).mean()
        self._told.append((policy_loss.item(), value_loss.item(), entropy.item()))
        if not np.isfinite(self._told[-1]).all():
            raise FloatingPointError(f"Training has diverged: the loss is {sum(self._told[-1][:2])}")

    def statistics(self) -> dict[str, float] | None:
        """Means over the last 100 gradient steps: ``loss`` without the parameters' share, of it ``policy_loss`` and
        ``value_loss``; ``entropy`` of the policy. ``None`` before the first."""
        if not self._told:
            return None
        policy, value, entropy = (float(mean) for mean in np.mean(self._told, axis=0))
        return {"loss": policy + value, "policy_loss": policy, "value_loss": value, "entropy": entropy}

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and plain numbers of a checkpoint."""
        return save_modules(self._parts()), {"steps": self.steps, "told": list(self._told)}

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Takes back what `state` gave."""
        load_modules(self._parts(), arrays)
        self.steps = rest["steps"]
        self._told = deque(map(tuple, rest["told"]), maxlen=WINDOW)

    def _parts(self) -> dict[str, nn.Module | torch.optim.Optimizer]:
        return {"network": self.network, "optimizer": self._optimizer}
