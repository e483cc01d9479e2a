"""From the graph of a network to the layers of its reference, which are those that the hardware computes."""

from collections.abc import Mapping

from ....hw.cores.convolution.shape import PoolingShape
from ...reference.convolution.layers import INPUT, AveragePooling, Concatenation, Convolution, Layer, MaxPooling
from . import nodes
from .convolutional_network import ConvolutionalNetwork
from .parameters import Parameters

__all__ = ["reference_layers"]


def reference_layers(network: ConvolutionalNetwork, parameters: Mapping[str, Parameters]) -> tuple[Layer, ...]:
    """The layers of a network in their order, under the names of its nodes; the input's name becomes ``input``.

    ReLU is computed by convolutions alone. The ReLU of a max pooling or a concatenation goes to the convolutions before
    it, which changes no result; the outputs of these convolutions are then rectified ones.

    Parameters
    ----------
    network : ConvolutionalNetwork
    parameters : mapping of str to Parameters
        Parameters of each convolution, by its node's name.

    Raises
    ------
    ValueError
        An addition; ReLU after a node that cannot compute it, or whose sources are also taken without it; a
        convolution without its parameters, or with those of other shapes; a node that is called ``input`` and is none;
        a network without a layer. The text names the node.
    """
    for node in network.nodes:
        if isinstance(node, nodes.Addition):
            raise ValueError(f"Node {node.name!r} is an addition, and no unit of the hardware adds feature maps")
        if node.name == INPUT and not isinstance(node, nodes.Input):
            raise ValueError(f"Node {INPUT!r} must have another name: it is that of the picture that goes in")
    if len(network.nodes) == 1:
        raise ValueError(f"Network {network.name!r} must have a layer, and not only an input")
    rectified: set[str] = set()
    for name in network.order:
        if getattr(network.by_name[name], "relu", False):
            _rectify(network, name, name, rectified)
    return tuple(
        _layer(network, network.by_name[name], parameters, name in rectified)
        for name in network.order
        if network.by_name[name].sources
    )


def _layer(
    network: ConvolutionalNetwork, node: nodes.Node, parameters: Mapping[str, Parameters], rectified: bool
) -> Layer:
    name = node.name
    sources = tuple(each if network.by_name[each].sources else INPUT for each in node.sources)
    if isinstance(node, nodes.Concatenation):
        return Concatenation(name=name, sources=sources)
    (source,), shape = sources, network.layers[name]
    if isinstance(shape, PoolingShape):
        if isinstance(node, nodes.AveragePooling):
            return AveragePooling(name=name, source=source, shape=shape, include_padding=node.include_padding)
        return MaxPooling(name=name, source=source, shape=shape)
    if name not in parameters:
        raise ValueError(f"Node {name!r} must have parameters, and there are none of that name")
    kernels, bias = parameters[name].kernels, parameters[name].bias
    try:
        return Convolution(name=name, source=source, shape=shape, kernels=kernels, bias=bias, rectified=rectified)
    except ValueError as error:
        raise ValueError(f"Node {name!r}: {error}") from None


def _rectify(network: ConvolutionalNetwork, name: str, wanted_by: str, rectified: set[str]) -> None:
    """Add the convolutions that make a node's output one after ReLU, where it is none yet."""
    node = network.by_name[name]
    if _never_negative(network, name, rectified):
        return
    if isinstance(node, nodes.Convolution | nodes.FractionallyStridedConvolution):
        rectified.add(name)
        return
    if not isinstance(node, nodes.MaxPooling | nodes.Concatenation):
        raise ValueError(
            f"ReLU of node {wanted_by!r} must be after a convolution, through max poolings and concatenations at "
            f"most, not after {name!r} ({type(node).__name__})"
        )
    for source in node.sources:
        others = sorted(set(network.consumers[source]) - {name})
        if others and not _never_negative(network, source, rectified):
            raise ValueError(
                f"ReLU of node {wanted_by!r} must be computed by what it takes, and {', '.join(others)} takes "
                f"{source!r} without it"
            )
        _rectify(network, source, wanted_by, rectified)


def _never_negative(network: ConvolutionalNetwork, name: str, rectified: set[str]) -> bool:
    """Whether ReLU would change nothing at a node's output."""
    node = network.by_name[name]
    if isinstance(node, nodes.Input | nodes.Convolution | nodes.FractionallyStridedConvolution):
        return name in rectified
    return all(_never_negative(network, source, rectified) for source in node.sources)
