"""Reference of the elementwise unit: what a lane computes, and what a command does to the memories."""

from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from ....hw.cores.float.config import FloatFormat
from ....hw.cores.vector.elementwise_config import (
    DESTINATIONS,
    STATE_MEMORIES,
    Combination,
    Destination,
    ElementwiseConfig,
    Function,
    Operand,
)
from ..arrays import IntegerArray
from ..float.arithmetic import add, multiply, negate
from ..float.functions.sigmoid_tanh import hyperbolic_tangent, sigmoid

__all__ = [
    "OWN_BLOCK",
    "DestinationFields",
    "ElementwiseCommand",
    "ElementwiseReference",
    "OperandFields",
    "combine",
    "compute",
]

# Value of a block field that says: each block its own.
OWN_BLOCK = 4


class OperandFields(TypedDict):
    """Where an operand comes from."""

    memory: int
    base: int
    stride: int
    block: int


class DestinationFields(TypedDict):
    """Where a result goes, and whether the function is in it."""

    memory: int
    base: int
    stride: int
    after_function: int


class ElementwiseCommand(TypedDict):
    """Fields of ``elementwise_command`` as far as they concern what is computed."""

    features: int
    blocks: int
    a: OperandFields
    b: OperandFields
    c: OperandFields
    exchange: int
    first: int
    second: int
    function: int
    destinations: Sequence[DestinationFields]


def combine(number_format: FloatFormat, combination: int, value: IntegerArray, operand: IntegerArray) -> IntegerArray:
    """``value combination operand``, each operation rounded."""
    one = np.int64(number_format.one)
    if combination == Combination.ADD:
        return add(number_format, value, operand)
    if combination == Combination.SUBTRACT:
        return add(number_format, value, negate(number_format, operand))
    if combination == Combination.SIGMOID_GRADIENT:
        operand = multiply(number_format, operand, add(number_format, one, negate(number_format, operand)))
    if combination == Combination.TANH_GRADIENT:
        square = multiply(number_format, operand, operand)
        operand = add(number_format, one, negate(number_format, square))
    return value if combination == Combination.PASS else multiply(number_format, value, operand)


def compute(
    number_format: FloatFormat,
    a: IntegerArray,
    b: IntegerArray,
    c: IntegerArray,
    first: int,
    second: int,
    function: int,
) -> tuple[IntegerArray, IntegerArray]:
    """``(value, result)`` of arrays of bit patterns."""
    value = combine(number_format, second, combine(number_format, first, a, b), c)
    if function == Function.SIGMOID:
        return value, sigmoid(number_format, value)
    if function == Function.TANH:
        return value, hyperbolic_tangent(number_format, value)
    return value, value


class ElementwiseReference:
    """The memories of a core as the elementwise unit sees them.

    Parameters
    ----------
    config : ElementwiseConfig
    words : int
        Words of every memory.

    Attributes
    ----------
    sources : list of int64 array (words, blocks, lanes)
        Memories of ``Operand`` without the last; the first three are also destinations.
    scalars : int64 array (words,)
    destinations : list of int64 array (words, blocks, lanes)
        Memories of ``Destination``; the first three are those of ``sources``.
    nonfinite : bool
        An infinity or NaN was a value or a result.
    """

    def __init__(self, config: ElementwiseConfig, words: int):
        self.config = config
        shape = (words, config.blocks, config.lanes)
        self.sources = [np.zeros(shape, np.int64) for _ in range(Operand.SCALAR)]
        self.scalars = np.zeros(words, np.int64)
        others = [np.zeros(shape, np.int64) for _ in range(DESTINATIONS - STATE_MEMORIES)]
        self.destinations = [*self.sources[:STATE_MEMORIES], *others]
        self.nonfinite = False

    def run(self, command: ElementwiseCommand) -> None:
        """Does a command: a mapping with the fields of ``elementwise_command``.

        Features are done in order, so what one writes a later one may read; the hardware has that only from a command
        to one that waits.
        """
        number_format, blocks = self.config.lane.format, command["blocks"]
        features = np.arange(command["features"])
        if not len(features):
            return
        a = self._operand(command["a"], features, blocks)
        b = self._operand(command["b"], features, blocks)
        c = self._operand(command["c"], features, blocks)
        if command["exchange"]:
            b = b[..., np.arange(self.config.lanes) ^ 1 << command["exchange"] - 1]
        value, result = compute(number_format, a, b, c, command["first"], command["second"], command["function"])
        for number in (value, result):
            self.nonfinite |= bool((number & number_format.infinity == number_format.infinity).any())
        for destination in command["destinations"]:
            if destination["memory"] != Destination.NONE:
                rows = destination["base"] + features * destination["stride"]
                written = result if destination["after_function"] else value
                self.destinations[destination["memory"]][rows, :blocks] = written

    def _operand(self, operand: OperandFields, features: IntegerArray, blocks: int) -> IntegerArray:
        rows = operand["base"] + features * operand["stride"]
        if operand["memory"] == Operand.SCALAR:
            return np.broadcast_to(self.scalars[rows][:, None, None], (len(rows), blocks, self.config.lanes))
        words = self.sources[operand["memory"]][rows]
        if operand["block"] == OWN_BLOCK:
            return words[:, :blocks]
        return np.broadcast_to(words[:, operand["block"], None], (len(rows), blocks, self.config.lanes))
