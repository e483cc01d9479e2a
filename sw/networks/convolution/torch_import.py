"""Convolutional networks from modules of PyTorch, through ``torch.fx``; nothing of it goes further than this file."""

import copy
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import fx, nn

from ....hw.cores.checks import require_kind
from .convolutional_network import ConvolutionalNetwork
from .nodes import (
    Addition,
    AveragePooling,
    Concatenation,
    Convolution,
    FeatureMap,
    FractionallyStridedConvolution,
    Input,
    MaxPooling,
    Node,
    Padding,
    Pair,
)
from .parameters import Parameters

__all__ = ["ImportedNetwork", "import_module"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ImportedNetwork:
    """A network, and the parameters of its convolutions by the names of their nodes.

    Parameters
    ----------
    network : ConvolutionalNetwork
    parameters : dict of str to Parameters
    outputs : tuple of str
        Names of the nodes that the module returns, in its order, which need not be that of the network.
    """

    network: ConvolutionalNetwork
    parameters: dict[str, Parameters]
    outputs: tuple[str, ...]


def import_module(module: nn.Module, channels: int, picture: Pair, name: str = "") -> ImportedNetwork:
    """The network that a module computes in evaluation.

    ReLU is a flag of the node before it, batch normalisation is folded into the convolution before it, dropout is
    nothing, and a linear layer is a convolution whose kernel is the whole picture. Nodes have the names of their
    modules.

    Parameters
    ----------
    module : torch.nn.Module
        A module of one picture (batch, C, H1, H2).
    channels : int
        Channels of the picture.
    picture : pair of int
        Its rows and columns.
    name : str
        Name of the network; default: the module's class.

    Raises
    ------
    TypeError
        No module.
    ValueError
        It computes something else than the nodes of a network do, or cannot be traced; the text names module and kind.
    """
    require_kind("Module", module, nn.Module)
    try:
        # A copy, because some modules have other layers in training.
        traced = fx.symbolic_trace(copy.deepcopy(module).eval())
    except (fx.proxy.TraceError, TypeError, RuntimeError) as error:
        raise ValueError(f"{type(module).__name__} cannot be traced: {error}") from error
    traced.graph.eliminate_dead_code()
    importer = _Importer(traced)
    for node in traced.graph.nodes:
        importer.take(node, FeatureMap(channels=channels, picture=picture))
    network = ConvolutionalNetwork(name=name or type(module).__name__, nodes=tuple(importer.nodes.values()))
    for output in importer.outputs:
        if network.consumers[output]:
            raise ValueError(
                f"Output {output!r} must be taken by no node, not by {', '.join(network.consumers[output])}"
            )
    return ImportedNetwork(network=network, parameters=importer.parameters, outputs=tuple(importer.outputs))


@dataclass
class _Importer:
    """Takes the nodes of FX in their order.

    ``names`` has the node of the network that holds the value of each node of FX, and ``flat`` those that are vectors.
    """

    module: nn.Module
    nodes: dict[str, Node] = field(default_factory=dict)
    maps: dict[str, FeatureMap] = field(default_factory=dict)
    parameters: dict[str, Parameters] = field(default_factory=dict)
    names: dict[fx.Node, str] = field(default_factory=dict)
    flat: set[fx.Node] = field(default_factory=set)
    outputs: list[str] = field(default_factory=list)

    def take(self, node: fx.Node, given: FeatureMap) -> None:
        if node.op == "placeholder":
            if self.nodes:
                raise ValueError(f"A module must take one picture, not also {node.name!r}")
            self._add(node, Input(name=node.name, channels=given.channels, picture=given.picture))
        elif node.op == "output":
            self.outputs += [self.names[output] for output in node.all_input_nodes]
        elif node.op == "call_module":
            self._module(node)
        elif (take := _FUNCTIONS.get(node.target)) is not None:
            take(self, node)
        else:
            kind = {"call_method": "method", "call_function": "function"}.get(node.op, "parameter")
            called = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", node.target)
            raise ValueError(f"{node.name!r}, {kind} {called}, cannot be part of a network of convolutions")

    def _module(self, node: fx.Node) -> None:
        module = self.module.get_submodule(str(node.target))
        for kind, take in _MODULES.items():
            # A subclass may compute something else.
            if type(module) is kind:
                take(self, node, module)
                return
        known = ", ".join(kind.__name__ for kind in _MODULES)
        raise ValueError(f"Module {node.target!r} must be one of {known}, not {type(module).__name__}")

    def _add(self, node: fx.Node, added: Node) -> None:
        try:
            self.maps[added.name] = added.output([self.maps[source] for source in added.sources])
        except (TypeError, ValueError) as error:
            raise type(error)(f"{added.name!r}: {error}") from None
        self.nodes[added.name] = added
        self.names[node] = added.name

    def _name(self, node: fx.Node) -> str:
        """Name of the module; for a second use of it, and for a function, name of the node."""
        target = str(node.target)
        return node.name if node.op != "call_module" or target in self.nodes else target

    def _source(self, node: fx.Node) -> str:
        """The picture that a node takes."""
        (source, *_) = node.all_input_nodes
        if source in self.flat:
            raise ValueError(f"{self._name(node)!r} must take a picture, not the vector {source.name!r}")
        return self.names[source]

    def _same(self, node: fx.Node) -> None:
        """A node that changes nothing."""
        (source,) = node.all_input_nodes
        self.names[node] = self.names[source]
        if source in self.flat:
            self.flat.add(node)

    def _require_only_user(self, node: fx.Node, what: str) -> None:
        """Refuse to fold into a node that others take, as that would change it for them."""
        (source, *_) = node.all_input_nodes
        others = [
            user.name
            for other, name in self.names.items()
            if name == self.names[source]
            for user in other.users
            if user is not node and self.names.get(user) != name
        ]
        if others:
            raise ValueError(f"{what} alone must take {source.name!r}, but so does {', '.join(others)}")

    def _window(self, node: fx.Node, module: Any) -> dict[str, Any]:
        """Fields that all windows have."""
        found = {"name": self._name(node), "source": self._source(node), "kernel": _pair(module.kernel_size)}
        return found | {"stride": _pair(module.stride)}

    def _convolution(self, node: fx.Node, module: nn.Conv2d) -> None:
        self._require_plain(node, module)
        window = self._window(node, module)
        padding = _padding(module.padding, window["kernel"])
        self._add(node, Convolution(**window, padding=padding, channels=module.out_channels))
        # (C_out, C_in, K1, K2) in PyTorch.
        self._set(node, module.weight, (2, 3, 1, 0), module.bias)

    def _fractionally_strided(self, node: fx.Node, module: nn.ConvTranspose2d) -> None:
        self._require_plain(node, module)
        window = self._window(node, module)
        padding = _padding(module.padding, window["kernel"])
        more = _pair(module.output_padding)
        added = FractionallyStridedConvolution(
            **window, padding=padding, output_padding=more, channels=module.out_channels
        )
        self._add(node, added)
        # (C_in, C_out, K1, K2) in PyTorch.
        self._set(node, module.weight, (2, 3, 0, 1), module.bias)

    def _require_plain(self, node: fx.Node, module: Any) -> None:
        for what, allowed in (("groups", 1), ("dilation", (1, 1)), ("padding_mode", "zeros")):
            value = getattr(module, what)
            if value != allowed:
                kind = type(module).__name__
                raise ValueError(f"{kind} {node.target!r} must have {what} {allowed}, not {value}")

    def _set(self, node: fx.Node, weight: torch.Tensor, axes: tuple[int, ...], bias: torch.Tensor | None) -> None:
        kernels = _array(weight).transpose(axes)
        added = np.zeros(kernels.shape[-1]) if bias is None else _array(bias)
        self.parameters[self.names[node]] = Parameters(kernels=np.ascontiguousarray(kernels), bias=added)

    def _linear(self, node: fx.Node, module: nn.Linear) -> None:
        (source,) = node.all_input_nodes
        if source not in self.flat:
            raise ValueError(f"Linear {node.target!r} must be after a flattening or a linear layer")
        before = self.names[source]
        given = self.maps[before]
        elements = given.channels * math.prod(given.picture)
        if module.in_features != elements:
            raise ValueError(
                f"Linear {node.target!r} must take the {elements} elements of {before!r}, not {module.in_features}"
            )
        added = Convolution(name=self._name(node), source=before, channels=module.out_features, kernel=given.picture)
        self._add(node, added)
        self.flat.add(node)
        weight = module.weight.reshape(module.out_features, given.channels, *given.picture)
        self._set(node, weight, (2, 3, 1, 0), module.bias)

    def _max_pooling(self, node: fx.Node, module: nn.MaxPool2d) -> None:
        if _pair(module.dilation) != (1, 1) or module.return_indices:
            raise ValueError(f"MaxPool2d {node.target!r} must have dilation 1 and return no indices")
        window = self._window(node, module)
        padding = _padding(module.padding, window["kernel"])
        self._add(node, MaxPooling(**window, padding=padding, ceil_mode=module.ceil_mode))

    def _average_pooling(self, node: fx.Node, module: nn.AvgPool2d) -> None:
        if module.divisor_override is not None:
            raise ValueError(f"AvgPool2d {node.target!r} must have no divisor_override, not {module.divisor_override}")
        window = self._window(node, module)
        padding = _padding(module.padding, window["kernel"])
        include = module.count_include_pad
        self._add(node, AveragePooling(**window, padding=padding, ceil_mode=module.ceil_mode, include_padding=include))

    def _adaptive_pooling(self, node: fx.Node, module: nn.AdaptiveAvgPool2d) -> None:
        if _pair(module.output_size) != (1, 1):
            raise ValueError(f"AdaptiveAvgPool2d {node.target!r} must have the output 1 x 1, not {module.output_size}")
        source = self._source(node)
        self._add(node, AveragePooling(name=self._name(node), source=source, kernel=self.maps[source].picture))

    def _normalisation(self, node: fx.Node, module: nn.BatchNorm2d) -> None:
        what, before = f"BatchNorm2d {node.target!r}", self._source(node)
        convolution = self.nodes[before]
        if not isinstance(convolution, Convolution | FractionallyStridedConvolution) or convolution.relu:
            raise ValueError(f"{what} must be right after a convolution, not {before!r}")
        if module.running_mean is None or module.running_var is None:
            raise ValueError(f"{what} must have running statistics")
        self._require_only_user(node, what)
        factor = 1 / np.sqrt(_array(module.running_var) + module.eps)
        shift = -_array(module.running_mean) * factor
        if module.affine:
            factor, shift = factor * _array(module.weight), shift * _array(module.weight) + _array(module.bias)
        old = self.parameters[before]
        self.parameters[before] = Parameters(kernels=old.kernels * factor, bias=old.bias * factor + shift)
        self._same(node)

    def _relu(self, node: fx.Node, module: nn.ReLU | None = None) -> None:
        (source,) = node.all_input_nodes
        before = self.nodes[self.names[source]]
        if isinstance(before, Input):
            raise ValueError(f"ReLU {self._name(node)!r} must not be right after the input")
        if not before.relu:
            self._require_only_user(node, f"ReLU {self._name(node)!r}")
            self.nodes[before.name] = replace(before, relu=True)
        self._same(node)

    def _dropout(self, node: fx.Node, module: nn.Module) -> None:
        self._same(node)

    def _flatten(self, node: fx.Node, module: nn.Flatten | None = None) -> None:
        given = (*node.args[1:], *node.kwargs.values())
        axes = (module.start_dim, module.end_dim) if module else (*given, *(0, -1)[len(given) :])
        if axes not in ((1, -1), (1, 3)):
            raise ValueError(f"Flattening {self._name(node)!r} must be of axes 1 to -1, not {axes[0]} to {axes[1]}")
        self._same(node)
        self.flat.add(node)

    def _concatenation(self, node: fx.Node) -> None:
        axis = node.kwargs.get("dim", node.args[1] if len(node.args) > 1 else 0)
        if axis not in (1, -3):
            raise ValueError(f"Concatenation {node.name!r} must be along axis 1, the channels, not {axis}")
        given = node.args[0] if node.args else node.kwargs["tensors"]
        self._add(node, Concatenation(name=node.name, sources=self._sources(node, given)))

    def _addition(self, node: fx.Node) -> None:
        if node.kwargs:
            raise ValueError(f"Addition {node.name!r} must have no {', '.join(node.kwargs)}")
        self._add(node, Addition(name=node.name, sources=self._sources(node, node.args)))

    def _sources(self, node: fx.Node, given: Any) -> tuple[str, ...]:
        for source in given:
            if not isinstance(source, fx.Node) or source in self.flat:
                raise ValueError(f"{node.name!r} must take pictures, not {source}")
        return tuple(self.names[source] for source in given)


def _pair(value: Any) -> Pair:
    first, second = (value, value) if isinstance(value, int) else value
    return first, second


def _padding(value: Any, kernel: Pair) -> Padding:
    if value == "same":
        # PyTorch pads an odd remainder after the picture.
        rows, columns = ((size - 1) // 2 for size in kernel)
        return (rows, kernel[0] - 1 - rows), (columns, kernel[1] - 1 - columns)
    rows, columns = (0, 0) if value == "valid" else _pair(value)
    return (rows, rows), (columns, columns)


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().double().numpy()


_MODULES: dict[type[nn.Module], Callable[[_Importer, fx.Node, Any], None]] = {
    nn.Conv2d: _Importer._convolution,
    nn.ConvTranspose2d: _Importer._fractionally_strided,
    nn.Linear: _Importer._linear,
    nn.MaxPool2d: _Importer._max_pooling,
    nn.AvgPool2d: _Importer._average_pooling,
    nn.AdaptiveAvgPool2d: _Importer._adaptive_pooling,
    nn.BatchNorm2d: _Importer._normalisation,
    nn.ReLU: _Importer._relu,
    nn.Flatten: _Importer._flatten,
    nn.Dropout: _Importer._dropout,
    nn.Dropout2d: _Importer._dropout,
    nn.Identity: _Importer._dropout,
}
# Functions, and methods by their names.
_FUNCTIONS: dict[Any, Callable[[_Importer, fx.Node], None]] = {
    **dict.fromkeys((torch.relu, torch.relu_, nn.functional.relu, "relu", "relu_"), _Importer._relu),
    **dict.fromkeys((torch.cat, torch.concat), _Importer._concatenation),
    **dict.fromkeys((torch.add, operator.add, operator.iadd, "add", "add_"), _Importer._addition),
    **dict.fromkeys((torch.flatten, "flatten"), _Importer._flatten),
}
