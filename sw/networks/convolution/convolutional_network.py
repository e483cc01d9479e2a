"""A convolutional network: nodes that take each other's outputs, what they give, and what they take to compute."""

import graphlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ....hw.cores.checks import nearest, require_kind
from ....hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape
from .nodes import FeatureMap, Input, Layer, Node

__all__ = ["ConvolutionalNetwork"]


@dataclass(frozen=True, kw_only=True)
class ConvolutionalNetwork:
    """A graph of one input and any number of outputs: the nodes that no other takes.

    Parameters
    ----------
    name : str
    nodes : tuple of Node
        In any order.

    Raises
    ------
    TypeError, ValueError
        Not exactly one input, two nodes of one name, a source that is no node, a cycle, or feature maps that a node
        cannot take; the text names the node.
    """

    name: str
    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        require_kind("Name", self.name, str)
        names = [node.name for node in self.nodes]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"Node names must differ, and these occur twice: {', '.join(twice)}")
        for node in self.nodes:
            for source in node.sources:
                if source not in self.by_name:
                    raise ValueError(
                        f"Node {node.name!r} takes {source!r}, which is not a node{nearest(source, names)}"
                    )
        inputs = [node.name for node in self.nodes if isinstance(node, Input)]
        if len(inputs) != 1:
            raise ValueError(
                f"A network must have one input, not {len(inputs)}: {', '.join(inputs) or 'no node is one'}"
            )
        _ = self.feature_maps

    @cached_property
    def by_name(self) -> Mapping[str, Node]:
        """The nodes."""
        return {node.name: node for node in self.nodes}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Names of the nodes, each after those that it takes."""
        try:
            return tuple(graphlib.TopologicalSorter({node.name: node.sources for node in self.nodes}).static_order())
        except graphlib.CycleError as error:
            raise ValueError(f"The network has a cycle: {' -> '.join(error.args[1])}") from None

    @cached_property
    def consumers(self) -> Mapping[str, tuple[str, ...]]:
        """Who takes each node, once for each time."""
        found: dict[str, list[str]] = {node.name: [] for node in self.nodes}
        for node in self.nodes:
            for source in node.sources:
                found[source].append(node.name)
        return {name: tuple(names) for name, names in found.items()}

    @property
    def outputs(self) -> tuple[str, ...]:
        """Nodes that no other takes."""
        return tuple(name for name in self.order if not self.consumers[name])

    @cached_property
    def feature_maps(self) -> Mapping[str, FeatureMap]:
        """The output of each node, in order."""
        found: dict[str, FeatureMap] = {}
        for name in self.order:
            node = self.by_name[name]
            try:
                found[name] = node.output([found[source] for source in node.sources])
            except (TypeError, ValueError) as error:
                raise type(error)(f"Node {name!r}: {error}") from None
        return found

    @cached_property
    def layers(self) -> Mapping[str, Layer]:
        """Shapes of convolutions and poolings, in order."""
        found = {}
        for name in self.order:
            node = self.by_name[name]
            layer = node.layer([self.feature_maps[source] for source in node.sources])
            if layer is not None:
                found[name] = layer
        return found

    @cached_property
    def convolutions(self) -> Mapping[str, ConvolutionShape | FractionallyStridedShape]:
        """All convolutions, fractionally strided ones included, and linear layers, in order."""
        kinds = (ConvolutionShape, FractionallyStridedShape)
        return {name: layer for name, layer in self.layers.items() if isinstance(layer, kinds)}

    @property
    def parameters(self) -> int:
        """Weights and biases."""
        return sum(_weights(layer) + layer.output_channels for layer in self.convolutions.values())

    @property
    def multiply_accumulates(self) -> int:
        """All of a picture."""
        return sum(map(self.multiply_accumulates_of, self.convolutions))

    def multiply_accumulates_of(self, name: str) -> int:
        """The multiply-accumulates of one convolution.

        It multiplies each weight for every output pixel, padding included; a fractionally strided one for every input
        pixel, what is cropped included.
        """
        layer = self.convolutions[name]
        return _weights(layer) * math.prod(layer.output if isinstance(layer, ConvolutionShape) else layer.picture)


def _weights(layer: ConvolutionShape | FractionallyStridedShape) -> int:
    return math.prod(layer.kernel) * layer.input_channels * layer.output_channels
