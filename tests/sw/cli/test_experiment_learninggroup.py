"""`rewardware experiment learninggroup`: runs, collecting, and going on."""

import json

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.systems.learninggroup.experiments import RATES, SWEEP, TABLES


def test_sweep_collects_what_has_ended_and_goes_on(tmp_path, capsys):
    page = tmp_path / "docs" / "learninggroup-learning.md"
    page.parent.mkdir()
    page.write_text("before\n<!-- table: methods -->\nold\n<!-- end: methods -->\nafter\n")
    places = ["--out", str(tmp_path / "runs"), "--docs", str(tmp_path / "docs"), "--iterations", "3"]
    command = ["experiment", "learninggroup", "sweep", *places, "--arms", "magnitude,agents-3-groups-2", "--seed", "1"]
    assert dispatch([*command, "--jobs", "2"]) == 0
    printed, said = capsys.readouterr()
    assert (
        said.count("begins") == 2
        and "begins" not in printed
        and "Ways to a sparsity of 50 %\n| success, % | seed 1 | mean | sparsity, % |" in printed
    )
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
    assert "| 3 agents, 2 groups |" in text and "| magnitude, 50 % |" in text
    results = json.loads((tmp_path / "docs" / "learning" / "learninggroup.json").read_text())
    assert results["iterations"] == 3 and set(results["arms"]) == {"magnitude", "agents-3-groups-2"}
    assert [step for step, _ in results["arms"]["magnitude"]["seeds"]["1"]["curve"]] == [3]
    pictures = {path.name for path in (tmp_path / "docs" / "images").iterdir()}
    assert pictures == {"learninggroup-groups.png", "learninggroup-methods.png"}
    assert dispatch(command) == 0
    assert "begins" not in capsys.readouterr().err
    # Played anew, a run comes to the same shares.
    assert dispatch([*command, "--check"]) == 0
    printed, said = capsys.readouterr()
    assert said.count("begins") == 2 and printed.count("1           3  equal") == 2


def test_unknown_arms_and_empty_folders_are_named(tmp_path, capsys):
    assert dispatch(["experiment", "learninggroup", "sweep", "--arms", "agents-4-groups-1"]) == 2
    assert "Unknown arm agents-4-groups-1; sweep has agents-3-groups-1" in capsys.readouterr().err
    places = ["--out", str(tmp_path), "--docs", str(tmp_path / "docs")]
    assert dispatch(["experiment", "learninggroup", "sweep", "--collect", *places]) == 2
    assert "holds no run that ended after 2000 iterations" in capsys.readouterr().err
    assert dispatch(["experiment", "learninggroup", "sweep", "--jobs", "0"]) == 2
    assert "--jobs must be at least 1, not 0" in capsys.readouterr().err


def test_tables_show_arms_of_the_sweep():
    assert {arm for table in TABLES.values() for arm in table.arms} == set(SWEEP)
    for groups, rate in RATES.items():
        assert abs(rate - 0.001 * groups**0.5) < 0.00005
