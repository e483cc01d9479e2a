"""Configuration of the selector, and its comparison table. No Amaranth here."""

import itertools
from dataclasses import dataclass

from ..checks import require_integer
from .config import COMPARISONS

__all__ = ["LARGEST_TABLE_GROUP", "SelectorConfig", "comparison_pairs", "comparison_table"]

# A table has 2**(f * (f - 1) / 2) rows: 32 768 with 6 values, 2 million with 7.
LARGEST_TABLE_GROUP = 6


@dataclass(frozen=True, kw_only=True)
class SelectorConfig:
    """Shape of a selector and choices of its hardware.

    Parameters
    ----------
    values : int
        F, values it chooses from (2 to 256).
    group : int
        f, values that are compared with each other at once (2 to ``values``; with a table 6 at most).
    width : int
        Bits of a value (1 to 64).
    signed : bool
        Whether values are signed.
    comparison : str
        How the greatest of a group is found from its comparisons: ``"lookup"`` in a table, ``"logic"`` by the value
        that wins all of its comparisons.
    registered : bool
        Whether registers stand between the levels.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    values: int = 6
    group: int = 6
    width: int = 24
    signed: bool = True
    comparison: str = "logic"
    registered: bool = False

    def __post_init__(self):
        require_integer("Number of values", self.values, 2, 256)
        require_integer("Group", self.group, 2, self.values)
        require_integer("Width", self.width, 1, 64)
        if self.comparison not in COMPARISONS:
            raise ValueError(f"Comparison must be one of {', '.join(COMPARISONS)}, not {self.comparison!r}")
        if self.comparison == "lookup" and self.group > LARGEST_TABLE_GROUP:
            raise ValueError(f"Group with a table must be at most {LARGEST_TABLE_GROUP}, not {self.group}")

    @property
    def levels(self) -> tuple[tuple[int, ...], ...]:
        """Sizes of the groups of each level, ceil(log_f F) of them; groups of a level differ by one value at most."""
        levels = []
        count = self.values
        while count > 1:
            groups = -(-count // self.group)
            levels.append(tuple((count + index) // groups for index in range(groups)))
            count = groups
        return tuple(levels)


def comparison_pairs(count: int) -> list[tuple[int, int]]:
    """Values that are compared, the lower index first, in the order of the table's index bits."""
    return [(lower, upper) for upper in range(count) for lower in range(upper)]


def comparison_table(count: int) -> dict[int, int]:
    """The winner for each pattern of comparisons that can occur, count! of 2**(count * (count - 1) / 2).

    Bit k of a pattern says that the lower value of pair k is greater than the upper one, or equal to it.
    """
    pairs = comparison_pairs(count)
    table = {}
    for order in itertools.permutations(range(count)):
        place = {value: position for position, value in enumerate(order)}
        pattern = sum((place[lower] < place[upper]) << bit for bit, (lower, upper) in enumerate(pairs))
        table[pattern] = order[0]
    return table
