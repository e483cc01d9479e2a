"""Mapped networks: the least latency of all assignments, and what it is made of."""

import itertools

import pytest

from rewardware.sw.mapping.convolution.array_choice import choose_array, largest_arrays
from rewardware.sw.mapping.convolution.cost_graph import cost_graph
from rewardware.sw.mapping.convolution.cost_model import CostModel
from rewardware.sw.mapping.convolution.cost_model_config import CostModelConfig
from rewardware.sw.mapping.convolution.network_mapping import baseline_seconds, least_seconds, map_network
from rewardware.sw.networks.convolution.convolutional_network import ConvolutionalNetwork
from rewardware.sw.networks.convolution.network_file import load_network
from rewardware.sw.networks.convolution.nodes import Addition, Concatenation, Convolution, Input, MaxPooling
from tests.sw.mapping.convolution.test_cost_graph import CONFIG, convolution, pooling

BRANCHES = ConvolutionalNetwork(
    name="branches",
    nodes=(
        Input(name="x", channels=3, picture=(14, 14)),
        convolution("a", "x", 3, 8),
        MaxPooling(name="p", source="a", kernel=(2, 2), stride=(2, 2)),
        convolution("b", "p", 1, 6),
        convolution("c", "p", 3, 9),
        convolution("d", "b", 5, 9),
        pooling("q", "p"),
        Concatenation(name="e", sources=("d", "c", "q")),
        convolution("f", "e", 3, 4),
        convolution("g", "f", 3, 4),
        Addition(name="h", sources=("f", "g")),
    ),
)


@pytest.mark.parametrize("bandwidth", [1.0, 5.0, 20.0, 1000.0])
def test_no_assignment_is_faster(bandwidth):
    config = CostModelConfig(rows=6, columns=5, frequency=1.0, bandwidth=bandwidth, burst_length=9)
    graph = cost_graph(BRANCHES, CostModel(config))
    vertices = list(graph.costs)
    sizes = [range(graph.costs[vertex].shape[1]) for vertex in vertices]
    least = float("inf")
    for places in itertools.product(*sizes):
        chosen = dict(zip(vertices, places, strict=True))
        seconds = sum(graph.costs[vertex][0, place] for vertex, place in chosen.items())
        seconds += sum(edge.costs[0, chosen[edge.first], chosen[edge.second]] for edge in graph.edges)
        least = min(least, seconds)
    mapping = map_network(BRANCHES, config)
    assert mapping.seconds == pytest.approx(least, rel=1e-12)
    assert sum(mapping.parts.values()) == pytest.approx(least, rel=1e-12)


def test_nothing_is_faster_than_the_fewest_multiplications():
    """A strided layer, which Winograd's algorithms cannot take, and one with 4 x 4 products a tile."""
    nodes = (
        Input(name="x", channels=2, picture=(8, 8)),
        Convolution(name="a", source="x", channels=5, kernel=(3, 3), stride=(2, 2), padding=((1, 0), (1, 0))),
        Convolution(name="b", source="a", channels=7, kernel=(3, 3), padding=((1, 1), (1, 1))),
    )
    network = ConvolutionalNetwork(name="two", nodes=nodes)
    config = CostModelConfig(rows=2, columns=3, frequency=1.0, winograd=((2, 3),))
    assert least_seconds(network, config) == (16 * 9 * 2 * 5 + 4 * 16 * 5 * 7) / 6
    assert map_network(network, config).seconds > least_seconds(network, config)


def test_bandwidth_decides_what_is_chosen():
    """Toeplitz matrices are large; matrix products of single taps are small."""
    chosen = {
        bandwidth: {str(layer.algorithm) for layer in map_network(load_network("googlenet"), config).layers}
        for bandwidth in (1e9, 1e15)
        for config in [CostModelConfig(rows=92, columns=66, bandwidth=bandwidth)]
    }
    assert "kn2row" in chosen[1e9] and "winograd-2-3" in chosen[1e15]


def test_layers_and_edges():
    mapping = map_network(BRANCHES, CONFIG)
    assert [layer.name for layer in mapping.layers] == [name for name in BRANCHES.order if name in "abcdfg"]
    for layer in mapping.layers:
        multiplications = BRANCHES.multiply_accumulates_of(layer.name)
        assert layer.utilisation == pytest.approx(multiplications / (layer.seconds * 30))
    # A pixel of two maps, four channels each.
    assert mapping.additions == 2 * 49
    # The concatenation takes the channels of the second pooling; the first is on the way from the first layer.
    pools = {(str(edge.first), str(edge.second)): edge.pooling for edge in mapping.edges if edge.pooling}
    assert pools == {("a", "p (store)"): 2 * 196, ("p (store)", "f"): 2 * 49}


@pytest.mark.parametrize("name", ["googlenet", "inception-v4"])
def test_the_mapping_is_faster_than_one_algorithm_in_the_order_of_the_source(name):
    """The order of table 3.3: GoogLeNet loses most with kn2row, Inception-v4 with im2col, both least with Winograd."""
    array = {"googlenet": (92, 66), "inception-v4": (95, 64)}[name]
    config = CostModelConfig(rows=array[0], columns=array[1])
    seconds, baselines = map_network(load_network(name), config).seconds, baseline_seconds(load_network(name), config)
    order = {"googlenet": ["winograd", "im2col", "kn2row"], "inception-v4": ["winograd", "kn2row", "im2col"]}[name]
    assert sorted(baselines, key=baselines.get) == order
    assert seconds < min(baselines.values())


def test_baselines_have_one_algorithm_where_it_can_be():
    """Costs of the mapping of a network of one layer with each algorithm."""
    network = ConvolutionalNetwork(
        name="one", nodes=(Input(name="x", channels=8, picture=(9, 9)), convolution("a", "x"))
    )
    model = CostModel(CONFIG)
    graph = cost_graph(network, model)
    (layer,) = graph.dataflows
    edges = graph.edges
    found = baseline_seconds(network, CONFIG)
    for number, name in enumerate(("im2col", "kn2row", "winograd")):
        seconds = graph.costs[layer][0, number]
        seconds += sum(edge.costs[0].max(axis=1 if edge.second == graph.sink else 0)[number] for edge in edges)
        assert found[name] == pytest.approx(seconds)
    strided = Convolution(name="a", source="x", channels=8, kernel=(3, 3), stride=(2, 2))
    other = baseline_seconds(ConvolutionalNetwork(name="two", nodes=(network.nodes[0], strided)), CONFIG)
    assert other["winograd"] == other["im2col"] != other["kn2row"]


@pytest.mark.parametrize("multipliers", [1, 2, 12, 37, 100])
def test_arrays_that_cannot_grow(multipliers):
    every = [(p, q) for p in range(1, multipliers + 1) for q in range(1, multipliers // p + 1)]
    grow = [(p, q) for p, q in every if (p + 1) * q > multipliers and p * (q + 1) > multipliers]
    assert sorted(largest_arrays(multipliers)) == sorted(grow)


@pytest.mark.parametrize("multipliers", [24, 61])
def test_the_best_array(multipliers):
    found = choose_array(BRANCHES, multipliers, CONFIG)
    latency, algorithms = {}, {}
    for rows, columns in largest_arrays(multipliers):
        config = CostModelConfig(
            rows=rows, columns=columns, frequency=1.0, bandwidth=20.0, burst_length=9, layout_overhead=7
        )
        latency[rows, columns] = map_network(BRANCHES, config).seconds
        algorithms[rows, columns] = float(cost_graph(BRANCHES, CostModel(config)).all_algorithms[0])
    assert latency[found.by_latency] == min(latency.values())
    assert algorithms[found.by_algorithms] == min(algorithms.values())


def test_no_multiplier():
    with pytest.raises(ValueError, match="^Multipliers must be at least 1, not 0$"):
        choose_array(BRANCHES, 0)
