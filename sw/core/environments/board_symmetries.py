"""Ways to turn and mirror a board that leave the rules as they are."""

from collections.abc import Sequence

import numpy as np

from .board_environment import Symmetry

__all__ = ["board_symmetries"]


def board_symmetries(rows: int, columns: int, *, gravity: bool = False, passes: int = 0) -> Sequence[Symmetry]:
    """The symmetries of a board whose actions are its cells, in the order of the planes, or its columns.

    Parameters
    ----------
    rows, columns : int
        Size of the board. A square one has eight symmetries, any other four.
    gravity : bool
        The actions are the columns, in which stones fall: only left and right may be exchanged.
    passes : int
        Actions after those, which no symmetry changes.

    Returns
    -------
    sequence of pairs of array
        Symmetries of cells and of actions, the identity first, as of :class:`.board_environment.BoardEnvironment`.
    """
    board = np.arange(rows * columns).reshape(rows, columns)
    grids = [board, board[:, ::-1]]
    if not gravity:
        grids += [grid[::-1] for grid in grids]
        if rows == columns:
            grids += [grid.T for grid in grids]
    moves = columns if gravity else rows * columns
    rest = np.arange(moves, moves + passes)
    return [(grid.ravel(), np.concatenate((grid.ravel()[:moves], rest))) for grid in grids]
