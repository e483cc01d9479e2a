"""The stages of a fully connected layer, on values (:mod:`..float.host`), for a batch of samples at once.

``weights`` are ``(inputs + 1, outputs)``: a row for each input, the bias as the last one. Every product and every sum
is rounded by itself, and every sum starts with its first term. The sums of binary32 are compiled (:mod:`.kernels`).
"""

from functools import partial, reduce

import numpy as np

from ....hw.cores.float.config import BINARY32
from ....hw.cores.layer.config import LayerConfig
from ..arrays import ValueArray
from ..float.functions.sigmoid_tanh import hyperbolic_tangent
from ..float.host import add, from_bits, multiply, subtract, to_bits
from ..float.sums import tree_sum
from . import kernels

__all__ = ["activate", "backward", "differentiate", "forward", "gradient"]


def forward(layer: LayerConfig, weights: ValueArray, x: ValueArray) -> ValueArray:
    """``activation(W x + b)`` of samples ``(batch, inputs)``, as ``(batch, outputs)``.

    Row i of the weights, times input i or 1, goes to partial sum ``i % partial_sums``, in the order of i; the partial
    sums are added as a tree (:func:`..float.sums.tree_sum`).
    """
    number_format = layer.arithmetic.format
    inputs = _with_one(x)
    if number_format == BINARY32:
        return activate(layer, tree_sum(number_format, kernels.partial_sums(inputs, weights, layer.partial_sums)))
    partial_sums: list[ValueArray] = []
    for row in range(layer.rows):
        product = multiply(number_format, inputs[:, row, None], weights[row])
        if row < layer.partial_sums:
            partial_sums.append(product)
        else:
            place = row % layer.partial_sums
            partial_sums[place] = add(number_format, partial_sums[place], product)
    return activate(layer, tree_sum(number_format, np.stack(partial_sums, axis=-1)))


def activate(layer: LayerConfig, sums: ValueArray) -> ValueArray:
    """The layer's activation. ReLU makes +0 of whatever has a negative sign, and keeps NaN."""
    if layer.activation == "linear":
        return sums
    if layer.activation == "tanh":
        number_format = layer.arithmetic.format
        return from_bits(number_format, hyperbolic_tangent(number_format, to_bits(number_format, sums)))
    return np.where(np.signbit(sums) & ~np.isnan(sums), sums.dtype.type(0), sums)


def differentiate(layer: LayerConfig, outputs: ValueArray, errors: ValueArray) -> ValueArray:
    """Errors at the sums of a layer, of those at its outputs y.

    Behind ReLU they are +0 where y is 0, behind tanh ``error * (1 - y * y)``.
    """
    if layer.activation == "linear":
        return errors
    if layer.activation == "tanh":
        number_format = layer.arithmetic.format
        square = multiply(number_format, outputs, outputs)
        return multiply(number_format, errors, subtract(number_format, outputs.dtype.type(1), square))
    return np.where(outputs == 0, errors.dtype.type(0), errors)


def backward(layer: LayerConfig, weights: ValueArray, errors: ValueArray) -> ValueArray:
    """Errors at the inputs, ``W^T d``, of errors at the sums ``(batch, outputs)``, as ``(batch, inputs)``.

    The products of a group of ``units`` outputs are added as a tree, the groups' sums one after another. The last group
    is filled up with products of +0 and +0.
    """
    number_format = layer.arithmetic.format
    filling = layer.groups * layer.units - layer.outputs
    words = np.pad(weights[:-1], ((0, 0), (0, filling)))
    errors = np.pad(errors, ((0, 0), (0, filling)))
    if number_format == BINARY32:
        return kernels.backward_sums(words, errors, layer.units)
    groups = (slice(begin, begin + layer.units) for begin in range(0, layer.outputs, layer.units))
    sums = (
        tree_sum(number_format, multiply(number_format, words[:, group], errors[:, None, group])) for group in groups
    )
    return reduce(partial(add, number_format), sums)


def gradient(layer: LayerConfig, x: ValueArray, errors: ValueArray) -> ValueArray:
    """Gradient of the weights, ``(inputs + 1, outputs)``: products of inputs and errors, sample after sample."""
    number_format = layer.arithmetic.format
    if number_format == BINARY32:
        return kernels.gradient_sums(_with_one(x), errors)
    samples = zip(_with_one(x), errors, strict=True)
    products = (multiply(number_format, sample[:, None], error) for sample, error in samples)
    return reduce(partial(add, number_format), products)


def _with_one(x: ValueArray) -> ValueArray:
    return np.concatenate([x, np.ones((len(x), 1), x.dtype)], axis=1)
