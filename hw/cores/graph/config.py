"""Networks as graphs. No Amaranth here."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from ..attention.config import LARGEST_BANKS, AttentionConfig
from ..checks import require_identifier, require_integer, require_kind
from ..float.config import FloatLaneConfig
from ..layer.config import LARGEST_WAITING, LayerConfig

__all__ = ["AttentionNode", "ConcatenationNode", "GraphConfig", "InputNode", "LinearNode", "Node"]

# At least so many samples, besides those of an experience, are on their way through the forward half of attention;
# twice as many through its backward half, where the errors at scores wait as well.
SPARE = 3


@dataclass(frozen=True, kw_only=True)
class InputNode:
    """Numbers from outside.

    Parameters
    ----------
    name : str
    size : int
        Numbers of a sample (1 to 4096).
    """

    name: str
    size: int

    def __post_init__(self):
        require_integer("Size", self.size, 1, 4096)

    @property
    def sources(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def agents(self) -> int:
        """1: it is the same for all agents."""
        return 1


@dataclass(frozen=True, kw_only=True)
class LinearNode:
    """A fully connected layer with its activation.

    Parameters
    ----------
    name, source : str
    layer : LayerConfig
    """

    name: str
    source: str
    layer: LayerConfig

    def __post_init__(self):
        require_kind("Layer", self.layer, LayerConfig)

    @property
    def sources(self) -> tuple[str, ...]:
        """The nodes whose outputs it takes."""
        return (self.source,)

    @property
    def size(self) -> int:
        """Numbers of a sample."""
        return self.layer.outputs

    @property
    def agents(self) -> int:
        """Agents that have parameters of their own; 1: all have the same."""
        return self.layer.parameter_sets

    @property
    def arithmetic(self) -> FloatLaneConfig:
        """Format, and stages of each adder and multiplier."""
        return self.layer.arithmetic


@dataclass(frozen=True, kw_only=True)
class ConcatenationNode:
    """The numbers of one node, then those of another.

    Parameters
    ----------
    name, first, second : str
    sizes : tuple of int
        Numbers of a sample of each.
    """

    name: str
    first: str
    second: str
    sizes: tuple[int, int]

    @property
    def sources(self) -> tuple[str, ...]:
        """The nodes whose outputs it takes."""
        return (self.first, self.second)

    @property
    def size(self) -> int:
        """Numbers of a sample."""
        return sum(self.sizes)

    @property
    def agents(self) -> int:
        """1: it is the same for all agents."""
        return 1


@dataclass(frozen=True, kw_only=True)
class AttentionNode:
    """Messages from all other agents; a sample is an agent's part of an experience.

    Parameters
    ----------
    name, queries, keys, values : str
    attention : AttentionConfig
    """

    name: str
    queries: str
    keys: str
    values: str
    attention: AttentionConfig

    def __post_init__(self):
        require_kind("Attention", self.attention, AttentionConfig)

    @property
    def sources(self) -> tuple[str, ...]:
        """The nodes whose outputs it takes."""
        return (self.queries, self.keys, self.values)

    @property
    def size(self) -> int:
        """Numbers of a sample."""
        return self.attention.heads * self.attention.value_size

    @property
    def agents(self) -> int:
        """Agents that attend to each other."""
        return self.attention.agents

    @property
    def arithmetic(self) -> FloatLaneConfig:
        """Format, and stages of each adder and multiplier."""
        return self.attention.arithmetic


Node: TypeAlias = InputNode | LinearNode | ConcatenationNode | AttentionNode


@dataclass(frozen=True, kw_only=True)
class GraphConfig:
    """A network as a graph: nodes in an order in which each comes after its sources; the last one is the output.

    Parameters
    ----------
    nodes : tuple of Node
    agents : int
        Samples of an experience, which follow each other (1 to 64).

    Raises
    ------
    TypeError, ValueError
        Two nodes of one name, a source that is not there, sizes that do not fit, a node that nobody takes.
    """

    nodes: tuple[Node, ...]
    agents: int = 1

    def __post_init__(self):
        object.__setattr__(self, "nodes", tuple(self.nodes))
        require_integer("Agents", self.agents, 1, 64)
        before: dict[str, Node] = {}
        for node in self.nodes:
            if not isinstance(node, Node):
                raise TypeError(f"Node must be an input, a linear node, a concatenation or attention, not {node!r}")
            require_identifier("Node", node.name)
            if node.name in before:
                raise ValueError(f"Nodes must have different names, not {node.name!r} twice")
            for source, size in zip(node.sources, _taken(node), strict=True):
                if source not in before:
                    raise ValueError(f"Node {node.name!r} must take nodes before it, not {source!r}")
                if before[source].size != size:
                    raise ValueError(
                        f"Node {node.name!r} takes {size} numbers, but {source!r} gives {before[source].size}"
                    )
            before[node.name] = node
        if not self.linear:
            raise ValueError("Nodes must have at least one linear node")
        formats = {node.arithmetic for node in self.nodes if isinstance(node, LinearNode | AttentionNode)}
        if len(formats) > 1:
            raise ValueError("Nodes must all have the same arithmetic")
        for node in self.nodes[:-1]:
            if not self.users(node.name):
                raise ValueError(f"Node {node.name!r} must be taken by another one")
        for node in self.nodes:
            if node.agents not in (1, self.agents):
                raise ValueError(f"Node {node.name!r} must be for {self.agents} agents, not {node.agents}")

    @property
    def arithmetic(self) -> FloatLaneConfig:
        """Format, and stages of each adder and multiplier, of all nodes."""
        return self.linear[0].arithmetic

    @property
    def inputs(self) -> tuple[InputNode, ...]:
        """Nodes from outside."""
        return tuple(node for node in self.nodes if isinstance(node, InputNode))

    @property
    def linear(self) -> tuple[LinearNode, ...]:
        """Nodes with parameters, in the order of their numbers."""
        return tuple(node for node in self.nodes if isinstance(node, LinearNode))

    @property
    def layers(self) -> tuple[LayerConfig, ...]:
        """The layers of the nodes with parameters."""
        return tuple(node.layer for node in self.linear)

    @property
    def output(self) -> Node:
        """The last node."""
        return self.nodes[-1]

    def node(self, name: str) -> Node:
        """The node of a name."""
        return self._by_name[name]

    def users(self, name: str) -> tuple[tuple[Node, int], ...]:
        """Who takes a node's output, and at which of its places."""
        return self._users[name]

    def behind(self, to_input: str = "", *, gradients: bool = True) -> frozenset[str]:
        """Nodes at whose outputs errors are needed: by parameters, with ``gradients``, or by an input node."""
        found: set[str] = set()
        for node in self.nodes:
            needs = node.name == to_input or (gradients and isinstance(node, LinearNode))
            if needs or not found.isdisjoint(node.sources):
                found.add(node.name)
        return frozenset(found)

    @property
    def activations(self) -> tuple[str, ...]:
        """Activations for a backward half: outputs of nodes in their order, and weights of attention, each by node."""
        return tuple(_activations(self))

    def attention_of(self, activation: str) -> AttentionNode | None:
        """The node whose weights an activation is, or None where it is a node's output."""
        for node in self.nodes:
            if isinstance(node, AttentionNode) and activation == f"{node.name}_weights":
                return node
        return None

    @cached_property
    def _by_name(self) -> dict[str, Node]:
        return {node.name: node for node in self.nodes}

    @cached_property
    def _users(self) -> dict[str, tuple[tuple[Node, int], ...]]:
        users: dict[str, list[tuple[Node, int]]] = {node.name: [] for node in self.nodes}
        for node in self.nodes:
            for place, source in enumerate(node.sources):
                users[source].append((node, place))
        return {name: tuple(found) for name, found in users.items()}

    @cached_property
    def forward_stages(self) -> dict[str, int]:
        """Samples on their way from the inputs to a node's output: one a layer, an experience and one of attention."""
        found: dict[str, int] = {}
        for node in self.nodes:
            before = max((found[source] for source in node.sources), default=0)
            found[node.name] = before + self._stages(node, 1)
        return found

    @cached_property
    def backward_stages(self) -> dict[str, int]:
        """Samples on their way from the network's inputs to the errors at a node's output."""
        found = {self.output.name: self.forward_stages[self.output.name]}
        for node in reversed(self.nodes[:-1]):
            behind = (found[user.name] + self._stages(user, 2) for user, _ in self.users(node.name))
            found[node.name] = max(behind)
        return found

    def stages_behind(self, name: str) -> int:
        """Samples on their way from the network's inputs to the errors that a node has for its sources."""
        return self.backward_stages[name] + self._stages(self.node(name), 2)

    def _stages(self, node: Node, halves: int) -> int:
        """Samples on their way through a node: of attention those of an experience, and those in its latency."""
        if isinstance(node, AttentionNode):
            period = self.cycles // self.agents
            return node.attention.agents + halves * max(SPARE, -(-node.attention.latency // period))
        return int(isinstance(node, LinearNode))

    def attention(self, node: AttentionNode, late: int = 0) -> AttentionConfig:
        """Attention whose backward half has room for the experiences that are on their way to it."""
        samples = max(self.waiting_samples(source, node.name, late) for source in node.sources)
        return replace(node.attention, waiting=min(LARGEST_BANKS - 2, samples // self.agents + 2))

    @property
    def cycles(self) -> int:
        """Cycles of an experience in a batch, forward and back: those of the slowest stage."""
        found, behind = [1], self.behind()
        for node in self.nodes:
            if isinstance(node, LinearNode):
                layer = node.layer
                back = layer.backward_cycles if node.source in behind else 0
                found.append(self.agents * max(layer.forward_cycles, layer.gradient_cycles, back))
            else:
                # A number a cycle.
                found.append(self.agents * node.size)
            if isinstance(node, AttentionNode):
                found += [node.attention.forward_cycles, node.attention.backward_cycles]
        return max(found)

    @property
    def forward_cycles(self) -> int:
        """Cycles of an experience forward alone."""
        attention = (node.attention.forward_cycles for node in self.nodes if isinstance(node, AttentionNode))
        sizes = (node.layer.forward_cycles if isinstance(node, LinearNode) else node.size for node in self.nodes)
        return max(self.agents * max(sizes), *attention, 1)

    def waiting_samples(self, source: str, user: str, late: int = 0) -> int:
        """Samples of a node's output on their way to where the backward half of one that takes it needs them.

        One for each stage between the two, those that fit in the latency of units and buffers on the way, and three
        that are coming, being used, or waiting for a sample to end. ``late`` more are on their way from the network's
        outputs to their errors.
        """
        stages = self.backward_stages[user] - self.forward_stages[source] + 1
        layers = self.layers
        levels = (max(layer.units for layer in layers) - 1).bit_length()
        latency = self.arithmetic.multiplier_depth + (2 + levels) * self.arithmetic.adder_depth + 8
        period = max(layer.forward_cycles for layer in layers)
        return min(max(LARGEST_WAITING, stages + 16), stages - -stages * latency // period + 3) + late


def _taken(node: Node) -> tuple[int, ...]:
    """Numbers of a sample that a node takes of each source."""
    if isinstance(node, LinearNode):
        return (node.layer.inputs,)
    if isinstance(node, ConcatenationNode):
        return node.sizes
    if isinstance(node, AttentionNode):
        attention = node.attention
        key = attention.heads * attention.key_size
        return (key, key, attention.heads * attention.value_size)
    return ()


def _activations(config: GraphConfig) -> Iterator[str]:
    for node in config.nodes:
        taken = any(isinstance(user, LinearNode | AttentionNode) for user, _ in config.users(node.name))
        if taken or (isinstance(node, LinearNode) and node.layer.activation != "linear"):
            yield node.name
        if isinstance(node, AttentionNode):
            yield f"{node.name}_weights"
