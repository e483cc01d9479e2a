"""The exploration on the command line."""

import json

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.mapping.tree_exploration import TreeCosts

COSTS = TreeCosts(
    selector={2: 100, 3: 90, 4: 95},
    buffer={"butterfly": 200, "butterfly4": 180, "crossbar": 150},
    bank={"butterfly": 200, "butterfly4": 180, "crossbar": 0},
)
TREE = ["explore", "mcts", "--fanout", "4", "--levels", "8", "--banks", "16"]


@pytest.fixture
def measured(monkeypatch):
    monkeypatch.setattr("rewardware.sw.systems.mcts.bench.tree_costs.measure_costs", lambda config, family: COSTS)


def test_the_choice_follows_the_part(measured, capsys):
    assert dispatch([*TREE, "--part", "lfe5u-85f"]) == 0
    assert "Choice: crossbar, f = 4: 9 cycles, 19960 LUT" in capsys.readouterr().out
    assert dispatch([*TREE, "--part", "lfe5u-85f", "--share", "10", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["best"] == report["points"][0]
    assert (report["best"]["interconnect"], report["best"]["group"]) == ("butterfly4", 4)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--part", "xcup"], "--part must be a part, not the family xcup"),
        (["--share", "0"], "--share must be above 0 and at most 100, not 0"),
        (["--part", "ice40up5k"], "The budget must be more than 6480 LUT, not 5280"),
    ],
)
def test_errors(arguments, words, measured, capsys):
    assert dispatch([*TREE, *arguments]) == 2
    assert words in capsys.readouterr().err


def test_costs_are_synthesised(monkeypatch):
    from rewardware.hw.cores.tree.config import TreeConfig
    from rewardware.sw.systems.mcts.bench import tree_costs

    monkeypatch.setattr(tree_costs, "STAGES", (2, 3))
    costs = tree_costs.measure_costs(
        TreeConfig(fanout=3, levels=4, banks=8, group=2, rows=16, nodes=64, reserve=4), "xcup"
    )
    assert costs.buffer.keys() == {"butterfly", "butterfly4", "crossbar"}
    assert costs.selector.keys() == {2, 3} and costs.bank["butterfly"] > costs.bank["crossbar"] == 0
    assert all(cost > 0 for cost in (*costs.selector.values(), *costs.buffer.values()))
