"""Networks without weights: what a device computes in how many cycles does not depend on them."""

import numpy as np

from ....networks.convolution.network_file import load_network
from ....networks.convolution.parameters import Parameters
from ....networks.convolution.reference_layers import reference_layers
from ....reference.convolution.layers import AveragePooling, Convolution, Layer
from ....reference.convolution.pooling import average_multipliers
from ....reference.convolution.quantization import (
    IntegerAverage,
    IntegerConvolution,
    IntegerLayer,
    QuantizedNetwork,
)

__all__ = ["weightless"]


def weightless(name: str) -> QuantizedNetwork:
    """A network of the package in 8 bits, whose weights are zeros that take no memory.

    Raises
    ------
    ValueError
        There is no such network.
    """
    network = load_network(name)
    parameters = {
        node: Parameters(
            kernels=np.broadcast_to(0.0, (*shape.kernel, shape.input_channels, shape.output_channels)),
            bias=np.zeros(shape.output_channels),
        )
        for node, shape in network.convolutions.items()
    }
    layers = tuple(_integer(layer) for layer in reference_layers(network, parameters))
    return QuantizedNetwork(layers=layers, scales={}, width=8, accumulator_width=32)


def _integer(layer: Layer) -> IntegerLayer:
    if isinstance(layer, AveragePooling):
        multiplier, shift = average_multipliers(layer.shape, layer.include_padding)
        return IntegerAverage(
            name=layer.name, source=layer.source, shape=layer.shape, multiplier=multiplier, shift=shift
        )
    if not isinstance(layer, Convolution):
        return layer
    channels = layer.shape.output_channels
    return IntegerConvolution(
        name=layer.name,
        source=layer.source,
        shape=layer.shape,
        kernels=np.broadcast_to(np.int64(0), layer.kernels.shape),
        bias=np.zeros(channels, np.int64),
        multiplier=np.ones(channels, np.int64),
        shift=0,
        rectified=layer.rectified,
        weight_scales=np.ones(channels),
    )
