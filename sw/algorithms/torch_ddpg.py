"""DDPG's learner in PyTorch, float32: the independent oracle for learning curves, and the processor's speed."""

from typing import Any

import numpy as np
import torch
from torch import nn

from ..networks.initialization import initial_layers
from ..networks.torch_networks import build_network, load_modules, save_modules
from ..reference.learner_batch import LearnerBatch
from .ddpg_config import DDPGConfig

__all__ = ["TorchLearner", "build_actor", "build_critic"]


def build_actor(layers: Any) -> nn.Sequential:
    """Linear, ReLU, ..., Linear, Tanh: observation to action in [-1, 1]."""
    return build_network(layers, nn.Tanh())


def build_critic(layers: Any) -> nn.Sequential:
    """Linear, ReLU, ..., Linear: (action, observation) to value."""
    return build_network(layers)


class TorchLearner:
    """The published algorithm, a DDPG step at a time, with `torch.optim.Adam`.

    The critic takes (action, observation) in this order, as the accelerator does. Losses are means over the batch.
    With the same seed it starts from the same weights as every other learner.

    Parameters
    ----------
    observation_size, action_size
        Elements of an observation and of an action.
    config
        Hyper-parameters; ``quantization_delay`` does not apply.
    """

    def __init__(self, observation_size: int, action_size: int, config: DDPGConfig):
        generator = np.random.default_rng(config.seed)
        hidden = config.hidden_sizes
        self.config = config
        self._noise = torch.Generator().manual_seed(config.seed)
        self.set_layers(
            initial_layers((observation_size, *hidden, action_size), generator),
            initial_layers((action_size + observation_size, *hidden, 1), generator),
        )

    def set_layers(self, actor: list, critic: list) -> None:
        """Begins anew with these networks."""
        config = self.config
        self.actor, self.target_actor = build_actor(actor), build_actor(actor)
        self.critic, self.target_critic = build_critic(critic), build_critic(critic)
        rates: dict[str, Any] = {"betas": (config.beta1, config.beta2), "eps": config.epsilon}
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=config.learning_rate, **rates)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=config.critic_rate, **rates)

    def layers(self, network: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """Weights and biases of a network."""
        linear = [module for module in getattr(self, network) if isinstance(module, nn.Linear)]
        return [(module.weight.detach().double().numpy(), module.bias.detach().double().numpy()) for module in linear]

    @torch.no_grad()
    def act(self, observations: np.ndarray, noise: bool) -> np.ndarray:
        """Actions in [-1, 1] for rows of observations, with exploration noise if asked."""
        actions = self.actor(torch.as_tensor(observations, dtype=torch.float32))
        if noise:
            actions = actions + self.config.noise_scale * torch.randn(actions.shape, generator=self._noise)
        return actions.clamp(-1, 1).numpy()

    def train(self, batch: LearnerBatch) -> np.ndarray:
        """One DDPG step; the temporal-difference errors of the batch."""
        observations = torch.from_numpy(batch.observations)
        with torch.no_grad():
            next_observations = torch.from_numpy(batch.next_observations)
            next_actions = self.target_actor(next_observations)
            future = self.target_critic(torch.cat((next_actions, next_observations), 1)).squeeze(1)
            targets = torch.from_numpy(batch.rewards) + torch.from_numpy(batch.discounts) * future
        values = self.critic(torch.cat((torch.from_numpy(batch.actions), observations), 1)).squeeze(1)
        errors = values - targets
        self.critic_optimizer.zero_grad()
        # Half the mean square, so that the error of a sample is Q - y as on the accelerator.
        (0.5 * errors.square().mean()).backward()
        self.critic_optimizer.step()

        # Only the slope at the action is wanted; the critic's own gradients would take a tenth of the step.
        self.critic.requires_grad_(False)
        actions = self.actor(observations)
        self.actor_optimizer.zero_grad()
        (-self.critic(torch.cat((actions, observations), 1)).mean()).backward()
        self.actor_optimizer.step()
        self.critic.requires_grad_(True)

        with torch.no_grad():
            for source, target in ((self.actor, self.target_actor), (self.critic, self.target_critic)):
                for follower, leader in zip(target.parameters(), source.parameters(), strict=True):
                    follower.lerp_(leader, self.config.tau)
        return errors.detach().numpy()

    def save(self) -> dict[str, np.ndarray]:
        """Everything that training changes, as arrays by name."""
        return {"noise": self._noise.get_state().numpy().copy(), **save_modules(self._parts())}

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        self._noise.set_state(torch.from_numpy(np.array(state["noise"])))
        load_modules(self._parts(), state)

    def _parts(self) -> dict[str, Any]:
        names = ("actor", "target_actor", "critic", "target_critic", "actor_optimizer", "critic_optimizer")
        return {name: getattr(self, name) for name in names}

    def freeze(self, bits: int) -> None:
        """Floating point has nothing to freeze."""

    def counters(self) -> dict[str, Any]:
        """Nothing is counted."""
        return {}

    def tally(self) -> dict[str, Any]:
        """Nothing is counted."""
        return {}

    def restore_tally(self, tally: dict[str, Any]) -> None:
        """There is nothing to take back."""

    def close(self) -> None:
        """There is no device."""
