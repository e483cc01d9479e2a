"""A network on the engine: the algorithm and the dataflow of each layer, and what one algorithm for all would cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ....hw.cores.convolution.commands import Dataflow
from ...networks.convolution.convolutional_network import ConvolutionalNetwork
from .algorithms import IM2COL, KN2ROW, Algorithm, Shape, matrix_products
from .cost_graph import CostGraph, Vertex, cost_graph
from .cost_model import CostModel
from .cost_model_config import CostModelConfig

__all__ = [
    "BASELINES",
    "EdgeSeconds",
    "LayerChoice",
    "NetworkMapping",
    "baseline_seconds",
    "least_seconds",
    "map_network",
]

Choose = Callable[[Shape, tuple[Algorithm, ...]], tuple[Algorithm, ...]]


def _only_im2col(shape: Shape, algorithms: tuple[Algorithm, ...]) -> tuple[Algorithm, ...]:
    return (IM2COL,)


def _kn2row(shape: Shape, algorithms: tuple[Algorithm, ...]) -> tuple[Algorithm, ...]:
    return (KN2ROW,) if KN2ROW in algorithms else (IM2COL,)


def _winograd(shape: Shape, algorithms: tuple[Algorithm, ...]) -> tuple[Algorithm, ...]:
    return tuple(algorithm for algorithm in algorithms if algorithm.m)[:1] or (IM2COL,)


# The source's bl3, bl4 and bl5: im2col alone; kn2row or Winograd's algorithm (the first there is) where that can be,
# and im2col elsewhere. Formats are chosen as well as they can be.
BASELINES: Mapping[str, Choose] = {"im2col": _only_im2col, "kn2row": _kn2row, "winograd": _winograd}


@dataclass(frozen=True, kw_only=True)
class LayerChoice:
    """A convolution.

    Parameters
    ----------
    name : str
    algorithm : Algorithm
    dataflow : Dataflow
    seconds : float
        It computes.
    utilisation : float
        Multiplications over those that the array could do in this time. More than 1 is possible: Winograd's algorithm
        has fewer products than those that are counted.
    """

    name: str
    algorithm: Algorithm
    dataflow: Dataflow
    seconds: float
    utilisation: float


@dataclass(frozen=True, kw_only=True)
class EdgeSeconds:
    """A feature map on its way.

    Parameters
    ----------
    first, second : Vertex
    store, load, pooling : float
        Seconds.
    """

    first: Vertex
    second: Vertex
    store: float
    load: float
    pooling: float


@dataclass(frozen=True, kw_only=True, eq=False)
class NetworkMapping:
    """The choices for a network.

    Parameters
    ----------
    network : ConvolutionalNetwork
    config : CostModelConfig
    layers : tuple of LayerChoice
        Convolutions, in the network's order.
    additions : float
        Seconds of all additions.
    edges : tuple of EdgeSeconds
    seconds : float
        The latency: layers, additions and edges, one after the other.
    """

    network: ConvolutionalNetwork
    config: CostModelConfig
    layers: tuple[LayerChoice, ...]
    additions: float
    edges: tuple[EdgeSeconds, ...]
    seconds: float

    @cached_property
    def parts(self) -> Mapping[str, float]:
        """Seconds by what they are for."""
        return {
            "computing": sum(layer.seconds for layer in self.layers) + self.additions,
            "storing": sum(edge.store for edge in self.edges),
            "loading": sum(edge.load for edge in self.edges),
            "pooling": sum(edge.pooling for edge in self.edges),
        }


def map_network(network: ConvolutionalNetwork, config: CostModelConfig, choose: Choose | None = None) -> NetworkMapping:
    """The algorithms of the least latency.

    Parameters
    ----------
    network : ConvolutionalNetwork
    config : CostModelConfig
    choose : function, or None
        Which of the algorithms that a layer can have it may have; None: all.

    Raises
    ------
    ValueError
        The cost graph is not series-parallel; the text names the vertices that are left.
    """
    graph = _graph(network, config, choose)
    found = graph.solve()
    choices = {vertex: int(chosen[0]) for vertex, chosen in found.choices.items()}
    layers = tuple(_layer(network, config, graph, vertex, choices[vertex]) for vertex in graph.dataflows)
    additions = [vertex for vertex, algorithms in graph.algorithms.items() if algorithms == (None,)]
    edges = []
    for edge in graph.edges:
        place = choices[edge.first], choices[edge.second]
        edges.append(
            EdgeSeconds(
                first=edge.first,
                second=edge.second,
                store=float(edge.store[place]),
                load=float(edge.load[place]),
                pooling=float(edge.pooling[0]),
            )
        )
    return NetworkMapping(
        network=network,
        config=config,
        layers=layers,
        additions=sum(float(graph.costs[vertex][0, 0]) for vertex in additions),
        edges=tuple(edges),
        seconds=float(found.cost[0]),
    )


def baseline_seconds(network: ConvolutionalNetwork, config: CostModelConfig) -> dict[str, float]:
    """The latency with each of the baselines."""
    return {name: float(_graph(network, config, choose).solve().cost[0]) for name, choose in BASELINES.items()}


def least_seconds(network: ConvolutionalNetwork, config: CostModelConfig) -> float:
    """A lower bound of all mappings on so many multipliers: each layer by the algorithm of fewest multiplications,
    no multiplier idle, and transfers, transforms and poolings in no time."""
    model = CostModel(config)
    fewest = (
        min(matrix_products(shape, algorithm).multiplications for algorithm in model.algorithms(shape))
        for shape in network.convolutions.values()
    )
    return sum(fewest) / (config.frequency * config.rows * config.columns)


def _graph(network: ConvolutionalNetwork, config: CostModelConfig, choose: Choose | None) -> CostGraph:
    model = CostModel(config)
    return cost_graph(network, model, choose) if choose else cost_graph(network, model)


def _layer(
    network: ConvolutionalNetwork, config: CostModelConfig, graph: CostGraph, vertex: Vertex, choice: int
) -> LayerChoice:
    algorithm = graph.algorithms[vertex][choice]
    assert algorithm is not None
    seconds = float(graph.costs[vertex][0, choice])
    return LayerChoice(
        name=vertex.node,
        algorithm=algorithm,
        dataflow=Dataflow(int(graph.dataflows[vertex][0, choice])),
        seconds=seconds,
        utilisation=network.multiply_accumulates_of(vertex.node)
        / (seconds * config.frequency * config.rows * config.columns),
    )
