"""`rewardware plan mcts`: what a run leaves, and refusals."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from rewardware.hw.soc.presets import load_preset
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.run import Run
from rewardware.sw.core.run_folder import read_metrics
from rewardware.sw.device.search_tree_backends import ReferenceTree
from rewardware.sw.systems.mcts.recorder import Recording
from tests.hw.soc.mcts.test_system import SHAPES


def plan(*arguments):
    try:
        return dispatch(["plan", "mcts", "--quiet", *map(str, arguments)])
    except SystemExit as stop:
        return stop.code


def test_a_run_leaves_everything(tmp_path, capsys):
    out, record = tmp_path / "run", tmp_path / "game.npz"
    options = "--env tic-tac-toe --config small --simulations 50 --workers 4 --episodes 2 --keep-tree --draw-step 1"
    assert plan(*options.split(), "--out", out, "--record", record) == 0
    printed = capsys.readouterr().out
    for words in ("tic-tac-toe, seed 0", "50 simulations a step, 4 workers, relaxed", "12 levels, 9 children"):
        assert words in printed
    pictures = {"returns.png", "tree_shapes.png", "tree_step_1.png"}
    assert {path.name for path in out.iterdir()} == pictures | {
        ".lock",
        "settings.json",
        "metrics.jsonl",
        "summary.json",
    }
    records = read_metrics(out)
    steps = [record for record in records if record["kind"] == "step"]
    episodes = [record for record in records if record["kind"] == "episode"]
    summary = json.loads((out / "summary.json").read_text())
    assert len(episodes) == 2 and summary["lengths"] == [episode["length"] for episode in episodes]
    assert all(episode["ended"] and 5 <= episode["length"] <= 9 for episode in episodes)
    assert summary["steps"] == len(steps) == sum(summary["lengths"])
    assert summary["simulations"] == 50 * len(steps) == sum(summary["statuses"].values())
    for step in steps:
        assert sum(step["visits"]) >= 50 and step["depths"][0] == 1
    # Where the tree went on, a root had visits before.
    assert any(sum(step["visits"]) > 50 for step in steps)
    Recording.load(record).replay(ReferenceTree(load_preset("small", "mcts").tree))


def test_lockstep_says_what_it_compared(tmp_path, capsys):
    preset = tmp_path / "tree.yaml"
    hardware = {"policy": "uct", "group": 3, "flits": 2, **SHAPES["uct"]}
    # Rewards of the environment are out of the tree's range without the file's scale.
    training = {"reward_scale": 0.03125, "simulations": 999}
    preset.write_text(yaml.safe_dump({"system": "mcts", "hardware": hardware, "training": training}))
    options = "--env MountainCar-v0 --backend lockstep --simulations 20 --workers 4 --max-steps 2 --rollout-steps 3"
    assert plan(*options.split(), "--config", preset, "--out", tmp_path / "run") == 0
    counters = json.loads((tmp_path / "run/summary.json").read_text())["counters"]
    assert counters["lockstep_compared"] == counters["lockstep_equal"] >= 2 * 2 * 20
    assert f"{counters['lockstep_compared']} answers compared" in capsys.readouterr().out


@pytest.mark.parametrize("processes", [0, 1])
def test_an_evaluator_takes_the_place_of_rollouts(processes, tmp_path):
    options = f"--env tic-tac-toe --simulations 20 --workers 4 --processes {processes} --evaluator"
    assert plan(*options.split(), "tests.sw.systems.mcts.evaluators:Drawn", "--out", tmp_path) == 0
    steps = [record for record in read_metrics(tmp_path) if record["kind"] == "step"]
    # The root is looked at first, a selection more.
    assert steps and all(sum(step["visits"]) == 20 and sum(step["statuses"].values()) == 21 for step in steps)


def test_processes_play_an_episode_of_pong(tmp_path, capsys):
    options = "--env ALE/Pong-v5 --simulations 16 --workers 4 --processes 2 --rollout-steps 3 --max-steps 3"
    assert plan(*options.split(), "--config", "f6-d8", "--out", tmp_path) == 0
    assert "in 2 processes" in capsys.readouterr().out
    assert [record["kind"] for record in read_metrics(tmp_path)] == ["step"] * 3 + ["episode"]


def test_a_polite_stop_keeps_what_there_is(tmp_path, capsys, monkeypatch):
    write = Run._write

    def interrupted(run, *arguments):
        write(run, *arguments)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Run, "_write", interrupted)
    assert plan(*"--env tic-tac-toe --simulations 9 --episodes 3 --out".split(), tmp_path) == 130
    assert "Stopped after episode 0; what it came to is written" in capsys.readouterr().err
    assert json.loads((tmp_path / "summary.json").read_text())["lengths"] == [1]


def processes_of(group):
    """Processes of a group that have not ended."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, number = file.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(number) == group and state != "Z":
            found.append(file.parent.name)
    return found


def test_ctrl_c_ends_all_processes(tmp_path):
    options = "--env CartPole-v1 --simulations 20 --processes 2 --max-steps 100000 --quiet --out"
    command = [sys.executable, "-m", "rewardware.sw.cli", "plan", "mcts", *options.split(), str(tmp_path)]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        end = time.monotonic() + 120
        while not read_metrics(tmp_path) and run.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        # As a terminal does: to the run and to all its processes.
        os.killpg(run.pid, signal.SIGINT)
        _, error = run.communicate(timeout=120)
        assert run.returncode == 130
        told, said = error.strip().splitlines()
        assert told.startswith("stopping when") and said.startswith("rewardware: Stopped after ")
        end = time.monotonic() + 120
        while (left := processes_of(run.pid)) and time.monotonic() < end:
            time.sleep(0.05)
        assert not left
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("", "--env is needed: an environment that can save its state"),
        ("--env Nothing-v0", "Environment 'Nothing-v0' cannot be made"),
        ("--env HalfCheetah-v5", "HalfCheetah-v5 cannot be searched: its state cannot be saved and restored"),
        (
            "--env tic-tac-toe --backend sim",
            "Backend must be reference, rtl, lockstep, uart:PORT or pynq:",
        ),
        ("--env tic-tac-toe --config f6-d8", "Fanout of the tree must be at least the 9 actions of tic-tac-toe, not 6"),
        ("--env tic-tac-toe --config f6-d9", "Configuration must be one of connect-four, f18-d16"),
        ("--env tic-tac-toe --episodes 0", "--episodes must be at least 1, not 0"),
        ("--env tic-tac-toe --draw-step -1", "--draw-step must be at least 0, not -1"),
        ("--env tic-tac-toe --workers 200", "Number of workers must be at most the tree's 128, not 200"),
        ("--env CartPole-v1 --reward-scale 1 --max-steps 20", r"Reward must be in [-8, 8)"),
        ("--env tic-tac-toe --schedule lazy", "invalid choice: 'lazy'"),
        ("--env tic-tac-toe --evaluator network", "--evaluator must be MODULE:NAME, not 'network'"),
        ("--env tic-tac-toe --evaluator no.such:one", "There is no evaluator 'no.such:one': No module named 'no'"),
        ("--env tic-tac-toe --evaluator math:no", "There is no evaluator 'math:no': module 'math' has no attribute"),
        ("--env tic-tac-toe --evaluator math:pi", "Evaluator 'math:pi' must be callable, not float"),
        (
            "--env tic-tac-toe --config small --evaluator tests.sw.systems.mcts.evaluators:Drawn",
            "Policy of the tree must be puct, puct_root or puct_visits for an evaluator, as uct has no priors",
        ),
    ],
)
def test_errors_are_one_line(options, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert plan(*options.split()) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
