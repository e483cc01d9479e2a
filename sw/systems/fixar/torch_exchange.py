"""Networks from PyTorch to the accelerator and back, as state dictionaries.

A state dictionary is that of `torch.nn.Sequential(Linear, ReLU, ..., Linear[, Tanh])`: keys `0.weight`, `0.bias`,
`2.weight`, ... Any prefix and any numbers do, if the order of the keys is that of the layers and every matrix has its
bias; so Stable-Baselines3's `mu.*` and `qf0.*` can be taken as they are.

The critic's first layer takes (observation, action), as nearly everywhere; the accelerator has the action first, and
`action_first=True` says that the dictionary also has it so.

Exported numbers are exact in float64; in float32 they are exact while a weight is within +-1, because a word has 24
fraction bits. Imported numbers are rounded once to the accelerator's words, so that export and import again give the
same words.
"""

from collections.abc import Mapping

import numpy as np
import torch

from .agent import FixarDDPG

__all__ = ["export_actor", "export_critic", "import_networks"]

Layers = list[tuple[np.ndarray, np.ndarray]]


def import_networks(
    agent: FixarDDPG,
    actor: Mapping[str, torch.Tensor],
    critic: Mapping[str, torch.Tensor],
    *,
    action_first: bool = False,
) -> None:
    """Gives an agent these networks. Targets become copies; gradients, moments and bias correction begin anew.

    Raises
    ------
    ValueError
        A layer's shape is not the agent's, or a number is not finite or out of the words' range; nothing has changed.
    """
    environment = agent.environment
    action = environment.action_size
    hidden = agent.config.hidden_sizes
    actor_layers = _layers("actor", actor, (environment.observation_size, *hidden, action))
    critic_layers = _layers("critic", critic, (action + environment.observation_size, *hidden, 1))
    if not action_first:
        weight, bias = critic_layers[0]
        critic_layers[0] = np.roll(weight, action, axis=1), bias
    agent.learner.set_layers(actor_layers, critic_layers)


def export_actor(agent: FixarDDPG, dtype: torch.dtype = torch.float64) -> dict[str, torch.Tensor]:
    """The actor as the state dictionary of `Sequential(Linear, ReLU, ..., Linear, Tanh)`."""
    return _state_dict(agent.learner.layers("actor"), dtype)


def export_critic(
    agent: FixarDDPG, dtype: torch.dtype = torch.float64, *, action_first: bool = False
) -> dict[str, torch.Tensor]:
    """The critic as the state dictionary of `Sequential(Linear, ReLU, ..., Linear)`."""
    layers = agent.learner.layers("critic")
    if not action_first:
        weight, bias = layers[0]
        layers[0] = np.roll(weight, -agent.environment.action_size, axis=1), bias
    return _state_dict(layers, dtype)


def _state_dict(layers: Layers, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    state = {}
    for index, (weight, bias) in enumerate(layers):
        state[f"{2 * index}.weight"] = torch.tensor(weight, dtype=dtype)
        state[f"{2 * index}.bias"] = torch.tensor(bias, dtype=dtype)
    return state


def _layers(what: str, state: Mapping[str, torch.Tensor], sizes: tuple[int, ...]) -> Layers:
    names = [key.removesuffix(".weight") for key in state if key.endswith(".weight")]
    strange = [key for key in state if key not in [f"{name}.{part}" for name in names for part in ("weight", "bias")]]
    if strange:
        raise ValueError(f"The {what}'s state has {strange[0]!r}; weights and biases of linear layers are allowed")
    if len(names) != len(sizes) - 1:
        raise ValueError(f"The {what}'s state has {len(names)} linear layers, the agent's network {len(sizes) - 1}")
    layers = []
    for name, inputs, outputs in zip(names, sizes[:-1], sizes[1:], strict=True):
        parts = []
        for part, shape in (("weight", (outputs, inputs)), ("bias", (outputs,))):
            key = f"{name}.{part}"
            if key not in state:
                raise ValueError(f"The {what}'s state has no {key!r}")
            value = state[key].detach().cpu().double().numpy()
            if value.shape != shape:
                raise ValueError(f"The {what}'s {key!r} must be of shape {shape}, not {value.shape}")
            if not np.isfinite(value).all():
                raise ValueError(f"The {what}'s {key!r} must be finite, and has {value[~np.isfinite(value)][0]}")
            parts.append(value)
        layers.append((parts[0], parts[1]))
    return layers
