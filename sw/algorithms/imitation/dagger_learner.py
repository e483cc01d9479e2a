"""A policy of pixels that learns to act as a rule does, from all that it has seen itself."""

from collections import OrderedDict

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ...networks.torch_networks import load_modules, save_modules
from ..torch_steps import descend
from .dagger_config import DaggerConfig
from .labelled_frames import LabelledFrames

__all__ = ["DaggerLearner", "policy_network", "to_picture"]


def policy_network(actions: int, hidden: int) -> nn.Sequential:
    """The network of deep Q-learning: four frames of 84 x 84 pixels from 0 to 1, and a score of each action.

    Source: Mnih et al., "Human-level control through deep reinforcement learning" (2015).
    """
    return nn.Sequential(
        OrderedDict(
            conv1=nn.Conv2d(4, 32, 8, stride=4),
            relu1=nn.ReLU(),
            conv2=nn.Conv2d(32, 64, 4, stride=2),
            relu2=nn.ReLU(),
            conv3=nn.Conv2d(64, 64, 3),
            relu3=nn.ReLU(),
            flat=nn.Flatten(),
            hidden=nn.Linear(64 * 7 * 7, hidden),
            relu4=nn.ReLU(),
            actions=nn.Linear(hidden, actions),
        )
    )


def to_picture(observations: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Pixels from 0 to 1."""
    return observations.astype(np.float32) / np.float32(255)


class DaggerLearner:
    """Data aggregation: who acts is the rule in fewer and fewer steps, what is right says the rule in all.

    Each observation is kept with the action that the rule would take there. Gradient steps on batches of all of them,
    each action as often as the others, make the policy take that action: cross-entropy, Adam. The source trains a new
    policy on all data behind each iteration; here one goes on.

    Parameters
    ----------
    actions
        How many there are.
    config
        Hyper-parameters.

    Members
    -------
    network
        The policy.
    data
        What it learned from.
    generator
        Generator that draws who acts, and the batches.

    Source: Ross, Gordon, Bagnell, "A Reduction of Imitation Learning and Structured Prediction to No-Regret Online
    Learning" (2011), algorithm 3.1.
    """

    def __init__(self, actions: int, config: DaggerConfig):
        self.config = config
        with torch.random.fork_rng():
            torch.manual_seed(config.seed)
            self.network = policy_network(actions, config.hidden)
        self._optimizer = torch.optim.Adam(self.network.parameters(), config.learning_rate, fused=True)
        self.generator = np.random.default_rng(np.random.SeedSequence([config.seed, 1]))
        self.data = LabelledFrames()
        self._told: dict[str, float] | None = None

    def scores(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The score of each action, for observations (count, 84, 84, 4)."""
        with torch.no_grad():
            return np.asarray(self.network(_inputs(observations)).numpy())

    def choose(self, observation: NDArray[np.uint8], action: int, step: int) -> int:
        """The action to take where the rule would take ``action``: this one, or the policy's."""
        if self.generator.random() < self.config.rule_share_at(step):
            return action
        return int(self.scores(observation[np.newaxis])[0].argmax())

    def learn(self) -> None:
        """Gradient steps of an iteration.

        Raises
        ------
        FloatingPointError
            Training has diverged.
        """
        losses, agreed = [], []
        for _ in range(self.config.updates):
            indices = self.data.draw(self.config.batch_size, self.generator)
            actions = torch.from_numpy(self.data.actions(indices))
            scores = self.network(_inputs(self.data.observations(indices)))
            loss = nn.functional.cross_entropy(scores, actions)
            descend(self._optimizer, loss)
            losses.append(loss.item())
            agreed.append((scores.argmax(1) == actions).float().mean().item())
        self._told = {"loss": float(np.mean(losses)), "agreement": float(np.mean(agreed))}
        if not np.isfinite(losses).all():
            raise FloatingPointError(f"Training has diverged: the loss is {losses[-1]}")

    def statistics(self) -> dict[str, float] | None:
        """``loss`` and ``agreement``, the share of observations in which the policy takes the rule's action: means of
        the batches of the last iteration."""
        return self._told

    def save(self) -> dict[str, np.ndarray]:
        """Everything that training changes besides data and generator, as arrays by name."""
        return save_modules(self._parts())

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        load_modules(self._parts(), state)

    def _parts(self) -> dict[str, nn.Module | torch.optim.Optimizer]:
        return {"network": self.network, "optimizer": self._optimizer}


def _inputs(observations: NDArray[np.uint8]) -> torch.Tensor:
    return torch.from_numpy(to_picture(observations)).permute(0, 3, 1, 2)
