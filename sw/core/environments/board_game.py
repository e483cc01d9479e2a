"""Board games of two players in which the first row of stones wins: tic-tac-toe, connect-four, gomoku."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .board_environment import Symmetry
from .board_symmetries import board_symmetries

__all__ = ["BOARD_GAMES", "BOARD_GAME_NAMES", "BoardGame"]

GOMOKU_SIZES = range(5, 20)


class BoardRules(NamedTuple):
    """Size of a board, stones in a row that win, and whether stones fall."""

    rows: int
    columns: int
    line: int
    gravity: bool = False


BOARD_GAMES = {
    "tic-tac-toe": BoardRules(3, 3, 3),
    "connect-four": BoardRules(6, 7, 4, gravity=True),
    "gomoku": BoardRules(15, 15, 5),
    **{f"gomoku-{size}": BoardRules(size, size, 5) for size in GOMOKU_SIZES},
}
# For texts that say what there is.
BOARD_GAME_NAMES = f"tic-tac-toe, connect-four, gomoku or gomoku-N with N from {GOMOKU_SIZES[0]} to {GOMOKU_SIZES[-1]}"
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class BoardGame:
    """A :class:`.board_environment.BoardEnvironment`.

    A win is 1 for the player who makes it, everything else 0. A state is the pair of the players' stones, each an
    integer whose bit ``row * columns + column`` is 1 where a stone lies; row 0 is the lowest. The planes are the own
    stones, the other player's, and ones where it is the turn of player 0.

    Gomoku is free style: five stones in a row or more win, and no move is forbidden.

    Parameters
    ----------
    name : str
        A key of :data:`BOARD_GAMES`: ``"gomoku"`` has 15 rows and columns, ``"gomoku-9"`` has 9.

    Members
    -------
    rows, columns : int
        Rows and columns of the board.
    line : int
        Stones in a row that win.
    gravity : bool
        Whether an action is a column, in which the stone falls, and not a cell.

    Raises
    ------
    ValueError
        There is no such game; or, from :meth:`step`, the action is not legal here.
    """

    players = 2

    def __init__(self, name: str):
        if name not in BOARD_GAMES:
            raise ValueError(f"Board game must be {BOARD_GAME_NAMES}, not {name!r}")
        self.name = name
        self.rows, self.columns, self.line, self.gravity = BOARD_GAMES[name]
        self.actions = self.columns if self.gravity else self.rows * self.columns
        self.observation_shape = 3, self.rows, self.columns
        self.symmetries: Sequence[Symmetry] = board_symmetries(self.rows, self.columns, gravity=self.gravity)
        self._lines: list[list[int]] = [[] for _ in range(self.rows * self.columns)]
        for cells in self._all_lines(self.line):
            for cell in cells:
                self._lines[cell].append(sum(1 << other for other in cells))
        self.restore((0, 0))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name,)

    def _all_lines(self, length: int) -> Any:
        for row in range(self.rows):
            for column in range(self.columns):
                for up, right in DIRECTIONS:
                    places = [(row + up * step, column + right * step) for step in range(length)]
                    if all(0 <= y < self.rows and 0 <= x < self.columns for y, x in places):
                        yield [y * self.columns + x for y, x in places]

    def reset(self, seed: int = 0) -> None:
        """Begin with an empty board, whatever the seed."""
        self.restore((0, 0))

    def save(self) -> tuple[int, int]:
        """The stones of both players."""
        return self._stones[0], self._stones[1]

    def restore(self, state: tuple[int, int]) -> None:
        """Go back to a position in which nobody has moved after the end."""
        self._stones = list(state)
        self._player = (state[0].bit_count() - state[1].bit_count()) & 1

    def player(self) -> int:
        """The player to move."""
        return self._player

    def legal_actions(self) -> int:
        """Free cells, or columns that are not full."""
        free = ~(self._stones[0] | self._stones[1])
        if self.gravity:
            free >>= (self.rows - 1) * self.columns
        return free & (1 << self.actions) - 1

    def observation(self) -> np.ndarray:
        """Own stones, the other's, and whose turn it is."""
        planes = np.empty(self.observation_shape, np.float32)
        for plane, player in zip(planes[:2], (self._player, 1 - self._player), strict=True):
            packed = np.frombuffer(self._stones[player].to_bytes((plane.size + 7) // 8, "little"), np.uint8)
            plane.flat = np.unpackbits(packed, count=plane.size, bitorder="little")
        planes[2] = self._player == 0
        return planes

    def step(self, action: int) -> tuple[float, bool]:
        """Lay a stone: 1.0 if it wins, and whether the game has ended."""
        if not self.legal_actions() >> action & 1:
            raise ValueError(f"Action {action} is not legal in {self.name} in the position {self.save()}")
        cell, taken = action, self._stones[0] | self._stones[1]
        if self.gravity:
            while taken >> cell & 1:
                cell += self.columns
        self._stones[self._player] |= 1 << cell
        own = self._stones[self._player]
        won = any(own & line == line for line in self._lines[cell])
        self._player ^= 1
        return float(won), won or not self.legal_actions()
