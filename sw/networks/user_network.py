"""A network of the user's: as the layers that every backend computes, or as a module for PyTorch alone."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
from torch import nn

__all__ = ["Layers", "OwnNetwork", "hidden_sizes", "perceptron_layers", "require_perceptrons", "take_network"]

# Weights (outputs x inputs) and biases.
Layers = list[tuple[np.ndarray, np.ndarray]]
# A perceptron's, or what PyTorch alone computes.
OwnNetwork = Layers | nn.Module


def hidden_sizes(layers: Layers) -> tuple[int, ...]:
    """Neurons of the hidden layers."""
    return tuple(weight.shape[0] for weight, _ in layers[:-1])


def take_network(network: Any, name: str = "network", last: type[nn.Module] | None = None) -> OwnNetwork:
    """Layers of a perceptron with ReLU, which every backend computes; of any other module, that module.

    Parameters
    ----------
    network, name, last
        As of `perceptron_layers`.

    Raises
    ------
    TypeError
        It is no module of PyTorch.
    """
    try:
        return perceptron_layers(network, name, last)
    except ValueError:
        if last is not None and type(network) is nn.Sequential and type(network[-1]) is last:
            return network[:-1]
        own: nn.Module = network
        return own


def require_perceptrons(networks: Iterable[Any], name: str, where: str) -> None:
    """Refuse networks that `take_network` left as modules, where something else than PyTorch computes them.

    Parameters
    ----------
    networks
        All of that name.
    name
        What they are, for errors.
    where
        They are computed, for people.

    Raises
    ------
    ValueError
        `perceptron_layers` does not take the first module; the text says why.
    """
    for network in networks:
        if isinstance(network, nn.Module):
            try:
                perceptron_layers(network, name)
            except ValueError as error:
                raise ValueError(f"{error}: {where} have nothing else") from None


def perceptron_layers(network: Any, name: str = "network", last: type[nn.Module] | None = None) -> Layers:
    """Weights (outputs x inputs) and biases, float32, of the linear layers of a perceptron with ReLU.

    Parameters
    ----------
    network
        ``torch.nn.Sequential`` of ``Linear`` with a bias and ``ReLU`` in turn, the last one ``Linear``; sequences may
        be in each other.
    name
        What it is, for errors.
    last
        Module that may stand at the end, for the algorithm computes it in any case; it is left out.

    Raises
    ------
    TypeError
        It is no module of PyTorch.
    ValueError
        It computes something else, which the text names; or a weight is not finite.
    """
    if not isinstance(network, nn.Module):
        raise TypeError(f"{_some(name)} must be a torch.nn.Module, not {type(network).__name__}")
    found = list(_flat(network))
    if last is not None and found and type(found[-1]) is last:
        found.pop()
    layers: Layers = []
    for place, part in enumerate(found):
        wanted = nn.ReLU if place % 2 else nn.Linear
        if type(part) is not wanted:
            raise ValueError(
                f"Layer {place} of the {name} must be {wanted.__name__}, not {type(part).__name__}, as Linear and ReLU "
                "take turns in a torch.nn.Sequential"
            )
        if isinstance(part, nn.Linear):
            layers.append(_numbers(place, part, name))
    if len(found) % 2 == 0 or len(layers) < 2:
        raise ValueError(f"{_some(name)} must end with Linear and have a hidden layer, not be {len(found)} layers")
    for place, ((before, _), (after, _)) in enumerate(zip(layers[:-1], layers[1:], strict=True)):
        if before.shape[0] != after.shape[1]:
            raise ValueError(
                f"Layer {2 * place + 2} of the {name} takes {after.shape[1]} values, and {before.shape[0]} come to it"
            )
    return layers


def _flat(module: nn.Module) -> Iterator[nn.Module]:
    if type(module) is nn.Sequential:
        for part in module:
            yield from _flat(part)
    else:
        yield module


def _some(name: str) -> str:
    return f"{'An' if name[0] in 'aeiou' else 'A'} {name}"


def _numbers(place: int, linear: nn.Linear, name: str) -> tuple[np.ndarray, np.ndarray]:
    if linear.bias is None:
        raise ValueError(f"Layer {place} of the {name} must have a bias")
    with torch.no_grad():
        weight, bias = (part.detach().cpu().float().numpy().copy() for part in (linear.weight, linear.bias))
    if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
        raise ValueError(f"Layer {place} of the {name} has a weight that is not finite")
    return weight, bias
