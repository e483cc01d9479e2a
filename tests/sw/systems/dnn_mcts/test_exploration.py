"""Choices of an exploration, what was faster, and the text for people."""

import json

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.mapping.tree_parallelism import BatchSearch, ParallelismChoice
from rewardware.sw.systems.dnn_mcts.exploration import WorkersExploration, try_batches
from rewardware.sw.systems.dnn_mcts.timed_searches import local_tree, shared_tree


def choice(scheme):
    return ParallelismChoice(workers=4, scheme=scheme, batch=4, local_batch=4, shared=1.0, local=2.0)


def exploration(scheme, shared, local, single):
    return WorkersExploration(
        workers=4,
        paper=choice("local"),
        machine=choice(scheme),
        trials=BatchSearch(batch=2, tried={2: 3.0, 3: 4.0, 1: 5.0}),
        timed={shared_tree(4): shared, local_tree(4, 2): local, local_tree(4, 1): single},
    )


def test_scheme_is_the_model_s_and_the_batch_that_of_the_trials():
    assert exploration("shared", [1], [1], [1]).chosen == shared_tree(4)
    assert exploration("local", [1], [1], [1]).chosen == local_tree(4, 2)


def test_faster_is_by_ratios_of_neighbours():
    """The local tree was faster each time, though its median is the greater one."""
    found = exploration("shared", [1.1, 3.3, 9.9], [1.0, 3.0, 9.0], [2.0, 6.0, 18.0])
    assert found.faster == found.local
    assert found.ratio(found.shared, found.local) == pytest.approx(1.1)
    assert found.ratio(found.single, found.local) == 2
    assert found.seconds(found.shared) == pytest.approx(4 * 3.3)
    assert exploration("shared", [1.0], [1.1], [2.0]).faster == shared_tree(4)


def test_the_best_trials_are_measured_again():
    """The first look at batches of 4 was a lucky one."""
    seconds, looks = {1: 3.0, 2: 1.0, 4: 2.0}, []

    class Searches:
        def seconds(self, setting):
            looks.append(setting)
            lucky = setting == local_tree(4, 4) and looks.count(setting) == 1
            return 1.0 if setting.scheme == "shared" else 0.5 if lucky else seconds[setting.batch]

    found = try_batches(Searches(), 4, 1)
    assert found.tried == {2: 1.0, 4: 0.5}
    assert found.batch == 2
    assert looks[-4:] == [local_tree(4, 4), local_tree(4, 2)] * 2


def run(*arguments):
    first = ["--env", "tic-tac-toe", "--simulations", "20", "--repeats", "1"]
    return dispatch(["explore", "dnn_mcts", *first, *arguments])


def test_command(capsys, tmp_path):
    assert run("--workers", "1,3", "--evaluator", "emulated:20,5", "--json", "--out", str(tmp_path / "new")) == 0
    report = json.loads(capsys.readouterr().out)
    assert report == json.loads((tmp_path / "new" / "exploration.json").read_text())
    assert {"batches.png", "workers.png"} <= {path.name for path in (tmp_path / "new").iterdir()}
    assert (report["env"], report["evaluator"], report["simulations"]) == ("tic-tac-toe", "emulated:20,5", 20)
    one, three = report["workers"]
    assert one["workers"] == one["batch"] == one["trials"]["batch"] == 1 and one["trials"]["seconds"] == {}
    assert three["trials"]["batch"] in (1, 2, 3) and 2 <= len(three["trials"]["seconds"]) <= 3
    for each in report["workers"]:
        assert set(each["seconds"]) == {"shared", "local", "local_single"}
        for model in ("paper", "machine"):
            by_batch = each["model"][model]
            assert list(by_batch) == [str(batch) for batch in range(1, each["workers"] + 1)]
            assert each[model]["local"] == min(by_batch.values()) == by_batch[str(each[model]["batch"])]


def test_table(capsys):
    assert run("--workers", "2", "--evaluator", "emulated:0,0") == 0
    out = capsys.readouterr().out
    assert out.startswith("dnn_mcts, tic-tac-toe, evaluator emulated:0,0, which keeps ")
    assert "5.3, 5.4" in out and "The model chooses the faster scheme for " in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--workers", "0"], "--workers must be at least 1, not 0"),
        (["--repeats", "0"], "--repeats must be at least 1, not 0"),
        (["--evaluator", "gpu"], "Evaluator must be torch, torch:cuda"),
        (["--env", "CartPole-v1"], "Environment CartPole-v1 has no planes for a network"),
    ],
)
def test_refused(arguments, words, capsys):
    assert run(*arguments) == 2
    assert words in capsys.readouterr().err
