"""Reference of soft updates of targets, on values (:mod:`..float.host`)."""

from collections.abc import Sequence

from ....hw.cores.float.config import FloatFormat
from ..arrays import ValueArray
from ..float.host import add, multiply, subtract

__all__ = ["approach"]


def approach(
    number_format: FloatFormat, targets: Sequence[ValueArray], leaders: Sequence[ValueArray], share: ValueArray
) -> list[ValueArray]:
    """Targets a share of the way on: ``target + share * (leader - target)``, each operation rounded."""
    return [
        add(number_format, target, multiply(number_format, share, subtract(number_format, leader, target)))
        for target, leader in zip(targets, leaders, strict=True)
    ]
