"""Pictures of training: what is in them, and what an empty one says."""

import matplotlib.image
import matplotlib.text
import numpy as np
import pytest
from matplotlib.figure import Figure

from rewardware.sw.core.plots import moving_average, plot_curves, plot_learning_curve, plot_shares, plot_statistics
from rewardware.sw.core.statistics import numbers_of
from rewardware.sw.systems.mcts.plots import plot_groups, plot_intervals, plot_returns, plot_shapes

EPISODES = [{"kind": "episode", "step": 10 * number, "return": float(number % 7), "length": 10} for number in range(60)]
EVALUATIONS = [{"kind": "evaluation", "step": 100 * number, "mean": 1.0 * number} for number in range(1, 6)]


@pytest.fixture
def drawn(monkeypatch):
    """Figures that were saved."""
    found: list[Figure] = []
    save = Figure.savefig

    def keep(figure, path, **options):
        found.append(figure)
        save(figure, path, **options)

    monkeypatch.setattr(Figure, "savefig", keep)
    return found


def texts(figure: Figure) -> str:
    found = [text.get_text() for text in figure.findobj(matplotlib.text.Text)]
    return "\n".join(text for text in found if text)


def curves(axes) -> dict[str, list[tuple[float, float]]]:
    return {line.get_label(): [tuple(point) for point in line.get_xydata().tolist()] for line in axes.get_lines()}


def test_a_moving_average_is_of_those_before():
    assert moving_average([(1, 2.0), (2, 4.0), (3, 9.0)], 2) == [(1, 2.0), (2, 3.0), (3, 6.5)]
    points = list(enumerate(np.random.default_rng(0).normal(size=50).tolist()))
    for step, value in moving_average(points, 20):
        assert value == pytest.approx(np.mean([other for _, other in points[max(step - 19, 0) : step + 1]]))


def test_a_learning_curve_has_episodes_and_their_average(tmp_path, drawn):
    plot_learning_curve(tmp_path / "curve.png", [*EPISODES, *EVALUATIONS], "Pendulum", delay=300)
    found = curves(drawn[0].axes[0])
    assert found["episode"] == [(record["step"], record["return"]) for record in EPISODES]
    assert found["mean of the last 20 episodes"][-1] == (590, pytest.approx(sum(n % 7 for n in range(40, 60)) / 20))
    assert found["evaluation"][0] == (100, 1) and "quantisation" in found
    assert matplotlib.image.imread(tmp_path / "curve.png").shape[:2] == (480, 840)


def test_statistics_have_a_panel_for_each_kind(tmp_path, drawn):
    told = [
        {
            "step": step,
            "error": 1 / step,
            "loss": 2 / step,
            "q": step / 100,
            "train_steps": step - 50,
            "train_cycles": 900 * (step - 50) + (step > 200) * 100 * (step - 200),
            "weight_saturations": step // 100,
            "gradient_saturations": 0,
            "utilization/matrix engine": 0.5,
        }
        for step in (100, 200, 300, 400)
    ]
    plot_statistics(tmp_path / "statistics.png", told, "Pendulum, rtl, seed 0", "step")
    (figure,) = drawn
    panels = {axes.get_ylabel(): curves(axes) for axes in figure.axes}
    busy = "% of all cycles so far"
    assert [*panels] == ["error", "loss", "Q value", "saturations a step", "cycles", busy]
    assert panels["Q value"] == {"mean Q value of the batch": [(100, 1), (200, 2), (300, 3), (400, 4)]}
    assert panels["cycles"] == {"of a training step": [(100, 900), (200, 900), (300, 1000), (400, 1000)]}
    assert panels["saturations a step"]["weight"] == [(step, 0.01) for step in (100, 200, 300, 400)]
    assert panels["saturations a step"]["gradient"] == [(step, 0) for step in (100, 200, 300, 400)]
    assert panels[busy] == {"matrix engine": [(step, 50) for step in (100, 200, 300, 400)]}
    assert "Pendulum, rtl, seed 0" in texts(figure)


def test_counts_that_begin_anew_leave_a_gap(tmp_path, drawn):
    counts = [(100, 10, 1000), (200, 20, 3000), (300, 5, 600), (400, 15, 1600)]
    told = [{"step": step, "train_steps": done, "train_cycles": cycles} for step, done, cycles in counts]
    plot_statistics(tmp_path / "statistics.png", told, "title", "step")
    assert curves(drawn[0].axes[0])["of a training step"] == [(100, 100), (200, 200), (400, 100)]


def test_numbers_of_counters_are_plain():
    counters = {"train_steps": 3, "cycles_from": "RTL", "utilization": {"matrix engine": 0.5}, "held": True}
    assert numbers_of(counters) == {"train_steps": 3, "utilization/matrix engine": 0.5}


def test_arms_say_how_many_seeds_they_have(tmp_path, drawn):
    runs = [[(0, 0.0), (10, 1.0)], [(0, 0.5), (10, 0.5), (20, 1.0)]]
    plot_curves(tmp_path / "curves.png", {"32 bits": runs, "16 bits": runs[:1]}, "Pendulum", {"quantised": 5})
    plot_shares(tmp_path / "shares.png", {"4 groups": runs}, "success", of_seeds=True)
    plot_shares(tmp_path / "alone.png", {"success": runs[:1]}, "one run")
    assert [*curves(drawn[0].axes[0])] == ["32 bits (2 seeds)", "16 bits (1 seed)", "quantised"]
    assert curves(drawn[0].axes[0])["32 bits (2 seeds)"] == [(0, 0.25), (10, 0.75)]
    assert [*curves(drawn[1].axes[0])] == ["4 groups (2 seeds)"] and [*curves(drawn[2].axes[0])] == ["success"]
    plot_groups(tmp_path / "groups.png", {"Pong": {"8 workers": {"0": 1.0, "1": 2.0}}}, "return")
    assert "8 workers\n(2 seeds)" in texts(drawn[3])


@pytest.mark.parametrize(
    ("draw", "why"),
    [
        (lambda path: plot_learning_curve(path, [], "title", 10), "No episode has ended, and nothing was evaluated"),
        (lambda path: plot_statistics(path, [], "title", "step"), "No statistics: nothing was learned"),
        (
            lambda path: plot_statistics(path, [{"step": 1, "return": 2}], "title", "step"),
            "This backend says no losses, values or counts",
        ),
        (lambda path: plot_curves(path, {}, "title", {"mark": 3}), "No run has come far enough for a point"),
        (lambda path: plot_curves(path, {"arm": [[]]}, "title", {}), "No run has come far enough for a point"),
        (lambda path: plot_shares(path, {"success": [[]]}, "title"), "No run has come far enough for a point"),
        (lambda path: plot_returns(path, [], "title"), "No step was played"),
        (lambda path: plot_intervals(path, [], "title"), "No step has a measured interval"),
        (lambda path: plot_shapes(path, [], "title"), "No step was played"),
    ],
)
def test_an_empty_picture_says_why(draw, why, tmp_path, drawn):
    draw(tmp_path / "empty.png")
    assert why in texts(drawn[0])
    assert (tmp_path / "empty.png").stat().st_size > 3_000
