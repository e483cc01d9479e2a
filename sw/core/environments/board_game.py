"""Board games of two players in which the first row of stones wins: tic-tac-toe, connect-four."""

from typing import Any

__all__ = ["BOARD_GAMES", "BoardGame"]

BOARD_GAMES = {
    "tic-tac-toe": {"rows": 3, "columns": 3, "line": 3, "gravity": False},
    "connect-four": {"rows": 6, "columns": 7, "line": 4, "gravity": True},
}
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class BoardGame:
    """A :class:`.state_environment.StateEnvironment` of two players.

    A win is 1 for the player who makes it, everything else 0. A state is the pair of the players' stones, each an
    integer whose bit ``row * columns + column`` is 1 where a stone lies; row 0 is the lowest.

    Parameters
    ----------
    name : str
        A key of :data:`BOARD_GAMES`.

    Raises
    ------
    ValueError
        There is no such game; or, from :meth:`step`, the action is not legal here.
    """

    players = 2

    def __init__(self, name: str):
        if name not in BOARD_GAMES:
            raise ValueError(f"Board game must be {' or '.join(BOARD_GAMES)}, not {name!r}")
        self.name = name
        self.rows, self.columns, line, self.gravity = BOARD_GAMES[name].values()
        self.actions = self.columns if self.gravity else self.rows * self.columns
        self._lines: list[list[int]] = [[] for _ in range(self.rows * self.columns)]
        for cells in self._all_lines(line):
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
        """Whose turn it is."""
        return self._player

    def legal_actions(self) -> int:
        """Free cells, or columns that are not full."""
        free = ~(self._stones[0] | self._stones[1])
        if self.gravity:
            free >>= (self.rows - 1) * self.columns
        return free & (1 << self.actions) - 1

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
