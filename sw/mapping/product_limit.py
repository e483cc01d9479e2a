"""How busy the clusters of LearningGroup would be if no product waited for its data: what packing leaves them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...hw.cores.vector.matrix_config import SLOTS, MatrixConfig, Product
from ...hw.soc.learninggroup.config import HEADS
from ..reference.learninggroup.grouping import Grouping
from .matrix_waves import ProductShape, schedule

__all__ = ["ProductLimit", "product_limit"]

FORWARD_ORDER = ("hidden", "communication", "encoder", "input", *HEADS)
BACKWARD_ORDER = (*HEADS, "input", "communication", "hidden")


@dataclass(kw_only=True)
class ProductLimit:
    """Cycles of all clusters of all cores, and what they go to.

    Parameters
    ----------
    cycles : int
        Cycles of the clusters: those of the core that takes longest, times clusters and cores.
    operations : int
        Operations with a multiplication of an unmasked weight, for every vector of a word.
    padding : int
        With a sum that has ended before the longest one of its wave.
    free : int
        Cycles of clusters that have nothing to do in a wave.
    between : int
        Between waves: results leave, or the engine runs full or empty.
    unequal : int
        Cycles of cores that have less to do than the one that takes longest.
    """

    cycles: int = 0
    operations: int = 0
    padding: int = 0
    free: int = 0
    between: int = 0
    unequal: int = 0

    def percent(self, what: str) -> float:
        """A part of the cycles."""
        return 100 * getattr(self, what) / self.cycles


def product_limit(config: MatrixConfig, groupings: Mapping[str, Grouping], *, steps: int, batches: int) -> ProductLimit:
    """Lower bound of an iteration: all products forward, then all backward, then the gradients; cores meet in between.

    Parameters
    ----------
    config : MatrixConfig
    groupings : mapping of str to Grouping
        Groupings of each layer of IC3Net.
    steps, batches : int
        Steps of an iteration, and words in each step; all of their blocks are in use.
    """
    limit = ProductLimit()
    cores = range(config.cores)
    for product in Product:
        schedules = [schedule(config, _commands(config, groupings, product, core, steps, batches)) for core in cores]
        longest = max(found.cycles for found in schedules)
        for found in schedules:
            waves = [(each.length, SLOTS * each.steps * each.assignments, each.assignments) for each in found.waves]
            length = sum(cycles for cycles, _, _ in waves)
            taken = sum(cycles * assignments for cycles, _, assignments in waves)
            limit.cycles += config.clusters * longest
            limit.operations += found.operations
            limit.padding += taken - found.operations
            limit.free += config.clusters * length - taken
            limit.between += config.clusters * (found.cycles - length)
            limit.unequal += config.clusters * (longest - found.cycles)
    return limit


def _commands(config: Any, groupings: Any, product: Any, core: int, steps: int, batches: int) -> Any:
    """Commands of a core: neighbours take their groups in opposite orders, as in the device's programs."""
    shapes = {name: _groups(grouping, product, core) for name, grouping in groupings.items()}
    if product == Product.GRADIENT:
        names = list(groupings)
    elif product == Product.FORWARD:
        names = list(FORWARD_ORDER) * steps * batches
    else:
        # A core takes its own heads back; before the first step nobody has been heard.
        own = [name for name in BACKWARD_ORDER if name not in HEADS or core in groupings[name].owners]
        first = [name for name in own if name != "communication"]
        names = own * (steps - 1) * batches + first * batches
    return [
        ProductShape(
            product=product,
            groups=shapes[name],
            blocks=config.blocks,
            steps=steps * batches if product == Product.GRADIENT else 1,
            reversed=place % 2 == 1,
            skip_empty=product == Product.BACKWARD,
        )
        for place, name in enumerate(names)
    ]


def _groups(grouping: Any, product: Any, core: int) -> Any:
    """Sizes of a layer's groups in a core as its tables have them: the longest sums first."""
    rows = np.bincount(grouping.row_groups, minlength=grouping.groups)
    columns = np.bincount(grouping.column_groups[grouping.owners == core], minlength=grouping.groups)
    inner, outer = (columns, rows) if product == Product.BACKWARD else (rows, columns)
    pairs = [pair for pair in zip(inner.tolist(), outer.tolist(), strict=True) if pair[1]]
    return sorted(pairs, key=lambda pair: -pair[0])
