"""A first convolution over a picture whose lines the host has laid beside each other."""

from dataclasses import dataclass, replace

import numpy as np

from .....hw.cores.convolution.shape import ConvolutionShape
from ....reference.arrays import IntegerArray
from ....reference.convolution.layers import INPUT, sources
from ....reference.convolution.quantization import IntegerConvolution, QuantizedNetwork

__all__ = ["FoldedInput", "fold_input"]


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldedInput:
    """A network that gives the same words for a folded picture.

    A picture has few channels, and a line of a window fills a small part of a row of the array; the layout
    transformation unit then takes as many accesses for a window as the kernel has lines. Folded, the lines of a window
    are channels of one pixel, and the kernel has one line: the sums have the same products.

    Parameters
    ----------
    network : QuantizedNetwork
    shape : ConvolutionShape
        Shape of the first convolution as it was.
    """

    network: QuantizedNetwork
    shape: ConvolutionShape

    def words(self, picture: IntegerArray) -> IntegerArray:
        """The picture (lines, columns, channels) as the device takes it: (O1, columns, K1 * channels)."""
        above, below = self.shape.padding[0]
        padded = np.pad(picture, ((above, below), (0, 0), (0, 0)))
        (high, _), (down, _) = self.shape.kernel, self.shape.stride
        first = np.arange(self.shape.output[0]) * down
        lines = padded[first[:, None] + np.arange(high)]
        return lines.transpose(0, 2, 1, 3).reshape(len(first), picture.shape[1], -1)


def fold_input(network: QuantizedNetwork) -> FoldedInput | None:
    """The network with a folded picture; None where the picture goes to several layers, or not to a convolution of
    several lines."""
    takers = [layer for layer in network.layers if INPUT in sources(layer)]
    first = takers[0]
    if len(takers) > 1 or not isinstance(first, IntegerConvolution) or not isinstance(first.shape, ConvolutionShape):
        return None
    shape = first.shape
    (high, wide), channels = shape.kernel, shape.input_channels
    if high == 1:
        return None
    folded = ConvolutionShape(
        input_channels=high * channels,
        output_channels=shape.output_channels,
        picture=(shape.output[0], shape.picture[1]),
        kernel=(1, wide),
        stride=(1, shape.stride[1]),
        padding=((0, 0), shape.padding[1]),
    )
    kernels = first.kernels.transpose(1, 0, 2, 3).reshape(1, wide, high * channels, -1)
    layer = replace(first, shape=folded, kernels=kernels)
    layers = tuple(layer if each is first else each for each in network.layers)
    return FoldedInput(network=replace(network, layers=layers), shape=shape)
