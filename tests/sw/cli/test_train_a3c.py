"""`rewardware train a3c`: what a run leaves, going on, being stopped or killed, games, failures, refusals."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.checkpoint import read_checkpoint
from rewardware.sw.core.run import Run
from rewardware.sw.core.run_folder import CHECKPOINT, read_metrics
from rewardware.sw.systems.a3c.agent import A3C
from rewardware.sw.systems.experiments import EXPERIMENTS
from tests.sw.systems.records import records

TINY = "train a3c --agents 2 --hidden-sizes 8,6 --evaluation-episodes 2 --evaluate-every 0 --quiet"
HERE = "--environments", "in-process"
CARTPOLE = "--env", "CartPole-v1"
# Fails in the 31st step of a process; random actions, which are played first, take 12.
GAME = """
import gymnasium
import numpy

class Own(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 1, (2,))
    action_space = gymnasium.spaces.Discrete(2)
    steps = 0

    def reset(self, *, seed=None, options=None):
        self.taken = 0
        return numpy.zeros(2, numpy.float32), {}

    def step(self, action):
        if Own.steps == 30:
            raise KeyError("boom")
        Own.steps += 1
        self.taken += 1
        return numpy.ones(2, numpy.float32), 1.0, self.taken == 12, False, {}

gymnasium.register("Own-v0", Own)
"""


def train(*arguments):
    return dispatch([*TINY.split(), *map(str, arguments)])


def resume(directory, *arguments):
    return dispatch(["train", "a3c", "--resume", str(directory), "--quiet", *map(str, arguments)])


def test_the_preset_of_the_board_trains_four_agents_as_the_experiment_does_eight(capsys):
    def configuration(*options):
        assert dispatch(["train", "a3c", *CARTPOLE, *options, "--print-config", "--json"]) == 0
        return json.loads(capsys.readouterr().out)["config"]

    options = EXPERIMENTS["cartpole-a3c"].arms["reference"].options
    here, there = configuration("--backend", "reference", "--config", "ulx3s"), configuration(*options)
    assert here == there | {"agents": 4}


def test_run_leaves_everything_and_goes_on_with_the_same_bits(tmp_path, capsys):
    options = *CARTPOLE, *HERE, "--backend", "reference", "--seed", 3, "--anneal-steps", 500, "--statistics-every", 50
    assert train(*options, "--steps", 300, "--out", tmp_path / "whole") == 0
    printed = capsys.readouterr().out
    for words in ("CartPole-v1, 300 steps, seed 3", "(random actions: ", "on backend reference", "updates of 2 agents"):
        assert words in printed
    files = {
        ".lock", "settings.json", "checkpoint.zip", "metrics.jsonl", "learning_curve.png", "summary.json",
        "statistics.png",
    }  # fmt: skip
    assert {path.name for path in (tmp_path / "whole").iterdir()} == files
    summary = json.loads((tmp_path / "whole" / "summary.json").read_text())
    assert summary["environments"] == "in-process" and summary["config"]["anneal_steps"] == 500
    told = next(record for record in read_metrics(tmp_path / "whole") if record["kind"] == "statistics")
    assert {"entropy", "value", "advantage", "value_loss", "learning_rate", "updates"} < told.keys()

    part = tmp_path / "part"
    assert train(*options, "--steps", 150, "--out", part) == 0
    # The first one ended here, with an evaluation.
    metrics = (part / "metrics.jsonl").read_text().splitlines(keepends=True)
    (part / "metrics.jsonl").write_text("".join(metrics[:-1]) + '{"kind": "episode", "step": 151, "ret')
    assert resume(part, "--steps", 300) == 0
    assert records(part) == records(tmp_path / "whole")
    one, other = (read_checkpoint(folder / CHECKPOINT) for folder in (part, tmp_path / "whole"))
    assert one[1] == other[1] and all((one[0][name] == values).all() for name, values in other[0].items())
    capsys.readouterr()
    for _ in range(2):
        assert dispatch(["eval", str(part), "--episodes", "3"]) == 0
    first, second = capsys.readouterr().out.split("mean")[1:]
    assert first.splitlines()[0] == second.splitlines()[0] and "after 300 steps" in first


def test_a_polite_stop_goes_on_with_the_same_bits(tmp_path, capsys, monkeypatch):
    assert train(*CARTPOLE, *HERE, "--steps", 200, "--out", tmp_path / "whole") == 0
    write, stop = Run._write, tmp_path / "stopped"

    def interrupted(run, record):
        write(run, record)
        if record["kind"] == "episode" and record["step"] > 60:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patched:
        patched.setattr(Run, "_write", interrupted)
        assert train(*CARTPOLE, *HERE, "--steps", 200, "--out", stop) == 130
    assert "checkpoint written" in capsys.readouterr().err
    assert resume(stop) == 0 and records(stop) == records(tmp_path / "whole")


def test_a_run_with_processes_that_is_killed_goes_on(tmp_path):
    """From its last checkpoint; and the whole of it can be done again."""
    killed = tmp_path / "killed"
    command = [sys.executable, "-m", "rewardware.sw.cli", *TINY.split(), *CARTPOLE, "--checkpoint-every", "100"]
    run = subprocess.Popen([*command, "--steps", "1000000", "--out", str(killed)], start_new_session=True)
    try:
        end = time.monotonic() + 120
        while len(read_metrics(killed)) < 12 and run.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    done = read_checkpoint(killed / CHECKPOINT)[1]["num_timesteps"]
    assert done >= 100
    assert resume(killed, "--steps", done + 50) == 0
    arrays, about = read_checkpoint(killed / CHECKPOINT)
    assert about["num_timesteps"] >= done + 50
    with A3C.again(killed / CHECKPOINT) as again:
        saved = again.learner.save()
    assert saved and all((values == arrays[f"learner/{name}"]).all() for name, values in saved.items())


def test_games_of_the_arcade(tmp_path, capsys):
    game = "--env", "ALE/Breakout-v5", "--obs", "ram", *HERE
    assert train(*game, "--steps", 30, "--evaluation-episodes", 1, "--print-config") == 0
    assert "env: ALE/Breakout-v5" in capsys.readouterr().out
    with A3C("ALE/Breakout-v5", environments="in-process") as agent:
        assert agent.learner.shape.sizes == (128, 256, 128, 64, 5)
        agent.learn(16)
        agent.save(tmp_path / "game.zip")
    assert A3C.load(tmp_path / "game.zip").num_timesteps == 16


@pytest.mark.parametrize("place", ["processes", "in-process"])
def test_an_environment_that_fails_leaves_a_checkpoint(place, tmp_path, monkeypatch, capsys):
    (tmp_path / "own_game.py").write_text(GAME)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    options = "--environments", place, "--env", "own_game:Own-v0", "--evaluation-episodes", 1, "--steps", 500
    assert train(*options, "--out", "run") == 1
    said = capsys.readouterr().err
    assert "KeyError in " in said and "own_game.py:" in said and "boom" in said and "checkpoint written at step" in said
    assert (tmp_path / "run" / CHECKPOINT).exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            (*CARTPOLE, "--backend", "gpu"),
            "Backend must be torch, reference, rtl, lockstep, uart:PORT or pynq:",
        ),
        ((*CARTPOLE, "--backend", "torch", "--config", "small"), "Backend 'torch' has no accelerator: omit it"),
        ((*CARTPOLE, "--config", "nowhere.yaml"), "nowhere.yaml"),
        ((*CARTPOLE, "--obs", "ram"), "--obs is for games of the ALE: omit it with --env CartPole-v1"),
        ((*CARTPOLE, "--obs", "pixels"), "invalid choice: 'pixels'"),
        ((*CARTPOLE, "--agents", 65), "agents must be at most 64, not 65"),
        ((*CARTPOLE, "--steps", 0), "--steps must be at least 1, not 0"),
        ((), "--env is needed: a Gymnasium environment, such as CartPole-v1"),
        (("--env", "Pendulum-v1"), "The action space must be Discrete"),
        (("--resume", "nowhere"), "--resume goes on with the run's own"),
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


def test_on_the_device_every_number_is_compared(tmp_path, capsys):
    options = "train", "a3c", *CARTPOLE, "--config", "small", *HERE, "--evaluate-every", "0", "--quiet"
    device, reference = str(tmp_path / "device"), str(tmp_path / "reference")
    assert dispatch([*options, "--backend", "lockstep", "--steps", "60", "--out", device]) == 0
    told = capsys.readouterr().out
    assert "numbers compared" in told and "updates of 3 agents" in told
    # The device goes on from the checkpoint, and the reference alone comes to the same.
    assert resume(device, "--backend", "rtl", "--steps", 120) == 0
    assert dispatch([*options, "--backend", "reference", "--steps", "120", "--out", reference]) == 0
    states = []
    for run in (device, reference):
        with A3C.load(Path(run) / CHECKPOINT, backend="reference") as agent:
            states.append(agent.learner.service.save())
    for name, values in states[0].items():
        np.testing.assert_array_equal(values, states[1][name])
