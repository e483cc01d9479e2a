"""Games of the Arcade Learning Environment."""

import gymnasium

__all__ = ["ARCADE", "register_games"]

# What their identifiers begin with.
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
