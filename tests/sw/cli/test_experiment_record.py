"""Results of an experiment that are kept: runs of other arms and seeds stay, with the same settings or not at all."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.systems.experiment_record import ArmRuns, merge, refuse_others
from rewardware.sw.systems.experiments import EXPERIMENTS

ROOT = Path(__file__).parents[3]
# For each system an experiment, its record, how long a run is, and two arms.
SYSTEMS = {
    "a3c": ("cartpole-a3c", "cartpole-a3c", "--steps", ("reference", "float32")),
    "fixar": ("pendulum", "pendulum", "--steps", ("32-bit", "float32")),
    "pearl": ("cartpole", "cartpole", "--steps", ("reference", "learner")),
    "learninggroup": ("sweep", "learninggroup", "--iterations", ("agents-3-groups-2", "magnitude")),
    "maac": ("rover-tower", "rover-tower", "--iterations", ("reference", "float32")),
    "mcts": ("workers", "mcts-workers", "--steps", ("carnival-relaxed", "carnival-synchronous")),
}


def leave_run(system, folder, length, value):
    """Leave a run with the records that reports read."""
    records = {
        "learninggroup": [
            {"kind": "iteration", "iteration": count, "success": value} for count in range(1, length + 1)
        ],
        "maac": [{"kind": "evaluation", "iteration": length, "return": value}],
        "mcts": [{"kind": "episode", "episode": 1, "length": length, "return": value, "ended": False}],
    }.get(system, [{"kind": "evaluation", "step": length, "mean": value}])
    folder.mkdir(parents=True)
    (folder / "metrics.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    summary = {"iterations": length, "steps": length, "success": value, "arrived": value, "sparsity": 0.5}
    (folder / "summary.json").write_text(json.dumps(summary))


def runs_of(record):
    """Values by arm and seed."""
    content = json.loads(record.read_text())
    if "games" in content:
        keys = {"8 workers, relaxed": "carnival-relaxed", "8 workers, synchronous": "carnival-synchronous"}
        returns = content["games"]["Carnival"]["returns"]
        return {keys[arm]: seeds for arm, seeds in returns.items() if arm in keys}
    return {
        key: arm.get("final") or {seed: run["success"] for seed, run in arm["seeds"].items()}
        for key, arm in content["arms"].items()
    }


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_was_run_elsewhere_stays(system, tmp_path, capsys):
    name, file, length, (one, two) = SYSTEMS[system]
    record = tmp_path / "docs" / "learning" / f"{file}.json"

    def collect(folder, arm, seed, value, steps=3):
        leave_run(system, tmp_path / folder / name / arm / seed, steps, value)
        return dispatch(["experiment", system, name, *places(folder), length, str(steps), "--collect"])

    def places(folder):
        return "--out", str(tmp_path / folder), "--docs", str(tmp_path / "docs")

    assert collect("a", two, "0", 0.25) in (0, 1)
    assert collect("b", one, "0", 0.5) in (0, 1)
    assert collect("c", one, "10", 0.75) in (0, 1)
    assert collect("d", one, "2", 0.125) in (0, 1)
    merged = {one: {"0": 0.5, "2": 0.125, "10": 0.75}, two: {"0": 0.25}}
    assert runs_of(record) == merged
    assert list(runs_of(record)) == [one, two] and list(runs_of(record)[one]) == ["0", "2", "10"]
    # The same run again takes the place of what was there.
    assert collect("e", two, "0", 1.0) in (0, 1)
    assert runs_of(record) == merged | {two: {"0": 1.0}}
    before = record.read_bytes()
    capsys.readouterr()

    # Runs of another length do not stand beside these; nothing is written, and nothing is begun that could not be.
    assert collect("f", one, "0", 0.5, steps=4) == 2
    words = f"{record} has {one}, seed 2, 10, with {length.strip('-')} 3, not 4, and records must not mix the two"
    assert words in capsys.readouterr().err
    arms = ["--arms", one, "--seed", "0", "--seed", "2", "--seed", "10"]
    assert dispatch(["experiment", system, name, *places("g"), length, "5", *arms]) == 2
    said = capsys.readouterr().err
    assert f"{record} has {two}, seed 0, with {length.strip('-')} 3, not 5" in said and "begins" not in said
    assert record.read_bytes() == before
    # In the place of all that is there, they may.
    for seed in ("2", "10"):
        leave_run(system, tmp_path / "f" / name / one / seed, 4, 0.5)
    assert collect("f", two, "0", 0.5, steps=4) in (0, 1)
    assert runs_of(record) == {one: {"0": 0.5, "2": 0.5, "10": 0.5}, two: {"0": 0.5}}


@pytest.mark.parametrize("system", [system for system in SYSTEMS if system != "mcts"])
def test_runs_under_way_are_no_results(system, tmp_path, capsys):
    name, _, length, (one, _) = SYSTEMS[system]
    leave_run(system, tmp_path / "runs" / name / one / "0", 3, 0.5)
    places = ["--out", str(tmp_path / "runs"), "--docs", str(tmp_path / "docs")]
    assert dispatch(["experiment", system, name, *places, length, "4", "--collect"]) == 2
    assert f"holds no run that ended after 4 {length.strip('-')}" in capsys.readouterr().err


def test_other_options_are_named(tmp_path):
    settings = {"steps": 3, "options": ["--backend", "torch"]}
    recorded = {"one": ArmRuns(settings=settings | {"options": ["--backend", "reference"]}, runs={"0": 1, "1": 2})}
    words = "record.json has one, seed 1, with options --backend reference, not --backend torch, and records"
    with pytest.raises(ValueError, match=words):
        merge(tmp_path / "record.json", recorded, {"one": ArmRuns(settings=settings, runs={"0": 3})})
    # Runs that are about to be played take the place of those with other options.
    refuse_others(tmp_path, recorded, {"one": ArmRuns(settings=settings, runs={"0": 3})}, wanted=[("one", 1)])


def test_arms_that_there_are_no_longer_are_left_out(tmp_path):
    recorded = {"old": ArmRuns(settings={"steps": 3}, runs={"0": 1})}
    assert merge(tmp_path, recorded, {"new": ArmRuns(settings={"steps": 4}, runs={"0": 2})}) == {"new": {"0": 2}}


@pytest.mark.parametrize(
    ("system", "name", "arm"),
    [
        *((experiment.system, name, next(iter(experiment.arms))) for name, experiment in EXPERIMENTS.items()),
        ("learninggroup", "sweep", "magnitude"),
        ("mcts", "workers", "pong-relaxed"),
    ],
)
def test_records_of_the_documentation_have_the_settings_of_today(system, name, arm, tmp_path, monkeypatch, capsys):
    """One more run goes beside them: it begins, which it does not where settings have changed since."""
    shutil.copytree(ROOT / "docs" / "learning", tmp_path / "docs" / "learning")
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    places = ["--out", str(tmp_path / "runs"), "--docs", str(tmp_path / "docs")]
    assert dispatch(["experiment", system, name, *places, "--arms", arm, "--seed", "99"]) != 0
    said = capsys.readouterr().err
    assert f"{arm}/99: begins" in said and "side by side" not in said
