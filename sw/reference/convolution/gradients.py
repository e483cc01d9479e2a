"""Gradients of a strided convolution in integers: exact sums, of which no order is stated.

Errors are (O1, O2, C_out): derivatives by the outputs.
"""

import numpy as np

from ....hw.cores.convolution.shape import ConvolutionShape
from ..arrays import IntegerArray
from . import fractional
from .algorithms import matrix_product
from .operands import require_shape
from .toeplitz import to_toeplitz

__all__ = ["input_gradient", "weight_gradient"]


def input_gradient(shape: ConvolutionShape, errors: IntegerArray, kernels: IntegerArray) -> IntegerArray:
    """Derivatives (H1, H2, C_in) by the picture: a fractionally strided convolution of the errors."""
    return fractional.kn2row(shape.input_gradient, errors, kernels.swapaxes(2, 3))


def weight_gradient(shape: ConvolutionShape, picture: IntegerArray, errors: IntegerArray) -> IntegerArray:
    """Derivatives (K1, K2, C_in, C_out) by the kernels."""
    require_shape("Errors", errors, (*shape.output, shape.output_channels))
    sums = matrix_product(
        to_toeplitz(shape, picture).T.astype(np.int64), errors.reshape(-1, shape.output_channels).astype(np.int64)
    )
    return sums.reshape(*shape.kernel, shape.input_channels, shape.output_channels)
