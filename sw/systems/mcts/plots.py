"""Pictures of a search: returns, shapes of trees, a tree."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ...core.pictures import save_figure, say_empty
from .state_table import Node, StateTable

__all__ = ["draw_tree", "plot_groups", "plot_intervals", "plot_returns", "plot_shapes"]

# More than these cannot be told apart.
MOST_DRAWN = 600


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def plot_returns(path: Path, records: list[dict[str, Any]], title: str) -> None:
    """Sum of the rewards so far over steps, a line for each episode."""
    _plot_steps(path, records, title, "return", "return so far")


def plot_intervals(path: Path, records: list[dict[str, Any]], title: str) -> None:
    """Mean cycles between consecutive selections (Itv) over steps, a line for each episode; none where none came."""
    _plot_steps(path, records, title, "interval", "cycles between selections")


def _plot_steps(path: Path, records: list[dict[str, Any]], title: str, name: str, label: str) -> None:
    figure = _figure(7, 4)
    axes = figure.add_subplot()
    axes.set(title=title, xlabel="step", ylabel=label)
    axes.grid(alpha=0.3)
    steps = [record for record in records if record["kind"] == "step" and record[name] is not None]
    for episode in sorted({record["episode"] for record in steps}):
        own = [(record["step"], record[name]) for record in steps if record["episode"] == episode]
        axes.plot(*zip(*own, strict=True), label=f"episode {episode}", linewidth=1)
    if steps:
        axes.legend(fontsize="small")
    else:
        say_empty(axes, "No step was played" if name == "return" else "No step has a measured interval")
    save_figure(figure, path)


def plot_shapes(path: Path, records: list[dict[str, Any]], title: str) -> None:
    """Means over the steps: how many nodes each level has, and how many nodes have how many children."""
    steps = [record for record in records if record["kind"] == "step"]
    figure = _figure(9, 4)
    figure.suptitle(title)
    depths, fanouts = figure.subplots(1, 2)
    for axes, name, first, label in ((depths, "depths", 0, "level"), (fanouts, "fanouts", 1, "children")):
        heights = _means([record[name] for record in steps])
        if not heights:
            say_empty(axes, "No step was played")
            continue
        axes.bar(range(first, first + len(heights)), heights, color="#4878a8")
        axes.set(xlabel=label, ylabel="nodes, mean of the steps")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(alpha=0.3, axis="y")
    save_figure(figure, path)


def plot_groups(path: Path, groups: dict[str, dict[str, dict[str, float]]], label: str) -> None:
    """Side by side, for each group: the numbers of each of its rows as points, their mean as a line.

    Parameters
    ----------
    path
        Path of the PNG.
    groups
        By title, by name of the row, by whatever tells the numbers apart.
    label
        What the numbers are.
    """
    figure = _figure(5 * len(groups), 3.2)
    for axes, (title, rows) in zip(figure.subplots(1, len(groups), squeeze=False)[0], groups.items(), strict=True):
        for place, numbers in enumerate(rows.values()):
            values = list(numbers.values())
            axes.plot(values, [place] * len(values), "o", alpha=0.4, color="#4878a8")
            axes.plot([sum(values) / len(values)] * 2, [place - 0.3, place + 0.3], color="black")
        axes.set(title=title, xlabel=label)
        axes.set_yticks(range(len(rows)), [_with_count(row, len(numbers)) for row, numbers in rows.items()])
        axes.invert_yaxis()
        axes.grid(alpha=0.3, axis="x")
    save_figure(figure, path)


def _with_count(name: str, count: int) -> str:
    return f"{name}\n({count} seed{'s' * (count != 1)})"


def _means(rows: list[list[int]]) -> list[float]:
    longest = max(map(len, rows), default=0)
    return [sum(row[index] for row in rows if index < len(row)) / len(rows) for index in range(longest)]


def draw_tree(path: Path, table: StateTable, title: str) -> int:
    """The tree, its most visited nodes if it has many: an edge is as wide as it was often taken, a node has the colour
    of its value for the player at the root.

    Returns
    -------
    int
        Nodes drawn.
    """
    order = sorted(table.levels(), key=lambda placed: (-_visits(placed[1]), placed[0]))
    # A node has as many visits as its children together, or more: what is drawn hangs together.
    drawn = {node.number: level for level, node in order[:MOST_DRAWN]}
    places: dict[int, float] = {}
    _place(table.root, drawn, places, 0.0)
    figure = _figure(12, 7)
    axes = figure.add_subplot()
    nodes = [node for _, node in order[:MOST_DRAWN]]
    below = [node for node in nodes if node.parent is not None]
    lines = [[_point(node.parent, places, drawn), _point(node, places, drawn)] for node in below]
    most = max((_visits(node) for node in below), default=1) or 1
    widths = [0.3 + 5 * _visits(node) / most for node in below]
    axes.add_collection(LineCollection(lines, linewidths=widths, colors="#b0b0b0", zorder=1))
    x, y = zip(*(_point(node, places, drawn) for node in nodes), strict=True)
    player = table.root.player
    scatter = axes.scatter(x, y, c=[_value(node, player) for node in nodes], cmap="coolwarm_r", s=18, zorder=2)
    for action, child in table.root.children.items():
        if child.number in places:
            axes.annotate(
                str(action), _point(child, places, drawn), xytext=(3, 5), textcoords="offset points", fontsize=8
            )
    figure.colorbar(scatter, label="mean scaled reward")
    axes.set(title=title, ylabel="level", xticks=[], yticks=range(0, -max(drawn.values()) - 1, -1))
    axes.set_yticklabels([str(level) for level in range(max(drawn.values()) + 1)])
    save_figure(figure, path)
    return len(nodes)


def _visits(node: Node) -> int:
    return node.parent.visits[node.action] if node.parent is not None else sum(node.visits) + 1


def _value(node: Node, player: int) -> float:
    """Mean reward of what went over the edge to the node, or from the root."""
    parent = node.parent
    total, count, mover = (
        (parent.totals[node.action], parent.visits[node.action], parent.player)
        if parent is not None
        else (sum(node.totals), sum(node.visits), node.player)
    )
    return (total if mover == player else -total) / max(count, 1)


def _place(node: Node, drawn: Iterable[int], places: dict[int, float], next_leaf: float) -> float:
    """Leaves side by side, a parent over the middle of its children; the place of the next leaf."""
    children = [child for _, child in sorted(node.children.items()) if child.number in drawn]
    if not children:
        places[node.number] = next_leaf
        return next_leaf + 1
    for child in children:
        next_leaf = _place(child, drawn, places, next_leaf)
    places[node.number] = (places[children[0].number] + places[children[-1].number]) / 2
    return next_leaf


def _point(node: Node | None, places: dict[int, float], drawn: dict[int, int]) -> tuple[float, float]:
    assert node is not None
    return places[node.number], -float(drawn[node.number])
