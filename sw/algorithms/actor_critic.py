"""Common part of the learners of DDPG and SAC: networks of actor and critics, their targets, and their steps."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..networks.initialization import initial_layers
from ..networks.module_network import make_network
from ..networks.network import TrainableNetwork
from ..networks.torch_networks import load_modules, save_modules
from .actor_critic_config import ActorCriticConfig
from .first_layers import FirstLayers
from .replay_buffer import Batch

__all__ = ["ActorCritic", "tensors"]


class ActorCritic:
    """Base of both learners: an actor and critics, each with a target where the algorithm has one.

    Actions are in [-1, 1]; a critic takes (observation, action). Steps take as many threads as PyTorch is set to.

    Parameters
    ----------
    observation_size, action_size
        Elements of an observation and of an action.
    config
        Hyper-parameters.
    outputs
        Outputs of the actor's network.
    critics
        How many.
    seed
        Seed of the first weights, and of what the algorithm draws.
    first
        The user's own networks or first weights instead.
    """

    def __init__(
        self,
        observation_size: int,
        action_size: int,
        config: ActorCriticConfig,
        outputs: int,
        critics: int,
        seed: int,
        first: FirstLayers | None = None,
    ):
        generator = np.random.default_rng(seed)
        self.config = config
        self.observation_size, self.action_size = observation_size, action_size
        # All are drawn, so that what is drawn does not depend on what the user gives.
        actor = initial_layers((observation_size, *config.hidden_sizes, outputs), generator)
        sizes = observation_size + action_size, *config.critic_sizes, 1
        drawn = [initial_layers(sizes, generator) for _ in range(critics)]
        first = first or FirstLayers()
        self.actor = make_network(first.actor or actor, config.learning_rate, config.precision)
        self.critics = [make_network(critic, config.critic_rate, config.precision) for critic in first.critics or drawn]
        self.target_critics = [critic.copy() for critic in self.critics]
        self._last = torch.zeros(1)

    def prepare(self, batch: Batch) -> Batch:
        """The batch: all networks change with every gradient step."""
        return batch

    def weights(self) -> list[np.ndarray]:
        """Weights and biases of each layer of the actor, which go on changing."""
        return [parameter.detach().numpy() for parameter in self.actor.parameters]

    def outputs(self, weights: Sequence[np.ndarray], observations: np.ndarray) -> np.ndarray:
        """Outputs of the actor's network with its latest weights, for a policy in this process."""
        return self.actor(torch.from_numpy(observations))[0].numpy()

    def _learn_values(self, data: dict[str, torch.Tensor], targets: torch.Tensor, weights: np.ndarray) -> np.ndarray:
        """A step of each critic; absolute errors, their mean over the critics.

        The loss is half the mean of the squared errors with their importance weights.
        """
        scale = torch.from_numpy(weights).unsqueeze(1) * (1 / len(weights))
        taken, errors = torch.cat((data["observation"], data["action"]), 1), []
        for critic in self.critics:
            values, inputs = critic(taken)
            error = values - targets
            self._last = values
            critic.learn(inputs, scale * error)
            errors.append(error.squeeze(1).abs_().numpy())
        return np.mean(errors, axis=0)

    def statistics(self) -> dict[str, float]:
        """Statistics of the last gradient step: the last critic's mean value of the actions taken, learning rates."""
        rates = {"learning_rate": self.config.learning_rate, "critic_learning_rate": self.config.critic_rate}
        return {"q": float(self._last.mean()), **rates}

    def _discounted(self, data: dict[str, torch.Tensor], future: torch.Tensor) -> torch.Tensor:
        """Targets: a reward, and what follows where the episode went on; shape (rows, 1)."""
        return data["reward"].unsqueeze(1) + self.config.gamma * ~data["terminated"].unsqueeze(1) * future

    def save(self) -> dict[str, np.ndarray]:
        """Everything that training changes, as arrays by name."""
        return save_modules(self._parts())

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        load_modules(self._parts(), state)

    def close(self) -> None:
        """Nothing is held."""

    def _networks(self) -> dict[str, TrainableNetwork]:
        numbered = enumerate(zip(self.critics, self.target_critics, strict=True), 1)
        pairs = {(f"critic_{number}", f"target_critic_{number}"): pair for number, pair in numbered}
        named = {name: network for names, pair in pairs.items() for name, network in zip(names, pair, strict=True)}
        return {"actor": self.actor, **named}

    def _parts(self) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        for name, network in self._networks().items():
            parts[name] = network.module
            if network.optimizer is not None:
                parts[f"{name}_optimizer"] = network.optimizer
        return parts


def tensors(batch: Batch) -> dict[str, torch.Tensor]:
    """The experiences of a batch; they share its memory."""
    return {name: torch.from_numpy(values) for name, values in batch.experiences.items()}
