"""Resources of a design of MAAC's accelerator on a family of parts, from those of its parts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ....hw.cores.graph.config import AttentionNode, GraphConfig, LinearNode
from ....hw.cores.layer.config import LayerConfig
from ....hw.cores.learner.network_stages import NetworkStages
from ....hw.soc.target.target import Resources
from .design import NETWORKS, MAACDesign, layer_stages

__all__ = [
    "LinearCost", "UnitCosts", "attention_resources", "buffer_resources", "design_resources", "lane_resources",
    "layer_resources", "memory_blocks",
]  # fmt: skip

# By family: numbers of 32 bits in the smallest part of a block memory that tools take, and what that part counts as.
BLOCKS = {"xcup": (512, 0.5), "xc7": (512, 0.5), "ecp5": (512, 1.0), "intel": (256, 1.0), "ice40": (256, 2.0)}
# Tools make shallower memories of LUTs.
SHALLOW = 64
# Arrays of parameters besides the weights that learn: the target's, two moments, and the gradient.
OTHER_ARRAYS = 4


@dataclass(frozen=True, kw_only=True)
class LinearCost:
    """Resources of a part that has units side by side.

    Parameters
    ----------
    base, unit : Resources
        Whatever the number of units, and for each of them.
    """

    base: Resources
    unit: Resources

    def of(self, units: int) -> Resources:
        """A layer with so many units."""
        return self.base + self.unit * units


@dataclass(frozen=True, kw_only=True)
class UnitCosts:
    """Resources of parts on a family, without their block memories, which are counted (:func:`memory_blocks`).

    Parameters
    ----------
    family : str
        In ``hw/soc/target``.
    stages : dict of str to LinearCost
        A ``"forward"``, ``"backward"`` and ``"gradient"`` stage.
    parameters : LinearCost
        The parameters of a layer with its optimiser, but for the lanes of that.
    lane : Resources
        A lane of the optimiser, and of what makes the target follow.
    attention : dict of str to Resources
        The ``"forward"`` and ``"backward"`` half, which compute one head at a time.
    """

    family: str
    stages: Mapping[str, LinearCost]
    parameters: LinearCost
    lane: Resources
    attention: Mapping[str, Resources]


def memory_blocks(depth: int, family: str) -> float:
    """Block memories of ``depth`` numbers of 32 bits with one reader."""
    words, part = BLOCKS[family]
    return 0.0 if depth <= SHALLOW else -(-depth // words) * part


def layer_resources(costs: UnitCosts, stages: NetworkStages, layer: LayerConfig, first: bool) -> Resources:
    """All stages of a layer and its parameters, but for the lanes of its optimiser (:func:`lane_resources`).

    Each unit of each array of parameters is a memory of its own, and weights have a copy for each stage that reads
    them.

    Parameters
    ----------
    costs : UnitCosts
    stages : NetworkStages
        Stages of the layer's network.
    layer : LayerConfig
    first : bool
        Nothing before it needs errors.
    """
    total, readers = Resources(), 0
    for kind, count, _, _ in layer_stages(stages, layer, first):
        total += costs.stages[kind].of(layer.units) * count
        readers += count * (kind != "gradient")
    copies = readers
    if stages.gradients:
        # One of the forward stages reads the target's weights.
        copies = readers - 1 + OTHER_ARRAYS
        total += costs.parameters.of(layer.units)
    return total + Resources(bram=copies * layer.units * memory_blocks(layer.words, costs.family))


def lane_resources(costs: UnitCosts, stages: NetworkStages, units: int, update_interval: int) -> Resources:
    """Lanes of a layer's optimiser, which takes a word of ``units`` weights every so many cycles, if it is trained."""
    return costs.lane * (stages.gradients * -(-units // update_interval))


def attention_resources(costs: UnitCosts, graph: GraphConfig, node: AttentionNode, parallel_heads: int) -> Resources:
    """All halves of attention, with so many heads computed side by side, each with memories of its own."""
    stages, total = NETWORKS["critic"], Resources()
    counts = {"forward": stages.forward, "backward": stages.backward}
    for kind, count in counts.items():
        depths = _attention_memories(graph, node, kind)
        # Heads share the vectors evenly.
        blocks = parallel_heads * sum(memory_blocks(-(-depth // parallel_heads), costs.family) for depth in depths)
        total += (costs.attention[kind] * parallel_heads + Resources(bram=blocks)) * count
    return total


def buffer_resources(design: MAACDesign, family: str) -> Resources:
    """Memories in which samples wait, between nodes of a network and between its halves.

    With PF_A each copy of the stages has its own share.
    """
    blocks = 0.0
    for name, graph in design.graphs.items():
        stages = NETWORKS[name]
        blocks += stages.forward * sum(memory_blocks(depth, family) for depth in _waiting_forward(graph))
        if stages.gradients:
            blocks += sum(memory_blocks(depth, family) for depth in _waiting_backward(graph))
    return Resources(bram=blocks)


def design_resources(design: MAACDesign, costs: UnitCosts) -> Resources:
    """All of a design: layers, attention, and what waits."""
    total = buffer_resources(design, costs.family)
    for name, graph in design.graphs.items():
        behind = graph.behind()
        for node in graph.nodes:
            if isinstance(node, LinearNode):
                layer = replace(node.layer, parameter_sets=min(node.layer.parameter_sets, design.share))
                first = node.source not in behind
                one = layer_resources(costs, NETWORKS[name], layer, first)
                one += lane_resources(costs, NETWORKS[name], layer.units, design.update_interval)
                total += one * design.parallel_agents
            elif isinstance(node, AttentionNode):
                total += attention_resources(costs, graph, node, design.parallel_heads)
    return total


def _attention_memories(graph: GraphConfig, node: AttentionNode, kind: str) -> Iterator[int]:
    """Depths of the memories of a half: banks of vectors, and what waits."""
    attention = graph.attention(node)
    keys, values = (attention.agents * product.row for product in (attention.scores, attention.messages))
    weights = attention.agents * attention.heads * attention.others
    if kind == "forward":
        yield from (2 * keys, 2 * keys, 2 * values)
        return
    banks = attention.waiting + 1
    yield from (banks * values, banks * keys, (banks + 1) * keys, 3 * values)
    yield from (attention.waiting * weights, 2 * weights, 2 * weights)


def _waiting_forward(graph: GraphConfig) -> Iterator[int]:
    """Depths of the buffers where ways of a different length come together."""
    stages = graph.forward_stages
    for node in graph.nodes:
        latest = max((stages[source] for source in node.sources), default=0)
        for source in node.sources:
            if ahead := latest - stages[source]:
                yield (ahead + 2) * graph.node(source).size


def _waiting_backward(graph: GraphConfig) -> Iterator[int]:
    """Depths of the buffers of activations, for gradients and for derivatives, and of errors that wait for others."""
    behind = graph.behind()
    for linear in graph.linear:
        samples = graph.waiting_samples(linear.source, linear.name)
        yield samples * linear.layer.inputs
        if linear.layer.activation != "linear":
            yield samples * linear.layer.outputs
    for node in graph.nodes:
        users = [user for user, _ in graph.users(node.name) if user.name in behind]
        if node.name in behind and users:
            ways = [graph.stages_behind(user.name) for user in users]
            yield from ((max(ways) - way + 2) * node.size for way in ways if way < max(ways))
