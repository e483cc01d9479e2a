"""`rewardware experiment --check`: what runs come to now beside the results that are kept."""

import argparse
import json

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.systems.experiment_check import check


def said_of(kept, played, capsys):
    """Printed lines without their head, and the exit code."""
    code = check(argparse.Namespace(name="pendulum", json=False), kept, played)
    return capsys.readouterr().out.splitlines()[2:], code


def test_every_digit_counts_at_the_steps_that_both_have(capsys):
    kept = {"one": {"0": [[500, -1.5], [1000, 0.3], [1500, 7.0]], "1": [[500, 2.0]]}}
    same = {"one": {"0": [(500, -1.5), (700, 9.0), (1000, 0.3)]}}
    assert said_of(kept, same, capsys) == (["one     0         2        1000  equal"], 0)
    other = {"one": {"0": [(500, -1.5), (1000, 0.1 + 0.2)], "1": [(500, 2.0)]}}
    lines, code = said_of(kept, other, capsys)
    assert code == 1 and lines[1].endswith("equal")
    assert lines[0].endswith("1000  step 1000: 0.30000000000000004, kept 0.3")


@pytest.mark.parametrize(
    "played", [{"one": {"0": [(501, -1.5)]}}, {"one": {"1": [(500, -1.5)]}}, {"two": {"0": [(500, -1.5)]}}]
)
def test_a_run_without_a_kept_value_does_not_pass(played, capsys):
    lines, code = said_of({"one": {"0": [[500, -1.5]]}}, played, capsys)
    assert code == 1 and lines[0].endswith("nothing is kept at its steps")


def test_no_run_does_not_pass(capsys):
    assert said_of({"one": {"0": [[500, -1.5]]}}, {}, capsys) == ([], 1)


def test_runs_are_played_anew_and_nothing_is_written(tmp_path, capsys):
    places = ["--out", str(tmp_path / "runs"), "--docs", str(tmp_path / "docs")]
    command = ["experiment", "fixar", "pendulum", *places, "--steps", "205", "--arms", "32-bit", "--seed", "0"]
    assert dispatch([*command, "--check"]) == 2
    missing = tmp_path / "docs" / "learning" / "pendulum.json"
    assert f"There are no results to compare with: {missing} is missing" in capsys.readouterr().err
    assert dispatch(command) == 1
    kept = json.loads(missing.read_text())
    ((step, value),) = kept["arms"]["32-bit"]["curves"]["0"]
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    capsys.readouterr()
    assert dispatch([*command, "--check", "--json"]) == 0
    out, said = capsys.readouterr()
    run = {"arm": "32-bit", "seed": "0", "compared": 1, "last": 205, "difference": None}
    assert json.loads(out) == {"experiment": "pendulum", "runs": [run], "equal": True} and step == 205
    assert "begins" in said
    written = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert {path for path in written | files if written.get(path) != files.get(path)} <= {tmp_path / "runs"}
    kept["arms"]["32-bit"]["curves"]["0"] = [[205, value + 1e-9]]
    missing.write_text(json.dumps(kept))
    assert dispatch([*command, "--check"]) == 1
    assert f"step 205: {value}, kept {value + 1e-9}" in capsys.readouterr().out


def test_collecting_runs_is_no_check(capsys):
    assert dispatch(["experiment", "fixar", "pendulum", "--check", "--collect"]) == 2
    assert "--check runs anew: omit --collect" in capsys.readouterr().err
