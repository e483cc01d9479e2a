"""`rewardware train`, `eval` and `experiment`, with the backends that need no RTL."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from rewardware.sw.algorithms.agent import EVALUATION_SEED
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.checkpoint import read_checkpoint
from rewardware.sw.core.run_folder import read_metrics
from tests.sw.systems.records import records

TINY = (
    "train fixar --env Pendulum-v1 --config tiny --batch-size 12 --learning-starts 30 --quiet --evaluation-episodes 1"
)


def train(*arguments: str) -> int:
    return dispatch([*TINY.split(), *arguments])


def states(directory):
    arrays, about = read_checkpoint(directory / "checkpoint.zip")
    return arrays, {name: value for name, value in about.items() if name != "arrays"}


def assert_same_run(one, other):
    (left, left_rest), (right, right_rest) = states(one), states(other)
    assert left.keys() == right.keys() and left_rest == right_rest
    for name in left:
        assert np.array_equal(left[name], right[name]), name
    assert records(one) == records(other)


@pytest.mark.parametrize("backend", ["torch", "reference"])
def test_run_leaves_everything_and_prints_a_summary(backend, tmp_path, capsys):
    out = tmp_path / "run"
    assert train("--backend", backend, "--steps", "220", "--out", str(out), "--evaluate-every", "100") == 0
    printed = capsys.readouterr().out
    assert "return" in printed and "random actions" in printed and str(out) in printed
    files = {
        ".lock",
        "settings.json",
        "checkpoint.zip",
        "metrics.jsonl",
        "learning_curve.png",
        "summary.json",
        "statistics.png",
    }
    if backend == "reference":
        for words in ("cycles, mean of 190, cycle model", "processing elements", "overflows"):
            assert words in printed
    assert {path.name for path in out.iterdir()} == files
    assert [record["step"] for record in read_metrics(out) if record["kind"] == "evaluation"] == [100, 200, 220]
    assert [record["step"] for record in read_metrics(out) if record["kind"] == "episode"] == [200]
    assert json.loads((out / "summary.json").read_text())["steps"] == 220

    assert dispatch(["eval", str(out), "--episodes", "2"]) == 0
    assert "after 220 steps" in capsys.readouterr().out
    assert train("--backend", backend, "--out", str(out)) == 2
    assert "holds a run already" in capsys.readouterr().err


def test_resumed_run_is_identical(tmp_path):
    options = ("--backend", "reference", "--quantization-delay", "100", "--evaluate-every", "50")
    assert train(*options, "--steps", "160", "--out", str(tmp_path / "straight")) == 0
    assert train(*options, "--steps", "80", "--out", str(tmp_path / "broken")) == 0
    # The evaluation at the end of the first part is none of the whole's.
    metrics = tmp_path / "broken" / "metrics.jsonl"
    metrics.write_text("".join(line + "\n" for line in metrics.read_text().splitlines() if '"step": 80,' not in line))
    resume = ["train", "fixar", "--resume", str(tmp_path / "broken"), "--steps", "160", "--quiet"]
    assert dispatch([*resume, "--evaluation-episodes", "1", "--evaluate-every", "50"]) == 0
    assert_same_run(tmp_path / "straight", tmp_path / "broken")


def test_evaluations_of_a_run_have_a_seed_of_their_own(tmp_path, capsys):
    """Evaluations are those of `rewardware eval` with the same seed; learning and other records are as without it."""
    runs = {}
    for name, options in {
        "usual": [],
        "usual as a number": ["--eval-seed", str(EVALUATION_SEED)],
        "other": ["--evaluation-seed", "5"],
    }.items():
        assert train("--backend", "torch", "--steps", "60", "--out", str(tmp_path / name), *options) == 0
        runs[name] = read_metrics(tmp_path / name)
    evaluations = {
        name: [record for record in metrics if record["kind"] in ("evaluation", "random")]
        for name, metrics in runs.items()
    }
    assert evaluations["usual"] == evaluations["usual as a number"]
    assert all(
        one["mean"] != other["mean"] for one, other in zip(evaluations["usual"], evaluations["other"], strict=True)
    )
    for name in ("usual as a number", "other"):
        (left, left_rest), (right, right_rest) = states(tmp_path / "usual"), states(tmp_path / name)
        assert left_rest == right_rest and all(np.array_equal(left[key], right[key]) for key in left)
    capsys.readouterr()
    assert dispatch(["eval", str(tmp_path / "other"), "--episodes", "1", "--seed", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["returns"] == evaluations["other"][-1]["returns"]
    # A run that goes on also has that seed.
    resume = ["train", "fixar", "--resume", str(tmp_path / "other"), "--steps", "70", "--quiet"]
    assert dispatch(resume) == 0
    capsys.readouterr()
    assert dispatch(["eval", str(tmp_path / "other"), "--episodes", "1", "--seed", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["returns"] == read_metrics(tmp_path / "other")[-1]["returns"]
    assert dispatch([*resume, "--eval-seed", "-1"]) == 2
    assert "--evaluation-seed must be at least 0, not -1" in capsys.readouterr().err


def test_interrupted_run_leaves_a_checkpoint_and_goes_on_identically(tmp_path):
    broken, straight = tmp_path / "broken", tmp_path / "straight"
    command = [sys.executable, "-m", "rewardware.sw.cli", *TINY.split(), "--backend", "torch", "--out", str(broken)]
    process = subprocess.Popen([*command, "--steps", "100000"], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while len(read_metrics(broken)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    told, _, said = errors.partition("a second Ctrl-C stops at once\n")
    assert "stopping when" in told and "Stopped after step" in said and "Traceback" not in errors
    step = states(broken)[1]["num_timesteps"]
    steps = str(step + 50)
    rest = ["--quiet", "--evaluation-episodes", "1"]
    assert dispatch(["train", "fixar", "--resume", str(broken), "--steps", steps, *rest]) == 0
    assert train("--backend", "torch", "--steps", steps, "--out", str(straight)) == 0
    assert_same_run(straight, broken)


def test_runs_that_cannot_go_on_say_why(tmp_path, capsys):
    out = tmp_path / "run"
    assert train("--backend", "torch", "--steps", "40", "--out", str(out)) == 0
    assert dispatch(["train", "fixar", "--resume", str(out), "--steps", "39"]) == 2
    assert "The run is at step 40 already, beyond the 39 asked for" in capsys.readouterr().err
    checkpoint = out / "checkpoint.zip"
    checkpoint.write_bytes(checkpoint.read_bytes()[:5000])
    capsys.readouterr()
    assert dispatch(["train", "fixar", "--resume", str(out), "--steps", "80"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "is cut short or damaged" in error


def test_experiment_collects_seeds_and_goes_on(tmp_path, capsys):
    options = ["--steps", "205", "--out", str(tmp_path / "runs"), "--docs", str(tmp_path / "docs"), "--arms", "float32"]
    page = tmp_path / "docs" / "learning.md"
    page.parent.mkdir()
    page.write_text("before\n<!-- table: pendulum -->\nold\n<!-- end: pendulum -->\nafter\n")
    command = ["experiment", "fixar", "pendulum", *options, "--seed", "0", "--seed", "1", "--jobs", "2"]
    assert dispatch(command) == 1
    printed = capsys.readouterr().out
    assert "| return | seed 0 | seed 1 | mean |" in printed
    assert "pendulum, PyTorch, float32: not every seed came out as it must" in printed
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text and "| seed 1 |" in text
    results = json.loads((tmp_path / "docs" / "learning" / "pendulum.json").read_text())
    assert results["arms"]["float32"]["solved"] == {"0": False, "1": False}
    assert (tmp_path / "docs" / "images" / "learning-pendulum.png").stat().st_size > 10_000
    assert dispatch(command) == 1
    assert "begins" not in capsys.readouterr().err
