"""Small graphs with everything in them."""

from rewardware.hw.cores.attention.config import AttentionConfig
from rewardware.hw.cores.graph.config import AttentionNode, ConcatenationNode, GraphConfig, InputNode, LinearNode
from rewardware.hw.cores.layer.config import BINARY32_LANE, LayerConfig


def attention_critic(agents=3, observation=4, actions=3, hidden=6, heads=2, units=2, arithmetic=BINARY32_LANE):
    """Critics that attend to each other: Iqbal and Sha, \"Actor-Attention-Critic\", equations 5 and 6."""

    def linear(name, source, inputs, outputs, activation, *, bias=True, own=True):
        layer = LayerConfig(
            inputs=inputs,
            outputs=outputs,
            units=min(units, outputs),
            activation=activation,
            arithmetic=arithmetic,
            bias=bias,
            parameter_sets=agents if own else 1,
        )
        return LinearNode(name=name, source=source, layer=layer)

    attention = AttentionConfig(
        agents=agents, heads=heads, key_size=hidden // heads, value_size=hidden // heads, arithmetic=arithmetic
    )
    return GraphConfig(
        agents=agents,
        nodes=(
            InputNode(name="observation", size=observation),
            InputNode(name="action", size=actions),
            ConcatenationNode(name="pair", first="observation", second="action", sizes=(observation, actions)),
            linear("embedding", "pair", observation + actions, hidden, "leaky_relu"),
            linear("state", "observation", observation, hidden, "leaky_relu"),
            linear("queries", "state", hidden, hidden, "linear", bias=False, own=False),
            linear("keys", "embedding", hidden, hidden, "linear", bias=False, own=False),
            linear("values", "embedding", hidden, hidden, "leaky_relu", own=False),
            AttentionNode(name="messages", queries="queries", keys="keys", values="values", attention=attention),
            ConcatenationNode(name="joined", first="state", second="messages", sizes=(hidden, hidden)),
            linear("hidden", "joined", 2 * hidden, hidden, "leaky_relu"),
            linear("q", "hidden", hidden, actions, "linear"),
        ),
    )


def perceptron(sizes=(3, 5, 4, 2), units=2, activation="relu"):
    """A chain of layers."""
    last = len(sizes) - 2
    nodes = [InputNode(name="x", size=sizes[0])]
    for index, (inputs, outputs) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
        layer = LayerConfig(
            inputs=inputs,
            outputs=outputs,
            units=min(units, outputs),
            activation="linear" if index == last else activation,
        )
        nodes.append(LinearNode(name=f"layer_{index}", source=nodes[-1].name, layer=layer))
    return GraphConfig(nodes=tuple(nodes))
