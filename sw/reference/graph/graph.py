"""A network as a graph, forward and backward, on values (:mod:`..float.host`).

Samples follow each other as the hardware takes them: agent after agent of an experience, experience after experience.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ....hw.cores.attention.config import AttentionConfig
from ....hw.cores.graph.config import AttentionNode, ConcatenationNode, GraphConfig, InputNode, LinearNode
from ..arrays import ValueArray
from ..attention.attention import attend, attend_backward
from ..float.host import add
from ..layer.stages import backward, differentiate, forward, gradient

__all__ = ["backpropagate", "propagate"]


def propagate(
    config: GraphConfig, weights: Sequence[ValueArray], inputs: Sequence[ValueArray]
) -> dict[str, ValueArray]:
    """Outputs of all nodes by name, and the weights of attention nodes by :attr:`.GraphConfig.activations`.

    Parameters
    ----------
    config : GraphConfig
    weights : sequence of array
        Weights of each linear node.
    inputs : sequence of array (samples, size)
        Inputs of each input node; samples a multiple of the agents.
    """
    given, matrices = iter(inputs), iter(weights)
    found: dict[str, ValueArray] = {}
    for node in config.nodes:
        sources = [found[source] for source in node.sources]
        match node:
            case InputNode():
                found[node.name] = next(given)
            case LinearNode():
                found[node.name] = forward(node.layer, next(matrices), sources[0])
            case ConcatenationNode():
                found[node.name] = np.concatenate(sources, axis=1)
            case AttentionNode():
                queries, keys, values = _by_heads(node.attention, sources)
                messages, attended = attend(node.attention, queries, keys, values)
                found[node.name] = messages.reshape(-1, node.size)
                found[f"{node.name}_weights"] = attended.reshape(len(sources[0]), -1)
    return found


def backpropagate(
    config: GraphConfig, weights: Sequence[ValueArray], outputs: Mapping[str, ValueArray], errors: ValueArray
) -> list[ValueArray]:
    """Gradients of all linear nodes of errors at the output.

    The errors of a node that several take are added in the order in which these stand in the graph.

    Parameters
    ----------
    config : GraphConfig
    weights : sequence of array
    outputs : mapping
        Outputs of :func:`propagate`.
    errors : array (samples, size of the output)
    """
    number_format = config.arithmetic.format
    coming: dict[tuple[str, str, int], ValueArray] = {}
    gradients: dict[str, ValueArray] = {}
    behind = config.behind()
    for node in reversed(config.nodes):
        if node.name not in behind:
            continue
        parts = [coming[node.name, user.name, place] for user, place in config.users(node.name)]
        if node is config.output:
            parts.insert(0, errors)
        total = parts[0]
        for part in parts[1:]:
            total = add(number_format, total, part)
        match node:
            case LinearNode():
                matrix = weights[config.linear.index(node)]
                total = differentiate(node.layer, outputs[node.name], total)
                gradients[node.name] = gradient(node.layer, outputs[node.source], total)
                found = [backward(node.layer, matrix, total)]
            case ConcatenationNode():
                found = [total[:, : node.sizes[0]], total[:, node.sizes[0] :]]
            case AttentionNode():
                found = _attention_backward(node, outputs, total)
        for place, (source, part) in enumerate(zip(node.sources, found, strict=True)):
            coming[source, node.name, place] = part
    return [gradients[node.name] for node in config.linear]


def _by_heads(attention: AttentionConfig, tables: Sequence[ValueArray]) -> list[ValueArray]:
    """Samples as experiences, agents and heads."""
    return [table.reshape(-1, attention.agents, attention.heads, table.shape[1] // attention.heads) for table in tables]


def _attention_backward(node: AttentionNode, outputs: Mapping[str, ValueArray], errors: ValueArray) -> list[ValueArray]:
    tables = [outputs[name] for name in (*node.sources, f"{node.name}_weights")]
    queries, keys, values, attended, at_messages = _by_heads(node.attention, [*tables, errors])
    found = attend_backward(node.attention, queries, keys, values, attended, at_messages)
    return [table.reshape(len(errors), -1) for table in found]
