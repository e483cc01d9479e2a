"""Multilayer perceptrons as graphs. No Amaranth here."""

from ..layer.config import NetworkConfig
from .config import ConcatenationNode, GraphConfig, InputNode, LinearNode, Node

__all__ = ["perceptron_graph"]


def perceptron_graph(network: NetworkConfig, *inputs: int) -> GraphConfig:
    """A network as a graph: input nodes ``input_0`` and on, put side by side, then ``layer_0`` and on.

    Parameters
    ----------
    network : NetworkConfig
    inputs : int
        Numbers of a sample of one or two input nodes, ``network.sizes[0]`` together; without, one has them all.

    Raises
    ------
    ValueError
        More than two input nodes, or other numbers than the network takes.
    """
    sizes = inputs or (network.sizes[0],)
    if len(sizes) > 2 or sum(sizes) != network.sizes[0]:
        raise ValueError(f"Inputs must be one or two, {network.sizes[0]} numbers together, not {sizes}")
    nodes: list[Node] = [InputNode(name=f"input_{index}", size=size) for index, size in enumerate(sizes)]
    if len(sizes) == 2:
        nodes.append(ConcatenationNode(name="inputs", first="input_0", second="input_1", sizes=(sizes[0], sizes[1])))
    for index, layer in enumerate(network.layers):
        nodes.append(LinearNode(name=f"layer_{index}", source=nodes[-1].name, layer=layer))
    return GraphConfig(nodes=tuple(nodes))
