"""Picture of a schedule."""

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ...core.pictures import save_figure
from .composer import Composition
from .task_graph import TaskKind

__all__ = ["plot_schedule"]

_COLOURS = {TaskKind.REPLAY: "#c87848", TaskKind.LEARNER: "#4878a8"}
# Bars shorter than this share of the iteration have no room for a name.
_NARROW = 0.045


def plot_schedule(path: Path, composition: Composition, title: str) -> None:
    """A row for each device, a bar for each task, an arrow for each transfer between devices."""
    problem, schedule = composition.problem, composition.schedule
    kinds, rows = problem.graph.kinds, {device: row for row, device in enumerate(problem.devices)}
    figure = Figure(figsize=(11, 1.6 + 0.9 * len(rows)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    placed = {task.task: task for task in schedule.tasks}
    for number, task in enumerate(schedule.tasks):
        start, length = 1e6 * task.start, 1e6 * (task.finish - task.start)
        colour = _COLOURS[kinds[task.task]]
        axes.barh(rows[task.device], length, left=start, height=0.5, color=colour, edgecolor="white")
        narrow = length < _NARROW * 1e6 * schedule.makespan * len(task.task) / 8
        # Names of neighbours that have no room stand at different heights above their bars.
        height = rows[task.device] - (0.3 + 0.12 * (number % 2) if narrow else 0)
        axes.annotate(
            task.task,
            (start + length / 2, height),
            ha="left" if narrow else "center",
            va="bottom" if narrow else "center",
            rotation=20 if narrow else 0,
            color="black" if narrow else "white",
            fontsize=7,
        )
    for edge in problem.graph.edges:
        source, target = placed[edge.source], placed[edge.target]
        if source.device != target.device:
            arrival = source.finish + problem.platform.transfer(edge.bytes, source.device, target.device)
            axes.annotate(
                "",
                (1e6 * arrival, rows[target.device]),
                (1e6 * source.finish, rows[source.device]),
                arrowprops={"arrowstyle": "->", "color": "grey", "alpha": 0.6, "linewidth": 0.8},
            )
    axes.set(title=title, xlabel="microseconds", yticks=list(rows.values()), ylim=(len(rows) - 0.5, -0.9))
    axes.set_yticklabels(list(rows))
    axes.grid(alpha=0.3, axis="x")
    save_figure(figure, path)
