"""The cost graph of a network: what its layers cost with each algorithm, and what layouts between them cost."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...networks.convolution.convolutional_network import ConvolutionalNetwork
from ...networks.convolution.nodes import Addition, Convolution, FractionallyStridedConvolution, Input
from .algorithms import Algorithm, Format, Layout, Shape, input_format, tensor
from .cost_model import CostModel
from .pbqp import Assignment, solve

__all__ = ["CostGraph", "Edge", "Role", "Vertex", "cost_graph"]

Costs = NDArray[np.float64]


class Role(StrEnum):
    """Roles of a vertex."""

    COMPUTE = "compute"
    STORE = "store"
    OUTPUT = "output"


class Vertex(NamedTuple):
    """A layer that is computed, a feature map that is stored, or the network's output.

    Parameters
    ----------
    node : str
        Node of the network; empty for the output.
    role : Role
    """

    node: str
    role: Role = Role.COMPUTE

    def __str__(self) -> str:
        return self.node if self.role == Role.COMPUTE else f"{self.node} ({self.role})".strip()


@dataclass(frozen=True, kw_only=True, eq=False)
class Edge:
    """A feature map on its way, in seconds for each choice at both ends.

    Parameters
    ----------
    first, second : Vertex
    store, load : array (choices of the first, choices of the second)
        To the external memory, and from there.
    pooling : array (arrays,)
        Cost of the poolings on the way.
    """

    first: Vertex
    second: Vertex
    store: Costs
    load: Costs
    pooling: Costs

    @property
    def costs(self) -> Costs:
        """All of them: (arrays, choices of the first, choices of the second)."""
        return self.store + self.load + self.pooling[:, None, None]


@dataclass(frozen=True, kw_only=True, eq=False)
class CostGraph:
    """Vertices with their choices, and edges.

    Parameters
    ----------
    algorithms : dict of Vertex to tuple of Algorithm or None
        Algorithms of each vertex that computes; None alone for an addition.
    formats : dict of Vertex to tuple of Format
        Formats of each vertex that stores, of the input and of the output: how the feature map can lie in the external
        memory.
    dataflows : dict of Vertex to array (arrays, choices)
        Numbers of the best dataflows, of convolutions.
    costs : dict of Vertex to array (arrays, choices)
        Seconds.
    edges : tuple of Edge
    source, sink : Vertex
    """

    algorithms: Mapping[Vertex, tuple[Algorithm | None, ...]]
    formats: Mapping[Vertex, tuple[Format, ...]]
    dataflows: Mapping[Vertex, NDArray[np.intp]]
    costs: Mapping[Vertex, Costs]
    edges: tuple[Edge, ...]
    source: Vertex
    sink: Vertex

    def solve(self) -> Assignment[Vertex]:
        """The choices of the least latency.

        Raises
        ------
        ValueError
            The graph is not series-parallel; the text names the vertices that are left.
        """
        edges = ((edge.first, edge.second, edge.costs) for edge in self.edges)
        return solve(self.costs, edges, self.source, self.sink)

    @cached_property
    def all_algorithms(self) -> Costs:
        """Costs of all algorithms of all convolutions, summed up for each array."""
        return np.sum([self.costs[vertex].sum(axis=1) for vertex in self.dataflows], axis=0)


def cost_graph(
    network: ConvolutionalNetwork,
    model: CostModel,
    choose: Callable[[Shape, tuple[Algorithm, ...]], tuple[Algorithm, ...]] = lambda shape, algorithms: algorithms,
) -> CostGraph:
    """The cost graph of a network.

    Convolutions and additions are vertices that compute. A feature map that several nodes take is a vertex that stores:
    its choices are the formats in which one of them would take it. The input is stored as a 3-D tensor, and so are the
    outputs, which lead to one vertex.

    Concatenations and poolings that one node takes are no vertices. Each branch of a concatenation is stored where its
    channels belong, and a pooling is done on the way of a feature map to or from the memory.

    Parameters
    ----------
    network : ConvolutionalNetwork
    model : CostModel
    choose : function
        Which of the algorithms that a layer can have it may have.
    """
    return _Builder(network, model, choose).build()


class _Builder:
    def __init__(self, network: ConvolutionalNetwork, model: CostModel, choose: Callable):
        self._network, self._model = network, model
        self._algorithms: dict[Vertex, tuple[Algorithm | None, ...]] = {}
        self._takes: dict[Vertex, tuple[Format, ...]] = {}
        self._costs: dict[Vertex, Costs] = {}
        self._dataflows: dict[Vertex, NDArray[np.intp]] = {}
        for name in network.order:
            node = network.by_name[name]
            if isinstance(node, Convolution | FractionallyStridedConvolution):
                shape = network.convolutions[name]
                self._add_layer(Vertex(name), shape, choose(shape, model.algorithms(shape)))
            elif isinstance(node, Addition):
                given = network.feature_maps[name]
                pixels = len(node.sources) * given.picture[0] * given.picture[1]
                self._algorithms[Vertex(name)] = (None,)
                self._takes[Vertex(name)] = (tensor(given.picture),)
                self._costs[Vertex(name)] = model.vectors(pixels, given.channels)[:, None]
        self._zero = np.zeros(len(model.arrays))

    def _add_layer(self, vertex: Vertex, shape: Shape, algorithms: tuple[Algorithm, ...]) -> None:
        seconds = np.stack([self._model.layer(shape, algorithm) for algorithm in algorithms], axis=1)
        self._algorithms[vertex] = algorithms
        self._takes[vertex] = tuple(input_format(shape, algorithm) for algorithm in algorithms)
        self._costs[vertex], self._dataflows[vertex] = seconds.min(axis=2), seconds.argmin(axis=2)

    def build(self) -> CostGraph:
        network, sink = self._network, Vertex("", Role.OUTPUT)
        source = self._giver(next(name for name, node in network.by_name.items() if isinstance(node, Input)))
        ways = [(start, vertex, pools) for vertex in self._algorithms for start, pools in self._ways_to(vertex.node)]
        for name in network.order:
            if self._is_stored(name) and name != source.node:
                vertex = Vertex(name, Role.STORE)
                inner = [(Vertex(name), [])] if Vertex(name) in self._algorithms else self._ways_to(name)
                ways += [(start, vertex, pools) for start, pools in inner]
        ways += [(start, sink, pools) for name in network.outputs for start, pools in self._ways_from(name, [])]
        formats = self._formats(ways, source, sink)
        stored = {vertex: np.zeros((len(self._model.arrays), len(each))) for vertex, each in formats.items()}
        return CostGraph(
            algorithms=self._algorithms,
            formats=formats,
            dataflows=self._dataflows,
            costs=self._costs | stored,
            edges=tuple(self._edge(formats, *way) for way in ways),
            source=source,
            sink=sink,
        )

    def _is_stored(self, name: str) -> bool:
        return len(self._network.consumers[name]) > 1 or isinstance(self._network.by_name[name], Input)

    def _giver(self, name: str) -> Vertex:
        """The vertex from which those that take a node have it."""
        return Vertex(name, Role.STORE if self._is_stored(name) else Role.COMPUTE)

    def _ways_to(self, name: str) -> Iterator[tuple[Vertex, list[str]]]:
        """Vertices from which a node has what it takes, with the poolings on the way; its own, if it is one."""
        own = [name] if self._is_pooling(name) else []
        for source in self._network.by_name[name].sources:
            yield from self._ways_from(source, own)

    def _ways_from(self, name: str, pools: list[str]) -> Iterator[tuple[Vertex, list[str]]]:
        if self._is_stored(name) or Vertex(name) in self._algorithms:
            yield self._giver(name), pools
        else:
            for start, more in self._ways_to(name):
                yield start, more + pools

    def _is_pooling(self, name: str) -> bool:
        return name in self._network.layers and name not in self._network.convolutions

    def _formats(
        self, ways: Sequence[tuple[Vertex, Vertex, list[str]]], source: Vertex, sink: Vertex
    ) -> dict[Vertex, tuple[Format, ...]]:
        """The formats that each storing vertex may store: those that its successors take, equal ones once."""
        found: dict[Vertex, dict[Format, None]] = {}
        for start, end, pools in ways:
            if end.role == Role.STORE:
                found.setdefault(end, {})
            if start.role == Role.STORE:
                direct = () if pools else self._takes.get(end, ())
                plain = tensor(self._network.feature_maps[start.node].picture)
                found.setdefault(start, {}).update(dict.fromkeys(direct or (plain,)))
        plain = tensor(self._network.feature_maps[source.node].picture)
        stored = {vertex: tuple(formats) for vertex, formats in found.items()}
        # Outputs may have pictures of different sizes: what each takes is on its edge.
        return stored | {source: (plain,), sink: (Format(layout=Layout.TENSOR, elements=0),)}

    def _edge(
        self, formats: Mapping[Vertex, tuple[Format, ...]], first: Vertex, second: Vertex, pools: list[str]
    ) -> Edge:
        given = self._network.feature_maps[first.node]
        computes = second in self._takes
        last = self._network.layers[pools[-1]].output if pools else given.picture
        targets = self._takes.get(second) or ((tensor(last),) if second.role == Role.OUTPUT else formats[second])
        if first.role == Role.STORE:
            layouts = [each.layout for each in formats[first]]
            # Maps that are pooled, or stored again, are loaded as a 3-D tensor.
            loaded = targets if computes and not pools else (tensor(given.picture),) * len(targets)
            load = self._transfers(layouts, loaded, given.channels)
            store = self._transfers([Layout.TENSOR] * len(layouts), targets, given.channels)
        else:
            layouts = [each.output_layout if each else Layout.TENSOR for each in self._algorithms[first]]
            store = self._transfers(layouts, targets, given.channels)
            load = np.diag(self._transfers([each.layout for each in targets], targets, given.channels))
            load = np.broadcast_to(load, store.shape)
        return Edge(
            first=first,
            second=second,
            # From one store to a layer nothing is stored, and from a layer to a store nothing is loaded.
            store=store * 0 if first.role == Role.STORE and computes else store,
            load=load if first.role == Role.STORE or computes else load * 0,
            pooling=sum((self._pooling(name, given.channels) for name in pools), self._zero),
        )

    def _transfers(self, layouts: Sequence[Layout], targets: Sequence[Format], channels: int) -> Costs:
        return np.array([[self._model.transfer(each, target, channels) for target in targets] for each in layouts])

    def _pooling(self, name: str, channels: int) -> Costs:
        """The picture passes the pooling module once."""
        rows, columns = self._network.layers[name].picture
        return self._model.vectors(rows * columns, channels)
