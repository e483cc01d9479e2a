"""Games of the Arcade Learning Environment."""

import dataclasses

import gymnasium
from gymnasium.envs.registration import EnvSpec

__all__ = ["ARCADE", "find_game", "register_games"]

# Prefix of their identifiers.
ARCADE = "ALE/"


def register_games() -> None:
    """Make the games known to Gymnasium, and the emulator silent.

    Raises
    ------
    ValueError
        Package ale-py is missing.
    """
    try:
        import ale_py
    except ImportError:
        raise ValueError("Games of the ALE need the package ale-py: pip install 'rewardware[atari]'") from None
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    gymnasium.register_envs(ale_py)


def find_game(identifier: str) -> EnvSpec | str:
    """Find the specification from which ``gymnasium.make`` makes an :class:`.arcade_game.ArcadeGame`.

    Where no game has just this identifier it is given back: Gymnasium finds the newest version of a game, or says that
    there is none.

    Raises
    ------
    ValueError
        As of :func:`register_games`.
    """
    register_games()
    specification = gymnasium.registry.get(identifier)
    if specification is None:
        return identifier
    return dataclasses.replace(specification, entry_point=f"{__package__}.arcade_game:ArcadeGame")
