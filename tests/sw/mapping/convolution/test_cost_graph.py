"""The cost graph: which vertices and edges a network has, and what they cost."""

import itertools

import numpy as np
import pytest

from rewardware.sw.mapping.convolution.algorithms import IM2COL, KN2ROW, Format, Layout, input_format, tensor
from rewardware.sw.mapping.convolution.cost_graph import Role, Vertex, cost_graph
from rewardware.sw.mapping.convolution.cost_model import CostModel
from rewardware.sw.mapping.convolution.cost_model_config import CostModelConfig
from rewardware.sw.networks.convolution.convolutional_network import ConvolutionalNetwork
from rewardware.sw.networks.convolution.network_file import load_network
from rewardware.sw.networks.convolution.nodes import Addition, Concatenation, Convolution, Input, MaxPooling

PADDING = {1: ((0, 0), (0, 0)), 3: ((1, 1), (1, 1)), 5: ((2, 2), (2, 2))}
# Transfers weigh as much as computing.
CONFIG = CostModelConfig(rows=6, columns=5, frequency=1.0, bandwidth=20.0, burst_length=9, layout_overhead=7)


def convolution(name, source, kernel=3, channels=8):
    return Convolution(name=name, source=source, channels=channels, kernel=(kernel, kernel), padding=PADDING[kernel])


def pooling(name, source, stride=1):
    window = {"kernel": (3, 3), "stride": (stride, stride), "padding": PADDING[3]}
    return MaxPooling(name=name, source=source, **window)


def graph_of(*nodes, channels=4, picture=(12, 10), config=CONFIG):
    nodes = (Input(name="x", channels=channels, picture=picture), *nodes)
    network = ConvolutionalNetwork(name="small", nodes=nodes)
    model = CostModel(config)
    return network, model, cost_graph(network, model)


def edges_of(graph):
    return sorted((str(edge.first), str(edge.second)) for edge in graph.edges)


def edge_of(graph, first, second):
    (edge,) = [edge for edge in graph.edges if (str(edge.first), str(edge.second)) == (first, second)]
    return edge


def test_a_chain():
    """From a layer to the next its output is stored as the next takes it, and loaded as that."""
    network, model, graph = graph_of(convolution("a", "x"), convolution("b", "a", 5))
    assert edges_of(graph) == [("a", "b"), ("b", "(output)"), ("x (store)", "a")]
    assert graph.formats == {Vertex("x", Role.STORE): (tensor((12, 10)),), graph.sink: (tensor((0, 0)),)}
    shape, edge = network.convolutions["b"], edge_of(graph, "a", "b")
    for (m, before), (n, after) in itertools.product(
        enumerate(graph.algorithms[Vertex("a")]), enumerate(graph.algorithms[Vertex("b")])
    ):
        taken = input_format(shape, after)
        assert edge.store[m, n] == model.transfer(before.output_layout, taken, 8)
        assert edge.load[m, n] == model.transfer(taken.layout, taken, 8)
        assert edge.costs[0, m, n] == edge.store[m, n] + edge.load[m, n]
    first = edge_of(graph, "x (store)", "a")
    loads = [
        model.transfer(Layout.TENSOR, input_format(network.convolutions["a"], each), 4)
        for each in graph.algorithms[Vertex("a")]
    ]
    assert np.array_equal(first.load, [loads]) and not first.store.any()
    last = edge_of(graph, "b", "(output)")
    assert np.array_equal(last.store, np.full((3, 1), model.transfer(Layout.TENSOR, tensor((12, 10)), 8)))
    assert not last.load.any()


def test_costs_are_those_of_the_best_dataflow():
    network, model, graph = graph_of(convolution("a", "x"), convolution("b", "a", 5))
    for vertex, dataflows in graph.dataflows.items():
        for number, algorithm in enumerate(graph.algorithms[vertex]):
            (seconds,) = model.layer(network.convolutions[vertex.node], algorithm)
            assert graph.costs[vertex][0, number] == seconds.min() == seconds[dataflows[0, number]]
    assert graph.all_algorithms == sum(graph.costs[Vertex(name)].sum() for name in "ab")


def test_a_layer_that_several_take_is_stored_in_one_format():
    network, model, graph = graph_of(
        convolution("a", "x"), convolution("b", "a", 1), convolution("c", "a"), pooling("p", "a", 2),
        convolution("d", "p"), Concatenation(name="e", sources=("b", "c")),
    )  # fmt: skip
    assert edges_of(graph) == [
        ("a", "a (store)"), ("a (store)", "b"), ("a (store)", "c"), ("a (store)", "d"), ("b", "(output)"),
        ("c", "(output)"), ("d", "(output)"), ("x (store)", "a"),
    ]  # fmt: skip
    store = Vertex("a", Role.STORE)
    # What b and the pooling take, c's Toeplitz matrix, c's tiles.
    assert graph.formats[store] == (
        tensor((12, 10)),
        Format(layout=Layout.TOEPLITZ, elements=9 * 120),
        Format(layout=Layout.WINOGRAD, elements=16 * 30, tiles=30),
    )
    assert not graph.costs[store].any()
    into = edge_of(graph, "a", "a (store)")
    for (m, algorithm), (n, stored) in itertools.product(
        enumerate(graph.algorithms[Vertex("a")]), enumerate(graph.formats[store])
    ):
        assert into.store[m, n] == model.transfer(algorithm.output_layout, stored, 8)
    assert not into.load.any() and not into.pooling.any()
    out = edge_of(graph, "a (store)", "c")
    for (n, stored), (o, algorithm) in itertools.product(
        enumerate(graph.formats[store]), enumerate(graph.algorithms[Vertex("c")])
    ):
        assert out.load[n, o] == model.transfer(stored.layout, input_format(network.convolutions["c"], algorithm), 8)
    assert not out.store.any()
    pooled = edge_of(graph, "a (store)", "d")
    assert np.array_equal(pooled.load, np.full((3, 3), model.transfer(Layout.TENSOR, tensor((12, 10)), 8)))
    # Two vectors of six channels for a pixel.
    assert pooled.pooling == [240] and not pooled.store.any()


def test_a_pooling_between_two_layers_is_on_the_way():
    network, model, graph = graph_of(convolution("a", "x", channels=13), pooling("p", "a", 2), convolution("b", "p", 5))
    edge = edge_of(graph, "a", "b")
    assert edges_of(graph) == [("a", "b"), ("b", "(output)"), ("x (store)", "a")]
    assert edge.pooling == [3 * 120]
    taken = input_format(network.convolutions["b"], IM2COL)
    assert taken.elements == 30 * 25 and edge.store[0, 0] == edge.load[0, 0] == model.transfer(Layout.TENSOR, taken, 13)


def test_a_pooling_behind_a_concatenation_is_done_with_each_branch():
    _, model, graph = graph_of(
        convolution("a", "x"), convolution("b", "a", 1, 7), convolution("c", "a", 3, 4),
        Concatenation(name="d", sources=("b", "c")), pooling("p", "d", 2), convolution("e", "p", 1),
        convolution("f", "p", 1), Concatenation(name="g", sources=("e", "f")),
    )  # fmt: skip
    assert ("b", "p (store)") in edges_of(graph) and ("c", "p (store)") in edges_of(graph)
    assert not [vertex for vertex in graph.costs if vertex.node in ("d", "g")]
    assert graph.formats[Vertex("p", Role.STORE)] == (tensor((6, 5)),)
    assert edge_of(graph, "b", "p (store)").pooling == [2 * 120]
    assert edge_of(graph, "c", "p (store)").pooling == [120]
    assert edge_of(graph, "c", "p (store)").store[0, 0] == model.transfer(Layout.TENSOR, tensor((6, 5)), 4)


def test_a_pooling_from_store_to_store():
    _, model, graph = graph_of(
        convolution("a", "x"), pooling("p", "a", 2), convolution("b", "p"), convolution("c", "p", 1),
        convolution("d", "a", 1), pooling("q", "d", 2), Concatenation(name="e", sources=("b", "c", "q")),
    )  # fmt: skip
    edge = edge_of(graph, "a (store)", "p (store)")
    stored = graph.formats[Vertex("p", Role.STORE)]
    assert len(stored) == 3 and edge.pooling == [240]
    # Loaded as it is, and stored as one takes it.
    for n, each in enumerate(stored):
        assert (edge.load[:, n] == model.transfer(Layout.TENSOR, tensor((12, 10)), 8)).all()
        assert (edge.store[:, n] == model.transfer(Layout.TENSOR, each, 8)).all()


def test_an_addition_is_a_vertex():
    _, model, graph = graph_of(convolution("a", "x"), convolution("b", "a"), Addition(name="c", sources=("a", "b")))
    assert graph.algorithms[Vertex("c")] == (None,) and Vertex("c") not in graph.dataflows
    # Two vectors for each pixel of both.
    assert graph.costs[Vertex("c")] == [[2 * 2 * 120]]
    edge = edge_of(graph, "b", "c")
    seconds = model.transfer(Layout.TENSOR, tensor((12, 10)), 8)
    assert (edge.store == seconds).all() and (edge.load == seconds).all()


def test_outputs_lead_to_one_vertex():
    _, model, graph = graph_of(convolution("a", "x"), convolution("b", "a", 1, 3), pooling("p", "a", 2))
    assert ("b", "(output)") in edges_of(graph)
    edge = edge_of(graph, "a (store)", "(output)")
    assert (edge.store == model.transfer(Layout.TENSOR, tensor((6, 5)), 8)).all()
    assert (edge.load == model.transfer(Layout.TENSOR, tensor((12, 10)), 8)).all()
    graph.solve()


@pytest.mark.parametrize("name", ["googlenet", "inception-v4", "dcgan", "atari"])
def test_networks_of_the_package_are_series_parallel(name):
    network = load_network(name)
    graph = cost_graph(network, CostModel(CONFIG))
    layers = {vertex.node for vertex in graph.dataflows}
    assert layers == set(network.convolutions)
    stores = {vertex.node for vertex in graph.formats if vertex.role == Role.STORE}
    several = {node for node, consumers in network.consumers.items() if len(consumers) > 1}
    assert stores == several | {next(iter(network.by_name))}
    graph.solve()


def test_a_network_that_is_not_series_parallel():
    """Two layers that both of two others take."""
    _, _, graph = graph_of(
        convolution("a", "x"), convolution("b", "x"), Concatenation(name="c", sources=("a", "b")),
        Addition(name="d", sources=("a", "b")), convolution("e", "c"), convolution("f", "d"),
    )  # fmt: skip
    with pytest.raises(ValueError) as error:
        graph.solve()
    start = "The graph must be series-parallel from x (store) to (output), and neither reduction is left for "
    assert str(error.value).startswith(start)
    left = str(error.value).removeprefix(start).split(", ")
    assert sorted(left) == ["(output)", "a (store)", "b (store)", "d", "e", "x (store)"]


def test_what_layers_may_have():
    network, model, _ = graph_of(convolution("a", "x"), convolution("b", "a", 1))
    graph = cost_graph(network, model, lambda shape, algorithms: algorithms[-1:])
    assert [str(each) for (each,) in graph.algorithms.values()] == ["winograd-2-3", "im2col"]
    graph = cost_graph(network, model, lambda shape, algorithms: tuple(each for each in algorithms if each != KN2ROW))
    assert [len(each) for each in graph.algorithms.values()] == [2, 1]
