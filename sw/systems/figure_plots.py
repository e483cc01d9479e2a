"""Plots of figures over releases: cycles, resources, clocks, speed of simulators, time of the test suite."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ..core.pictures import save_figure, say_empty

__all__ = ["PLOTS", "plot_releases"]

# By the file's name: title, and the units of its figures.
PLOTS = {
    "cycles": ("Cycles of the RTL", ("cycles",)),
    "lut": ("LUT by Yosys", ("LUT", "LUT6", "LUT4")),
    "clock": ("Clock after placement and routing", ("MHz",)),
    "simulation": ("Simulation speed", ("cycles/s", "k cycles/s")),
    "suite": ("Time of the test suite", ("s",)),
}
# A panel has no room for a line for each core; the table of the comparison has them.
NOT_PLOTTED = "cores"


def plot_releases(folder: Path, content: Mapping[str, Any]) -> list[Path]:
    """Draw a picture for each of ``PLOTS``, a panel for each system and unit, a line for each figure.

    Cores that belong to no system are left out.

    Parameters
    ----------
    folder
        Where the pictures go, which exists.
    content
        Result of :func:`.figure_documents.comparison`.

    Raises
    ------
    WriteError
        A picture cannot be written.
    """
    paths = []
    for name, (title, units) in PLOTS.items():
        rows = [row for row in content["rows"] if row["unit"] in units and row["system"] != NOT_PLOTTED]
        paths.append(folder / f"{name}.png")
        save_figure(_plot(title, rows, content["versions"]), paths[-1])
    return paths


def _plot(title: str, rows: list[Mapping[str, Any]], versions: list[str]) -> Figure:
    panels: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        panels.setdefault((row["system"], row["unit"]), []).append(row)
    figure = Figure(figsize=(8, 0.8 + 2.4 * max(len(panels), 1)), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(f"{title} over releases")
    if not panels:
        say_empty(figure.add_subplot(), "None of these releases has such a figure")
        return figure
    places = range(len(versions))
    for axes, ((system, unit), figures) in zip(
        figure.subplots(len(panels), 1, squeeze=False)[:, 0], panels.items(), strict=True
    ):
        for row in figures:
            values = [float("nan") if value is None else value for value in row["values"]]
            axes.plot(places, values, marker="o", markersize=3, label=row["id"])
        if all(value is None or value > 0 for row in figures for value in row["values"]):
            axes.set_yscale("log")
        axes.set(title=system, ylabel=unit, xticks=places, xticklabels=versions)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1, 0.5), ncols=1 + len(figures) // 12)
    return figure
