"""One way to make an environment for a search."""

from collections.abc import Callable
from typing import Any

import gymnasium

from .arcade import ARCADE
from .board_environment import BoardEnvironment
from .board_game import BOARD_GAME_NAMES, BOARD_GAMES, BoardGame
from .gymnasium_environment import KEPT, AtariEnvironment, ClassicControlEnvironment
from .make_environment import make_environment
from .open_spiel_game import OPEN_SPIEL, OpenSpielGame
from .petting_zoo_game import PETTING_ZOO, PettingZooGame
from .state_environment import StateEnvironment

__all__ = ["board_environment", "state_environment"]

BOARDS = f"{BOARD_GAME_NAMES}, {OPEN_SPIEL}GAME and {PETTING_ZOO}GAME"


def state_environment(source: str | gymnasium.Env | StateEnvironment, **options: Any) -> StateEnvironment:
    """An environment that can save and restore its state.

    Parameters
    ----------
    source : str, gymnasium.Env or StateEnvironment
        ``"tic-tac-toe"``, ``"connect-four"``, ``"gomoku"``, ``"gomoku-9"``; a game of OpenSpiel, as
        ``"openspiel:othello"`` (:class:`.open_spiel_game.OpenSpielGame`), or of PettingZoo, as
        ``"pettingzoo:go_v5(board_size=9)"`` (:class:`.petting_zoo_game.PettingZooGame`); the identifier of a game of
        the ALE, of CartPole, Acrobot or MountainCar; such an environment made by :func:`gymnasium.make`; or one's own,
        which is given back.
    options
        For :func:`gymnasium.make`.

    Raises
    ------
    ValueError
        There is no such environment, its state cannot be saved and restored, or it takes no options.
    """
    if options and (not isinstance(source, str) or _board_game(source)):
        raise ValueError(f"Options are for environments that gymnasium.make makes, not for {source}: {options}")
    if isinstance(source, str):
        if board := _board_game(source):
            return board(source)
        source = _make(source, options)
    if not isinstance(source, gymnasium.Env):
        if isinstance(source, StateEnvironment):
            return source
    elif hasattr(source.unwrapped, "ale"):
        return AtariEnvironment(source)
    elif type(source.unwrapped) in KEPT:
        return ClassicControlEnvironment(source)
    name = source.spec.id if isinstance(source, gymnasium.Env) and source.spec is not None else repr(source)
    raise ValueError(
        f"Environment {name} cannot be searched: its state cannot be saved and restored. There are adapters for games "
        f"of the ALE, {', '.join(kind.__name__.removesuffix('Env') for kind in KEPT)}, {BOARDS}; "
        "others must have the methods of StateEnvironment"
    )


def board_environment(source: str | BoardEnvironment) -> BoardEnvironment:
    """An environment that a search can be guided in by a network, which sees its planes.

    Parameters
    ----------
    source : str or BoardEnvironment
        A name of a game as :func:`state_environment` takes it, or one's own environment, which is given back.

    Raises
    ------
    ValueError
        There is no such environment, or it has no planes.
    """
    environment = state_environment(source)
    if not isinstance(environment, BoardEnvironment):
        raise ValueError(
            f"Environment {environment.name} has no planes for a network. Those that have are {BOARDS}; others must "
            "have the methods of BoardEnvironment"
        )
    return environment


def _board_game(name: str) -> Callable[[str], BoardEnvironment] | None:
    """The class that makes the game of a name, if it is one of a board."""
    if name in BOARD_GAMES:
        return BoardGame
    if name.startswith(OPEN_SPIEL):
        return OpenSpielGame
    return PettingZooGame if name.startswith(PETTING_ZOO) else None


def _make(name: str, options: dict[str, Any]) -> gymnasium.Env:
    # Nobody looks at the screen, and memory comes at no cost.
    return make_environment(name, **{**({"obs_type": "ram"} if name.startswith(ARCADE) else {}), **options})
