"""MAAC's networks in PyTorch: policies, and critics that attend to each other. Agents are the first dimension."""

import math

import torch
from torch.nn.functional import leaky_relu as torch_leaky_relu

from ....hw.cores.layer.config import LEAKY_SLOPE

__all__ = ["choose", "critic_values", "masked_logits", "policy_layers"]

Parameters = dict[str, torch.Tensor]


def leaky_relu(sums: torch.Tensor) -> torch.Tensor:
    """The leaky ReLU of the hardware's slope."""
    return torch_leaky_relu(sums, LEAKY_SLOPE)


def _layer(parameters: Parameters, name: str, inputs: torch.Tensor) -> torch.Tensor:
    """A layer of each agent's own: agents x batch x outputs."""
    return torch.baddbmm(parameters[f"{name}.bias"].unsqueeze(1), inputs, parameters[f"{name}.weight"])


def policy_layers(
    parameters: Parameters, observations: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The two hidden layers after their activation, and the logits.

    Parameters
    ----------
    parameters
        By the names of `policy_shapes`.
    observations
        Agents x batch x elements.
    """
    first = leaky_relu(_layer(parameters, "first", observations))
    second = leaky_relu(_layer(parameters, "second", first))
    return first, second, _layer(parameters, "third", second)


def masked_logits(logits: torch.Tensor, present: torch.Tensor) -> torch.Tensor:
    """Logits whose softmax gives no probability to actions that an agent does not have.

    Parameters
    ----------
    logits
        Agents x batch x actions.
    present
        Agents x actions: whether an agent has an action.
    """
    return logits.masked_fill(~present.unsqueeze(1), -math.inf)


def choose(probabilities: torch.Tensor, uniforms: torch.Tensor) -> torch.Tensor:
    """The first action whose cumulative probability exceeds the uniform number.

    The sums are made one after the other in the numbers' own format. Where rounding leaves the last of them below the
    uniform number, it is the last action with a probability above zero.

    Parameters
    ----------
    probabilities
        ... x actions.
    uniforms
        ..., in [0, 1).
    """
    reached = torch.zeros_like(uniforms)
    choices = torch.zeros_like(uniforms, dtype=torch.int64)
    last = torch.zeros_like(choices)
    for action, probability in enumerate(probabilities.unbind(-1)):
        reached = reached + probability
        choices += reached <= uniforms
        last = torch.where(probability > 0, action, last)
    return torch.minimum(choices, last)


def _projected(parameters: Parameters, name: str, inputs: torch.Tensor) -> torch.Tensor:
    """Keys, queries or values of all heads: agents x batch x heads x elements."""
    weight = parameters[f"{name}.weight"]
    heads, rows, size = weight.shape
    return (inputs @ weight.transpose(0, 1).reshape(rows, heads * size)).unflatten(-1, (heads, size))


def critic_values(parameters: Parameters, observations: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    """Values of each agent's actions, given the actions of the others.

    With o, a an agent's observation and one-hot action, and h the leaky ReLU:

        e_i = h(embedding_i [o_i, a_i]),  s_i = h(state_i o_i)
        w_ij = softmax over j != i of (key e_j) . (query s_i) / sqrt(elements of a key),  in each head
        x_i = sum over j of w_ij h(value e_j),  the heads side by side
        values_i = output_i h(hidden_i [s_i, x_i])

    Parameters
    ----------
    parameters
        By the names of `critic_shapes`.
    observations, actions
        Agents x batch x elements.

    Returns
    -------
    Agents x batch x actions.
    """
    embedding = leaky_relu(_layer(parameters, "embedding", torch.cat((observations, actions), -1)))
    state = leaky_relu(_layer(parameters, "state", observations))
    keys, queries = _projected(parameters, "key", embedding), _projected(parameters, "query", state)
    values = leaky_relu(_projected(parameters, "value", embedding) + parameters["value.bias"])
    scores = torch.einsum("ibhd,jbhd->bhij", queries, keys) / math.sqrt(keys.shape[-1])
    oneself = torch.eye(len(keys), dtype=torch.bool)
    weights = torch.softmax(scores.masked_fill(oneself, -math.inf), -1)
    messages = torch.einsum("bhij,jbhd->ibhd", weights, values).flatten(-2)
    hidden = leaky_relu(_layer(parameters, "hidden", torch.cat((state, messages), -1)))
    return _layer(parameters, "output", hidden)
