"""Reference of the activation unit."""

import functools

import numpy as np

from ....hw.cores.array.config import WORD_WIDTH, Operation
from ....hw.cores.function.tables import TANH_FRACTION
from ..arrays import ArrayModule, FlagArray, IntegerArray, IntegerOperand
from ..fixed.arithmetic import round_half_up, saturate
from ..function.hyperbolic_tangent import HyperbolicTangentReference

__all__ = ["activate"]

ONE = 1 << TANH_FRACTION


@functools.cache
def _tanh(xp: ArrayModule) -> HyperbolicTangentReference:
    return HyperbolicTangentReference(xp)


def activate(
    operation: Operation,
    x: IntegerArray,
    auxiliary: IntegerOperand = 0,
    *,
    positive: FlagArray | None = None,
    factor: IntegerOperand = 0,
    xp: ArrayModule = np,
) -> tuple[IntegerArray, FlagArray]:
    """``(y, saturated)`` of an operation on arrays of int64 words.

    Parameters
    ----------
    operation : Operation
    x, auxiliary : array
    positive : array of bool or None
        None: where ``auxiliary`` is positive.
    factor : array
        Factor of MULTIPLY_ADD.
    xp : module
        Array namespace, NumPy's or CuPy's.
    """
    if operation == Operation.RELU:
        result = xp.maximum(x, 0)
    elif operation == Operation.TANH:
        result = _tanh(xp)(x)
    elif operation == Operation.RELU_GRADIENT:
        result = xp.where(auxiliary > 0 if positive is None else positive, x, 0)
    elif operation == Operation.TANH_GRADIENT:
        bounded = xp.clip(auxiliary, -ONE, ONE)
        result = round_half_up(x * (ONE - (bounded * bounded >> TANH_FRACTION)), TANH_FRACTION)
    elif operation == Operation.MULTIPLY_ADD:
        result = auxiliary + round_half_up(x * factor, TANH_FRACTION)
    elif operation == Operation.DIFFERENCE:
        result = x - auxiliary
    elif operation == Operation.TANH_NOISE:
        result = xp.clip(_tanh(xp)(x) + auxiliary, -ONE, ONE)
    else:
        result = x
    return saturate(result, WORD_WIDTH, xp=xp)
