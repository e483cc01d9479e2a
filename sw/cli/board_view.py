"""Boards as text, and names of moves, for who plays in a terminal."""

from typing import Any, Protocol

from ..core.environments.board_environment import BoardEnvironment
from ..core.environments.board_game import BoardGame
from ..core.environments.legal_actions import action_list
from ..core.environments.open_spiel_game import OpenSpielGame

__all__ = ["BoardView", "board_view"]

STONES = ".XO"


class BoardView(Protocol):
    """How a game is shown. The environment is in the state that is asked about."""

    # An example of a move.
    example: str

    def text(self) -> str:
        """The board."""
        ...

    def name(self, action: int) -> str:
        """The name of a legal action."""
        ...

    def action(self, name: str) -> int | None:
        """The action of a name, legal or not; None: there is no such action."""
        ...


class GridView:
    """A board of stones: columns are letters, rows are numbers from below; where stones fall, a column is enough.

    Parameters
    ----------
    game
        Shown.
    """

    def __init__(self, game: BoardGame):
        self._game = game
        self.example = "d, a column" if game.gravity else "b2, a column and a row"

    def text(self) -> str:
        """Rows from the top, X of who began."""
        game, width = self._game, len(str(self._game.rows))
        first, second = game.save()
        lines = []
        for row in reversed(range(game.rows)):
            cells = range(row * game.columns, (row + 1) * game.columns)
            stones = (STONES[(first >> cell & 1) + 2 * (second >> cell & 1)] for cell in cells)
            lines.append(f"{row + 1:{width}} {' '.join(stones)}")
        return "\n".join([*lines, f"{'':{width}} {' '.join(map(self._column, range(game.columns)))}"])

    def name(self, action: int) -> str:
        """Column, and row."""
        row, column = divmod(action, self._game.columns)
        return self._column(column) + ("" if self._game.gravity else str(row + 1))

    def action(self, name: str) -> int | None:
        """The cell of a column and a row, or the column."""
        names = {self.name(action): action for action in range(self._game.actions)}
        return names.get(name.lower())

    @staticmethod
    def _column(number: int) -> str:
        return chr(ord("a") + number)


class OpenSpielView:
    """A game of OpenSpiel, which has texts of its own.

    Parameters
    ----------
    game
        Shown.
    """

    def __init__(self, game: OpenSpielGame):
        self._game = game
        self.example = self.name((game.legal_actions() & -game.legal_actions()).bit_length() - 1)

    def text(self) -> str:
        """The position as OpenSpiel prints it."""
        return str(self._game.save())

    def name(self, action: int) -> str:
        """The action's name in OpenSpiel."""
        state: Any = self._game.save()
        return str(state.action_to_string(state.current_player(), action))

    def action(self, name: str) -> int | None:
        """A legal action by OpenSpiel's name."""
        names = {self.name(action).lower(): action for action in action_list(self._game.legal_actions())}
        return names.get(name.lower())


def board_view(environment: BoardEnvironment) -> BoardView:
    """How a game is shown.

    Raises
    ------
    ValueError
        It cannot be shown.
    """
    if isinstance(environment, BoardGame):
        return GridView(environment)
    if isinstance(environment, OpenSpielGame):
        return OpenSpielView(environment)
    raise ValueError(
        f"{environment.name} cannot be shown as text: rewardware play knows tic-tac-toe, connect-four, gomoku and "
        "games of OpenSpiel"
    )
