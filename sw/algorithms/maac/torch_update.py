"""The critic's update of MAAC, and the policies' forward pass, by PyTorch's autograd."""

import math
from typing import Any

import numpy as np
import torch
from torch.nn.functional import one_hot

from ....hw.cores.learner.maac_config import SHARED_LAYERS
from .maac_config import MAACConfig
from .maac_shape import MAACShape
from .networks import choose, critic_values, masked_logits, policy_layers
from .torch_adam import load_moments, make_adam, save_moments
from .update import JointBatch, PolicyForward

__all__ = ["TorchMAACUpdate"]


def _agents_first(values: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(values).transpose(0, 1).contiguous()


def _batch_first(values: torch.Tensor) -> np.ndarray:
    return values.transpose(0, 1).contiguous().numpy()


class TorchMAACUpdate:
    """A :class:`.MAACUpdate` in binary32.

    With y = r + gamma (1 - finished) (Q'(o', a') - log pi'(a') / reward_scale), where a' are drawn by the target
    policies and Q' are the target critics, the loss is the sum over agents of the mean over the batch of
    (Q(o, a) - y)^2.

    Parameters
    ----------
    shape
        Sizes of the networks.
    config
        Hyper-parameters.
    policies, critics
        First parameters, as of `initial_parameters`; the targets also begin with them.
    """

    def __init__(
        self, shape: MAACShape, config: MAACConfig, policies: dict[str, np.ndarray], critics: dict[str, np.ndarray]
    ):
        self.shape, self.config = shape, config
        self._present = torch.from_numpy(shape.present)

        def copies(values: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
            return {name: torch.from_numpy(value.copy()) for name, value in values.items()}

        self.networks = {
            "policy": copies(policies),
            "target_policy": copies(policies),
            "critic": copies(critics),
            "target_critic": copies(critics),
        }
        for parameter in self.networks["critic"].values():
            parameter.requires_grad_()
        self._optimizer = make_adam(self.networks["critic"], config.critic_learning_rate)

    def update(self, batch: JointBatch) -> tuple[PolicyForward, dict[str, float]]:
        critic = self.networks["critic"]
        observations, actions = _agents_first(batch.observations), _agents_first(batch.actions)
        target = self._target(batch)
        values = critic_values(critic, observations, actions)
        taken = (values * actions).sum(-1)
        loss = (taken - target).square().mean(1).sum()
        report = {"critic_loss": loss.item(), "q": taken.mean().item()}
        if not math.isfinite(report["critic_loss"]):
            raise FloatingPointError(f"The critic's loss must be finite, not {report['critic_loss']}")
        self._optimizer.zero_grad()
        loss.backward()
        for name, parameter in critic.items():
            if name.partition(".")[0] in SHARED_LAYERS and parameter.grad is not None:
                parameter.grad /= self.shape.agents
        # Before the step: the policies learn from the critics of the update before.
        forward = self._policy_forward(observations, _agents_first(batch.uniforms))
        self._optimizer.step()
        self._follow("critic")
        return forward, report

    @torch.no_grad()
    def _target(self, batch: JointBatch) -> torch.Tensor:
        """y, agents x batch."""
        observations = _agents_first(batch.next_observations)
        *_, logits = policy_layers(self.networks["target_policy"], observations)
        masked = masked_logits(logits, self._present)
        choices = choose(torch.softmax(masked, -1), _agents_first(batch.next_uniforms)).unsqueeze(-1)
        logs = torch.log_softmax(masked, -1)
        actions = one_hot(choices[..., 0], self.shape.actions).float()
        values = critic_values(self.networks["target_critic"], observations, actions)
        following = values.gather(-1, choices) - logs.gather(-1, choices) / self.config.reward_scale
        going_on = 1 - _agents_first(batch.finished)
        return _agents_first(batch.rewards) + self.config.gamma * going_on * following[..., 0]

    @torch.no_grad()
    def _policy_forward(self, observations: torch.Tensor, uniforms: torch.Tensor) -> PolicyForward:
        first, second, logits = policy_layers(self.networks["policy"], observations)
        choices = choose(torch.softmax(masked_logits(logits, self._present), -1), uniforms)
        values = critic_values(self.networks["critic"], observations, one_hot(choices, self.shape.actions).float())
        values = values * self._present.unsqueeze(1)
        return PolicyForward(*map(_batch_first, (first, second, logits, choices, values)))

    @torch.no_grad()
    def _follow(self, name: str) -> None:
        """Let targets go a part of the way."""
        leaders = self.networks[name]
        for parameter, target in self.networks[f"target_{name}"].items():
            target.lerp_(leaders[parameter], self.config.tau)

    def take_policies(self, parameters: dict[str, np.ndarray]) -> None:
        for name, parameter in self.networks["policy"].items():
            parameter.copy_(torch.from_numpy(parameters[name]))
        self._follow("policy")

    def save_policies(self) -> None:
        """The host updates them."""

    def load_policies(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """The host goes on with them."""

    def counters(self) -> dict[str, Any]:
        return {}

    def save(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        arrays = {
            f"{network}.{name}": parameter.detach().numpy().copy()
            for network, parameters in self.networks.items()
            for name, parameter in parameters.items()
        }
        moments, rest = save_moments(self._optimizer, self.networks["critic"])
        return arrays | {f"adam.{name}": values for name, values in moments.items()}, rest

    def load(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        with torch.no_grad():
            for network, parameters in self.networks.items():
                for name, parameter in parameters.items():
                    parameter.copy_(torch.from_numpy(arrays[f"{network}.{name}"]))
        moments = {name.removeprefix("adam."): values for name, values in arrays.items() if name.startswith("adam.")}
        load_moments(self._optimizer, self.networks["critic"], moments, rest)

    def close(self) -> None:
        """Nothing to let go of."""
