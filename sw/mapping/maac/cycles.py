"""Cycles of an iteration of MAAC's accelerator, without running it."""

from ....hw.cores.graph.config import AttentionNode, GraphConfig, LinearNode
from .design import MAACDesign
from .equations import PaperModel

__all__ = ["equation_cycles", "fill_cycles", "iteration_cycles", "update_cycles"]

# Experiences that the halves of attention hold back: errors at keys and values are sums over all agents, so that they
# wait for an experience more.
FORWARD_EXPERIENCES, BACKWARD_EXPERIENCES = 1, 2


def iteration_cycles(design: MAACDesign, batch: int) -> int:
    """Cycles of an iteration: a critic's update and the forward part of the policies', from the first to the last.

    ::

        T_experience * (batch - 1) + fill + update

    T_experience is that of the slowest stage, `fill` the way of the last experience through all stages, each in its own
    time (:func:`fill_cycles`), and `update` the optimiser's pass (:func:`update_cycles`).

    Parameters
    ----------
    design : MAACDesign
    batch : int
        Experiences, each of all agents.
    """
    return design.experience_cycles * (batch - 1) + fill_cycles(design) + update_cycles(design)


def fill_cycles(design: MAACDesign) -> int:
    """Cycles of the last experience's way: target policy, target critic, and back through the critic that learns.

    The critic that learns goes forward meanwhile, as do policy and lagged critic. An experience enters sample by
    sample, at the pace of the whole; its last sample then passes each stage in that stage's own time, and attention in
    that of one or two experiences.
    """
    policy, critic = design.graphs["policy"], design.graphs["critic"]
    way = _forward(design, policy) + _forward(design, critic) + _backward(design, critic)
    return design.experience_cycles + way


def update_cycles(design: MAACDesign) -> int:
    """Cycles of the optimiser's pass over the critics: all layers side by side, a word every so many cycles."""
    layers = (node.layer for node in design.graphs["critic"].linear)
    words = max(layer.set_words * min(layer.parameter_sets, design.share) for layer in layers)
    return words * design.update_interval


def equation_cycles(design: MAACDesign, batch: int) -> float:
    """Cycles of an iteration by the paper's equations 3 to 5, all weights on chip.

    Every stage takes as long as the slowest; there is no optimiser, and neither biases nor groups that are not full. In
    equation 5 keys and values are encoded by a unit of each of PF_H heads. Here they are encoded by the units of their
    layers, which stand in the place of PF_H.
    """
    model = PaperModel(agents=design.networks.agents, frequency=1)
    found: list[float] = []
    for name, graph in design.graphs.items():
        attention = next((node for node in graph.nodes if isinstance(node, AttentionNode)), None)
        encoders = attention.sources if attention else ()
        stages = [stage for stage in design.stages if stage.kind != "stream"]
        for node in graph.linear:
            if node.name in encoders:
                continue
            layer = node.layer
            seconds = model.linear_seconds(
                layer.inputs, layer.outputs, parallel_agents=design.parallel_agents, units=layer.units
            )
            found += [seconds] * sum(stage.count for stage in stages if stage.name == f"{name} {node.name}")
        if attention:
            layers = [node.layer for node in graph.linear if node.name in encoders]
            seconds = max(
                model.attention_seconds(layer.inputs, layer.outputs, parallel_heads=layer.units) for layer in layers
            )
            found += [seconds] * sum(stage.count for stage in stages if stage.name == f"{name} {attention.name}")
    return model.total_seconds(found, batch)


def _forward(design: MAACDesign, graph: GraphConfig) -> int:
    """The longest way of a sample from the inputs of a network to its output."""
    found: dict[str, int] = {}
    for node in graph.nodes:
        own = 0
        if isinstance(node, LinearNode):
            own = node.layer.forward_cycles
        elif isinstance(node, AttentionNode):
            own = FORWARD_EXPERIENCES * node.attention.forward_cycles
        found[node.name] = own + max((found[source] for source in node.sources), default=0)
    return found[graph.output.name]


def _backward(design: MAACDesign, graph: GraphConfig) -> int:
    """The longest way of the errors of a sample from the output of a network into a gradient."""
    behind, ends = graph.behind(), []
    # Ways to the errors at the output of each node.
    found = dict.fromkeys((node.name for node in graph.nodes), 0)
    for node in reversed(graph.nodes):
        own = 0
        if isinstance(node, LinearNode):
            ends.append(found[node.name] + node.layer.gradient_cycles)
            own = node.layer.backward_cycles
        elif isinstance(node, AttentionNode):
            own = BACKWARD_EXPERIENCES * node.attention.backward_cycles
        for source in node.sources:
            if source in behind:
                found[source] = max(found[source], found[node.name] + own)
    return max(ends)
