"""Plots of figures over releases."""

import pytest
from matplotlib.image import imread

from rewardware.sw.systems import figure_plots
from rewardware.sw.systems.figure_plots import PLOTS, plot_releases

ROWS = [
    {"system": "pearl", "id": "sample", "unit": "cycles", "kind": "counted", "values": [4, 3]},
    {"system": "pearl", "id": "update", "unit": "cycles", "kind": "counted", "values": [None, 5]},
    {"system": "mcts", "id": "waits", "unit": "cycles", "kind": "counted", "values": [0, 1]},
    {"system": "pearl", "id": "speed", "unit": "cycles/s", "kind": "measured", "values": [7, 8]},
    {"system": "pearl", "id": "speed_long", "unit": "k cycles/s", "kind": "measured", "values": [7, 8]},
    {"system": "pearl", "id": "lut", "unit": "LUT6", "kind": "synthesised", "values": [9, 8]},
    {"system": "cores", "id": "selector", "unit": "LUT6", "kind": "synthesised", "values": [9, 8]},
    {"system": "fixar", "id": "clock", "unit": "MHz", "kind": "placed", "values": [60.0, None]},
]


@pytest.fixture
def figures(monkeypatch):
    """Figures that are drawn, before they are pictures."""
    drawn = {}
    save = figure_plots.save_figure
    monkeypatch.setattr(
        figure_plots, "save_figure", lambda figure, path: (drawn.update({path.stem: figure}), save(figure, path))
    )
    return drawn


def test_every_quantity_has_a_picture(figures, tmp_path):
    paths = plot_releases(tmp_path, {"versions": ["1", "2"], "rows": ROWS})
    assert {path.stem for path in paths} == set(PLOTS)
    assert all(imread(path).shape[1] == 960 for path in paths)
    pearl, mcts = figures["cycles"].axes
    assert [line.get_label() for line in pearl.lines] == ["sample", "update"]
    assert list(pearl.lines[0].get_ydata()) == [4, 3]
    assert [(axes.get_title(), axes.get_ylabel()) for axes in (pearl, mcts)] == [
        ("pearl", "cycles"),
        ("mcts", "cycles"),
    ]
    assert [text.get_text() for text in pearl.get_xticklabels()] == ["1", "2"]
    assert [axes.get_ylabel() for axes in figures["simulation"].axes] == ["cycles/s", "k cycles/s"]
    # Not of each core of the catalogue.
    assert [axes.get_title() for axes in figures["lut"].axes] == ["pearl"]
    # A logarithm has no place for 0.
    assert (pearl.get_yscale(), mcts.get_yscale()) == ("log", "linear")
    assert [text.get_text() for text in figures["suite"].axes[0].texts] == ["None of these releases has such a figure"]
