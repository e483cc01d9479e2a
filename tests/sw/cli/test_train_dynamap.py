"""`rewardware train dynamap`, `rewardware eval` of its runs, and the experiment of both kinds of numbers."""

import json

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.checkpoint import read_checkpoint
from rewardware.sw.core.run_folder import CHECKPOINT, read_metrics
from rewardware.sw.systems import experiment_steps
from rewardware.sw.systems.experiments import EXPERIMENTS
from tests.sw.algorithms.checkpoints import assert_same_arrays
from tests.sw.systems.dynamap.games import SHORT

TINY = "train dynamap --hidden 16 --round-steps 40 --updates 2 --batch-size 4 --evaluation-episodes 2 --quiet"


def train(*arguments):
    return dispatch([*TINY.split(), *map(str, arguments)])


def test_a_policy_is_trained_goes_on_and_plays_on_integers(tmp_path, capsys):
    run = tmp_path / "run"
    assert train("--env", SHORT, "--steps", 120, "--statistics-every", 40, "--out", run) == 0
    told = capsys.readouterr().out
    assert "rule" in told and "random actions" in told
    random, *records = read_metrics(run)
    assert random["kind"] == "random" and random["rule_mean"] > random["mean"]
    statistics = [record for record in records if record["kind"] == "statistics"]
    assert [record["step"] for record in statistics] == [40, 80, 120]
    assert {"loss", "agreement", "rule_share"} <= set(statistics[0])
    assert [record["step"] for record in records if record["kind"] == "evaluation"] == [120]
    assert (run / "learning_curve.png").is_file() and (run / "statistics.png").is_file()

    assert dispatch(["train", "dynamap", "--resume", str(run), "--steps", "160", "--quiet", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["steps"] == 160 and summary["rule_return"] == random["rule_mean"]
    assert train("--env", SHORT, "--steps", 160, "--out", tmp_path / "whole") == 0
    assert_same_arrays(*(read_checkpoint(folder / CHECKPOINT)[0] for folder in (run, tmp_path / "whole")))
    capsys.readouterr()

    evaluation = ["eval", str(run), "--backend", "reference", "--episodes", "2", "--steps", "10"]
    assert dispatch([*evaluation, "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["backend"] == "reference" and outcome["decisions"] == 20
    assert len(outcome["returns"]) == len(outcome["float32_returns"]) == 2
    assert dispatch(evaluation) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("episode   0  INT8") and lines[2].startswith("mean         INT8")


def test_an_experiment_has_two_arms_of_the_same_runs(tmp_path, monkeypatch, capsys):
    begun = []

    def leave(directory, system, options, first, limit):
        """Leave the records of a run."""
        begun.append(f"{directory.parent.name}/{directory.name}")
        assert options == ["--steps", "30", *EXPERIMENTS["breakout"].options]
        directory.mkdir(parents=True)
        record = {"kind": "evaluation", "step": 30, "mean": 20.0, "float32_mean": 9.0 + len(begun)}
        (directory / "metrics.jsonl").write_text(json.dumps(record) + "\n")
        return {"return": 20.0}

    monkeypatch.setattr(experiment_steps, "train", leave)
    where = ["--out", str(tmp_path / "runs"), "--docs", str(tmp_path / "docs"), "--steps", "30"]
    assert dispatch(["experiment", "dynamap", "breakout", *where, "--seed", "0", "--seed", "1", "--json"]) == 1
    content = json.loads(capsys.readouterr().out)
    assert begun == ["int8/0", "int8/1"]
    assert content["arms"]["int8"]["final"] == {"0": 20.0, "1": 20.0}
    assert content["arms"]["float32"]["final"] == {"0": 10.0, "1": 11.0}
    # 10 is not above 10.
    assert content["failed"] == ["float32"]
    assert content == json.loads((tmp_path / "docs" / "learning" / "breakout.json").read_text()) | {
        "failed": ["float32"]
    }
    # Who asks for one arm gets the runs of the other.
    assert dispatch(["experiment", "dynamap", "breakout", *where, "--seed", "2", "--arms", "float32", "--quiet"]) == 1
    assert begun[2:] == ["int8/2"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--env is needed: a game of the ALE, such as ALE/Breakout-v5"),
        (("--env", "CartPole-v1"), "CartPole-v1 must be a game of the Arcade Learning Environment"),
        (("--env", "ALE/Carnival-v5"), "There is no rule to learn 'carnival' from, only for breakout"),
        (("--env", SHORT, "--hidden", 0), "hidden must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_trained_is_refused(arguments, words, tmp_path, capsys):
    assert train(*arguments, "--steps", 40, "--out", tmp_path / "run") != 0
    assert words in capsys.readouterr().err
