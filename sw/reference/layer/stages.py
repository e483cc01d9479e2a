"""The stages of a fully connected layer, on values (:mod:`..float.host`), for a batch of samples at once.

``weights`` are ``(rows, outputs)``: a row for each input, the bias, if there is one, as the last; those of a layer with
several sets of parameters ``(sets, rows, outputs)``, and sample ``s`` takes set ``s % sets``. Every product and every
sum is rounded by itself, and every sum starts with its first term. The sums of binary32 are compiled (:mod:`.kernels`).
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.float.config import BINARY32, FloatFormat
from ....hw.cores.layer.config import LEAKY_SLOPE, LayerConfig
from ..arrays import ValueArray
from ..float.conversion import from_numbers
from ..float.functions.sigmoid_tanh import hyperbolic_tangent
from ..float.host import add, from_bits, multiply, subtract, to_bits
from ..float.sums import tree_sum
from . import kernels

__all__ = ["activate", "backward", "differentiate", "forward", "gradient", "sum_rows"]


def forward(layer: LayerConfig, weights: ValueArray, x: ValueArray) -> ValueArray:
    """``activation(W x + b)`` of samples ``(batch, inputs)``, as ``(batch, outputs)``.

    Row i of the weights, times input i or 1, goes to partial sum ``i % partial_sums``, in the order of i; the partial
    sums are added as a tree (:func:`..float.sums.tree_sum`).
    """
    if layer.parameter_sets > 1:
        return _in_turn(forward, layer, weights, x)
    number_format = layer.arithmetic.format
    inputs = _rows(layer, x)
    if number_format == BINARY32:
        return activate(layer, tree_sum(number_format, kernels.partial_sums(inputs, weights, layer.partial_sums)))
    products = (multiply(number_format, inputs[:, row, None], weights[row]) for row in range(layer.rows))
    return activate(layer, sum_rows(layer, products))


def sum_rows(layer: LayerConfig, products: Iterable[ValueArray]) -> ValueArray:
    """The sum of a layer's products, which come row by row.

    Row i goes to partial sum ``i % partial_sums``; the partial sums are added as a tree.
    """
    number_format = layer.arithmetic.format
    partial_sums: list[ValueArray] = []
    for row, product in enumerate(products):
        if row < layer.partial_sums:
            partial_sums.append(product)
        else:
            place = row % layer.partial_sums
            partial_sums[place] = add(number_format, partial_sums[place], product)
    return tree_sum(number_format, np.stack(partial_sums, axis=-1))


def activate(layer: LayerConfig, sums: ValueArray) -> ValueArray:
    """The layer's activation. ReLU makes +0 of whatever has a negative sign, leaky ReLU 0.01 times that; NaN stays."""
    return _ACTIVATE[layer.activation](layer.arithmetic.format, sums)


def differentiate(layer: LayerConfig, outputs: ValueArray, errors: ValueArray) -> ValueArray:
    """Errors at the sums of a layer, of those at its outputs y.

    After ReLU they are +0 where y is 0, after leaky ReLU 0.01 times the error unless y is positive (or NaN), after
    tanh ``error * (1 - y * y)``.
    """
    return _DIFFERENTIATE[layer.activation](layer.arithmetic.format, outputs, errors)


def backward(layer: LayerConfig, weights: ValueArray, errors: ValueArray) -> ValueArray:
    """Errors at the inputs, ``W^T d``, of errors at the sums ``(batch, outputs)``, as ``(batch, inputs)``.

    The products of a group of ``units`` outputs are added as a tree, the groups' sums one after another. The last group
    is filled up with products of +0 and +0.
    """
    if layer.parameter_sets > 1:
        return _in_turn(backward, layer, weights, errors)
    number_format = layer.arithmetic.format
    filling = layer.groups * layer.units - layer.outputs
    words = np.pad(weights[: layer.inputs], ((0, 0), (0, filling)))
    errors = np.pad(errors, ((0, 0), (0, filling)))
    if number_format == BINARY32:
        return kernels.backward_sums(words, errors, layer.units)
    groups = (slice(begin, begin + layer.units) for begin in range(0, layer.outputs, layer.units))
    sums = (
        tree_sum(number_format, multiply(number_format, words[:, group], errors[:, None, group])) for group in groups
    )
    return reduce(partial(add, number_format), sums)


def gradient(layer: LayerConfig, x: ValueArray, errors: ValueArray) -> ValueArray:
    """Gradient of the weights, in their shape: products of inputs and errors, sample after sample."""
    sets = layer.parameter_sets
    if sets > 1:
        single = replace(layer, parameter_sets=1)
        return np.stack([gradient(single, x[place::sets], errors[place::sets]) for place in range(sets)])
    number_format = layer.arithmetic.format
    if number_format == BINARY32:
        return kernels.gradient_sums(_rows(layer, x), errors)
    samples = zip(_rows(layer, x), errors, strict=True)
    products = (multiply(number_format, sample[:, None], error) for sample, error in samples)
    return reduce(partial(add, number_format), products)


def _rows(layer: LayerConfig, x: ValueArray) -> ValueArray:
    """Inputs, and after them the 1 of the bias."""
    return np.concatenate([x, np.ones((len(x), 1), x.dtype)], axis=1) if layer.bias else x


def _in_turn(
    stage: Callable[[LayerConfig, ValueArray, ValueArray], ValueArray],
    layer: LayerConfig,
    weights: ValueArray,
    samples: ValueArray,
) -> ValueArray:
    """A stage of a layer whose samples take its sets of parameters in turn."""
    sets, single = layer.parameter_sets, replace(layer, parameter_sets=1)
    parts = [stage(single, weights[place], samples[place::sets]) for place in range(sets)]
    results = np.empty((len(samples), parts[0].shape[1]), parts[0].dtype)
    for place, part in enumerate(parts):
        results[place::sets] = part
    return results


def _negative(values: ValueArray) -> NDArray[np.bool_]:
    """Whatever has a negative sign; NaN has none."""
    return np.signbit(values) & ~np.isnan(values)


def _leak(number_format: FloatFormat, values: ValueArray) -> ValueArray:
    slope = from_bits(number_format, from_numbers(number_format, LEAKY_SLOPE))
    return multiply(number_format, values, slope)


def _hyperbolic_tangent(number_format: FloatFormat, sums: ValueArray) -> ValueArray:
    return from_bits(number_format, hyperbolic_tangent(number_format, to_bits(number_format, sums)))


def _differentiate_tangent(number_format: FloatFormat, outputs: ValueArray, errors: ValueArray) -> ValueArray:
    square = multiply(number_format, outputs, outputs)
    return multiply(number_format, errors, subtract(number_format, outputs.dtype.type(1), square))


_ACTIVATE: dict[str, Callable[[FloatFormat, ValueArray], ValueArray]] = {
    "linear": lambda number_format, sums: sums,
    "relu": lambda number_format, sums: np.where(_negative(sums), sums.dtype.type(0), sums),
    "leaky_relu": lambda number_format, sums: np.where(_negative(sums), _leak(number_format, sums), sums),
    "tanh": _hyperbolic_tangent,
}

_DIFFERENTIATE: dict[str, Callable[[FloatFormat, ValueArray, ValueArray], ValueArray]] = {
    "linear": lambda number_format, outputs, errors: errors,
    "relu": lambda number_format, outputs, errors: np.where(outputs == 0, errors.dtype.type(0), errors),
    "leaky_relu": lambda number_format, outputs, errors: np.where(
        (outputs == 0) | _negative(outputs), _leak(number_format, errors), errors
    ),
    "tanh": _differentiate_tangent,
}
