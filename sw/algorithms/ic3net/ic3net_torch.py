"""IC3Net in PyTorch: the network, and a learner with it."""

import math
from typing import Any, cast

import numpy as np
import torch
from torch import nn

from .ic3net_config import IC3NetConfig
from .sparse_weights import CirculantWeight, DenseWeight, GroupedWeight, PrunedWeight, SparseWeight

__all__ = ["IC3NetNetwork", "TorchIC3NetLearner", "layer_shapes"]

# Encoder and communication are added up, as are the LSTM's two products: one bias each.
BIASED = ("encoder", "input", "policy", "gate", "value")


def layer_shapes(observation_size: int, actions: int, hidden_size: int) -> dict[str, tuple[int, int]]:
    """Rows (inputs) and columns (outputs) of every weight matrix; the gates of the LSTM in the order i, f, g, o."""
    return {
        "encoder": (observation_size, hidden_size),
        "communication": (hidden_size, hidden_size),
        "input": (hidden_size, 4 * hidden_size),
        "hidden": (hidden_size, 4 * hidden_size),
        "policy": (hidden_size, actions),
        "gate": (hidden_size, 2),
        "value": (hidden_size, 1),
    }


class _Rounded(torch.autograd.Function):
    """To binary16 and back: values on the way forward, errors on the way backward."""

    @staticmethod
    def forward(ctx: Any, values: Any) -> Any:
        return values.half().float()

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient.half().float()


class IC3NetNetwork(nn.Module):
    """One network for all agents of an episode, which talk through their hidden states.

    With h, c the agents' LSTM states and a whether an agent spoke up in the step before:

        r_j = mean over the other agents k of a_k h_k
        x = encoder(observation) + communication(r)
        h, c = LSTM(x, h, c)
        logits of movement and of the gate, and the value: linear in h

    Parameters
    ----------
    observation_size
        Elements of an agent's observation.
    actions
        Movements to choose from.
    agents
        In an episode.
    config
        Hyper-parameters.
    generator
        Where the first weights come from: uniform within 1 / sqrt(inputs that take part), grouping matrices within
        ``config.grouping_bound``.

    Source: Singh, Jain, Sukhbaatar (2018); masks as in LearningGroup, III-A.
    """

    def __init__(
        self, observation_size: int, actions: int, agents: int, config: IC3NetConfig, generator: np.random.Generator
    ):
        super().__init__()
        self.config, self.agents = config, agents

        def uniform(bound: float, *shape: int) -> Any:
            return torch.from_numpy(generator.uniform(-bound, bound, shape).astype(np.float32))

        self.weights, self.biases = nn.ModuleDict(), nn.ParameterDict()
        for name, (rows, columns) in layer_shapes(observation_size, actions, config.hidden_size).items():
            bound = (config.groups / rows) ** 0.5
            weight: SparseWeight
            if config.groups > 1:
                weight = GroupedWeight(
                    uniform(bound, rows, columns),
                    uniform(config.grouping_bound, rows, config.groups),
                    uniform(config.grouping_bound, config.groups, columns),
                    config.grouping_gradient,
                )
            elif config.sparsity in ("block-circulant", "group-sparse"):
                stored = uniform(bound, *CirculantWeight.stored_shape(rows, columns))
                weight = CirculantWeight(rows, columns, stored, pruned=config.sparsity == "group-sparse")
            else:
                make = PrunedWeight if config.sparsity == "magnitude" else DenseWeight
                weight = make(uniform(bound, rows, columns))
            self.weights[name] = weight
            if name in BIASED:
                self.biases[name] = nn.Parameter(uniform(rows**-0.5, columns))

    @property
    def layers(self) -> dict[str, SparseWeight]:
        """The weights as what they are, which PyTorch's container does not tell a type checker."""
        return {name: cast(SparseWeight, weight) for name, weight in self.weights.items()}

    def effective_weights(self) -> dict[str, torch.Tensor]:
        """The weights with zeros for those that take no part; made once for an iteration."""
        return {name: self.rounded(weight()) for name, weight in self.weights.items()}

    def rounded(self, values: torch.Tensor) -> torch.Tensor:
        """To binary16, if the configuration says so."""
        return values if self.config.precision == "float32" else _Rounded.apply(values)

    def forward(
        self,
        weights: dict[str, torch.Tensor],
        observations: torch.Tensor,
        spoke: torch.Tensor,
        hidden: torch.Tensor,
        cell: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """h and c after one time step.

        Parameters
        ----------
        weights
            Weights of `effective_weights`.
        observations
            Episodes x agents x elements.
        spoke
            The gates of the step before, episodes x agents; ones in the first.
        hidden, cell
            h and c, episodes x agents x hidden size.
        """
        rounded, biases = self.rounded, self.biases
        said = hidden * spoke[..., None]
        heard = rounded((said.sum(dim=1, keepdim=True) - said) / max(self.agents - 1, 1))
        encoded = rounded(observations @ weights["encoder"] + heard @ weights["communication"] + biases["encoder"])
        gates = rounded(encoded @ weights["input"] + hidden @ weights["hidden"] + biases["input"])
        i, f, g, o = gates.chunk(4, dim=-1)
        cell = rounded(torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g))
        return rounded(torch.sigmoid(o) * torch.tanh(cell)), cell

    def heads(
        self, weights: dict[str, torch.Tensor], hidden: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logarithms of the probabilities of movements and gates, and values, for any number of hidden states."""
        policy, gate, value = (
            self.rounded(hidden @ weights[name] + self.biases[name]) for name in ("policy", "gate", "value")
        )
        return torch.log_softmax(policy, dim=-1), torch.log_softmax(gate, dim=-1), value[..., 0]


class TorchIC3NetLearner:
    """IC3Net by PyTorch's autograd and RMSprop.

    The loss of a step is ``-(log p(movement) + log p(gate)) * (R - V) + value_coefficient * (R - V)^2``, the advantage
    R - V without a gradient; the mean over the steps that the episodes took of the sum over agents alive.

    Parameters
    ----------
    observation_size, actions, agents, config, generator
        As of `IC3NetNetwork`.

    Raises
    ------
    FloatingPointError
        A gradient is infinite or not a number (from `update`).
    """

    def __init__(
        self,
        observation_size: int,
        actions: int,
        agents: int,
        config: IC3NetConfig,
        generator: np.random.Generator,
    ):
        self.config = config
        self.network = IC3NetNetwork(observation_size, actions, agents, config, generator)
        self._generator = generator
        self._optimizer = torch.optim.RMSprop(
            self.network.parameters(),
            lr=config.learning_rate,
            alpha=config.alpha,
            # The gradients are scaled, and so is their mean square.
            eps=config.epsilon * config.loss_scale,
        )
        for parameter in self.network.parameters():
            # Made by the first step otherwise; here, so that a checkpoint has the same members at any time.
            mean_square = torch.zeros_like(parameter, requires_grad=False)
            self._optimizer.state[parameter] = {"step": torch.tensor(0.0), "square_avg": mean_square}
        self._iterations = 0
        if config.precision == "half":
            self._round_state()

    def begin(self) -> None:
        self._before = self._generator.bit_generator.state
        zeros = torch.zeros(self.config.episodes, self.network.agents, self.config.hidden_size)
        self._states = [(zeros, zeros)]
        self._choices: list[tuple[torch.Tensor, torch.Tensor]] = []
        self._spoke = torch.ones(zeros.shape[:2])
        self._weights = self.network.effective_weights()

    def step(self, observations: np.ndarray) -> np.ndarray:
        state = self.network(self._weights, torch.from_numpy(observations), self._spoke, *self._states[-1])
        self._states.append(state)
        with torch.no_grad():
            movement, gate, _ = self.network.heads(self._weights, state[0])
        choices = self._choose(movement), self._choose(gate)
        self._choices.append(choices)
        self._spoke = choices[1].float()
        return choices[0].numpy()

    def _choose(self, logs: torch.Tensor) -> torch.Tensor:
        """Draws choices: the number of partial sums of the probabilities that a uniform number reaches."""
        uniform = torch.from_numpy(self._generator.random((*logs.shape[:-1], 1), dtype=np.float32))
        return (logs.exp().cumsum(dim=-1)[..., :-1] <= uniform).sum(dim=-1)

    def rewind(self) -> None:
        self._generator.bit_generator.state = self._before

    def update(self, returns: np.ndarray, alive: np.ndarray) -> dict[str, float]:
        config = self.config
        target = torch.from_numpy(returns).float()
        taking_part = torch.from_numpy(alive).float()
        # All steps at once: the heads feed nothing back.
        hidden = torch.stack([state[0] for state in self._states[1:]])
        *logs, values = self.network.heads(self._weights, hidden)
        choices = [torch.stack(steps) for steps in zip(*self._choices, strict=True)]
        both = [log.gather(-1, choice[..., None])[..., 0] for log, choice in zip(logs, choices, strict=True)]
        chosen = torch.stack(both).sum(dim=0)
        entropy = -torch.stack([(log * log.exp()).sum(dim=-1) for log in logs]).sum(dim=0)
        losses = config.value_coefficient * (target - values) ** 2 - chosen * (target - values.detach())
        if config.entropy_coefficient:
            losses = losses - config.entropy_coefficient * entropy
        loss = (losses * taking_part).sum() / torch.from_numpy(alive.any(axis=-1)).float().sum()
        self._optimizer.zero_grad()
        (loss * config.loss_scale).backward()
        self._finish_update()
        return {"loss": loss.item(), "entropy": entropy.mean().item()}

    def _finish_update(self) -> None:
        """With all gradients in place."""
        self._check_gradients()
        self._optimizer.step()
        self._iterations += 1
        for weight in self.network.layers.values():
            weight.advance(min(self._iterations / self.config.pruning_iterations, 1.0))
        if self.config.precision == "half":
            self._round_state()

    def _check_gradients(self) -> None:
        for name, parameter in self.network.named_parameters():
            assert parameter.grad is not None
            if self.config.precision != "float32":
                parameter.grad = parameter.grad.half().float()
            if not math.isfinite(parameter.grad.sum().item()):
                raise FloatingPointError(f"The gradient of {name} is not finite in iteration {self._iterations + 1}")

    def _round_state(self) -> None:
        """Round what stays from one iteration to the next to binary16."""
        with torch.no_grad():
            for parameter in self.network.parameters():
                for values in (parameter, self._optimizer.state[parameter]["square_avg"]):
                    values.copy_(values.half().float())

    def sparsity(self) -> float:
        total = sum(weight.numel() for weight in self._weights.values())
        return 1 - sum(int(weight.count_nonzero()) for weight in self._weights.values()) / total

    def counters(self) -> dict[str, Any]:
        return {}

    def save(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        arrays = {name: tensor.numpy().copy() for name, tensor in self.network.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            arrays[f"mean_square.{name}"] = self._optimizer.state[parameter]["square_avg"].numpy().copy()
        return arrays, {"iterations": self._iterations, "generator": self._generator.bit_generator.state}

    def load(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        self.network.load_state_dict({name: torch.from_numpy(arrays[name]) for name in self.network.state_dict()})
        for name, parameter in self.network.named_parameters():
            self._optimizer.state[parameter]["square_avg"].copy_(torch.from_numpy(arrays[f"mean_square.{name}"]))
        self._iterations = rest["iterations"]
        self._generator.bit_generator.state = rest["generator"]

    def close(self) -> None:
        """Nothing to let go of."""
