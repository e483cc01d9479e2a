"""Pictures of training: learning curves, and how busy the engines were."""

from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ..core.pictures import save_figure

__all__ = ["plot_curves", "plot_learning_curve", "plot_shares", "plot_utilization"]


def _axes(title: str, x: str, y: str):
    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)
    return figure, axes


def plot_learning_curve(path: Path, records: list[dict[str, Any]], title: str, delay: int | None = None) -> None:
    """Returns of training episodes and means of evaluations over environment steps."""
    figure, axes = _axes(title, "environment step", "return")
    for kind, value, style in (("episode", "return", {"alpha": 0.35}), ("evaluation", "mean", {"marker": "o"})):
        points = [(record["step"], record[value]) for record in records if record["kind"] == kind]
        if points:
            axes.plot(*zip(*points, strict=True), label=kind, markersize=3, **style)
    if delay is not None:
        axes.axvline(delay, color="grey", linestyle="--", label="quantisation")
    if axes.has_data():
        axes.legend()
    save_figure(figure, path)


def plot_utilization(path: Path, counters: dict[str, Any], title: str) -> None:
    """Share of the cycles in which each engine works, and what else is a share of them."""
    busy = counters.get("utilization")
    if not busy:
        return
    figure, axes = _axes(title, "", "% of the cycles of training")
    bars = axes.bar(list(busy), [100 * share for share in busy.values()], color="#4878a8")
    axes.bar_label(bars, fmt="%.1f")
    axes.set_ylim(0, 110)
    save_figure(figure, path)


def plot_shares(path: Path, curves: dict[str, list[list[tuple[int, float]]]], title: str) -> None:
    """Shares, between 0 and 1, over iterations: as `plot_curves`."""
    figure, axes = _axes(title, "iteration", "%")
    _draw(axes, {name: [[(x, 100 * y) for x, y in run] for run in runs] for name, runs in curves.items()})
    axes.set_ylim(0, 100)
    figure.set_figheight(5)
    figure.legend(loc="outside lower center", ncols=3, fontsize="small")
    save_figure(figure, path)


def plot_curves(
    path: Path, curves: dict[str, list[list[tuple[int, float]]]], title: str, marks: dict[str, int]
) -> None:
    """Several runs a name (one a seed): their mean as a line, their span as a band.

    Parameters
    ----------
    path
        Of the PNG.
    curves
        For each name, for each seed, (step, return) in order.
    title
        Above the picture.
    marks
        Steps at which a dashed line stands, by its name.
    """
    figure, axes = _axes(title, "environment step", "mean return of evaluation episodes")
    _draw(axes, curves)
    for name, step in marks.items():
        axes.axvline(step, color="grey", linestyle="--", label=name)
    figure.set_figheight(5)
    figure.legend(loc="outside lower center", ncols=2, fontsize="small")
    save_figure(figure, path)


def _draw(axes, curves: dict[str, list[list[tuple[int, float]]]]) -> None:
    """Means as lines, spans as bands."""
    for name, seeds in curves.items():
        steps = [step for step, _ in min(seeds, key=len)]
        columns = list(zip(*([value for _, value in seed[: len(steps)]] for seed in seeds), strict=True))
        means = [sum(column) / len(column) for column in columns]
        (line,) = axes.plot(steps, means, label=name)
        lows, highs = [min(column) for column in columns], [max(column) for column in columns]
        axes.fill_between(steps, lows, highs, color=line.get_color(), alpha=0.15)
