"""The two reductions: optimal on series-parallel graphs, as a search over all choices shows."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardware.sw.mapping.convolution.pbqp import solve

# Choices of all vertices together that are searched.
MOST = 20_000


@st.composite
def series_parallel(draw):
    """Edges of a graph from 0 to 1: an edge, put in series or parallel again and again."""
    edges, vertices = [(0, 1)], 2
    for _ in range(draw(st.integers(0, 12))):
        place = draw(st.integers(0, len(edges) - 1))
        first, second = edges[place]
        if draw(st.booleans()):
            edges.append((first, second) if draw(st.booleans()) else (second, first))
        else:
            edges[place] = (first, vertices)
            edges.append((vertices, second))
            vertices += 1
    return vertices, draw(st.permutations(edges))


@st.composite
def problems(draw):
    vertices, edges = draw(series_parallel())
    sizes = []
    for _ in range(vertices):
        room = MOST // int(np.prod(sizes, initial=1))
        sizes.append(draw(st.integers(1, max(1, min(4, room)))))
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    count = draw(st.integers(1, 3))

    def numbers(*shape):
        # Small integers have many equal sums, which are exact.
        return random.integers(0, 9, (count, *shape)).astype(float)

    costs = {vertex: numbers(sizes[vertex]) for vertex in range(vertices)}
    return costs, [(first, second, numbers(sizes[first], sizes[second])) for first, second in edges]


def cost_of(costs, edges, problem, choice):
    """The sum, for one choice at each vertex."""
    return sum(each[problem, choice[vertex]] for vertex, each in costs.items()) + sum(
        matrix[problem, choice[first], choice[second]] for first, second, matrix in edges
    )


@settings(max_examples=150, deadline=None)
@given(problems())
def test_the_least_cost_of_all_choices(problem):
    costs, edges = problem
    found = solve(costs, edges, 0, 1)
    sizes = [each.shape[1] for each in costs.values()]
    for number, cost in enumerate(found.cost):
        least = min(cost_of(costs, edges, number, choice) for choice in itertools.product(*map(range, sizes)))
        chosen = [found.choices[vertex][number] for vertex in costs]
        assert cost == least == cost_of(costs, edges, number, chosen)


def zeros(edges):
    costs = {vertex: np.zeros((1, 2)) for edge in edges for vertex in edge}
    return costs, [(first, second, np.zeros((1, 2, 2))) for first, second in edges]


@pytest.mark.parametrize(
    ("edges", "left"),
    [
        # The bridge of Wheatstone.
        ("sa sb ab at bt", "s, a, b, t"),
        # Two sources and two targets, all connected: K(2, 2) with a chain between.
        ("sa sb ac ad bc bd ct dt", "s, a, b, c, d, t"),
        # Nothing leads from one end to the other.
        ("sa bt", "s, a, b, t"),
        # A dead end.
        ("sa at ab", "s, a, b, t"),
        # A triangle beside the path.
        ("sa at ab bc ca", "s, a, b, t"),
    ],
)
def test_graphs_that_are_not_series_parallel(edges, left):
    costs, edges = zeros([tuple(edge) for edge in edges.split()])
    with pytest.raises(ValueError) as error:
        solve(costs, edges, "s", "t")
    start = "The graph must be series-parallel from s to t, and neither reduction is left for "
    assert str(error.value).startswith(start)
    assert sorted(str(error.value).removeprefix(start).split(", ")) == sorted(left.split(", "))


def test_a_chain_by_hand():
    costs = {"s": np.array([[1.0]]), "a": np.array([[5.0, 1.0]]), "t": np.array([[0.0, 2.0]])}
    edges = [("s", "a", np.array([[[0.0, 3.0]]])), ("t", "a", np.array([[[1.0, 9.0], [1.0, 0.0]]]))]
    found = solve(costs, edges, "s", "t")
    # 1 + 5 + 1, less than by the cheaper choice at a alone.
    assert found.cost == [7] and {vertex: int(each[0]) for vertex, each in found.choices.items()} == {
        "s": 0,
        "a": 0,
        "t": 0,
    }
