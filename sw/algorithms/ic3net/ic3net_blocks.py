"""IC3Net in PyTorch, group by group, with the backward pass written out: the fast learner for long experiments."""

import numpy as np
import torch

from .grouped_product import GroupedProduct
from .ic3net_config import IC3NetConfig
from .ic3net_torch import TorchIC3NetLearner
from .sparse_weights import DenseWeight, GroupedWeight

__all__ = ["BlockIC3NetLearner"]

HEADS = ("policy", "gate", "value")


class BlockIC3NetLearner(TorchIC3NetLearner):
    """The numbers of `TorchIC3NetLearner` but for the order of sums, in less time, the less the more groups.

    Weights that take no part are neither multiplied nor given a gradient, as on the device; activations are features x
    agents x episodes. Checkpoints are the same.

    Parameters
    ----------
    observation_size, actions, agents, config, generator
        As of `TorchIC3NetLearner`.

    Raises
    ------
    ValueError
        The configuration asks for a sparsity, a precision or an entropy bonus that only `TorchIC3NetLearner` has.
    """

    def __init__(
        self,
        observation_size: int,
        actions: int,
        agents: int,
        config: IC3NetConfig,
        generator: np.random.Generator,
    ):
        for name, only in (("sparsity", "grouping"), ("precision", "float32"), ("entropy_coefficient", 0)):
            if getattr(config, name) != only:
                raise ValueError(f"{name} must be {only!r} on backend blocks, not {getattr(config, name)!r}")
        super().__init__(observation_size, actions, agents, config, generator)
        self._mean = 1 / max(agents - 1, 1)

    def begin(self) -> None:
        self._before = self._generator.bit_generator.state
        network, config = self.network, self.config
        self._products = {name: GroupedProduct(weight) for name, weight in network.layers.items()}
        self._biases = {name: bias.detach()[:, None] for name, bias in network.biases.items()}
        self._head_weights = torch.cat([self._products[name].effective for name in HEADS], dim=1)
        self._head_bias = torch.cat([self._biases[name] for name in HEADS])
        self._shape = (config.hidden_size, network.agents, config.episodes)
        zeros = torch.zeros(config.hidden_size, network.agents * config.episodes)
        self._hidden, self._cells = [zeros], [zeros]
        self._spoken = [torch.ones(self._shape[1:])]
        self._tape: list[tuple[torch.Tensor, ...]] = []
        self._choices = []

    def step(self, observations: np.ndarray) -> np.ndarray:
        products = self._products
        hidden = self._hidden[-1]
        # Features x agents x episodes: one feature of all vectors is contiguous.
        seen = torch.from_numpy(np.ascontiguousarray(observations.transpose(2, 1, 0))).view(observations.shape[2], -1)
        heard = self._others(hidden.view(self._shape) * self._spoken[-1])
        encoded = products["encoder"].forward(seen).add_(products["communication"].forward(heard))
        encoded.add_(self._biases["encoder"])
        gates = products["input"].forward(encoded).add_(products["hidden"].forward(hidden)).add_(self._biases["input"])
        i, f, g, o = gates.chunk(4)
        for gate in (i, f, o):
            gate.sigmoid_()
        g.tanh_()
        cell = torch.addcmul(i * g, f, self._cells[-1])
        squashed = cell.tanh()
        self._tape.append((seen, heard, encoded, gates, squashed))
        self._cells.append(cell)
        self._hidden.append(o * squashed)
        outputs = torch.addmm(self._head_bias, self._head_weights.T, self._hidden[-1])
        movement_logits, gate_logits, _ = self._split(outputs)
        # Drawn in the order of episodes x agents.
        movements, gates = (
            self._choose(torch.log_softmax(logits, 0).view(-1, *self._shape[1:]).permute(2, 1, 0)).T.contiguous()
            for logits in (movement_logits, gate_logits)
        )
        self._choices.append((movements, gates))
        self._spoken.append(gates.float())
        return movements.T.numpy()

    def _others(self, values: torch.Tensor) -> torch.Tensor:
        """The mean over the other agents; as it is symmetric, also what comes back."""
        return ((values.sum(dim=1, keepdim=True) - values) * self._mean).view(self._shape[0], -1)

    @staticmethod
    def _split(outputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits of movements, of the gate, and values."""
        return outputs[:-3], outputs[-3:-1], outputs[-1]

    def update(self, returns: np.ndarray, alive: np.ndarray) -> dict[str, float]:
        config, steps = self.config, len(self._tape)
        # All steps side by side, as vectors are.
        hidden = torch.stack(self._hidden[1:], dim=1).view(self._shape[0], -1)
        target = torch.from_numpy(np.ascontiguousarray(returns.transpose(0, 2, 1))).float().view(-1)
        scale = alive.transpose(0, 2, 1) / alive.any(axis=-1).sum()
        scales = torch.from_numpy(np.ascontiguousarray(scale)).float().view(-1) * config.loss_scale
        *logits, values = self._split(torch.addmm(self._head_bias, self._head_weights.T, hidden))
        advantage = target - values
        head_errors, entropy, chosen = [], torch.zeros(()), torch.zeros(())
        for logit, choices in zip(logits, zip(*self._choices, strict=True), strict=True):
            logs, choice = torch.log_softmax(logit, 0), torch.stack(choices).view(1, -1)
            probabilities = logs.exp()
            chosen = chosen + logs.gather(0, choice)[0]
            entropy = entropy - (probabilities * logs).sum(0).mean()
            # The derivative of -log p(choice) with respect to the logits: p minus one-hot.
            probabilities.scatter_add_(0, choice, torch.full_like(choice, -1, dtype=logs.dtype))
            head_errors.append(probabilities * (advantage * scales))
        head_errors.append((-2 * config.value_coefficient * advantage * scales)[None])
        losses = (config.value_coefficient * advantage**2 - chosen * advantage) * scales
        errors = self._backward(self._head_weights @ torch.cat(head_errors), steps)
        self._assign_gradients(hidden, dict(zip(HEADS, head_errors, strict=True)), errors)
        self._finish_update()
        return {"loss": losses.sum().item() / config.loss_scale, "entropy": entropy.item()}

    def _backward(self, of_heads: torch.Tensor, steps: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Backward through time: errors of the encoding and of the LSTM's sums, features x steps x vectors."""
        products, size = self._products, self._shape[0]
        of_heads = of_heads.view(size, steps, -1)
        vectors = of_heads.shape[2]
        encoding_errors = torch.empty(size, steps, vectors)
        gate_errors = torch.empty(4 * size, steps, vectors)
        of_hidden = torch.zeros(size, vectors)
        of_cell = torch.zeros(size, vectors)
        errors = torch.empty(4 * size, vectors)
        of_i, of_f, of_g, of_o = errors.chunk(4)
        for step in reversed(range(steps)):
            _, _, _, gates, squashed = self._tape[step]
            i, f, g, o = gates.chunk(4)
            of_hidden = of_hidden + of_heads[:, step]
            of_cell = of_cell + of_hidden * o * (1 - squashed * squashed)
            torch.mul(of_hidden * squashed, o * (1 - o), out=of_o)
            torch.mul(of_cell * g, i * (1 - i), out=of_i)
            torch.mul(of_cell * self._cells[step], f * (1 - f), out=of_f)
            torch.mul(of_cell * i, 1 - g * g, out=of_g)
            of_cell = of_cell * f
            of_encoding = products["input"].backward(errors)
            gate_errors[:, step] = errors
            encoding_errors[:, step] = of_encoding
            if step:
                of_said = self._others(products["communication"].backward(of_encoding).view(self._shape))
                of_said = (of_said.view(self._shape) * self._spoken[step]).view(size, -1)
                of_hidden = products["hidden"].backward(errors).add_(of_said)
        return encoding_errors.view(size, -1), gate_errors.view(4 * size, -1)

    def _assign_gradients(
        self,
        hidden: torch.Tensor,
        head_errors: dict[str, torch.Tensor],
        errors: tuple[torch.Tensor, torch.Tensor],
    ) -> None:
        of_encoding, of_gates = errors
        inputs = [torch.stack(values, dim=1).flatten(1) for values in list(zip(*self._tape, strict=True))[:3]]
        before = torch.stack(self._hidden[:-1], dim=1).flatten(1)
        meet = {
            "encoder": (inputs[0], of_encoding),
            "communication": (inputs[1], of_encoding),
            "input": (inputs[2], of_gates),
            "hidden": (before, of_gates),
            **{name: (hidden, head_errors[name]) for name in HEADS},
        }
        for name, (values, of_outputs) in meet.items():
            weight = self.network.layers[name]
            assert isinstance(weight, DenseWeight)
            gradients = self._products[name].gradients(values, of_outputs)
            weight.weight.grad = gradients[0]
            if isinstance(weight, GroupedWeight):
                weight.input_grouping.grad, weight.output_grouping.grad = gradients[1:]
            if name in self.network.biases:
                self.network.biases[name].grad = of_outputs.sum(dim=1)

    def sparsity(self) -> float:
        products = self._products.values()
        return 1 - sum(product.taking_part for product in products) / sum(p.values.numel() for p in products)
