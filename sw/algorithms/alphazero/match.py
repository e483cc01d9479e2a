"""Matches of two players: many games at once, with alternate colours and openings that differ."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...core.environments.board_environment import BoardEnvironment
from .players import Player, RandomPlayer

__all__ = ["MatchResult", "play_match", "wilson_interval"]

# Quantile of the normal distribution for intervals of 95 %.
QUANTILE = 1.959963984540054
OPENING_ATTEMPTS = 1000


@dataclass(frozen=True, kw_only=True)
class MatchResult:
    """A match, as the first of its players has it.

    Parameters
    ----------
    wins, draws, losses
        Games.
    """

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """All of them."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Share of points: 1 for a win, 1/2 for a draw."""
        return (self.wins + self.draws / 2) / self.games

    def summary(self) -> dict[str, Any]:
        """Counts, the score, and its Wilson interval of 95 %; plain data."""
        return {
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": self.score,
            "score_interval": list(wilson_interval(self.score, self.games)),
        }


def wilson_interval(share: float, count: int) -> tuple[float, float]:
    """Between which bounds a probability is, with 95 % confidence, of which a share was seen in so many trials.

    Draws, which count half, make it wider than it had to be: a score varies most where there are none.

    Source: E. B. Wilson, *Probable inference, the law of succession, and statistical inference*, 1927.
    """
    square = QUANTILE**2 / count
    middle = share + square / 2
    spread = math.sqrt(square * (share * (1 - share) + square / 4))
    # Rounding must not leave out the share itself, as at 0 and 1.
    return min((middle - spread) / (1 + square), share), max((middle + spread) / (1 + square), share)


def play_match(
    environment: BoardEnvironment,
    player: Player,
    opponent: Player,
    games: int,
    opening_moves: int,
    seed: int,
) -> MatchResult:
    """Play games, all at once.

    Games come in pairs that begin with the same random moves; in the first of a pair the player has the first turn, in
    the second one the opponent has.

    Parameters
    ----------
    environment
        Environment of the game. Its state is not kept.
    player, opponent
        Their moves are asked for many games at once.
    games
        How many.
    opening_moves
        Moves with which each game begins.
    seed
        Seed of the openings.

    Raises
    ------
    ValueError
        No games; openings so long that games end in them.
    """
    if games < 1:
        raise ValueError(f"A match must have at least one game, not {games}")
    openings = _openings(environment, -(-games // 2), opening_moves, seed)
    states: list[Any] = [openings[game // 2] for game in range(games)]
    # Points of the player so far; None: under way.
    ended = [False] * games
    points = [0.0] * games
    while not all(ended):
        for side, mover in ((0, player), (1, opponent)):
            own = [game for game in range(games) if not ended[game] and _side(environment, states[game], game) == side]
            for game, action in zip(own, mover.choose([states[game] for game in own]) if own else (), strict=True):
                environment.restore(states[game])
                reward, ended[game] = environment.step(action)
                points[game] += -reward if side else reward
                states[game] = environment.save()
    counts = [sum(sign * point > 0 for point in points) for sign in (1, -1)]
    return MatchResult(wins=counts[0], draws=games - sum(counts), losses=counts[1])


def _side(environment: BoardEnvironment, state: Any, game: int) -> int:
    """The side to move: 0, the player; 1, the opponent."""
    environment.restore(state)
    return environment.player() ^ (game & 1)


def _openings(environment: BoardEnvironment, count: int, moves: int, seed: int) -> Sequence[Any]:
    """So many states behind random moves, none of which ended a game; different ones, as long as there are any."""
    drawer, found = RandomPlayer(environment, seed), list[Any]()
    for _ in range(OPENING_ATTEMPTS * count):
        if len(found) == count:
            return found
        environment.reset(0)
        state, ended = environment.save(), False
        for _ in range(moves):
            (action,) = drawer.choose([state])
            environment.restore(state)
            _, ended = environment.step(action)
            if ended:
                break
            state = environment.save()
        if not ended:
            found.append(state)
    raise ValueError(f"Games of {environment.name} end within an opening of {moves} moves: make it shorter")
