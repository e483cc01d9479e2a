"""The policies on the host: they act, and their backward pass is from what a backend's forward pass left."""

from typing import Any

import numpy as np
import torch
from torch.nn.functional import one_hot

from ....hw.cores.layer.config import LEAKY_SLOPE
from .maac_config import MAACConfig
from .maac_shape import MAACShape
from .networks import choose, masked_logits, policy_layers
from .torch_adam import load_moments, make_adam, save_moments
from .update import PolicyForward

__all__ = ["HostPolicies"]


def _agents_first(values: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(values).transpose(0, 1)


class HostPolicies:
    """Acts for all agents, and updates their policies.

    An agent's loss is the mean over the batch of log pi(a) (log pi(a) / reward_scale - A), the second factor without
    a gradient, where a is the action drawn and A = Q(a) - sum over b of pi(b) Q(b) its advantage over what the policy
    does otherwise (the counterfactual baseline). The backward pass is written out, as no graph crosses a bus.

    Parameters
    ----------
    shape
        Sizes of the networks.
    config
        Hyper-parameters.
    parameters
        First ones, by the names of `policy_shapes`.
    """

    def __init__(self, shape: MAACShape, config: MAACConfig, parameters: dict[str, np.ndarray]):
        self.shape, self.config = shape, config
        self._present = torch.from_numpy(shape.present)
        self._parameters = {name: torch.from_numpy(values.copy()) for name, values in parameters.items()}
        self._optimizer = make_adam(self._parameters, config.policy_learning_rate)

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """By the names of `policy_shapes`; they go on changing."""
        return {name: parameter.numpy() for name, parameter in self._parameters.items()}

    def act(self, observations: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """Actions drawn with uniform numbers, rows x agents, for observations, rows x agents x elements."""
        probabilities = torch.softmax(self._logits(observations), -1)
        return choose(probabilities, _agents_first(uniforms)).T.numpy()

    def act_greedily(self, observations: np.ndarray) -> np.ndarray:
        """The likeliest actions, rows x agents; of several the first."""
        return self._logits(observations).argmax(-1).T.numpy()

    def _logits(self, observations: np.ndarray) -> torch.Tensor:
        *_, logits = policy_layers(self._parameters, _agents_first(observations))
        return masked_logits(logits, self._present)

    def update(self, observations: np.ndarray, forward: PolicyForward) -> dict[str, float]:
        """Backward pass, and Adam's step.

        Parameters
        ----------
        observations
            Observations of the batch.
        forward
            What the backend found for it.

        Returns
        -------
        Numbers for the metrics: ``policy_loss``, ``entropy``, ``advantage``, means over batch and agents.
        """
        gradients, report = self.gradients(observations, forward)
        for name, parameter in self._parameters.items():
            parameter.grad = gradients[name]
        self._optimizer.step()
        return report

    def gradients(
        self, observations: np.ndarray, forward: PolicyForward
    ) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
        """Gradients of the losses by the names of the parameters, and the numbers that `update` gives."""
        first, second, logits, choices, values = (
            _agents_first(part)
            for part in (forward.first, forward.second, forward.logits, forward.choices, forward.values)
        )
        logs = torch.log_softmax(masked_logits(logits, self._present), -1)
        probabilities = logs.exp()
        taken = choices.unsqueeze(-1)
        log = logs.gather(-1, taken)
        advantage = values.gather(-1, taken) - (probabilities * values).sum(-1, keepdim=True)
        factor = log / self.config.reward_scale - advantage
        error = factor / logits.shape[1] * (one_hot(choices, self.shape.actions) - probabilities)
        gradients = {}
        for name, inputs in (("third", second), ("second", first), ("first", _agents_first(observations))):
            gradients[f"{name}.weight"] = inputs.transpose(1, 2) @ error
            gradients[f"{name}.bias"] = error.sum(1)
            if name != "first":
                # A leaky ReLU keeps the sign, so that what comes out says which slope there was.
                error = (
                    error @ self._parameters[f"{name}.weight"].transpose(1, 2) * torch.where(inputs > 0, 1, LEAKY_SLOPE)
                )
        # A probability of zero has a logarithm without bound.
        entropy = -torch.where(probabilities > 0, probabilities * logs, 0.0).sum(-1)
        report = {
            "policy_loss": (log * factor).mean().item(),
            "entropy": entropy.mean().item(),
            "advantage": advantage.mean().item(),
        }
        return gradients, report

    def save(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Parameters and Adam's state."""
        moments, rest = save_moments(self._optimizer, self._parameters)
        return {name: values.copy() for name, values in self.parameters.items()} | moments, rest

    def load(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Take back what `save` gave; a `KeyError` says what is missing."""
        for name, parameter in self._parameters.items():
            parameter.copy_(torch.from_numpy(arrays[name]))
        load_moments(self._optimizer, self._parameters, arrays, rest)
