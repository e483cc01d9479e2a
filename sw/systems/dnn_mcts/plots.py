"""Pictures of a run of AlphaZero: strength and games over the games played."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ...core.pictures import save_figure, say_empty
from ...core.plots import moving_average

__all__ = ["plot_games", "plot_strength"]

# By opponent.
COLOURS = {"rollouts": "#2f5f8f", "random": "#c87848", "perfect": "#5a8f5a"}


def plot_strength(path: Path, evaluations: list[dict[str, Any]], elo: Mapping[str, float], title: str) -> None:
    """Shares of points against each opponent with their intervals of 95 %, and ratings, over games."""
    figure, (scores, rating) = _figure(title)
    scores.set(ylabel="% of the points", ylim=(-3, 103))
    for name, colour in COLOURS.items():
        own = [record for record in evaluations if f"{name}_score" in record]
        if own:
            values = [100 * record[f"{name}_score"] for record in own]
            bounds = [
                [value - 100 * record[f"{name}_score_interval"][0] for value, record in zip(values, own, strict=True)],
                [100 * record[f"{name}_score_interval"][1] - value for value, record in zip(values, own, strict=True)],
            ]
            games = [record["game"] for record in own]
            scores.errorbar(games, values, bounds, color=colour, label=f"against {name}", marker="o", capsize=2)
    own_ratings = sorted((int(name), value) for name, value in elo.items() if name.isdecimal())
    if own_ratings:
        rating.plot(
            *zip(*own_ratings, strict=True), label="network and search", color="black", marker="o", markersize=3
        )
        for name, colour in COLOURS.items():
            if name in elo:
                rating.axhline(elo[name], label=name, color=colour, linestyle="--")
        rating.legend(fontsize="small")
        scores.legend(fontsize="small")
    else:
        for axes in (scores, rating):
            say_empty(axes, "Nothing was evaluated")
    rating.set(xlabel="game", ylabel="Elo")
    save_figure(figure, path)


def plot_games(path: Path, games: list[dict[str, Any]], title: str) -> None:
    """Moves of each game and their moving average, and moving shares of who won, over games."""
    figure, (lengths, outcomes) = _figure(title)
    if not games:
        for axes in (lengths, outcomes):
            say_empty(axes, "No game has ended")
        save_figure(figure, path)
        return
    points = [(record["game"], record["length"]) for record in games]
    lengths.plot(*zip(*points, strict=True), color="#9db4cc", linewidth=0, marker=".", markersize=3, label="game")
    lengths.plot(*zip(*moving_average(points), strict=True), color="#2f5f8f", label="mean of the last games")
    lengths.set(ylabel="moves")
    for label, sign in (("who began won", 1), ("drawn", 0), ("the other won", -1)):
        won = [(r["game"], 100 * ((r["outcome"] > 0) - (r["outcome"] < 0) == sign)) for r in games]
        outcomes.plot(*zip(*moving_average(won, 100), strict=True), label=label)
    outcomes.set(xlabel="game", ylabel="% of the last 100 games", ylim=(-3, 103))
    for axes in (lengths, outcomes):
        axes.legend(fontsize="small")
    save_figure(figure, path)


def _figure(title: str) -> tuple[Figure, Any]:
    figure = Figure(figsize=(7, 6), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize="medium")
    rows = figure.subplots(2, 1, sharex=True)
    for axes in rows:
        axes.grid(alpha=0.3)
    return figure, rows
