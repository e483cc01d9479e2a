"""The rows of the search's bench, and that the searches it measures are searches."""

import json
import math
import re

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.systems.mcts.bench import search as bench_search
from rewardware.sw.systems.mcts.bench.figures import MCTSBench
from rewardware.sw.systems.mcts.bench.search import NODE_KINDS, UCTSearch
from tests.sw.reference.tree.oracle import OracleTree
from tests.sw.systems.fake_clock import fake_time

MASK = (1 << 64) - 1


def reward(seed, edge):
    """splitmix64, in [-1, 1)."""
    value = seed + edge * 0x9E3779B97F4A7C15 & MASK
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    value ^= value >> 31
    return (value - (value >> 63 << 64)) / 2**63


def textbook(fanout, levels, nodes, simulations, exploration, seed):
    """Visits and children of each node, by the number of its insertion."""

    def score(node, action):
        visits = node.edge_visits[action]
        if not visits:
            return math.inf
        return node.totals[action] / visits + exploration * math.sqrt(math.log(node.visits) / visits)

    everything = (1 << fanout) - 1
    tree = OracleTree(fanout=fanout, levels=levels, nodes=nodes, score=score, legal=everything)
    for _ in range(simulations):
        _, place = tree.select(0)
        # Nodes are kept in the order of their insertion.
        numbers = {place: number for number, place in enumerate(tree.nodes)}
        tree.backup(0, reward(seed, numbers[place[:-1]] * fanout + place[-1]), everything, False)
    visits = [node.edge_visits for node in tree.nodes.values()]
    children = [[numbers.get((*place, action), -1) for action in range(fanout)] for place in tree.nodes]
    return visits, children


@pytest.mark.parametrize("kind", NODE_KINDS)
@pytest.mark.parametrize(
    ("fanout", "levels", "nodes", "simulations"),
    [(6, 12, 700, 700), (7, 4, 150, 900), (2, 3, 50, 60)],
    ids=["growing", "full", "low"],
)
def test_visits_are_the_textbooks(kind, fanout, levels, nodes, simulations):
    tree = UCTSearch(kind, fanout=fanout, levels=levels, nodes=nodes, simulations=simulations, exploration=0.7)
    # A search leaves nothing behind for the next one.
    tree.search(simulations, 5)
    edges = tree.search(simulations, 3)
    visits, children = tree.edges()
    tree.close()
    expected_visits, expected_children = textbook(fanout, levels, nodes, simulations, 0.7, 3)
    assert children.tolist() == expected_children
    assert visits.tolist() == expected_visits
    assert visits[0].sum() == simulations and visits.sum() == edges


def test_rows_of_searches_in_software(monkeypatch):
    for name, value in {"WINDOWS": 1, "LIBRARY_WINDOWS": 1, "MCTX_BATCH": 2, "MCTX_SIMULATIONS": (3,)}.items():
        monkeypatch.setattr(bench_search, name, value)
    monkeypatch.setattr(bench_search, "time", fake_time(0.5))
    names = ["openspiel_simulations_per_s", "cpp_ops_per_s_f6", "cpp_scored_ops_per_s_f6", "mctx_simulations_per_s"]
    rows = MCTSBench().rows(names)
    assert [row["id"] for row in rows] == names
    assert {row["kind"] for row in rows} == {"measured"}
    # In half a second as many simulations as there are nodes; selections, backups and insertions until a tree of 10000
    # nodes is full; three simulations in each of two trees.
    nodes, operations = int(re.search(r"(\d+) simulations a search", rows[0]["how"])[1]), 3 * 9999
    assert [row["value"] for row in rows] == [2 * nodes, round(2e-6 * operations, 2), round(2e-6 * operations, 2), 12]
    assert "F = 6, D = 16, a tree of 10000 nodes" in rows[1]["how"]
    assert json.loads(json.dumps(rows)) == rows


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "itv_f6_d9"], "must name figures of "),
        (["--config", "f6-d8"], "Each figure of mcts has a configuration of its own: --config does not apply ('f6"),
    ],
)
def test_errors(arguments, words, capsys):
    assert dispatch(["bench", "mcts", *arguments]) == 2
    assert words in capsys.readouterr().err
