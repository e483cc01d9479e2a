"""Configurations on which the figures of searches guided by a network are measured."""

from dataclasses import dataclass

from .....hw.cores.checks import require_name

__all__ = ["CONFIGURATIONS", "BenchConfiguration", "configuration_of"]


@dataclass(frozen=True, kw_only=True)
class BenchConfiguration:
    """A configuration of the bench.

    Parameters
    ----------
    name : str
    env : str
        Game.
    peer_game : str
        The same, by OpenSpiel's name.
    simulations : int
        Playouts of a search.
    workers : tuple of int
        N, each by itself; the last is that of comparisons.
    evaluators : tuple of str
        By name; the first is that of comparisons.
    repeats : int
        Searches of each setting.
    trained_env : str
        Game that is learned, for the match.
    trained_games : int
        Games of self-play.
    match_games : int
    """

    name: str
    env: str
    peer_game: str
    simulations: int
    workers: tuple[int, ...]
    evaluators: tuple[str, ...]
    repeats: int
    trained_env: str
    trained_games: int
    match_games: int


# The source's game, playouts and network, on the processor; and times of accelerators, from transfers that take longer
# than a batch's computing to such that take less.
CONFIGURATIONS = {
    "paper": BenchConfiguration(
        name="paper",
        env="gomoku",
        peer_game="gomoku",
        simulations=1600,
        workers=(2, 4, 8, 16, 32),
        evaluators=("torch", "emulated:200,10", "emulated:100,50", "emulated:20,100"),
        repeats=5,
        trained_env="connect-four",
        trained_games=9000,
        match_games=200,
    ),
    "small": BenchConfiguration(
        name="small",
        env="gomoku-5",
        peer_game="gomoku(size=5)",
        simulations=40,
        workers=(2, 3),
        evaluators=("torch", "emulated:50,10"),
        repeats=1,
        trained_env="tic-tac-toe",
        trained_games=8,
        match_games=4,
    ),
}


def configuration_of(preset: str) -> BenchConfiguration:
    """A configuration by its name.

    Raises
    ------
    ValueError
        There is none of that name.
    """
    require_name("Configuration", preset, CONFIGURATIONS)
    return CONFIGURATIONS[preset]
