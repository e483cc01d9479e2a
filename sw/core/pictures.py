"""Pictures as files."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...hw.soc.written_file import writing

__all__ = ["save_figure", "say_empty"]


def save_figure(figure: Figure, path: Path) -> None:
    """Write a picture as PNG.

    Raises
    ------
    WriteError
        It cannot be written.
    """
    with writing(path):
        figure.savefig(path, dpi=120, format="png")


def say_empty(axes: Axes, why: str) -> None:
    """In the place of curves that there are not: why."""
    axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", color="grey", wrap=True)
    axes.set(xticks=[], yticks=[])
