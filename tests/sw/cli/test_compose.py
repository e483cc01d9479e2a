"""The composer on the command line."""

import json

import numpy as np
import pytest
import torch
import yaml

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.mapping.composer.platform import list_platforms, load_platform

# Nothing of it is measured.
ESTIMATED = {"profile": {"operations_per_second": 1.0e9, "seconds_per_task": 1.0e-5}, "memory_bandwidth": 1.0e10}
PLATFORM = {
    "devices": {
        "cpu": {"kind": "cpu", **ESTIMATED},
        "fpga": {
            "kind": "fpga",
            "memory_bandwidth": 1.0e10,
            "resources": {"dsp": 4000},
            "profile": {"frequency": 2.5e8},
        },
    },
    "links": [{"between": ["cpu", "fpga"], "bandwidth": 1.6e10, "initiation_latency": 1.0e-6}],
}
PROBLEM = {
    "batch": 8,
    "tasks": {
        "sample": {"kind": "replay", "latency": {"cpu": 2.0e-6}},
        "learn": {"kind": "learner", "latency": {"cpu": 3.0e-6}},
    },
    "edges": [{"source": "sample", "target": "learn", "bytes": 9}],
    "devices": {"cpu": {"kind": "cpu", "memory_bandwidth": 1.0e9}},
}


@pytest.fixture
def platform(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(PLATFORM))
    return str(file)


def command(platform, algorithm="dqn", environment="CartPole-v1"):
    return ["compose", "--algo", algorithm, "--env", environment, "--platform", platform]


@pytest.mark.parametrize(
    ("algorithm", "environment", "layers"),
    [
        ("dqn", "CartPole-v1", "4-64-64-2"),
        ("ddpg", "MountainCarContinuous-v0", "3-256-128-1"),
        ("sac", "Pendulum-v1", "4-256-256-1"),
    ],
)
def test_schedule_placement_and_reasons(algorithm, environment, layers, platform, tmp_path, capsys):
    out = tmp_path / "out"
    assert dispatch([*command(platform, algorithm, environment), "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"{algorithm} on {environment}, {layers}, batch 128, 131072 experiences; mine\n")
    for words in ("cpu (estimate)", "fpga (cycle model)", "sample + update", "Replay memory on ", "experiences/s"):
        assert words in shown
    content = json.loads((out / "schedule.json").read_text())
    assert content["makespan"] == max(task["finish"] for task in content["schedule"])
    assert f"Iteration: {1e6 * content['makespan']:.2f} us" in shown
    assert (out / "schedule.png").read_bytes().startswith(b"\x89PNG")


def test_json_and_options(platform, capsys):
    options = ["--hidden-sizes", "30,20", "--batch-size", "32", "--buffer-size", "1000", "--refine", "--json"]
    assert dispatch([*command(platform), *options]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["title"] == "dqn on CartPole-v1, 4-30-20-2, batch 32, 1000 experiences; mine"
    assert content["makespan"] <= content["refined_makespan"] <= content["task_parallel_makespan"]


def test_given_latencies(tmp_path, capsys):
    file = tmp_path / "tables.yaml"
    file.write_text(yaml.safe_dump(PROBLEM))
    assert dispatch(["compose", "--problem", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "latency, us  cpu (given)" in shown and "Iteration: 5.00 us, 1600000 experiences/s" in shown
    assert "Data parallelism: no two devices have room" in shown


def test_latencies_in_another_order_than_the_devices(tmp_path, capsys):
    two = {"cpu": {"kind": "cpu", "memory_bandwidth": 1.0}, "gpu": {"kind": "gpu", "memory_bandwidth": 1.0}}
    tasks = {
        "first": {"latency": {"gpu": 4.0e-6, "cpu": 3.0e-6}},
        "second": {"latency": {"cpu": 5.0e-6, "gpu": 6.0e-6}},
    }
    links = [{"between": ["gpu", "cpu"], "bandwidth": 1.0}]
    file = tmp_path / "tables.yaml"
    content = {"batch": 1, "tasks": tasks, "devices": two, "links": links}
    file.write_text(yaml.safe_dump(content, sort_keys=False))
    assert dispatch(["compose", "--problem", str(file)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["first", "3.00", "4.00"] in rows and ["second", "5.00", "6.00"] in rows


@pytest.mark.parametrize("name", list_platforms())
def test_platforms_of_the_package(name):
    platform = load_platform(name)
    assert {device.kind for device in platform.devices} == {"cpu", *name.replace("server-cgf", "gpu-fpga").split("-")}


def test_a_shipped_platform_with_what_is_measured_here(capsys, monkeypatch):
    monkeypatch.setattr("rewardware.sw.mapping.composer.torch_latency.REPEATS", 3)
    assert dispatch([*command("server-cgf"), "--batch-size", "9", "--buffer-size", "1000"]) == 0
    assert "cpu (measured)  gpu (estimate)  fpga (cycle model)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compose"], "--algo, --env, --platform needed, or --problem"),
        (["compose", "--problem", "x.yaml", "--algo", "dqn"], "--problem has all that is composed: omit --algo"),
        (["compose", "--problem", "nowhere.yaml"], "nowhere.yaml"),
        (command("nowhere"), "Platform must be one of cpu, cpu-fpga, server-cgf or a YAML file, not 'nowhere'"),
        (command("PLATFORM", "dqn", "Pendulum-v1"), "The action space must be Discrete, not Box"),
        (command("PLATFORM", "sac"), "The action space must be a vector, not Discrete"),
        (command("PLATFORM", "dqn", "Blackjack-v1"), "The observation space must be a vector, not Tuple"),
        (command("PLATFORM", "dqn", "NoSuch-v0"), "Environment 'NoSuch-v0' cannot be made"),
        ([*command("PLATFORM"), "--batch-size", "0"], "Batch must be at least 1, not 0"),
        ([*command("PLATFORM"), "--actors", "0"], "--actors must be at least 1, not 0"),
    ],
)
def test_errors_are_one_line(arguments, words, platform, capsys):
    assert dispatch([platform if argument == "PLATFORM" else argument for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1 and words in captured.err


def test_a_platform_that_is_wrong(platform, tmp_path, capsys):
    content = {**PLATFORM, "links": []}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(content))
    assert dispatch(command(platform)) == 2
    assert "mine.yaml: Devices cpu and fpga must have one link, not 0" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_told_first(platform, tmp_path, monkeypatch, capsys):
    def never(*_, **__):
        raise AssertionError("measured before the folder was made")

    monkeypatch.setattr("rewardware.sw.mapping.composer.profiling.profile", never)
    (tmp_path / "file").write_text("")
    assert dispatch([*command(platform), "--out", str(tmp_path / "file" / "below")]) == 1
    assert "file/below" in capsys.readouterr().err


def test_what_is_measured_with_is_drawn_from_the_seed(tmp_path, monkeypatch, capsys):
    drawn = []

    def seconds(timed, place):
        prepare, _ = timed
        found = prepare()
        if found is not None:
            drawn.append(found.detach().numpy() if isinstance(found, torch.Tensor) else found)
        return 1.0e-6

    monkeypatch.setattr("rewardware.sw.mapping.composer.torch_latency._seconds", seconds)
    file = tmp_path / "measured.yaml"
    file.write_text(yaml.safe_dump({"devices": {"cpu": {"kind": "cpu", "memory_bandwidth": 1.0e10}}}))
    before, runs = torch.get_rng_state(), []
    for seed in (3, 3, 4):
        drawn.clear()
        assert dispatch([*command(str(file)), "--batch-size", "8", "--buffer-size", "64", "--seed", str(seed)]) == 0
        runs.append(list(drawn))
    assert len(runs[0]) > 4 and all(map(np.array_equal, runs[0], runs[1]))
    assert not any(map(np.array_equal, runs[0], runs[2]))
    assert torch.equal(before, torch.get_rng_state())
    assert dispatch([*command(str(file)), "--seed", "-1"]) == 2
    assert "--seed must be at least 0, not -1" in capsys.readouterr().err
