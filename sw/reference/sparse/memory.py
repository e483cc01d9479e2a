"""Bits of memory that a layer takes, dense and grouped."""

from dataclasses import dataclass

__all__ = ["Footprint", "footprint"]


@dataclass(frozen=True, kw_only=True)
class Footprint:
    """Bits of a layer.

    Parameters
    ----------
    dense : int
        All weights.
    weights : int
        Unmasked weights.
    grouping : int
        Both grouping matrices.
    sparse_rows : int
        Sparse row memory: for each group a bit vector, a workload and an index.
    """

    dense: int
    weights: int
    grouping: int
    sparse_rows: int

    @property
    def ratio(self) -> float:
        """How many times less the layer takes when it is grouped."""
        return self.dense / (self.weights + self.grouping + self.sparse_rows)


def footprint(
    rows: int,
    columns: int,
    groups: int,
    *,
    unmasked: int | None = None,
    weight_width: int = 16,
    grouping_width: int = 16,
) -> Footprint:
    """Memory that a layer takes.

    Parameters
    ----------
    rows, columns, groups : int
    unmasked : int or None
        Unmasked weights; None: ``rows * columns / groups``, the average.
    weight_width, grouping_width : int
        Bits of a weight and of a value of a grouping matrix.
    """
    unmasked = rows * columns // groups if unmasked is None else unmasked
    index = max(1, (groups - 1).bit_length())
    return Footprint(
        dense=rows * columns * weight_width,
        weights=unmasked * weight_width,
        grouping=(rows + columns) * groups * grouping_width,
        sparse_rows=groups * (columns + (columns - 1).bit_length() + index),
    )
