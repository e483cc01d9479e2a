"""`rewardware train maac`: what a run leaves, going on, being stopped or killed, and refusals."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.checkpoint import read_checkpoint
from rewardware.sw.core.run import Run
from rewardware.sw.core.run_folder import CHECKPOINT, read_metrics
from tests.sw.systems.records import records

TINY = "train maac --hidden-size 8 --heads 2 --episodes 4 --updates 2 --batch-size 32 --evaluation-episodes 4 --quiet"


def train(*arguments):
    return dispatch([*TINY.split(), *map(str, arguments)])


def resume(directory, *arguments):
    return dispatch(["train", "maac", "--resume", str(directory), "--quiet", *map(str, arguments)])


def test_run_leaves_everything_and_goes_on_with_the_same_bits(tmp_path, capsys):
    options = "--env", "rover-tower", "--agents", 4, "--seed", 3, "--reward", "shared", "--episode-steps", 6
    assert train(*options, "--backend", "torch", "--iterations", 6, "--out", tmp_path / "whole") == 0
    printed = capsys.readouterr().out
    for words in ("rover-tower, 4 agents, 6 steps", "mean of the last 24 episodes (random actions: ", "10 of 32 exp"):
        assert words in printed
    files = {
        ".lock", "settings.json", "checkpoint.zip", "metrics.jsonl", "learning_curve.png", "summary.json",
        "statistics.png",
    }  # fmt: skip
    assert {path.name for path in (tmp_path / "whole").iterdir()} == files
    summary = json.loads((tmp_path / "whole" / "summary.json").read_text())
    assert summary["iterations"] == 6 and summary["task"]["reward"] == "shared"
    assert {"return", "random_return", "entropy", "length"} < summary.keys()
    kinds = [record["kind"] for record in read_metrics(tmp_path / "whole")]
    assert kinds == ["random", *["iteration"] * 6, "evaluation"]

    part = tmp_path / "part"
    assert train(*options, "--iterations", 4, "--checkpoint-every", 2, "--out", part) == 0
    # The first one ended here, with an evaluation.
    metrics = (part / "metrics.jsonl").read_text().splitlines(keepends=True)
    (part / "metrics.jsonl").write_text("".join(metrics[:-1]) + '{"kind": "iteration", "iteration": 5}\n{"iterat')
    assert resume(part, "--iterations", 6) == 0
    assert records(part) == records(tmp_path / "whole")
    one, other = (read_checkpoint(folder / CHECKPOINT) for folder in (part, tmp_path / "whole"))
    assert one[1] == other[1] and all((one[0][name] == values).all() for name, values in other[0].items())
    capsys.readouterr()
    for _ in range(2):
        assert dispatch(["eval", str(part), "--episodes", "5"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second and "6.0 steps, over 8 episodes, after 6 iterations" in first


def test_a_polite_stop_goes_on_with_the_same_bits(tmp_path, capsys, monkeypatch):
    assert train("--agents", 2, "--iterations", 4, "--out", tmp_path / "whole") == 0
    write, stop = Run._write, tmp_path / "stopped"

    def interrupted(run, record):
        write(run, record)
        if record["kind"] == "iteration" and record["iteration"] == 2:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patched:
        patched.setattr(Run, "_write", interrupted)
        assert train("--agents", 2, "--iterations", 4, "--out", stop) == 130
    assert "Stopped after iteration 2; checkpoint written" in capsys.readouterr().err
    assert resume(stop) == 0 and records(stop) == records(tmp_path / "whole")


def test_a_run_that_is_killed_goes_on_with_the_same_bits(tmp_path):
    """From its last checkpoint, wherever it was since."""
    options = "--agents", "2", "--checkpoint-every", "3", "--seed", "7"
    killed = tmp_path / "killed"
    command = [sys.executable, "-m", "rewardware.sw.cli", *TINY.split(), *options, "--iterations", "100000"]
    run = subprocess.Popen([*command, "--out", str(killed)], start_new_session=True)
    try:
        end = time.monotonic() + 120
        while len(read_metrics(killed)) < 8 and run.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    done = read_checkpoint(killed / CHECKPOINT)[1]["iterations"]
    assert done >= 3 and done % 3 == 0
    assert resume(killed, "--iterations", done + 2) == 0
    assert train(*options, "--iterations", done + 2, "--out", tmp_path / "whole") == 0
    assert records(killed) == records(tmp_path / "whole")


def test_environments_of_others(tmp_path, capsys):
    options = "--env", "mpe2/simple_spread_v3", "--episode-steps", 5
    assert train(*options, "--iterations", 2, "--out", tmp_path / "spread") == 0
    assert "mpe2/simple_spread_v3, 3 agents, 5 steps" in capsys.readouterr().out
    # Whose agents differ.
    assert train("--env", "mpe2/simple_tag_v3", "--iterations", 3, "--episode-steps", 4, "--out", tmp_path / "tag") == 0
    assert resume(tmp_path / "tag", "--iterations", 4) == 0
    assert read_checkpoint(tmp_path / "tag" / CHECKPOINT)[1]["task"]["sizes"] == [16, 16, 16, 14]
    assert train(*options, "--print-config") == 0
    assert "env: mpe2/simple_spread_v3\ntask:\n  steps: 5\nbackend: torch" in capsys.readouterr().out
    assert resume(tmp_path / "tag", "--env", "rover-tower") == 2
    assert "is a run in mpe2/simple_tag_v3, not in rover-tower" in capsys.readouterr().err
    assert dispatch(["eval", str(tmp_path / "tag"), "--episodes", "4", "--video", str(tmp_path / "a.gif")]) == 2
    assert "do not draw themselves: omit --video" in capsys.readouterr().err


def test_an_environment_that_fails_leaves_a_checkpoint(tmp_path, capsys):
    env = "tests.sw.core.environments.parallel:broken"
    assert train("--env", env, "--iterations", 2, "--out", tmp_path) == 1
    error = capsys.readouterr().err
    assert "RuntimeError in " in error and "out of fuel" in error
    # Random actions, which are played first, failed.
    assert not (tmp_path / CHECKPOINT).exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--backend", "gpu", "--print-config"),
            "Backend must be torch, reference, rtl, lockstep, uart:PORT or pynq:",
        ),
        (("--agents", 3), "agents must be even, half rovers and half towers, not 3"),
        (("--reward", "none"), "invalid choice: 'none'"),
        (("--iterations", 0), "--iterations must be at least 1, not 0"),
        (("--episode-steps", 0), "--episode-steps must be at least 1, not 0"),
        (("--resume", "nowhere", "--agents", 2), "--resume goes on with the run's own"),
        (("--hidden-size", 7), "hidden_size must be a multiple of the 2 heads, not 7"),
        (("--buffer-size", 8), "buffer_size must be at least the batch_size 32, not 8"),
        (
            ("--env", "mpe2/simple_spread_v3", "--agents", 4),
            "--agents is for rover-tower: omit it with --env mpe2",
        ),
        (("--env", "mpe2/simple_spread_v3", "--no-own-state"), "--own-state is for rover-tower: omit it with"),
        (("--env", "own/corridor-v0"), "The environment of MAAC itself is rover-tower"),
    ],
)
def test_errors_are_one_line(options, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        code = train(*options)
    except SystemExit as stop:
        code = stop.code
    error = capsys.readouterr().err
    assert code == 2 and words in error and error.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_reference_goes_on_with_what_pytorch_began(tmp_path, capsys):
    options = "--agents", 4, "--episode-steps", 6
    assert train(*options, "--backend", "reference", "--iterations", 3, "--out", tmp_path / "run") == 0
    assert "on backend reference" in capsys.readouterr().out
    assert resume(tmp_path / "run", "--backend", "torch", "--iterations", 5) == 0
    assert resume(tmp_path / "run", "--backend", "reference", "--iterations", 7) == 0
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["iterations"] == 7


def test_a_run_on_the_rtl_is_compared_with_the_reference(tmp_path, capsys):
    """Its checkpoint goes on with PyTorch, which has no accelerator, and from there on the RTL again."""
    rtl = "--backend", "lockstep", "--config", "small", "--agents", 2
    options = "--episodes", 2, "--batch-size", 12, "--episode-steps", 6
    assert train(*rtl, *options, "--iterations", 2, "--out", tmp_path / "run") == 0
    printed = capsys.readouterr().out
    assert "configuration small" in printed and "updates on the RTL as well" in printed
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    counters = summary["counters"]
    assert counters["lockstep_compared"] == counters["lockstep_equal"] > 1000
    assert counters["lockstep_steps"] == counters["updates"] > 0 and counters["device_cycles"] > 0
    assert summary["hardware"]["critic_units"] == [3, 2, 1, 2, 1, 3, 1]
    assert resume(tmp_path / "run", "--iterations", 3, "--backend", "torch") == 0
    assert resume(tmp_path / "run", "--iterations", 4, "--backend", "reference") == 0


def test_an_accelerator_is_for_its_own_networks(tmp_path, capsys):
    assert train("--backend", "rtl", "--config", "paper", "--agents", 4, "--out", tmp_path / "run") == 2
    assert "Hidden size of accelerator paper must be those of the agents, 8, not 128" in capsys.readouterr().err
    assert train("--config", "small", "--out", tmp_path / "other") == 2
    assert "Backend 'torch' has no accelerator: omit it" in capsys.readouterr().err
