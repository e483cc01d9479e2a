"""Agents served by PyTorch's autograd in float32: an oracle that shares nothing with the reference."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.nn.functional import linear

from ...reference.a3c.rates import A3CRates
from .a3c_hyper_parameters import A3CHyperParameters
from .a3c_shape import A3CShape, Arrays
from .service import AgentAnswer, AgentRequest, rates_of, split_state

__all__ = ["TorchAgentsService"]

Tensors = dict[str, torch.Tensor]


@dataclass
class _Rollout:
    """Experience of an agent since it was last trained."""

    observations: list[np.ndarray] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)


class TorchAgentsService:
    """An :class:`.AgentsService` on PyTorch. It serves requests in the order in which they stand.

    Parameters
    ----------
    shape
        Sizes of the network.
    config
        Hyper-parameters.
    parameters
        First ones, by name.
    """

    def __init__(self, shape: A3CShape, config: A3CHyperParameters, parameters: Arrays):
        self.shape, self.config = shape, config
        shape.require_shapes(parameters)
        self._central = {name: torch.from_numpy(values.copy()) for name, values in parameters.items()}
        rates = rates_of(config)
        self._optimizer = torch.optim.RMSprop(
            self._central.values(), rates.learning_rate, alpha=rates.decay, eps=rates.epsilon
        )
        # Made at once, so that a checkpoint has the same members at any time.
        for parameter in self._central.values():
            self._optimizer.state[parameter] = {"step": torch.tensor(0.0), "square_avg": torch.zeros_like(parameter)}
        self._local = [self._copy() for _ in range(config.agents)]
        self._rollouts = [_Rollout() for _ in range(config.agents)]
        self.set_rates(rates)

    def _copy(self) -> Tensors:
        return {name: parameter.detach().clone().requires_grad_() for name, parameter in self._central.items()}

    def serve(self, requests: Sequence[AgentRequest]) -> list[AgentAnswer]:
        return [self._serve(request) for request in requests]

    def _serve(self, request: AgentRequest) -> AgentAnswer:
        agent = request.agent
        if request.forget:
            self._rollouts[agent] = _Rollout()
        rollout = self._rollouts[agent]
        if request.action is not None:
            rollout.actions.append(request.action)
            rollout.rewards.append(request.reward)
        if request.observation is not None:
            if len(rollout.observations) > self.config.rollout_steps:
                raise ValueError(f"Agent {agent} must be trained: it has {len(rollout.observations)} observations")
            rollout.observations.append(request.observation)
        if request.train:
            return AgentAnswer(agent=agent, trained=True, report=self._train(agent))
        if request.observation is None:
            raise ValueError(f"A request of agent {agent} must have an observation, or train it")
        with torch.no_grad():
            logits, value = self._forward(self._local[agent], torch.from_numpy(request.observation))
        probabilities = torch.softmax(logits, -1).numpy()
        return AgentAnswer(agent=agent, probabilities=probabilities, value=value.item())

    def _forward(self, parameters: Tensors, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values."""
        for number in range(1, self.shape.layers + 1):
            rows = torch.relu(observations) if number > 1 else observations
            observations = linear(rows, parameters[f"layer{number}.weight"], parameters[f"layer{number}.bias"])
        return observations[..., :-1], observations[..., -1]

    def gradients(self, agent: int) -> tuple[Tensors, dict[str, float]]:
        """Gradients of the loss of an agent's rollout, by the names of parameters, and numbers for the metrics.

        The loss is the sum over steps of -log pi(a) * advantage - c * H(pi) + k * advantage^2, the advantage of the
        first term without a gradient.
        """
        rollout, parameters = self._rollouts[agent], self._local[agent]
        steps = len(rollout.actions)
        logits, values = self._forward(parameters, torch.from_numpy(np.stack(rollout.observations)))
        following = values[steps].item() if len(values) > steps else 0.0
        returns = np.zeros(steps, np.float32)
        for step in reversed(range(steps)):
            following = rollout.rewards[step] + self._rates.discount * following
            returns[step] = following
        advantages = torch.from_numpy(returns) - values[:steps]
        logs = torch.log_softmax(logits[:steps], -1)
        taken = logs.gather(-1, torch.tensor(rollout.actions).unsqueeze(-1)).squeeze(-1)
        # A probability of zero has a logarithm without bound.
        entropies = -torch.where(logs.exp() > 0, logs.exp() * logs, 0.0).sum(-1)
        squares = advantages**2
        value_coefficient = -self._rates.value_slope / 2
        loss = -taken * advantages.detach() - self._rates.entropy * entropies + value_coefficient * squares
        found = torch.autograd.grad(loss.sum(), list(parameters.values()))
        report = {"advantage": advantages.mean().item(), "value_loss": squares.mean().item()}
        return dict(zip(parameters, found, strict=True)), report

    def _train(self, agent: int) -> dict[str, float]:
        gradients, report = self.gradients(agent)
        for name, parameter in self._central.items():
            parameter.grad = gradients[name]
        self._optimizer.step()
        self._synchronise(agent)
        self._rollouts[agent] = _Rollout()
        return report

    @torch.no_grad()
    def _synchronise(self, agent: int) -> None:
        for name, parameter in self._local[agent].items():
            parameter.copy_(self._central[name])

    def set_rates(self, rates: A3CRates) -> None:
        self._rates = rates
        (group,) = self._optimizer.param_groups
        group["lr"], group["alpha"], group["eps"] = rates.learning_rate, rates.decay, rates.epsilon

    def parameters(self) -> Arrays:
        return {name: parameter.numpy().copy() for name, parameter in self._central.items()}

    def set_parameters(self, parameters: Arrays) -> None:
        self.shape.require_shapes(parameters)
        for name, parameter in self._central.items():
            parameter.copy_(torch.from_numpy(np.array(parameters[name], np.float32)))
        for agent in range(self.config.agents):
            self._synchronise(agent)

    def counters(self) -> dict[str, Any]:
        return {}

    def save(self) -> Arrays:
        squares = {name: self._optimizer.state[parameter]["square_avg"] for name, parameter in self._central.items()}
        parts = {"central": self._central, "square": squares}
        parts |= {f"agent{agent}": tensors for agent, tensors in enumerate(self._local)}
        return {
            f"{part}.{name}": tensor.detach().numpy().copy()
            for part, tensors in parts.items()
            for name, tensor in tensors.items()
        }

    @torch.no_grad()
    def load(self, arrays: Arrays) -> None:
        parts = split_state(arrays, self.config.agents, list(self._central))
        for name, parameter in self._central.items():
            parameter.copy_(torch.from_numpy(parts["central"][name]))
            self._optimizer.state[parameter]["square_avg"].copy_(torch.from_numpy(parts["square"][name]))
        for agent, tensors in enumerate(self._local):
            for name, tensor in tensors.items():
                tensor.copy_(torch.from_numpy(parts[f"agent{agent}"][name]))
            self._rollouts[agent] = _Rollout()

    def close(self) -> None:
        """Nothing to let go of."""
