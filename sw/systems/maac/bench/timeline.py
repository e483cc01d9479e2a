"""When host, link and accelerator work in an iteration of MAAC: the paper's figure 5."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .....hw.cores.learner.learner_records import ROW_WIDTH
from .....hw.cores.learner.maac_learner_config import MAACLearnerConfig
from ....core.pictures import save_figure
from .throughput import HostTimes

__all__ = ["Bar", "Timeline", "describe", "make_timeline", "plot_timeline"]

_COLOURS = {"simulation thread": "#78a848", "training thread": "#4878a8", "link": "#989898", "accelerator": "#c87848"}
# Bars shorter than this share of the picture have no room for a name.
_NARROW = 0.08


@dataclass(frozen=True)
class Bar:
    """A task.

    Parameters
    ----------
    place, task : str
    start, seconds : float
    """

    place: str
    task: str
    start: float
    seconds: float

    @property
    def end(self) -> float:
        """When it is done."""
        return self.start + self.seconds


@dataclass(frozen=True)
class Timeline:
    """Tasks of two iterations that follow each other, and how long one takes.

    Parameters
    ----------
    bars : tuple of Bar
    iteration : float
        Seconds, of equation 6: the longer of host and accelerator.
    """

    bars: tuple[Bar, ...]
    iteration: float


def make_timeline(
    learner: MAACLearnerConfig, host: HostTimes, cycles: int, *, batch: int, mhz: float, link_rate: float
) -> Timeline:
    """The iteration of section III-A: the accelerator updates while the host plays and does the policies' part.

    Parameters
    ----------
    learner
        The accelerator's.
    host
        Measured on this machine.
    cycles : int
        Cycles of an update.
    batch : int
        Experiences.
    mhz : float
        Clock of the accelerator.
    link_rate : float
        Bytes a second, each way.
    """
    row = ROW_WIDTH // 8
    there, back = (rows * batch * row / link_rate for rows in (learner.sample_rows, learner.result_rows))
    layers = learner.agents.policy.layers
    policies = sum(layer.parameter_sets * layer.rows * layer.outputs for layer in layers) * row / link_rate
    update = cycles / (1e6 * mhz)
    iteration = max(host.collection + host.backward, update)
    bars: list[Bar] = []
    for number in range(2):
        start = number * iteration
        first = Bar("link", "experiences", start, there)
        # Rows are worked on as they come, and results leave as they are made: the last of them after the update.
        bars += [
            first,
            Bar("accelerator", "critics' update, policies forward", start, update),
            Bar("link", "activations, values", start + max(0.0, update - back), back),
            Bar("simulation thread", "data collection", start, host.collection),
            # The host works on the update before, whose results are there.
            Bar("training thread", "policies backward", start + host.collection, host.backward),
            Bar("link", "policies", start + host.collection + host.backward, policies),
        ]
    return Timeline(bars=tuple(bars), iteration=iteration)


def plot_timeline(path: Path, timeline: Timeline, title: str) -> None:
    """A row for each place, a bar for each task."""
    rows = {place: row for row, place in enumerate(_COLOURS)}
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    end = max(bar.end for bar in timeline.bars)
    for bar in timeline.bars:
        row = rows[bar.place]
        axes.barh(
            row, 1e3 * bar.seconds, left=1e3 * bar.start, height=0.5, color=_COLOURS[bar.place], edgecolor="white"
        )
        if bar.seconds > _NARROW * end:
            middle = 1e3 * (bar.start + bar.seconds / 2)
            axes.annotate(bar.task, (middle, row), ha="center", va="center", color="white", fontsize=7)
    for number in range(1, 3):
        axes.axvline(1e3 * number * timeline.iteration, color="black", linewidth=0.8, alpha=0.6)
    axes.set(title=title, xlabel="milliseconds", yticks=list(rows.values()), ylim=(len(rows) - 0.5, -0.5))
    axes.set_yticklabels(list(rows))
    axes.grid(alpha=0.3, axis="x")
    save_figure(figure, path)


def describe(timeline: Timeline) -> list[dict[str, Any]]:
    """The bars as plain data."""
    return [vars(bar) for bar in timeline.bars]
