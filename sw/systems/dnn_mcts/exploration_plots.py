"""Pictures of an exploration: time over the batch, as the source's figure 5.9, and over the workers."""

from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ...core.pictures import save_figure

__all__ = ["plot_batches", "plot_workers"]

MICROSECONDS = 1e6


def _axes(report: dict[str, Any], x: str) -> tuple[Figure, Any]:
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(
        title=f"{report['env']}, evaluator {report['evaluator']}, {report['simulations']} simulations",
        xlabel=x,
        ylabel="us per simulation",
    )
    axes.set_xscale("log", base=2)
    axes.grid(alpha=0.3)
    return figure, axes


def plot_batches(path: Path, report: dict[str, Any]) -> None:
    """The local tree's time over B: trials as points, the machine's model as a line, for each N."""
    figure, axes = _axes(report, "B, batch of the local tree")
    for one in report["workers"]:
        per = MICROSECONDS / one["workers"]
        model, trials = one["model"]["machine"], dict(sorted(one["trials"]["seconds"].items()))
        if not trials:
            continue
        (line,) = axes.plot([*model], [per * seconds for seconds in model.values()], alpha=0.5)
        color = line.get_color()
        label = f"N = {one['workers']}"
        axes.plot([*trials], [per * seconds for seconds in trials.values()], "o", color=color, label=label)
    if axes.has_data():
        axes.set_ylim(bottom=0)
        axes.legend(title="trials; lines: model")
    save_figure(figure, path)


def plot_workers(path: Path, report: dict[str, Any]) -> None:
    """Both schemes over N: measured as points, the machine's model as lines; what was chosen is ringed."""
    figure, axes = _axes(report, "N, workers")
    every = report["workers"]
    counts = [one["workers"] for one in every]
    for scheme, color in (("shared", "#2f5f8f"), ("local", "#c87848")):
        measured = [MICROSECONDS * one["seconds"][scheme] / one["workers"] for one in every]
        model = [MICROSECONDS * one["machine"][scheme] / one["workers"] for one in every]
        axes.plot(counts, measured, "o", color=color, label=f"{scheme} tree, measured")
        axes.plot(counts, model, color=color, alpha=0.5, label=f"{scheme} tree, model")
    chosen = [MICROSECONDS * one["seconds"][one["scheme"]] / one["workers"] for one in every]
    axes.plot(counts, chosen, "o", markersize=11, fillstyle="none", color="black", label="chosen")
    axes.set_ylim(bottom=0)
    axes.legend()
    save_figure(figure, path)
