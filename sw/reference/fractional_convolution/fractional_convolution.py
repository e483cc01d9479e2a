"""A fractionally strided convolution in the order of the engine."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.float.config import FloatFormat
from ....hw.cores.fractional_convolution.layer import FractionalConvolutionLayer
from ..float import host

__all__ = ["fractional_convolution"]


def fractional_convolution(
    layer: FractionalConvolutionLayer,
    inputs: NDArray[np.generic],
    weights: NDArray[np.generic],
    number_format: FloatFormat | None = None,
) -> NDArray[np.generic]:
    """The output pictures: unit convolutions, each added to the outputs that it belongs to.

    Floating point: the sum over input channels begins at +0 and takes them in ascending order, product and sum rounded
    one by one; that over kernel elements begins at +0 and takes them in ascending order, row by row.

    Parameters
    ----------
    layer : FractionalConvolutionLayer
    inputs : array of (pictures, input channels, H1, H2)
        Integers, or values of ``number_format`` in its working type (:mod:`~..float.host`).
    weights : array of (input channels, output channels, K1, K2)
        As PyTorch has them.
    number_format : FloatFormat or None
        None: integers, exact within 64 bits.

    Returns
    -------
    array of (pictures, output channels, O1, O2)

    Raises
    ------
    ValueError
        Shapes that are not those of the layer.
    """
    expected = (layer.pictures, layer.input_channels, *layer.size)
    if inputs.shape != expected:
        raise ValueError(f"Inputs must have the shape {expected}, not {inputs.shape}")
    expected = (layer.input_channels, layer.output_channels, *layer.kernel)
    if weights.shape != expected:
        raise ValueError(f"Weights must have the shape {expected}, not {weights.shape}")
    kind = np.dtype(np.int64) if number_format is None else host.working_type(number_format)
    inputs, weights = inputs.astype(kind), weights.astype(kind)

    def add(a: NDArray[np.generic], b: NDArray[np.generic]) -> NDArray[np.generic]:
        return a + b if number_format is None else host.add(number_format, a, b)  # type: ignore[operator, arg-type]

    def multiply(a: NDArray[np.generic], b: NDArray[np.generic]) -> NDArray[np.generic]:
        return a * b if number_format is None else host.multiply(number_format, a, b)  # type: ignore[operator, arg-type]

    # All pixels that kernels reach; what padding crops is cut off at the end.
    sides = [max(reach, padding + side) for reach, padding, side in
             zip(layer.reach, layer.padding, layer.output_size, strict=True)]  # fmt: skip
    reached = np.zeros((layer.pictures, layer.output_channels, *sides), kind)
    for row, column in product(range(layer.kernel[0]), range(layer.kernel[1])):
        unit = np.zeros((layer.pictures, layer.output_channels, *layer.size), kind)
        for channel in range(layer.input_channels):
            weight = weights[channel, :, row, column]
            unit = add(unit, multiply(inputs[:, channel, None], weight[None, :, None, None]))
        here = tuple(
            slice(first, first + (size - 1) * stride + 1, stride)
            for first, size, stride in zip((row, column), layer.size, layer.stride, strict=True)
        )
        reached[:, :, *here] = add(reached[:, :, *here], unit)
    window = tuple(
        slice(padding, padding + side) for padding, side in zip(layer.padding, layer.output_size, strict=True)
    )
    return reached[:, :, *window]
