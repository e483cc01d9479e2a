"""Reference of the aggregator."""

from ..float.arithmetic import add

__all__ = ["aggregate"]


def aggregate(number_format, partials):
    """``(p_0 + p_1) + p_2 + ...`` of arrays of bit patterns, in the order of the cores."""
    total = partials[0]
    for partial in partials[1:]:
        total = add(number_format, total, partial)
    return total
