"""`rewardware train alphazero`: what a run leaves, going on, being interrupted, refusals."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.checkpoint import read_checkpoint
from rewardware.sw.core.run_folder import CHECKPOINT, read_metrics
from tests.sw.systems.records import records

TINY = (
    "train alphazero --env tic-tac-toe --simulations 8 --parallel-games 4 --channels 4,4,4 --learning-starts 30 "
    "--batch-size 16 --evaluation-episodes 2 --statistics-every 5 --quiet"
)


def train(*arguments):
    return dispatch([*TINY.split(), *map(str, arguments)])


def resume(directory, *arguments):
    return dispatch(["train", "alphazero", "--resume", str(directory), "--quiet", *map(str, arguments)])


def assert_same_run(one, other):
    assert records(one) == records(other)
    (left, left_rest), (right, right_rest) = (read_checkpoint(folder / CHECKPOINT) for folder in (one, other))
    assert left_rest == right_rest and all((left[name] == values).all() for name, values in right.items())


def test_run_leaves_everything_and_goes_on_with_the_same_bits(tmp_path, capsys):
    whole, part = tmp_path / "whole", tmp_path / "part"
    assert train("--games", 40, "--evaluate-every", 15, "--out", whole) == 0
    printed = capsys.readouterr().out
    for words in ("tic-tac-toe, 4", "gradient steps", "against rollouts", "against perfect", "Elo", "backend host"):
        assert words in printed
    files = {
        ".lock", "settings.json", "checkpoint.zip", "metrics.jsonl", "strength.png", "games.png", "summary.json",
        "statistics.png",
    }  # fmt: skip
    assert {path.name for path in whole.iterdir()} == files
    evaluations = [record for record in read_metrics(whole) if record["kind"] == "evaluation"]
    assert len(evaluations) == 3 and evaluations[1]["previous_game"] == evaluations[0]["game"]
    summary = json.loads((whole / "summary.json").read_text())
    assert summary["elo"]["random"] == 0 and summary["games"] == evaluations[-1]["game"] >= 40
    told = [record for record in read_metrics(whole) if record["kind"] == "statistics"]
    assert len(told) > 3 and {"loss", "policy_loss", "value_loss", "entropy", "gradient_steps"} < told[0].keys()

    assert train("--games", 20, "--evaluate-every", 15, "--out", part) == 0
    # The first one ended here with an evaluation, of which the whole one knows nothing.
    at_end = json.loads((part / "summary.json").read_text())["games"]
    metrics = (part / "metrics.jsonl").read_text().splitlines(keepends=True)
    assert json.loads(metrics[-1])["kind"] == "evaluation" and json.loads(metrics[-1])["game"] == at_end
    (part / "metrics.jsonl").write_text("".join(metrics[:-1]))
    assert resume(part, "--games", 40) == 0
    assert_same_run(part, whole)
    capsys.readouterr()
    assert dispatch(["eval", str(part), "--episodes", "2"]) == 0
    assert "8 simulations a move on both sides, after 4" in capsys.readouterr().out


def test_an_interrupted_run_goes_on_with_the_same_bits(tmp_path):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    options = "--evaluate-every", "0", "--games"
    command = [sys.executable, "-m", "rewardware.sw.cli", *TINY.split(), *options, "1000000", "--out", str(stopped)]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 120
        while not [r for r in _metrics(stopped) if r["kind"] == "statistics"]:
            assert run.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        os.kill(run.pid, signal.SIGINT)
        _, said = run.communicate(timeout=120)
    finally:
        run.kill()
    assert run.returncode == 130 and "checkpoint written" in said
    games = read_checkpoint(stopped / CHECKPOINT)[1]["games"] + 20
    assert resume(stopped, "--games", games) == 0
    assert train(*options, games, "--out", whole) == 0
    assert_same_run(stopped, whole)


def _metrics(directory):
    return read_metrics(directory) if (directory / "metrics.jsonl").is_file() else []


def test_a_configuration_is_printed_and_a_folder_is_called_after_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert dispatch(["train", "alphazero", "--env", "gomoku", "--print-config", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["system"], printed["backend"], printed["evaluator"]) == ("alphazero", "host", "torch")
    assert printed["config"]["simulations"] == 1600 and printed["statistics_every"] == 10
    assert dispatch([*TINY.split(), "--games", "1", "--backend", "reference", "--seed", "3"]) == 0
    assert (tmp_path / "runs" / "tic-tac-toe-alphazero-reference-3" / CHECKPOINT).is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "--env is needed: a game of two players, such as connect-four"),
        ("--env CartPole-v1", "Environment CartPole-v1 has no planes for a network"),
        ("--env tic-tac-toe --evaluator gpu", "Evaluator must be torch, torch:cuda"),
        ("--env tic-tac-toe --torch-threads 0", "--torch-threads must be at least 1, not 0"),
        ("--env tic-tac-toe --self-play-workers 0", "--self-play-workers must be at least 1, not 0"),
        (
            "--env tic-tac-toe --backend gpu",
            "Backend must be host, reference, rtl, lockstep, uart:PORT or pynq:",
        ),
        ("--env tic-tac-toe --config nowhere.yaml", "nowhere.yaml"),
        ("--env tic-tac-toe --channels 4,4", "channels must be three"),
    ],
)
def test_refusals(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert dispatch(["train", "alphazero", *arguments.split()]) == 2
    assert said in capsys.readouterr().err
