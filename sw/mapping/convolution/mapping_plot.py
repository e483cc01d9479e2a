"""Picture of a mapped network."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ...core.pictures import save_figure

__all__ = ["plot_mapping"]

_COLOURS = {"im2col": "#4878a8", "kn2row": "#c87848", "winograd": "#689868"}
_TRANSFERS = {"loading": "#b8b8b8", "storing": "#888888"}


def plot_mapping(path: Path, content: Mapping[str, Any]) -> None:
    """A bar for each layer: computing in the colour of its algorithm, with the dataflow in it, then its transfers.

    Parameters
    ----------
    path : Path
        Path of the PNG.
    content : dict
        Result of :func:`.report`.
    """
    layers = content["layers"]
    figure = Figure(figsize=(9, 1.5 + 0.16 * len(layers)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    left = [0.0] * len(layers)
    # Each algorithm once in the legend.
    labels = {layer["algorithm"]: f"computing, {layer['algorithm']}" for layer in layers}
    for row, layer in enumerate(layers):
        colour, label = _COLOURS[layer["algorithm"].partition("-")[0]], labels.pop(layer["algorithm"], None)
        seconds = 1e6 * layer["computing"]
        axes.barh(row, seconds, color=colour, label=label)
        axes.annotate(layer["dataflow"], (0, row), (2, 0), textcoords="offset points", va="center", fontsize=5)
        left[row] = seconds
    for name, colour in _TRANSFERS.items():
        widths = [1e6 * layer[name] for layer in layers]
        axes.barh(range(len(layers)), widths, left=left, color=colour, label=name)
        left = [before + width for before, width in zip(left, widths, strict=True)]
    rows, columns = content["array"]
    title = f"{content['network']} on {rows} x {columns}: {1e3 * content['seconds']:.3f} ms"
    axes.set(title=title, xlabel="microseconds", yticks=range(len(layers)), ylim=(len(layers) - 0.4, -0.6))
    axes.set_yticklabels([layer["name"] for layer in layers], fontsize=6)
    axes.grid(alpha=0.3, axis="x")
    axes.legend(fontsize="small")
    save_figure(figure, path)
