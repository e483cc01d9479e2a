"""Convolutions, fractionally strided ones and gradients in floating point, with every addition in its order.

Arrays hold values as :mod:`.host` of the float library has them. Every product and every sum is rounded to the format:
none is fused. No number is multiplied by a padded or inserted zero, which would turn infinities into NaN.

- A *unit convolution* is the sum over the input channels in their order; it begins with +0.
- Convolution: each output begins with the bias, or +0 without one; unit convolutions are added in the raster order of
  the kernel.
- Fractionally strided: each pixel of the scratchpad begins with the bias, or +0; unit convolutions are added in the
  raster order of the kernel, which is that of rounds and cores, however many cores there are.
- Gradient by the input: a fractionally strided convolution that begins with +0.
- Gradients by weights and biases: output pixels in raster order; they begin with +0 or the sums of earlier pictures.
"""

import numpy as np

from ....hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape
from ....hw.cores.float.config import FloatFormat
from ..arrays import ValueArray
from ..float.host import add, multiply, round_to, working_type
from . import fractional
from .operands import overlap, require_operands, require_shape
from .unit_convolutions import unit_convolutions

__all__ = ["bias_gradient", "convolution", "fractionally_strided", "input_gradient", "weight_gradient"]


def convolution(
    number_format: FloatFormat,
    shape: ConvolutionShape,
    picture: ValueArray,
    kernels: ValueArray,
    bias: ValueArray | None = None,
) -> ValueArray:
    """The outputs (O1, O2, C_out) of a convolution.

    Parameters
    ----------
    number_format : FloatFormat
    shape : ConvolutionShape
    picture : array (H1, H2, C_in)
    kernels : array (K1, K2, C_in, C_out)
    bias : array (C_out,), or None
        None: +0.

    Raises
    ------
    TypeError
        Arrays of another type than the format's.
    ValueError
        Arrays of other shapes than the layer's, or numbers that are none of the format.
    """
    _require_numbers(number_format, Picture=picture, Kernels=kernels)
    require_operands(shape, picture, kernels)
    start = _start(number_format, "Bias", bias, (shape.output_channels,))
    output = np.broadcast_to(start, (*shape.output, shape.output_channels)).copy()
    for unit in unit_convolutions(shape):
        patch = _unit_convolution(number_format, picture[unit.inputs], kernels[unit.element])
        output[unit.outputs] = add(number_format, output[unit.outputs], patch)
    return output


def fractionally_strided(
    number_format: FloatFormat,
    shape: FractionallyStridedShape,
    picture: ValueArray,
    kernels: ValueArray,
    bias: ValueArray | None = None,
    cores: int = 1,
) -> ValueArray:
    """The outputs of a fractionally strided convolution; parameters and errors as :func:`convolution` has them.

    ``cores`` unit convolutions are a round, which changes no bit.
    """
    _require_numbers(number_format, Picture=picture, Kernels=kernels)
    require_operands(shape, picture, kernels)

    def unit_convolution(element: tuple[int, int]) -> ValueArray:
        return _unit_convolution(number_format, picture, kernels[element])

    def accumulated(sums: ValueArray, patch: ValueArray) -> ValueArray:
        return add(number_format, sums, patch)

    start = _start(number_format, "Bias", bias, (shape.output_channels,))
    return fractional.accumulate(shape, start, unit_convolution, accumulated, cores)


def input_gradient(
    number_format: FloatFormat, shape: ConvolutionShape, errors: ValueArray, kernels: ValueArray, cores: int = 1
) -> ValueArray:
    """Derivatives (H1, H2, C_in) by the picture, of errors (O1, O2, C_out)."""
    return fractionally_strided(number_format, shape.input_gradient, errors, kernels.swapaxes(2, 3), cores=cores)


def weight_gradient(
    number_format: FloatFormat,
    shape: ConvolutionShape,
    picture: ValueArray,
    errors: ValueArray,
    sums: ValueArray | None = None,
) -> ValueArray:
    """Derivatives (K1, K2, C_in, C_out) by the kernels, added to ``sums`` of earlier pictures."""
    _require_numbers(number_format, Picture=picture, Errors=errors)
    require_shape("Picture", picture, (*shape.picture, shape.input_channels))
    require_shape("Errors", errors, (*shape.output, shape.output_channels))
    total = _start(number_format, "Sums", sums, (*shape.kernel, shape.input_channels, shape.output_channels)).copy()
    for row, column in np.ndindex(shape.output):
        (rows, kernel_rows), (columns, kernel_columns) = (
            overlap(shape.picture[axis], place * shape.stride[axis] - shape.padding[axis][0], shape.kernel[axis])
            for axis, place in enumerate((row, column))
        )
        products = multiply(number_format, picture[rows, columns, :, None], errors[row, column])
        place = kernel_rows, kernel_columns
        total[place] = add(number_format, total[place], products)
    return total


def bias_gradient(number_format: FloatFormat, errors: ValueArray, sums: ValueArray | None = None) -> ValueArray:
    """Derivatives (C_out,) by the biases, added to ``sums`` of earlier pictures."""
    _require_numbers(number_format, Errors=errors)
    total = _start(number_format, "Sums", sums, errors.shape[-1:])
    for pixel in errors.reshape(-1, errors.shape[-1]):
        total = add(number_format, total, pixel)
    return total


def _unit_convolution(number_format: FloatFormat, pixels: ValueArray, weights: ValueArray) -> ValueArray:
    """Sums over the channels, one after the other, of pixels (rows, columns, C_in) times weights (C_in, C_out)."""
    total = np.zeros((*pixels.shape[:-1], weights.shape[1]), pixels.dtype)
    for channel in range(len(weights)):
        total = add(number_format, total, multiply(number_format, pixels[..., channel, None], weights[channel]))
    return total


def _start(number_format: FloatFormat, name: str, values: ValueArray | None, shape: tuple[int, ...]) -> ValueArray:
    if values is None:
        return np.zeros(shape, working_type(number_format))
    _require_numbers(number_format, **{name: values})
    require_shape(name, values, shape)
    return values


def _require_numbers(number_format: FloatFormat, **arrays: ValueArray) -> None:
    for name, array in arrays.items():
        if array.dtype != working_type(number_format):
            raise TypeError(f"{name} must be of the type {working_type(number_format)}, not {array.dtype}")
        wrong = array[(round_to(number_format, array) != array) & ~np.isnan(array)]
        if wrong.size:
            raise ValueError(f"{name} must be numbers of {number_format}, not {wrong.flat[0]}")
