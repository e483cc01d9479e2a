"""`rewardware bench`: figures draw from their own seeds, or from the one that was chosen."""

import json
import os

import numpy as np
import pytest

from rewardware.hw.soc.presets import load_preset
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.measurement.bench import Bench, drawn_from, make_row
from rewardware.sw.systems import figure_documents
from rewardware.sw.systems.descriptor import find_system
from rewardware.sw.systems.fixar.bench import figures as fixar
from rewardware.sw.systems.learninggroup.bench.figures import LearningGroupBench
from rewardware.sw.systems.mcts.bench import tree
from rewardware.sw.systems.pearl.bench import learner, replay


class Drawn(Bench):
    """A figure that is its seed."""

    def __init__(self, preset: str = "none"):
        self.config = load_preset("tiny")

    def ids(self):
        return {"seed": lambda: make_row(drawn_from(4), "", "counted", "here")}

    def close(self):
        pass


@pytest.mark.parametrize(("options", "seed"), [([], 4), (["--seed", "0"], 0), (["--seed", "9"], 9)])
def test_a_seed_goes_before_that_of_a_figure(options, seed, monkeypatch, capsys):
    monkeypatch.setattr(fixar, "FixarBench", Drawn)
    assert dispatch(["bench", "fixar", "--json", *options]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["value"] == seed and drawn_from(4) == 4
    assert dispatch(["bench", "fixar", "--seed", "-1"]) == 2
    assert "--seed must be at least 0, not -1" in capsys.readouterr().err


class Beginning(Exception):
    """Ends a bench once the source of its draws has been seen."""


def test_benches_of_all_systems_draw_from_it(monkeypatch):
    seeds = []

    def generator(seed):
        seeds.append(seed)
        raise Beginning

    fixar_networks = fixar.FixarBench("tiny").networks
    sparse = LearningGroupBench("paper")
    monkeypatch.setattr(np.random, "default_rng", generator)
    monkeypatch.setattr(tree.random, "Random", generator)
    begin = [
        lambda: fixar._transitions(fixar_networks, 4),
        lambda: sparse._layer(4),
        lambda: tree.count_search(load_preset("small", "mcts")),
        lambda: replay.count_batches(load_preset("small", "pearl"), 4),
        lambda: learner.count_step(load_preset("small", "pearl_learner").learner, 4),
    ]
    for usual, chosen in ((None, [1, 1, 1, 0, 0]), (7, [7] * 5)):
        seeds.clear()
        for one in begin:

            class One(Drawn):
                def ids(self, one=one):
                    return {"figure": one}

            with pytest.raises(Beginning):
                One().rows(seed=usual)
        assert seeds == chosen


def test_threads_reach_the_simulators(monkeypatch, capsys):
    monkeypatch.setenv("REWARDWARE_THREADS", "1")
    monkeypatch.setattr(fixar, "FixarBench", Drawn)
    assert dispatch(["bench", "fixar", "--threads", "2"]) == 0
    assert os.environ["REWARDWARE_THREADS"] == "2"
    assert dispatch(["bench", "fixar", "--threads", "0"]) == 2
    assert "--threads must be at least 1, not 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "bench takes one of SYSTEM, --all and --compare"),
        ("fixar --all", "bench takes one of SYSTEM, --all and --compare"),
        ("--all --only one", "--only needs a SYSTEM"),
        ("--compare a.json --config paper", "--config needs a SYSTEM"),
        ("fixar --also all", "--also needs --all"),
        ("--compare a.json --suite b.xml", "--suite needs --all"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments, said, capsys):
    assert dispatch(["bench", *arguments.split()]) == 2
    assert said in capsys.readouterr().err


def test_all_figures_are_one_document_and_compared_with_another(monkeypatch, tmp_path, capsys):
    class Tracked(Drawn):
        tracked = ("seed",)

    systems = {"fixar": find_system("fixar"), "dnn_mcts": find_system("dnn_mcts")}
    monkeypatch.setattr(figure_documents, "systems_with", lambda command: systems)
    # Simulators are not measured here.
    monkeypatch.setattr("rewardware.sw.cli.bench.OF_ALL", {})
    monkeypatch.setattr(fixar, "FixarBench", Tracked)
    suite = tmp_path / "suite.xml"
    suite.write_text('<testsuite tests="1" time="2"/>')
    assert dispatch(["bench", "--all", "--suite", str(suite), "--seed", "8", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "fixar, configuration tiny" in said and "suite\n" in said
    assert "Left out, because they take" in said and "dnn_mcts: adaptive_speedup, " in said
    assert dispatch(["bench", "--all", "--also", "fixar:sead"]) == 2
    assert "not 'fixar:sead': did you mean 'fixar:seed'?" in capsys.readouterr().err
    files = [str(tmp_path / "bench.json")] * 2
    assert dispatch(["bench", "--compare", *files, "-o", str(tmp_path / "plots"), "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    values = [(row["system"], row["id"], row["values"], row["change_percent"]) for row in content["rows"]]
    assert values[0] == ("fixar", "seed", [8, 8], 0.0) and [name for name, *_ in values] == ["fixar", "suite", "suite"]
    assert json.loads((tmp_path / "plots/comparison.json").read_text()) == content
    assert (tmp_path / "plots/cycles.png").is_file()
    assert dispatch(["bench", "--compare", *files]) == 0
    assert capsys.readouterr().out.startswith("system  figure ")
