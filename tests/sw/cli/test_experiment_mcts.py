"""`rewardware experiment mcts`: runs, collecting, and going on."""

import json

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.systems.mcts.experiment_command import _table


def test_workers_are_compared_and_what_was_played_is_not_played_again(tmp_path, capsys):
    page = tmp_path / "docs" / "mcts-planning.md"
    page.parent.mkdir()
    page.write_text("before\n<!-- table: carnival -->\nold\n<!-- end: carnival -->\nafter\n")
    places = ["--out", str(tmp_path / "runs"), "--docs", str(tmp_path / "docs")]
    command = [
        "experiment",
        "mcts",
        "workers",
        *places,
        "--arms",
        "carnival-sequential,carnival-relaxed",
        "--seed",
        "3",
    ]
    assert dispatch([*command, "--steps", "2"]) == 0
    printed, said = capsys.readouterr()
    assert said.count("begins") == 2 and said.count(": return ") == 2 and "begins" not in printed
    text = page.read_text()
    assert text.startswith("before\n") and "old" not in text and text.endswith("\nafter\n")
    for words in ("| return | seed 3 | mean |", "| 1 worker |", "| 8 workers, relaxed |", "| random actions |"):
        assert words in text
    results = json.loads((tmp_path / "docs" / "learning" / "mcts-workers.json").read_text())
    assert results["games"]["Carnival"]["steps"] == 2 and list(results["games"]) == ["Carnival"]
    assert (tmp_path / "docs" / "images" / "mcts-workers.png").exists()
    # Episodes that were played are kept; those of another length are not the same.
    assert dispatch([*command, "--steps", "2"]) == 0
    assert "begins" not in capsys.readouterr().err
    # Played anew, they come to the same returns, and so do random actions.
    assert dispatch([*command, "--steps", "2", "--check"]) == 0
    printed, said = capsys.readouterr()
    assert said.count("begins") == 2 and printed.count("1           2  equal") == 3
    assert dispatch([*command, "--steps", "3", "--collect"]) == 2
    assert "holds no episode that was played to its end" in capsys.readouterr().err


def test_tables_give_spread_and_difference():
    table = _table({"one": {"0": 1.0, "1": 3.0}, "two": {"1": 7.0, "10": 5.0}, "three": {"0": 2.0}})
    assert table.splitlines() == [
        "| return | seed 0 | seed 1 | seed 10 | mean | deviation | less the first |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| one | 1 | 3 |  | 2.0 | 1.4 |  |",
        "| two |  | 7 | 5 | 6.0 | 1.4 | +4.0 ± 1.4 |",
        "| three | 2 |  |  | 2.0 |  |  |",
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--arms", "pong"],
            "Unknown arm pong; workers has pong-sequential, pong-relaxed, pong-synchronous, carnival-",
        ),
        (["--collect"], "holds no episode that was played to its end"),
    ],
)
def test_errors_are_named(options, words, tmp_path, capsys):
    assert dispatch(["experiment", "mcts", "workers", "--out", str(tmp_path), *options]) == 2
    assert words in capsys.readouterr().err
