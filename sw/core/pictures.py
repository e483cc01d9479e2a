"""Pictures as files."""

from pathlib import Path

from matplotlib.figure import Figure

from ...hw.soc.written_file import writing

__all__ = ["save_figure"]


def save_figure(figure: Figure, path: Path) -> None:
    """Write a picture as PNG.

    Raises
    ------
    WriteError
        It cannot be written.
    """
    with writing(path):
        figure.savefig(path, dpi=120, format="png")
