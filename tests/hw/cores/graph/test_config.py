"""Graphs: what follows from their nodes, and what they refuse."""

from dataclasses import replace

import pytest

from rewardware.hw.cores.graph.backward_graph import BackwardGraph
from rewardware.hw.cores.graph.config import ConcatenationNode, GraphConfig, InputNode, LinearNode
from rewardware.hw.cores.graph.perceptron import perceptron_graph
from rewardware.hw.cores.layer.config import LayerConfig, NetworkConfig

from .critics import attention_critic, perceptron


def linear(name, source, inputs=2, outputs=2, **options):
    return LinearNode(name=name, source=source, layer=LayerConfig(inputs=inputs, outputs=outputs, units=1, **options))


def test_what_a_backward_half_needs():
    config = attention_critic()
    expected = ("pair", "embedding", "state", "query", "key", "value", "message_weights", "joined", "hidden")
    # The observation is also needed: it is an input of a layer.
    assert config.activations == ("observation", *expected)
    assert {"embedding", "state", "message", "joined", "output"} < config.behind()
    assert config.behind().isdisjoint({"observation", "action", "pair"})
    # The action alone: the state does not come from it.
    to_action = config.behind("action", gradients=False)
    assert {"action", "pair", "key", "message", "output"} < to_action
    assert to_action.isdisjoint({"observation", "state", "query"})
    assert [user.name for user, _ in config.users("state")] == ["query", "joined"]


def test_a_chain_waits_as_long_as_its_stages():
    config = perceptron(sizes=(3, 5, 4, 2))
    assert list(config.forward_stages.values()) == [0, 1, 2, 3]
    assert [config.backward_stages[node.name] for node in config.nodes] == [6, 5, 4, 3]
    assert config.waiting_samples("input_0", "layer_0", late=2) - config.waiting_samples("input_0", "layer_0") == 2


def test_sets_of_parameters_take_an_experience():
    config = attention_critic(agents=4)
    assert config.cycles % 4 == 0
    assert config.cycles >= 4 * max(node.layer.gradient_cycles for node in config.linear)


@pytest.mark.parametrize(
    ("nodes", "error", "message"),
    [
        ([InputNode(name="x", size=2)], ValueError, "Nodes must have at least one linear node"),
        ([linear("y", "x")], ValueError, "Node 'y' must take nodes before it, not 'x'"),
        (
            [InputNode(name="x", size=3), linear("y", "x")],
            ValueError,
            "Node 'y' takes 2 numbers, but 'x' gives 3",
        ),
        (
            [InputNode(name="x", size=2), linear("x", "x")],
            ValueError,
            "Nodes must have different names, not 'x' twice",
        ),
        ([InputNode(name="1st", size=2)], ValueError, "Node name must be a lower-case identifier, not '1st'"),
        (
            [InputNode(name="x", size=2), InputNode(name="z", size=1), linear("y", "x")],
            ValueError,
            "Node 'z' must be taken by another one",
        ),
        (
            [InputNode(name="x", size=2), linear("y", "x", parameter_sets=2)],
            ValueError,
            "Node 'y' must be for 3 agents, not 2",
        ),
        (
            [
                InputNode(name="x", size=2),
                InputNode(name="z", size=2),
                ConcatenationNode(name="both", first="x", second="z", sizes=(2, 1)),
            ],
            ValueError,
            "Node 'both' takes 1 numbers, but 'z' gives 2",
        ),
        (["x"], TypeError, "Node must be an input, a linear node, a concatenation or attention, not 'x'"),
    ],
)
def test_refuses(nodes, error, message):
    with pytest.raises(error, match=f"^{message}"):
        GraphConfig(nodes=nodes, agents=3)


def test_refuses_attention_of_other_agents():
    config = attention_critic(agents=3)
    with pytest.raises(ValueError, match="^Node 'embedding' must be for 4 agents, not 3$"):
        replace(config, agents=4)


def test_a_perceptron_is_a_chain():
    network = NetworkConfig(sizes=(5, 4, 3), units=(2, 1), output_activation="relu")
    config = perceptron_graph(network, 3, 2)
    assert [node.name for node in config.nodes] == ["input_0", "input_1", "inputs", "layer_0", "layer_1"]
    assert [node.layer for node in config.linear] == list(network.layers)
    # Outputs whose activation has a derivative are also needed.
    assert config.activations == ("inputs", "layer_0", "layer_1")
    for inputs in ((3,), (1, 1), (1, 2, 2)):
        with pytest.raises(ValueError, match="^Inputs must be one or two, 5 numbers together, not "):
            perceptron_graph(network, *inputs)


def test_backward_half_without_a_result():
    config = perceptron()
    with pytest.raises(ValueError, match="^Gradients must be computed where errors do not go back to an input$"):
        BackwardGraph(config, gradients=False)
    with pytest.raises(ValueError, match="^To input must be the name of an input node, not 'layer_0'$"):
        BackwardGraph(config, "layer_0")
