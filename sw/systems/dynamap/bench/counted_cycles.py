"""Cycles counted on the RTL beside those of a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....measurement.bench import make_row

__all__ = ["CountedCycles", "error_row"]


@dataclass(frozen=True, kw_only=True)
class CountedCycles:
    """Cycles of the same work.

    Parameters
    ----------
    what : str
        The work, to people.
    counted, modelled : int
        On the RTL, and by the model.
    """

    what: str
    counted: int
    modelled: int

    @property
    def error(self) -> float:
        """How far the model is off what was counted, in percent."""
        return 100 * abs(self.modelled / self.counted - 1)


def error_row(found: Sequence[CountedCycles], how: str) -> dict[str, Any]:
    """The largest error of all, as a row of the bench.

    Parameters
    ----------
    found : sequence of CountedCycles
    how : str
        Where and how they were counted.
    """
    worst = max(found, key=lambda one: one.error)
    told = f"largest of {len(found)}: {worst.what}, {worst.counted} cycles, {worst.modelled} by the model"
    if not worst.error:
        told = f"all {len(found)} are the model's"
    total = sum(one.counted for one in found)
    return make_row(round(worst.error, 3), "%", "counted", f"{told}; {total} cycles in all; {how}")
