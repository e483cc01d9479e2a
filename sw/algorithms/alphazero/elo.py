"""Ratings of players by the games that they played (Elo)."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from .match import MatchResult, wilson_interval

__all__ = ["elo_difference", "elo_interval", "elo_ratings"]

# Points for which the odds are ten to one, of natural logarithms of odds.
SCALE = 400 / math.log(10)
MOST_STEPS = 100


def elo_difference(score: float) -> float:
    """The points by which a player is above another, by the score against that one; infinite for scores of 0 and 1."""
    if score in (0.0, 1.0):
        return math.copysign(math.inf, score - 0.5)
    return SCALE * math.log(score / (1 - score))


def elo_interval(result: MatchResult) -> tuple[float, float]:
    """The difference at the bounds of the score's Wilson interval of 95 %."""
    low, high = wilson_interval(result.score, result.games)
    return elo_difference(low), elo_difference(high)


def elo_ratings(matches: Iterable[tuple[str, str, MatchResult]], anchor: str) -> Mapping[str, float]:
    """Ratings under which all results together are likeliest (Bradley and Terry), a draw being half a win.

    Each pair that has played is given one draw more: so whoever has won all games also has a rating, and one that grows
    with the games that were won.

    Parameters
    ----------
    matches
        Player, opponent, and how it went.
    anchor
        Player whose rating is 0.

    Raises
    ------
    ValueError
        The anchor has not played; players who are not connected with it by games.

    Source: R. A. Bradley, M. E. Terry, *Rank analysis of incomplete block designs*, 1952.
    """
    played = list(matches)
    names = sorted({name for first, second, _ in played for name in (first, second)})
    if anchor not in names:
        raise ValueError(f"{anchor!r} has not played: it cannot be the rating of 0")
    index = {name: number for number, name in enumerate(names)}
    points, games = np.zeros(len(names)), np.zeros((len(names), len(names)))
    pairs = {frozenset((first, second)) for first, second, _ in played}
    for one, other in sorted(map(sorted, pairs)):
        played.append((one, other, MatchResult(wins=0, draws=1, losses=0)))
    for first, second, result in played:
        row, column = index[first], index[second]
        points[row] += result.score * result.games
        points[column] += (1 - result.score) * result.games
        games[row, column] += result.games
        games[column, row] += result.games
    free = np.array([number for name, number in index.items() if name != anchor], int)
    ratings = np.zeros(len(names))
    for _ in range(MOST_STEPS):
        expected = 1 / (1 + np.exp(ratings[np.newaxis] - ratings[:, np.newaxis]))
        slopes = games * expected * (1 - expected)
        curvature = np.diag(slopes.sum(axis=1)) - slopes
        try:
            step = np.linalg.solve(curvature[np.ix_(free, free)], (points - (games * expected).sum(axis=1))[free])
        except np.linalg.LinAlgError:
            raise ValueError(f"All players must be connected with {anchor!r} by games") from None
        # Newton's step, shortened where the logistic function is flat.
        ratings[free] += step / max(1.0, np.abs(step).max())
        if np.abs(step).max(initial=0) < 1e-12:
            break
    return {name: float(SCALE * ratings[index[name]]) for name in names}
