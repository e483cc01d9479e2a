"""Reference of the aggregator."""

from collections.abc import Sequence

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray
from ..float.arithmetic import add

__all__ = ["aggregate"]


def aggregate(number_format: FloatFormat, partials: Sequence[IntegerArray] | IntegerArray) -> IntegerArray:
    """``(p_0 + p_1) + p_2 + ...`` of arrays of bit patterns, in the order of the cores."""
    total = partials[0]
    for partial in partials[1:]:
        total = add(number_format, total, partial)
    return total
