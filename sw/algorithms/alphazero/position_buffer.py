"""Positions of games that were played, each with what the search and the end of the game said of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.environments.board_environment import Symmetry

__all__ = ["PositionBatch", "PositionBuffer", "Positions"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Positions:
    """Positions of a game, in order.

    Parameters
    ----------
    planes : float32 array (positions, channels, rows, columns)
    legal : bool array (positions, actions)
    visits : uint16 array (positions, actions)
        Visits of the search's root.
    outcomes : float32 array (positions,)
        Sum of the rewards from there to the end, as the player had them whose turn it was.
    """

    planes: NDArray[np.float32]
    legal: NDArray[np.bool_]
    visits: NDArray[np.uint16]
    outcomes: NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, eq=False)
class PositionBatch:
    """Positions that a gradient step learns from.

    Parameters
    ----------
    planes : float32 array (batch, channels, rows, columns)
    legal : bool array (batch, actions)
    policies : float32 array (batch, actions)
        Shares of visits.
    outcomes : float32 array (batch,)
    """

    planes: NDArray[np.float32]
    legal: NDArray[np.bool_]
    policies: NDArray[np.float32]
    outcomes: NDArray[np.float32]


class PositionBuffer:
    """The newest positions. Planes of whole numbers from 0 to 255, as stones are, are kept as bytes.

    Parameters
    ----------
    capacity
        Positions that are kept.
    observation_shape
        Channels, rows and columns of the planes.
    actions
        How many there are.
    symmetries
        Symmetries of the board, each a permutation of the cells and one of the actions: what is drawn is seen through
        one of them.

    Members
    -------
    size
        Positions that are there.
    added
        Positions that ever were.
    """

    def __init__(
        self, capacity: int, observation_shape: tuple[int, int, int], actions: int, symmetries: Sequence[Symmetry]
    ):
        self.capacity, self.actions, self.added = capacity, actions, 0
        cells, moves = zip(*symmetries, strict=True)
        self._cells, self._moves = np.stack(cells), np.stack(moves)
        self._arrays: dict[str, np.ndarray] = {
            "planes": np.zeros((capacity, *observation_shape), np.uint8),
            "legal": np.zeros((capacity, -(-actions // 8)), np.uint8),
            "visits": np.zeros((capacity, actions), np.uint16),
            "outcomes": np.zeros(capacity, np.float32),
        }

    @property
    def size(self) -> int:
        return min(self.added, self.capacity)

    def add(self, positions: Positions) -> None:
        """Take positions, in the places of the oldest ones."""
        rows = (self.added + np.arange(len(positions.outcomes))) % self.capacity
        if (positions.planes != positions.planes.astype(self._arrays["planes"].dtype)).any():
            # From here on they are kept as they are.
            self._arrays["planes"] = self._arrays["planes"].astype(np.float32)
        self._arrays["planes"][rows] = positions.planes
        self._arrays["legal"][rows] = np.packbits(positions.legal, axis=1)
        self._arrays["visits"][rows] = positions.visits
        self._arrays["outcomes"][rows] = positions.outcomes
        self.added += len(rows)

    def draw(self, count: int, generator: np.random.Generator) -> PositionBatch:
        """So many positions, all as likely, each seen through a symmetry of the board, all as likely."""
        rows = generator.integers(self.size, size=count)
        chosen = generator.integers(len(self._cells), size=count)
        planes = self._arrays["planes"][rows]
        shape = planes.shape
        cells, moves = self._cells[chosen, np.newaxis], self._moves[chosen]
        legal = np.unpackbits(self._arrays["legal"][rows], axis=1, count=self.actions)
        visits = np.take_along_axis(self._arrays["visits"][rows], moves, axis=1)
        return PositionBatch(
            planes=np.take_along_axis(planes.reshape(*shape[:2], -1), cells, axis=2).reshape(shape).astype(np.float32),
            legal=np.take_along_axis(legal, moves, axis=1).astype(bool),
            policies=(visits / visits.sum(axis=1, keepdims=True)).astype(np.float32),
            outcomes=self._arrays["outcomes"][rows],
        )

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and plain numbers of a checkpoint."""
        return {name: array[: self.size] for name, array in self._arrays.items()}, {"added": self.added}

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Takes back what `state` gave."""
        self.added = rest["added"]
        for name, own in self._arrays.items():
            given = arrays[name]
            if name == "planes":
                own = self._arrays[name] = own.astype(given.dtype)
            own[: self.size] = given
