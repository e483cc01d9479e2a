"""`rewardware train learninggroup`: what a run leaves, going on, and refusals."""

import json
import sys

import pettingzoo
import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.checkpoint import read_checkpoint
from rewardware.sw.core.run_folder import read_metrics
from tests.sw.systems.records import records

TINY = "train learninggroup --hidden-size 8 --episodes 4 --quiet"


def train(*arguments):
    return dispatch([*TINY.split(), *map(str, arguments)])


def test_run_leaves_everything_and_goes_on_with_the_same_bits(tmp_path, capsys):
    options = "--agents", 2, "--groups", 2, "--seed", 3, "--mode", "mixed"
    assert train(*options, "--iterations", 6, "--out", tmp_path / "whole") == 0
    printed = capsys.readouterr().out
    for words in ("2 predators on 5 x 5 cells, mixed, vision 0, 20 steps", "% of the last 24 episodes", "(2 groups)"):
        assert words in printed
    files = {
        ".lock",
        "settings.json",
        "checkpoint.zip",
        "metrics.jsonl",
        "learning_curve.png",
        "summary.json",
        "statistics.png",
    }
    assert {path.name for path in (tmp_path / "whole").iterdir()} == files
    assert json.loads((tmp_path / "whole" / "summary.json").read_text())["iterations"] == 6

    part = tmp_path / "part"
    assert train(*options, "--iterations", 4, "--checkpoint-every", 2, "--out", part) == 0
    with open(part / "metrics.jsonl", "a") as metrics:
        metrics.write('{"kind": "iteration", "iteration": 5, "success": 9}\n{"iterat')
    assert dispatch(["train", "learninggroup", "--resume", str(part), "--iterations", "6", "--quiet"]) == 0
    assert records(part) == records(tmp_path / "whole")
    assert read_checkpoint(part / "checkpoint.zip")[1] == read_checkpoint(tmp_path / "whole" / "checkpoint.zip")[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--agents", 25), "predators must be fewer than the 25 cells of the grid, not 25"),
        (("--groups", 0), "groups must be at least 1, not 0"),
        (("--iterations", 0), "--iterations must be at least 1, not 0"),
        (("--resume", "nowhere", "--agents", 2), "--resume goes on with the run's own"),
        (("--level", "simple"), "invalid choice: 'simple'"),
        (("--config", "paper"), "--config is for a device; backend torch has none"),
        (("--backend", "reference", "--config", "papr"), "Configuration must be one of paper, small, ulx3s or a YAML"),
        (
            ("--backend", "reference", "--precision", "float32"),
            "precision must be mixed or half on a device, not float32",
        ),
        (("--env", "staggered:make", "--level", "easy"), "--level is for predator-prey: omit it with --env stag"),
        (("--env", "staggered:make"), "Environment 'staggered:make' cannot be made: No module named 'staggered'"),
        (("--env", "mpe2/simple_tag_v3"), "as many elements as adversary_0, 16; agent_0 observes 14"),
        (("--env", "own/corridor-v0"), "name it as MODULE:FACTORY; if it registers it, add --import MODULE"),
        (("--episode-steps", 3), "--episode-steps is not for predator-prey, whose levels set it: omit it"),
        (("--env", "mpe2/simple_spread_v3", "--episode-steps", 0), "--episode-steps must be at least 1, not 0"),
        (("--backend", "reference", "--groups", 33), "Groups must be at most 32 in configuration paper, not 33"),
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


def test_run_on_the_reference(tmp_path, capsys):
    options = "--backend", "reference", "--config", "small", "--groups", 3, "--agents", 2
    assert train(*options, "--iterations", 2, "--out", tmp_path / "run") == 0
    printed = capsys.readouterr().out
    assert "configuration small, 2 cores of 10 VPUs; network in binary16, optimiser in binary32" in printed
    assert (tmp_path / "run" / "workload.png").exists()
    about = read_checkpoint(tmp_path / "run" / "checkpoint.zip")[1]
    assert about["hardware"]["device"]["cores"] == 2 and about["config"]["loss_scale"] == 1024
    resume = ["train", "learninggroup", "--resume", str(tmp_path / "run"), "--iterations", "3", "--quiet"]
    assert dispatch(resume) == 0 and len(read_metrics(tmp_path / "run")) == 3
    capsys.readouterr()
    for _ in range(2):
        assert dispatch(["eval", str(tmp_path / "run"), "--episodes", "7"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second and "over 8 episodes, after 3 iterations" in first
    assert train(*options, "--iterations", 1, "--precision", "half", "--out", tmp_path / "half") == 0
    assert "optimiser in binary16" in capsys.readouterr().out


MODULE = """
import pettingzoo
from tests.sw.core.environments.parallel import Staggered, broken

def make():
    return Staggered(lengths=(3, 4))

pettingzoo.register("parallel", "own/staggered-v0", make)
"""


def test_environments_of_a_module(tmp_path, monkeypatch, capsys):
    """By its factory, or registered and imported; each goes on where its module is imported, and not without."""
    monkeypatch.chdir(tmp_path)
    for name, env, imports in (
        ("factory", "staggered_factory:make", []),
        ("registered", "own/staggered-v0", ["--import", "staggered_registered"]),
    ):
        module = f"staggered_{name}"
        (tmp_path / f"{module}.py").write_text(MODULE)
        assert train("--env", env, *imports, "--iterations", 2, "--seed", 4) == 0
        out = tmp_path / "runs" / f"{env.translate(str.maketrans(':/', '--'))}-groups-1-torch-4"
        printed = capsys.readouterr().out
        assert f"{env}, 2 agents that observe 3 and have 4 actions, 5 steps" in printed
        assert "mean of the last 8 episodes, of 4.0 steps" in printed
        assert {"learning_curve.png", "statistics.png"} < {path.name for path in out.iterdir()}
        resume = ["train", "learninggroup", "--resume", str(out), "--iterations", "3", "--quiet"]
        assert dispatch([*resume, "--env", "predator-prey"]) == 2
        assert f"is a run in {env}, not in predator-prey" in capsys.readouterr().err
        assert dispatch([*resume, "--episode-steps", "3"]) == 2
        assert "goes on with the run's own episode_steps" in capsys.readouterr().err
        # As in a process that has not imported it.
        monkeypatch.delitem(sys.modules, module)
        pettingzoo.parallel_registry.pop("own/staggered-v0")
        assert dispatch(resume) == 2 and "--import" in capsys.readouterr().err
        assert dispatch([*resume, "--import", module]) == 0
        assert [record["iteration"] for record in read_metrics(out)] == [1, 2, 3]
        assert dispatch(["eval", str(out), "--episodes", "3"]) == 0
        assert "4.0 steps, over 4 episodes, after 3 iterations" in capsys.readouterr().out
        pettingzoo.parallel_registry.pop("own/staggered-v0", None)


def test_an_environment_that_fails_leaves_a_checkpoint(tmp_path, capsys):
    env = "tests.sw.core.environments.parallel:broken"
    assert train("--env", env, "--iterations", 2, "--out", tmp_path) == 1
    error = capsys.readouterr().err
    assert "RuntimeError in " in error and "parallel.py:" in error
    assert "out of fuel; checkpoint written at iteration 0" in error
    assert read_checkpoint(tmp_path / "checkpoint.zip")[1]["env"] == env


def test_simple_spread(tmp_path, capsys):
    options = "--env", "mpe2/simple_spread_v3", "--episode-steps", 7, "--backend", "reference", "--config", "small"
    assert train(*options, "--iterations", 2, "--out", tmp_path) == 0
    printed = capsys.readouterr().out
    assert "mpe2/simple_spread_v3, 3 agents that observe 18 and have 5 actions, 7 steps" in printed
    assert train(*options, "--print-config") == 0
    assert "env: mpe2/simple_spread_v3\ntask:\n  steps: 7\nbackend: reference" in capsys.readouterr().out
    assert dispatch(["eval", str(tmp_path), "--episodes", "4", "--video", str(tmp_path / "a.gif")]) == 2
    assert "do not draw themselves: omit --video" in capsys.readouterr().err


def test_a_folder_with_a_run_is_left_alone(tmp_path, capsys):
    assert train("--iterations", 1, "--out", tmp_path) == 0
    assert train("--iterations", 2, "--out", tmp_path) == 2
    assert "holds a run already" in capsys.readouterr().err
    assert dispatch(["train", "learninggroup", "--resume", str(tmp_path), "--iterations", "1", "--quiet"]) == 0
