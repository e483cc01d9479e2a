"""Pictures of training: learning curves, and what was counted over time."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .pictures import save_figure, say_empty
from .statistics import UTILIZATION

__all__ = ["plot_choices", "plot_curves", "plot_learning_curve", "plot_shares", "plot_statistics"]

# Episodes of the moving average.
WINDOW = 20
# Cycles of what, and how often that was done; both are counted from the beginning.
CYCLES = {
    "training step": ("train_cycles", "train_steps"),
    "iteration": ("measured_cycles", "measured_iterations"),
    "batch of samples": ("sample_cycles", "gradient_steps"),
    "batch of updates": ("update_cycles", "gradient_steps"),
    "gradient step": ("step_cycles", "gradient_steps"),
}
SATURATIONS = "saturations"

Curve = list[tuple[int, float]]


def _axes(title: str, x: str, y: str) -> tuple[Figure, Any]:
    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)
    return figure, axes


def moving_average(points: Curve, window: int = WINDOW) -> Curve:
    """Mean of each point and those before it, of ``window`` at most."""
    values, found = [value for _, value in points], []
    for number, (step, _) in enumerate(points, 1):
        last = values[max(number - window, 0) : number]
        found.append((step, sum(last) / len(last)))
    return found


def plot_learning_curve(path: Path, records: list[dict[str, Any]], title: str, delay: int | None = None) -> None:
    """Returns of training episodes, each and their moving average, and means of evaluations over environment steps."""
    figure, axes = _axes(title, "environment step", "return")
    episodes = [(record["step"], record["return"]) for record in records if record["kind"] == "episode"]
    evaluations = [(record["step"], record["mean"]) for record in records if record["kind"] == "evaluation"]
    if episodes:
        _line(axes, episodes, label="episode", color="#9db4cc", linewidth=0.8, marker=".", markersize=2)
    if len(episodes) > 1:
        label = f"mean of the last {min(WINDOW, len(episodes))} episodes"
        _line(axes, moving_average(episodes), label=label, color="#2f5f8f")
    if evaluations:
        _line(axes, evaluations, label="evaluation", color="#c87848", marker="o", markersize=3)
    if not axes.has_data():
        say_empty(axes, "No episode has ended, and nothing was evaluated")
    else:
        if delay is not None:
            axes.axvline(delay, color="grey", linestyle="--", label="quantisation")
        axes.legend()
    save_figure(figure, path)


def _line(axes: Any, points: Curve, **style: Any) -> None:
    axes.plot(*zip(*points, strict=True), **style)


def plot_statistics(path: Path, records: Sequence[dict[str, Any]], title: str, unit: str) -> None:
    """Plot the course of training, a panel for each kind there is: errors and losses, Q values, entropy, saturations,
    cycles, and how busy the engines were.

    Parameters
    ----------
    path
        Path of the PNG.
    records
        With numbers by name, in order.
    title
        Above the picture.
    unit
        Quantity that the records count, by its name in them.
    """
    panels = _panels(records, unit)
    figure = Figure(figsize=(7, 1 + 2 * max(len(panels), 1)), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize="medium")
    if panels:
        rows = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (label, curves) in zip(rows, panels.items(), strict=True):
            for name, points in curves.items():
                # A single point is no line.
                _line(axes, points, label=name, linewidth=1, marker="." if len(points) == 1 else None)
            axes.set_ylabel(label)
            axes.grid(alpha=0.3)
            if [*curves] != [label]:
                axes.legend(fontsize="x-small")
        rows[-1].set_xlabel(unit)
    else:
        off = "No statistics: nothing was learned, or they are off (--statistics-every 0)"
        say_empty(figure.add_subplot(), "This backend says no losses, values or counts" if records else off)
    save_figure(figure, path)


def _panels(records: Sequence[dict[str, Any]], unit: str) -> dict[str, dict[str, Curve]]:
    """Curves by panel, then by name; without those of which there is nothing."""

    def values(name: str, factor: float = 1.0) -> Curve:
        return [(record[unit], factor * record[name]) for record in records if name in record]

    names = list(dict.fromkeys(name for record in records for name in record))
    saturating = [name for name in names if name.endswith(SATURATIONS)]
    busy = [name for name in names if name.startswith(UTILIZATION)]
    panels = {
        "error": {"mean TD error": values("error")},
        "loss": {"loss": values("loss")},
        "critic loss": {"critic loss": values("critic_loss")},
        "policy loss": {"policy loss": values("policy_loss")},
        "value loss": {"value loss": values("value_loss")},
        "Q value": {"mean Q value of the batch": values("q")},
        "entropy": {"entropy": values("entropy")},
        "% of steps lost": {"weights whose step was lost in rounding": values("lost_updates", 100)},
        f"{SATURATIONS} a {unit}": {_plain(name): _rates(records, unit, name, unit) for name in saturating},
        "cycles": {f"of a {what}": _rates(records, unit, *pair) for what, pair in CYCLES.items()},
        "% of all cycles so far": {name.removeprefix(UTILIZATION): values(name, 100) for name in busy},
    }
    panels = {label: {name: curve for name, curve in curves.items() if curve} for label, curves in panels.items()}
    return {label: curves for label, curves in panels.items() if curves}


def _rates(records: Sequence[dict[str, Any]], unit: str, count: str, of: str) -> Curve:
    """How much one number rose from record to record for each that the other rose."""
    having = [record for record in records if count in record and of in record]
    found: Curve = []
    last = {count: 0, of: 0}
    for record in having:
        more, base = record[count] - last[count], record[of] - last[of]
        # A run that goes on elsewhere begins to count anew.
        if base > 0 and more >= 0:
            found.append((record[unit], more / base))
        last = record
    return found


def _plain(name: str) -> str:
    return name.removesuffix(f"_{SATURATIONS}").replace("_", " ")


def plot_shares(path: Path, curves: dict[str, list[Curve]], title: str, *, of_seeds: bool = False) -> None:
    """Shares, between 0 and 1, over iterations, as `plot_curves`; ``of_seeds``: the legend counts the runs."""
    figure, axes = _axes(title, "iteration", "%")
    scaled = {name: [[(x, 100 * y) for x, y in run] for run in runs] for name, runs in curves.items()}
    _draw(axes, _counted(scaled) if of_seeds else scaled)
    axes.set_ylim(0, 100)
    _finish(figure, axes, path, 3)


def plot_returns(path: Path, returns: Curve, title: str) -> None:
    """Mean returns over iterations, each and their moving average."""
    figure, axes = _axes(title, "iteration", "mean return")
    if returns:
        _line(axes, returns, label="iteration", color="#9db4cc", linewidth=0.8, marker=".", markersize=2)
    if len(returns) > 1:
        label = f"mean of the last {min(WINDOW, len(returns))} iterations"
        _line(axes, moving_average(returns), label=label, color="#2f5f8f")
    _finish(figure, axes, path, 2)


def plot_curves(
    path: Path, curves: dict[str, list[Curve]], title: str, marks: dict[str, int], axis: str = "environment step"
) -> None:
    """Several runs a name (one a seed): their mean as a line, their span as a band; the legend says how many.

    Parameters
    ----------
    path
        Path of the PNG.
    curves
        For each name, for each seed, (step, return) in order.
    title
        Above the picture.
    marks
        Steps at which a dashed line stands, by its name.
    axis
        What a step is.
    """
    figure, axes = _axes(title, axis, "mean return of evaluation episodes")
    _draw(axes, _counted(curves))
    if axes.has_data():
        for name, step in marks.items():
            axes.axvline(step, color="grey", linestyle="--", label=name)
    _finish(figure, axes, path, 2)


def plot_choices(
    path: Path, choices: Sequence[float], curves: dict[str, list[float]], title: str, axis: str, chosen: float
) -> None:
    """Plot the result of each choice, and mark the chosen one.

    Parameters
    ----------
    path
        Path of the PNG.
    choices
        Numbers along the axis.
    curves
        A value for each choice, by name.
    title, axis
        Above the picture and below it.
    chosen
        Where a dashed line stands.
    """
    figure, axes = _axes(title, axis, "")
    for name, values in curves.items():
        axes.plot(choices, values, label=name, marker=".")
    axes.axvline(chosen, color="grey", linestyle="--", label=f"chosen: {chosen:g}")
    axes.set_ylim(bottom=0)
    _finish(figure, axes, path, 3)


def _counted(curves: dict[str, list[Curve]]) -> dict[str, list[Curve]]:
    """The same, with the number of seeds in the names."""
    return {f"{name} ({len(runs)} seed{'s' * (len(runs) != 1)})": runs for name, runs in curves.items()}


def _finish(figure: Figure, axes: Any, path: Path, columns: int) -> None:
    figure.set_figheight(5)
    if axes.has_data():
        figure.legend(loc="outside lower center", ncols=columns, fontsize="small")
    else:
        say_empty(axes, "No run has come far enough for a point")
    save_figure(figure, path)


def _draw(axes: Any, curves: dict[str, list[Curve]]) -> None:
    """Means as lines, spans as bands."""
    for name, seeds in curves.items():
        steps = [step for step, _ in min(seeds, key=len, default=[])]
        if not steps:
            continue
        columns = list(zip(*([value for _, value in seed[: len(steps)]] for seed in seeds), strict=True))
        means = [sum(column) / len(column) for column in columns]
        (line,) = axes.plot(steps, means, label=name, marker="." if len(steps) == 1 else None)
        lows, highs = [min(column) for column in columns], [max(column) for column in columns]
        axes.fill_between(steps, lows, highs, color=line.get_color(), alpha=0.15)
