"""Fractionally strided convolutions as the engine has them: several pictures, channels first."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.float.config import FloatFormat
from ....hw.cores.fractional_convolution.layer import FractionalConvolutionLayer
from ..convolution.float_convolution import fractionally_strided
from ..convolution.fractional import kn2row

__all__ = ["fractional_convolution"]


def fractional_convolution(
    layer: FractionalConvolutionLayer,
    inputs: NDArray[Any],
    weights: NDArray[Any],
    number_format: FloatFormat | None = None,
) -> NDArray[Any]:
    """The output pictures, in the order of operations of :mod:`~..convolution.float_convolution`, from +0 on.

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
    kernels = weights.transpose(2, 3, 0, 1)
    pictures = inputs.transpose(0, 2, 3, 1)
    outputs: list[NDArray[Any]] = []
    for picture in pictures:
        if number_format is None:
            outputs.append(kn2row(layer.shape, picture.astype(np.int64), kernels.astype(np.int64)))
        else:
            outputs.append(fractionally_strided(number_format, layer.shape, picture, kernels))
    return np.stack(outputs).transpose(0, 3, 1, 2)
