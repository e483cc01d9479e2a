"""Values, factors and scores of edges."""

import functools
from collections.abc import Sequence

import numpy as np

from ....hw.cores.function.polynomial import PolynomialTable
from ....hw.cores.tree.config import (
    COEFFICIENT_FRACTION,
    REWARD_FRACTION,
    SCORE_FRACTION,
    VALUE_WIDTH,
    VISIT_WIDTH,
    TreeConfig,
)
from ....hw.cores.tree.functions import (
    LOGARITHM_INDEX_WIDTH,
    MANTISSA_WIDTH,
    RECIPROCAL_FRACTION,
    RECIPROCAL_ROOT_FRACTION,
    ROOT_INDEX_WIDTH,
    logarithm_root_table,
    reciprocal_root_table,
    reciprocal_table,
    root_table,
)
from ..function.polynomial_table import PolynomialTableReference

__all__ = ["ScoresReference", "functions_of_counts"]

# A 17th bit, for the one more of PUCT's factor.
COUNTS = (1 << VISIT_WIDTH) + 1


class ScoresReference:
    """Computes as updater and score unit do, by Python's integers; formats and rounding as in docs/mcts.md.

    The functions of a count are kept as lists over all counts, once for all references: an edge costs a few operations
    of integers.

    Parameters
    ----------
    config : TreeConfig
    """

    def __init__(self, config: TreeConfig):
        self.config = config
        self._unvisited_first = config.unvisited_first
        self._least = -1 << config.score_width - 1
        self._greatest = -self._least - 1
        self._exponents, self._reciprocals, self._uct_factors = functions_of_counts()
        self._roots = _roots_of_counts(logarithm=not config.explores_by_count)

    def value(self, total: int, visits: int) -> int:
        """V, the mean reward, of an edge that has been visited."""
        shift = self._exponents[visits] + REWARD_FRACTION + RECIPROCAL_FRACTION - SCORE_FRACTION
        value = total * self._reciprocals[visits] + (1 << shift - 1) >> shift
        limit = 1 << VALUE_WIDTH - 1
        return min(max(value, -limit), limit - 1)

    def factor(self, prior: int, visits: int) -> int:
        """r, what exploration is weighted with; ``prior`` means nothing in UCT."""
        if self.config.policy == "uct":
            return self._uct_factors[visits]
        return prior * self._reciprocals[visits + 1] >> RECIPROCAL_FRACTION + self._exponents[visits + 1]

    def explorations(self, coefficient: int) -> list[int]:
        """g by the visits of the node, from 0 to 65 535."""
        limit = (1 << self.config.exploration_width) - 1
        roots = self._roots[1:] if self.config.explores_first else self._roots[:-1]
        explorations = np.minimum(coefficient * roots >> COEFFICIENT_FRACTION, limit)
        if not self.config.explores_first:
            explorations[0] = 0
        return explorations.tolist()

    def scores(
        self,
        legal: Sequence[int],
        visits: Sequence[int],
        values: Sequence[int],
        factors: Sequence[int],
        in_flight: Sequence[int],
        *,
        exploration: int,
        loss: int,
        first_value: int,
    ) -> list[int]:
        """Scores of all actions of a node, from the stored values of their edges; ``legal`` is 0 or 1 for each."""
        unvisited_first, least, greatest = self._unvisited_first, self._least, self._greatest
        return [
            least
            if not is_legal
            else greatest
            if unvisited_first and not count and not under_way
            else (value if count else first_value) + (exploration * factor >> SCORE_FRACTION) - loss * under_way
            for is_legal, count, value, factor, under_way in zip(legal, visits, values, factors, in_flight, strict=True)
        ]


@functools.cache
def functions_of_counts() -> tuple[list[int], list[int], list[int]]:
    """Exponent, reciprocal, and UCT's factor of each count."""
    counts, exponents = _counts()
    reciprocals = PolynomialTableReference(reciprocal_table())(*_position(counts, exponents, ROOT_INDEX_WIDTH))
    roots = _root(reciprocal_root_table(), counts, exponents)
    factors = roots >> exponents // 2 + RECIPROCAL_ROOT_FRACTION - SCORE_FRACTION
    return exponents.tolist(), reciprocals.tolist(), factors.tolist()


@functools.cache
def _roots_of_counts(logarithm: bool) -> np.ndarray:
    """The root of each count, or of its logarithm."""
    counts, exponents = _counts()
    if logarithm:
        index, offset = _position(counts, exponents, LOGARITHM_INDEX_WIDTH)
        # One count too many for the table, which no node reaches.
        index = np.minimum((exponents << LOGARITHM_INDEX_WIDTH) + index, logarithm_root_table().intervals - 1)
        roots = PolynomialTableReference(logarithm_root_table())(index, offset)
    else:
        roots = _root(root_table(), counts, exponents) << exponents // 2
    roots.flags.writeable = False
    return roots


def _counts() -> tuple[np.ndarray, np.ndarray]:
    """All counts, and the exponents of their powers of two."""
    # A count of 0 has the functions of 1; only the factor of UCT uses them.
    counts = np.maximum(np.arange(COUNTS), 1)
    return counts, np.frexp(counts)[1].astype(np.int64) - 1


def _position(counts: np.ndarray, exponents: np.ndarray, index_width: int) -> tuple[np.ndarray, np.ndarray]:
    """Interval within the octave, and position within the interval."""
    mantissas = (counts << MANTISSA_WIDTH >> exponents) & (1 << MANTISSA_WIDTH) - 1
    return np.divmod(mantissas, 1 << MANTISSA_WIDTH - index_width)


def _root(table: PolynomialTable, counts: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    """Square root of m, or of 2 m where the exponent is odd."""
    index, offset = _position(counts, exponents, ROOT_INDEX_WIDTH)
    return PolynomialTableReference(table)(index + (exponents % 2 << ROOT_INDEX_WIDTH), offset)
