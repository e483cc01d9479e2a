"""Partitioned Boolean quadratic programming on series-parallel graphs, by two reductions."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Assignment", "solve"]

Vertex = TypeVar("Vertex", bound=Hashable)
Costs = NDArray[np.float64]
Choices = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True, eq=False)
class Assignment(Generic[Vertex]):
    """The choice at each vertex.

    Parameters
    ----------
    choices : dict of vertex to array (problems,)
        Numbers of the chosen entries.
    cost : array (problems,)
        What all of them cost together: the least there is.
    """

    choices: Mapping[Vertex, Choices]
    cost: Costs


def solve(
    costs: Mapping[Vertex, Costs],
    edges: Iterable[tuple[Vertex, Vertex, Costs]],
    source: Vertex,
    sink: Vertex,
) -> Assignment[Vertex]:
    """The choice of an entry at each vertex with the least sum of costs of vertices and edges (equation 3.1).

    Several problems on one graph are solved at once. The two reductions of definition 1 are done until source and sink
    are left:

    1. A vertex with two neighbours is left out. Its neighbours get an edge, which costs for each pair of their choices
       what the best choice of the vertex does.
    2. Edges between the same vertices become one, the costs of which are their sum.

    Each leaves the least sum as it is, so the result is optimal (theorem 1). There are no more of them than vertices
    and edges, so time is linear in the size of the graph. With d choices at each vertex the first takes d**3 sums, the
    second d**2.

    Parameters
    ----------
    costs : dict of vertex to array (problems, choices)
    edges : of (vertex, vertex, array (problems, choices of the first, choices of the second))
    source, sink : vertex
        Vertices that are left in the end.

    Raises
    ------
    ValueError
        The graph is not series-parallel; the text names the vertices that are left.

    Source
    ------
    DYNAMAP, section 3.1.2.
    """
    neighbours: dict[Vertex, dict[Vertex, Costs]] = {vertex: {} for vertex in costs}

    def connect(first: Vertex, second: Vertex, matrix: Costs) -> None:
        sum_ = matrix + neighbours[first][second] if second in neighbours[first] else matrix
        neighbours[first][second], neighbours[second][first] = sum_, sum_.swapaxes(1, 2)

    for first, second, matrix in edges:
        connect(first, second, matrix)
    reduced: list[tuple[Vertex, Vertex, Vertex, Choices]] = []
    waiting = [vertex for vertex in costs if vertex not in (source, sink)]
    while waiting:
        vertex = waiting.pop()
        if len(neighbours.get(vertex, ())) != 2:
            continue
        (first, to_first), (second, to_second) = neighbours.pop(vertex).items()
        # (problems, choices of the first, of the second, of the vertex)
        sums = (to_first.swapaxes(1, 2) + costs[vertex][:, None, :])[:, :, None] + to_second.swapaxes(1, 2)[:, None]
        reduced.append((vertex, first, second, sums.argmin(axis=3)))
        del neighbours[first][vertex], neighbours[second][vertex]
        connect(first, second, sums.min(axis=3))
        # A merged edge may have left two neighbours at either end.
        waiting += [end for end in (first, second) if end not in (source, sink)]
    if neighbours.keys() != {source, sink} or sink not in neighbours[source]:
        left = ", ".join(str(vertex) for vertex in neighbours)
        raise ValueError(
            f"The graph must be series-parallel from {source} to {sink}, and neither reduction is left for {left}"
        )
    sums = costs[source][:, :, None] + neighbours[source][sink] + costs[sink][:, None, :]
    problems = np.arange(len(sums))
    best = sums.reshape(len(sums), -1).argmin(axis=1)
    choices = dict(zip((source, sink), np.unravel_index(best, sums.shape[1:]), strict=True))
    for vertex, first, second, chosen in reversed(reduced):
        choices[vertex] = chosen[problems, choices[first], choices[second]]
    return Assignment(choices=choices, cost=sums.min(axis=(1, 2)))
