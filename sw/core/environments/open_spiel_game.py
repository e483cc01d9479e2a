"""Games of OpenSpiel."""

import random
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from .board_environment import Symmetry
from .board_symmetries import board_symmetries

__all__ = ["OPEN_SPIEL", "OpenSpielGame"]

# Prefix of their names.
OPEN_SPIEL = "openspiel:"
# Games whose actions are the cells, in the order of the planes, and after them so many passes.
PASSES = {"go": 1, "gomoku": 0, "mnk": 0, "othello": 1, "tic_tac_toe": 0}
# Moves at random that a new game is tried with.
TRIED_MOVES = 200


class OpenSpielGame:
    """A game of OpenSpiel as a :class:`.board_environment.BoardEnvironment`.

    Games have two players who take turns strictly, zero sum, no chance and nothing hidden. The planes are those of the
    game's observation tensor, as the player sees them whose turn it is if the game offers that, and one more plane:
    ones where it is the turn of player 0. A tensor of two dimensions is one channel, but gomoku's rows are planes; one
    of one dimension is a channel for each number, of a single cell. Symmetries are known of games whose actions are
    cells (Go, gomoku, mnk, Othello, tic-tac-toe) and of connect-four; all others have the identity alone.

    A state is a clone of OpenSpiel's, which pickles itself as its moves.

    Parameters
    ----------
    name : str
        ``"openspiel:"`` and what ``pyspiel.load_game`` takes, as ``"openspiel:go(board_size=9,komi=7.5)"``.

    Members
    -------
    game : pyspiel.Game

    Raises
    ------
    ValueError
        OpenSpiel is not installed; it cannot make the game; the game is of another kind. From :meth:`step`: the action
        is not legal here, or the same player moves twice, where the first 200 moves at random did not show that.

    Source: M. Lanctot et al., *OpenSpiel: a framework for reinforcement learning in games*, arXiv:1908.09453, 2019.
    """

    players = 2

    def __init__(self, name: str):
        pyspiel = _open_spiel()
        self.name = name
        self.game = _load(pyspiel, name)
        _check_kind(pyspiel, self.game, name)
        self.actions = self.game.num_distinct_actions()
        # OpenSpiel writes into its array, which is much faster than a list of numbers.
        from open_spiel.python.observation import make_observation

        self._tensor = make_observation(self.game)
        self._shape = _plane_shape(self.game)
        channels, rows, columns = self._shape
        self.observation_shape = channels + 1, rows, columns
        self.reset()
        # White is player 1 in chess, and begins.
        self._first = self._state.current_player()
        self._try()
        self.symmetries = self._find_symmetries()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name,)

    def reset(self, seed: int = 0) -> None:
        """Begin a game, the same whatever the seed."""
        self._state = self.game.new_initial_state()

    def save(self) -> Any:
        """A ``pyspiel.State``."""
        return self._state.clone()

    def restore(self, state: Any) -> None:
        """Go back to a saved state."""
        self._state = state.clone()

    def player(self) -> int:
        """The player to move; after the end, the one whose turn it would be."""
        return (self._first + self._state.move_number()) & 1

    def legal_actions(self) -> int:
        """Moves, a pass among them where the game has one; 0 after the end."""
        legal = 0
        for action in self._state.legal_actions():
            legal |= 1 << action
        return legal

    def observation(self) -> np.ndarray:
        """The game's planes, and whose turn it is."""
        player = self.player()
        self._tensor.set_from(self._state, player)
        planes = np.empty(self.observation_shape, np.float32)
        planes[:-1] = self._tensor.tensor.reshape(self._shape)
        planes[-1] = player == 0
        return planes

    def step(self, action: int) -> tuple[float, bool]:
        """Move: what the player won or lost by it, and whether the game has ended."""
        if action not in self._state.legal_actions():
            raise ValueError(f"Action {action} is not legal in {self.name} after the moves {self._state.history()}")
        player = self.player()
        self._state.apply_action(action)
        ended = self._state.is_terminal()
        if not ended and self._state.current_player() == player:
            raise ValueError(
                f"Players of a game that is searched must take turns, but those of {self.name} do not always"
            )
        return float(self._state.rewards()[player]), ended

    def _try(self) -> None:
        """Play at random, so that a game in which a player moves twice is mostly refused before a search begins."""
        generator = random.Random(0)
        for _ in range(TRIED_MOVES):
            if self.step(generator.choice(self._state.legal_actions()))[1]:
                self.reset()
        self.reset()

    def _find_symmetries(self) -> Sequence[Symmetry]:
        _, rows, columns = self._shape
        kind = self.game.get_type().short_name
        found: Sequence[Symmetry] = []
        if kind == "connect_four":
            found = board_symmetries(rows, columns, gravity=True)
        elif kind in PASSES and rows * columns + PASSES[kind] == self.actions:
            found = board_symmetries(rows, columns, passes=PASSES[kind])
        # Othello's first stones, as those of a handicap in Go, stay as they are in some of them only.
        start = self.observation().reshape(-1, rows * columns)
        kept = [symmetry for symmetry in found if np.array_equal(start[:, symmetry[0]], start)]
        return kept or [(np.arange(rows * columns), np.arange(self.actions))]


def _open_spiel() -> ModuleType:
    try:
        import pyspiel
    except ImportError:
        raise ValueError(
            f"Games {OPEN_SPIEL}... need the package open_spiel: pip install 'rewardware[openspiel]'"
        ) from None
    return pyspiel


def _load(pyspiel: ModuleType, name: str) -> Any:
    if not name.startswith(OPEN_SPIEL):
        raise ValueError(f"Name of a game of OpenSpiel must begin with {OPEN_SPIEL!r}, not {name!r}")
    text = name.removeprefix(OPEN_SPIEL)
    # OpenSpiel itself would print all names there are.
    if text.partition("(")[0] not in pyspiel.registered_names():
        raise ValueError(f"OpenSpiel has no game {text!r}: pyspiel.registered_names() lists those that it has")
    try:
        game = pyspiel.load_game(text)
        parameters = game.get_parameters()
        if "egocentric_obs_tensor" in parameters and "egocentric_obs_tensor" not in text:
            game = pyspiel.load_game(game.get_type().short_name, {**parameters, "egocentric_obs_tensor": True})
        game.new_initial_state()
    except RuntimeError as error:
        raise ValueError(f"Game {name} cannot be made: {error}") from error
    return game


def _check_kind(pyspiel: ModuleType, game: Any, name: str) -> None:
    kind, types = game.get_type(), pyspiel.GameType
    wanted = {
        "two players": game.num_players() == 2,
        "moves one after the other": kind.dynamics == types.Dynamics.SEQUENTIAL,
        "zero sum": kind.utility == types.Utility.ZERO_SUM,
        "no chance": kind.chance_mode == types.ChanceMode.DETERMINISTIC,
        "nothing hidden": kind.information == types.Information.PERFECT_INFORMATION,
        "an observation tensor": kind.provides_observation_tensor,
    }
    missing = [what for what, present in wanted.items() if not present]
    if missing:
        raise ValueError(f"Game {name} cannot be searched: it must have {' and '.join(missing)}")


def _plane_shape(game: Any) -> tuple[int, int, int]:
    """Channels, rows and columns of the observation tensor."""
    shape, parameters = game.observation_tensor_shape(), game.get_parameters()
    if game.get_type().short_name == "gomoku" and parameters["dims"] == 2:
        # A plane of it is a row of cells.
        return 3, parameters["size"], parameters["size"]
    if len(shape) == 1:
        return shape[0], 1, 1
    channels, rows, columns = (1,) * (3 - len(shape)) + tuple(shape)
    return channels, rows, columns
