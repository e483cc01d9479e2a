"""The cost of many workers to a search, as data: games, and ways to search with as many simulations."""

from dataclasses import dataclass

__all__ = ["ARMS", "GAMES", "SEEDS", "Arm", "Game"]

SEEDS = 8


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game of the experiment, and the length of its episodes.

    Parameters
    ----------
    name
        For people.
    env
        Environment.
    steps
        Most steps of an episode.
    options
        Options of `rewardware plan mcts`, for every arm.
    """

    name: str
    env: str
    steps: int
    options: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way to search.

    Parameters
    ----------
    name
        For people.
    options
        Options of `rewardware plan mcts`.
    """

    name: str
    options: tuple[str, ...]


SEARCH = ("--config", "f6-d16", "--simulations", "40")
GAMES = {
    "pong": Game(name="Pong", env="ALE/Pong-v5", steps=160, options=SEARCH),
    "carnival": Game(name="Carnival", env="ALE/Carnival-v5", steps=100, options=SEARCH),
}
# The first one is what the others are held against.
ARMS = {
    "sequential": Arm(name="1 worker", options=("--workers", "1")),
    "relaxed": Arm(name="8 workers, relaxed", options=("--workers", "8", "--schedule", "relaxed")),
    "synchronous": Arm(name="8 workers, synchronous", options=("--workers", "8", "--schedule", "synchronous")),
}
