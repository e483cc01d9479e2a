"""One way to make an environment for a search."""

from typing import Any

import gymnasium

from .arcade import ARCADE
from .board_game import BOARD_GAME_NAMES, BOARD_GAMES, BoardGame
from .gymnasium_environment import KEPT, AtariEnvironment, ClassicControlEnvironment
from .make_environment import make_environment
from .state_environment import StateEnvironment

__all__ = ["state_environment"]


def state_environment(source: str | gymnasium.Env | StateEnvironment, **options: Any) -> StateEnvironment:
    """An environment that can save and restore its state.

    Parameters
    ----------
    source : str, gymnasium.Env or StateEnvironment
        ``"tic-tac-toe"``, ``"connect-four"``, ``"gomoku"``, ``"gomoku-9"``; the identifier of a game of the ALE, of
        CartPole, Acrobot or MountainCar; such an environment made by :func:`gymnasium.make`; or one's own, which is
        given back.
    options
        For :func:`gymnasium.make`.

    Raises
    ------
    ValueError
        There is no such environment, or its state cannot be saved and restored.
    """
    if isinstance(source, str):
        if source in BOARD_GAMES:
            return BoardGame(source)
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
        f"of the ALE, {', '.join(kind.__name__.removesuffix('Env') for kind in KEPT)}, {BOARD_GAME_NAMES}; "
        "others must have the methods of StateEnvironment"
    )


def _make(name: str, options: dict[str, Any]) -> gymnasium.Env:
    # What the screen shows is not looked at, and memory comes at no cost.
    return make_environment(name, **{**({"obs_type": "ram"} if name.startswith(ARCADE) else {}), **options})
