"""Results of a run: ratings of all who played, outcomes of games, pictures."""

import pytest

from rewardware.sw.algorithms.alphazero.match import MatchResult
from rewardware.sw.systems.dnn_mcts.alphazero_report import AlphaZeroReport

ABOUT = {"env": "gomoku-9", "seed": 3, "config": {"simulations": 5}}


def evaluation(game, before=None, **matches):
    record = {"kind": "evaluation", "game": game, **({} if before is None else {"previous_game": before})}
    for name, (wins, draws, losses) in matches.items():
        summary = MatchResult(wins=wins, draws=draws, losses=losses).summary()
        record |= {f"{name}_{part}": value for part, value in summary.items()}
    return record


RECORDS = [
    *({"kind": "game", "game": n, "length": 20 + n % 3, "outcome": (1.0, 0.0, -1.0, 1.0)[n % 4]} for n in range(1, 9)),
    {"kind": "statistics", "game": 4, "loss": 3.0, "policy_loss": 2.0, "value_loss": 1.0, "entropy": 0.5},
    evaluation(4, rollouts=(2, 0, 8), random=(9, 0, 1)),
    evaluation(8, before=4, rollouts=(6, 0, 4), random=(10, 0, 0), previous=(8, 0, 2)),
]


def test_a_run_is_summarized():
    summary = AlphaZeroReport(ABOUT).summarize(RECORDS)
    assert summary["mean_length"] == pytest.approx(21.125)
    assert summary["outcomes"] == {"first_won": 4, "drawn": 2, "second_won": 2}
    assert summary["evaluation"]["game"] == 8
    elo = summary["elo"]
    assert elo["random"] == 0 < elo["4"] < elo["rollouts"] < elo["8"]


def test_nothing_may_have_happened(tmp_path):
    report = AlphaZeroReport(ABOUT)
    summary = report.summarize([])
    assert summary["elo"] == {} and summary["mean_length"] is None and summary["evaluation"] is None
    report.plot(tmp_path, [], summary)
    assert len(list(tmp_path.iterdir())) == 3


def test_pictures_are_drawn(tmp_path):
    report = AlphaZeroReport(ABOUT)
    report.plot(tmp_path, RECORDS, report.summarize(RECORDS))
    assert {path.name for path in tmp_path.iterdir()} == {"strength.png", "games.png", "statistics.png"}
    assert report.shown(RECORDS[0]) == {"moves": "21"} and report.shown(RECORDS[-1]) == {}
