"""An agent's network forward and back, in the order of the engines' sums, on values (:mod:`..float.host`)."""

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.a3c.config import A3CConfig, AgentLayer
from ....hw.cores.float.config import BINARY32, FloatFormat
from ..arrays import ValueArray
from ..attention.softmax import shares
from ..float.host import add, multiply
from ..float.sums import tree_sum
from ..layer.kernels import gradient_sums, partial_sums
from . import kernels

__all__ = ["Inference", "LayerParameters", "backward", "forward_sums", "gradients", "infer"]


class LayerParameters(NamedTuple):
    """Weights (outputs, inputs) and biases (outputs,) of a layer, or their gradients."""

    weights: NDArray[Any]
    biases: NDArray[Any]


class Inference(NamedTuple):
    """Inputs of each layer, and what the network says: probabilities of the actions, and the value."""

    inputs: list[ValueArray]
    probabilities: ValueArray
    value: ValueArray


def infer(config: A3CConfig, parameters: Sequence[LayerParameters], observation: ValueArray) -> Inference:
    """Policy and value of an observation, as a forward engine and the softmax behind it compute them::

        sum_o = ((bias_o + tree(w_o0 * x_0)) + tree(w_o1 * x_1)) + ...

    over blocks of ``config.width`` inputs; places of the last block that are no inputs count as +0 * +0. Shared layers
    are rectified: +0 of whatever has a negative sign.
    """
    number_format = config.arithmetic.format
    inputs: list[ValueArray] = []
    sums = np.asarray(observation)
    for layer, layer_parameters in zip(config.layers, parameters, strict=True):
        inputs.append(sums if not inputs else _rectify(sums))
        sums = forward_sums(number_format, layer, layer_parameters, inputs[-1])
    return Inference(inputs, shares(number_format, sums[None, :-1])[0], sums[-1])


def backward(
    config: A3CConfig, parameters: Sequence[LayerParameters], inputs: Sequence[ValueArray], errors: ValueArray
) -> list[ValueArray]:
    """Errors at the outputs of each layer (steps, outputs), as a backward engine computes them::

        error_i = (w_0i * e_0 + w_1i * e_1) + ...;  0 where the layer's input i is not above 0

    Parameters
    ----------
    config, parameters
    inputs : sequence of array (steps, inputs)
        Inputs of each layer.
    errors : array (steps, actions + 1)
        At logits and value.
    """
    number_format = config.arithmetic.format
    found = [errors]
    for layer_parameters, outputs in zip(reversed(parameters[1:]), reversed(inputs[1:]), strict=True):
        sums = _backward(number_format, layer_parameters.weights, found[0])
        found.insert(0, np.where(outputs == 0, sums.dtype.type(0), sums))
    return found


def gradients(config: A3CConfig, inputs: Sequence[ValueArray], errors: Sequence[ValueArray]) -> list[LayerParameters]:
    """Gradients of a rollout, as the parameter-gradient unit sums them up: step after step, from the first product on.

    Parameters
    ----------
    config
    inputs : sequence of array (steps, inputs)
        Inputs of each layer.
    errors : sequence of array (steps, outputs)
        At its outputs.
    """
    number_format = config.arithmetic.format
    return [
        LayerParameters(
            weights=_outer_products(number_format, layer_inputs, error),
            biases=reduce(partial(add, number_format), error),
        )
        for layer_inputs, error in zip(inputs, errors, strict=True)
    ]


def _backward(number_format: FloatFormat, weights: ValueArray, errors: ValueArray) -> ValueArray:
    """Sums at a layer's inputs (steps, inputs)."""
    if number_format == BINARY32:
        return partial_sums(np.ascontiguousarray(errors), weights, 1)[..., 0]
    terms = (multiply(number_format, row, error[:, None]) for row, error in zip(weights, errors.T, strict=True))
    return reduce(partial(add, number_format), terms)


def _outer_products(number_format: FloatFormat, inputs: ValueArray, errors: ValueArray) -> ValueArray:
    """Sums of a layer's weights (outputs, inputs) over the steps."""
    if number_format == BINARY32:
        return gradient_sums(np.ascontiguousarray(errors), np.ascontiguousarray(inputs))
    terms = (multiply(number_format, e[:, None], x) for e, x in zip(errors, inputs, strict=True))
    return reduce(partial(add, number_format), terms)


def forward_sums(
    number_format: FloatFormat, layer: AgentLayer, parameters: LayerParameters, inputs: ValueArray
) -> ValueArray:
    """Outputs of a layer before it is rectified: of the last one, logits and the value."""
    if number_format == BINARY32:
        return kernels.forward_sums(parameters.weights, inputs, parameters.biases, layer.width)
    absent = layer.blocks * layer.width - layer.inputs
    products = multiply(number_format, np.pad(parameters.weights, ((0, 0), (0, absent))), np.pad(inputs, (0, absent)))
    terms = tree_sum(number_format, products.reshape(layer.outputs, layer.blocks, layer.width))
    return reduce(partial(add, number_format), terms.T, parameters.biases)


def _rectify(sums: ValueArray) -> ValueArray:
    """Rectify by the sign, as the hardware does: NaN has none."""
    return np.where(np.signbit(sums) & ~np.isnan(sums), sums.dtype.type(0), sums)
