"""`rewardware train pearl`: what a run leaves, going on with the same bits, interruption, and refusals."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.checkpoint import read_checkpoint
from rewardware.sw.core.run_folder import read_metrics
from tests.sw.systems.records import records

# As that of tests/hw/soc/pearl, so that its simulator is built once.
DEVICE = "hardware: {leaves: 150, fanout: 8, priority_width: 24, priority_fraction: 12}"
TINY = (
    "--algo dqn --env CartPole-v1 --hidden-sizes 8 --batch-size 12 --learning-starts 30 --train-freq 4 "
    "--gradient-steps 1 --quiet --evaluation-episodes 1 --evaluate-every 50"
)
REST = ["--quiet", "--evaluation-episodes", "1", "--evaluate-every", "50"]


@pytest.fixture
def device(tmp_path):
    path = tmp_path / "device.yaml"
    path.write_text(DEVICE)
    return ["--config", str(path)]


def train(*arguments):
    return dispatch(["train", "pearl", *TINY.split(), *map(str, arguments)])


def assert_same_run(one, other):
    (left, left_rest), (right, right_rest) = (read_checkpoint(folder / "checkpoint.zip") for folder in (one, other))
    assert left.keys() == right.keys() and left_rest == right_rest
    for name in left:
        assert np.array_equal(left[name], right[name]), name
    assert records(one) == records(other)


@pytest.mark.parametrize("backend", ["reference", "lockstep"])
def test_run_leaves_everything_and_prints_a_summary(backend, device, tmp_path, capsys):
    out = tmp_path / "run"
    assert train("--backend", backend, "--steps", 120, "--out", out, *device) == 0
    printed = capsys.readouterr().out
    for words in ("CartPole-v1, 120 steps, seed 0", "random actions", "23 gradient steps", str(out)):
        assert words in printed
    if backend == "lockstep":
        assert "cycles a batch of samples" in printed and "packets of requests to the RTL as well" in printed
    files = {
        ".lock",
        "settings.json",
        "checkpoint.zip",
        "metrics.jsonl",
        "learning_curve.png",
        "summary.json",
        "statistics.png",
    }
    assert {path.name for path in out.iterdir()} == files
    assert [record["step"] for record in read_metrics(out) if record["kind"] == "evaluation"] == [50, 100, 120]
    assert json.loads((out / "summary.json").read_text())["counters"]["gradient_steps"] == 23

    assert dispatch(["eval", str(out), "--episodes", "2", "--backend", "reference"]) == 0
    assert "after 120 steps" in capsys.readouterr().out
    assert train("--out", out) == 2
    assert "holds a run already" in capsys.readouterr().err


def test_a_run_that_goes_on_has_the_options_of_its_algorithm(tmp_path, capsys):
    out = tmp_path / "run"
    begin = "train pearl --algo ddpg --env Pendulum-v1 --steps 16 --environments 2 --quiet --evaluation-episodes 1"
    assert dispatch([*begin.split(), "--out", str(out)]) == 0
    resume = ["train", "pearl", "--resume", str(out)]
    assert dispatch([*resume, "--tau", "0.1"]) == 2
    assert "--resume goes on with the run's own tau: omit the option" in capsys.readouterr().err
    for option, owner in (("--loss", "dqn"), ("--temperature", "sac"), ("--no-double-q", "dqn")):
        with pytest.raises(SystemExit) as stop:
            dispatch([*resume, option, "1"])
        assert stop.value.code == 2
        said = f"{option} is an option of {owner}, and the run in {out} is one of ddpg\n"
        assert capsys.readouterr().err == f"rewardware train pearl: error: unrecognized arguments: {said}"
    with pytest.raises(SystemExit):
        dispatch([*resume, "--help"])
    printed = capsys.readouterr().out
    assert "--tau " in printed and "--loss " not in printed


def test_a_learner_in_hardware_brings_its_hyper_parameters(device, tmp_path, capsys):
    out = tmp_path / "run"
    options = ["--learner", "small", "--batch-size", "12", "--learning-starts", "30", "--train-freq", "4"]
    options += ["--gradient-steps", "1", "--steps", "80", "--out", str(out), *REST, *device]
    assert dispatch(["train", "pearl", "--env", "CartPole-v1", "--backend", "lockstep", *options]) == 0
    printed = capsys.readouterr().out
    for words in ("cycles a gradient step, RTL", "13 gradient steps on the RTL as well", "numbers compared"):
        assert words in printed
    assert read_checkpoint(out / "checkpoint.zip")[1]["config"]["hidden_sizes"] == [5, 3]
    assert dispatch(["eval", str(out), "--episodes", "1", "--backend", "reference"]) == 0
    assert dispatch(["train", "pearl", "--resume", str(out), "--learner", "small"]) == 2
    assert "--resume goes on with the run's own learner: omit the option" in capsys.readouterr().err
    resumed = ["--resume", str(out), "--learner-backend", "reference", "--steps", "84", *REST]
    assert dispatch(["train", "pearl", *resumed]) == 0
    printed = capsys.readouterr().out
    assert "packets of requests to the RTL as well" in printed and "cycles a gradient step, RTL" not in printed
    options[options.index(str(out))] = str(tmp_path / "elsewhere")
    assert dispatch(["train", "pearl", "--env", "CartPole-v1", "--learner-backend", "rtl", *options]) == 0
    printed = capsys.readouterr().out
    assert "cycles a gradient step, RTL" in printed and "a batch of samples" not in printed


@pytest.mark.parametrize("actors", [(), ("--actors", 1, "--environments", 5)])
def test_resumed_run_is_identical(actors, device, tmp_path, capsys):
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    assert train("--steps", 250, "--out", straight, *device, *actors) == 0
    assert train("--steps", 150, "--out", broken, *device, *actors) == 0
    assert dispatch(["train", "pearl", "--resume", str(broken), "--steps", "250", *REST]) == 0
    assert_same_run(straight, broken)
    assert dispatch(["eval", str(broken), "--episodes", "1"]) == 0
    assert "after 250 steps" in capsys.readouterr().out


@pytest.mark.parametrize("algorithm", ["ddpg", "sac"])
def test_resumed_run_of_continuous_actions_is_identical(algorithm, device, tmp_path, capsys):
    command = (
        f"train pearl --algo {algorithm} --env Pendulum-v1 --hidden-sizes 8 --batch-size 12 --learning-starts 30 "
        "--environments 5 --quiet --evaluation-episodes 1 --evaluate-every 50"
    ).split()
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    assert dispatch([*command, *device, "--steps", "150", "--out", str(straight)]) == 0
    assert "120 gradient steps" in capsys.readouterr().out
    assert dispatch([*command, *device, "--steps", "100", "--out", str(broken)]) == 0
    assert dispatch(["train", "pearl", "--resume", str(broken), "--steps", "150", *REST]) == 0
    assert_same_run(straight, broken)
    assert dispatch(["eval", str(broken), "--episodes", "1"]) == 0
    assert "after 150 steps" in capsys.readouterr().out


def test_interrupted_run_leaves_a_checkpoint_and_goes_on_identically(device, tmp_path):
    broken, straight = tmp_path / "broken", tmp_path / "straight"
    command = [sys.executable, "-m", "rewardware.sw.cli", "train", "pearl", *TINY.split(), *device]
    process = subprocess.Popen(
        [*command, "--out", str(broken), "--steps", "1000000"], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while len(read_metrics(broken)) < 6 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Stopped after step" in errors and "Traceback" not in errors
    steps = str(read_checkpoint(broken / "checkpoint.zip")[1]["num_timesteps"] + 70)
    assert dispatch(["train", "pearl", "--resume", str(broken), "--steps", steps, *REST]) == 0
    assert train("--steps", steps, "--out", straight, *device) == 0
    assert_same_run(straight, broken)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--env", "Pendulum-v1"), "The action space must be Discrete"),
        (("--env", "CartPole-v9"), "cannot be made"),
        (("--environments", 3), "--environments is for actors: also give --actors"),
        (("--actors", 0), "Number of actors must be at least 1, not 0"),
        (
            ("--batch-size", 70000),
            "batch_size must be at most 65535, which the replay manager samples at once, not 70000",
        ),
        (("--batch-size", 0), "batch_size must be at least 1, not 0"),
        (("--steps", 0), "--steps must be at least 1, not 0"),
        (("--tau", 0.1), "unrecognized arguments: --tau is an option of ddpg and sac, not of dqn"),
        (("--algo", "ddpg", "--loss", "huber"), "unrecognized arguments: --loss is an option of dqn, not of ddpg"),
        (("--algo", "sac", "--no-double-q"), "--no-double-q is an option of dqn, not of sac"),
        (("--algo", "ddpg", "--noise-scael", 0.1), "--noise-scael: did you mean '--noise-scale'?"),
        (("--quantization-delay", 9), "--quantization-delay is an option of rewardware train fixar"),
        (("--algo", "sac"), "The action space must be a Box of real numbers, not Discrete(2)"),
        (("--loss", "absolute"), "invalid choice: 'absolute'"),
        (("--backend", "fpga"), "Backend must be reference, rtl, lockstep, uart:PORT or pynq:"),
        (
            ("--config", "k17"),
            "Configuration must be one of k16, k16-lanes2, k2, k4, k8, small, ulx3s or a YAML file, not 'k17'",
        ),
        (("--learner", "small"), "Learner small has the network 4-5-3-2, not 4-8-2"),
        (("--learner-backend", "rtl"), "--learner-backend is where a learner in hardware is: also give --learner"),
        (
            ("--learner", "tiny"),
            "Configuration must be one of cartpole, cartpole-simulation, small, ulx3s or a YAML file, not 'tiny'",
        ),
        (("--resume", "nowhere"), "--resume goes on with the run's own hidden_sizes"),
    ],
)
def test_errors_are_one_line(options, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        code = train(*options)
    except SystemExit as stop:
        code = stop.code
    error = capsys.readouterr().err
    assert code == 2 and error.count("\n") == 1 and words in error
