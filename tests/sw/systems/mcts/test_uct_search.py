"""The tree search in Python against that in C++."""

import pytest

from rewardware.sw.systems.mcts.bench.search import UCTSearch
from rewardware.sw.systems.mcts.bench.uct_search import PythonSearch, python_seconds
from tests.sw.systems.fake_clock import fake_time

from .test_bench import reward


@pytest.mark.parametrize(
    ("fanout", "levels", "nodes", "simulations"),
    [(6, 12, 300, 300), (7, 4, 150, 500), (2, 3, 50, 60)],
    ids=["growing", "full", "low"],
)
def test_both_make_the_same_tree(fanout, levels, nodes, simulations):
    tree = PythonSearch(fanout=fanout, levels=levels, nodes=nodes, exploration=0.7)
    length = 0
    for _ in range(simulations):
        path = tree.select()
        node, action = path[-1]
        tree.back_up(path, reward(3, node * fanout + action))
        length += len(path)
    other = UCTSearch("plain", fanout=fanout, levels=levels, nodes=nodes, simulations=simulations, exploration=0.7)
    assert other.search(simulations, 3) == length
    visits, children = other.edges()
    other.close()
    assert (tree.visits, tree.children) == (visits.tolist(), children.tolist())


def test_seconds_are_those_of_a_simulation(monkeypatch):
    monkeypatch.setattr("rewardware.sw.systems.mcts.bench.uct_search.time", fake_time(78))
    assert python_seconds(fanout=4, levels=6, nodes=40) == 78 / 39
