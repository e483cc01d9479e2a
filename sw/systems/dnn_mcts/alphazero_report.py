"""The report of a training run of AlphaZero."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...algorithms.alphazero.elo import elo_ratings
from ...algorithms.alphazero.match import MatchResult
from ...core.plots import plot_statistics
from .plots import plot_games, plot_strength

__all__ = ["AlphaZeroReport"]

# Games whose lengths and outcomes count together.
WINDOW = 100
OPPONENTS = ("rollouts", "random", "perfect", "previous")


@dataclass(frozen=True)
class AlphaZeroReport:
    """A :class:`.Report` of records of games, evaluations and statistics.

    Parameters
    ----------
    about
        What the agent says of itself.
    """

    about: dict[str, Any]

    def shown(self, record: dict[str, Any]) -> dict[str, str]:
        """The last game's moves; the last loss; the score of the last evaluation."""
        if record["kind"] == "game":
            return {"moves": str(record["length"])}
        return {}

    def summarize(self, records: list[dict[str, Any]]) -> dict[str, Any]:
        """Mean length of the last games, and their outcomes; the last matches; ratings of all who played, random moves
        having 0: opponents by their names, the network by the number of games that it had learned from."""
        last = _of_kind(records, "game")[-WINDOW:]
        evaluations = _of_kind(records, "evaluation")
        return {
            "mean_length": sum(record["length"] for record in last) / len(last) if last else None,
            "outcomes": {
                name: sum((record["outcome"] > 0) - (record["outcome"] < 0) == sign for record in last)
                for name, sign in (("first_won", 1), ("drawn", 0), ("second_won", -1))
            },
            "evaluation": evaluations[-1] if evaluations else None,
            "elo": ratings(evaluations),
        }

    def plot(self, directory: Path, records: list[dict[str, Any]], summary: dict[str, Any]) -> None:
        """``strength.png``: scores against opponents, and Elo; ``games.png``: how long games are, and who wins them;
        ``statistics.png``: losses and entropy; all over games."""
        title = f"{self.about['env']}, {self.about['config']['simulations']} simulations, seed {self.about['seed']}"
        plot_strength(directory / "strength.png", _of_kind(records, "evaluation"), summary["elo"], title)
        plot_games(directory / "games.png", _of_kind(records, "game"), title)
        plot_statistics(directory / "statistics.png", _of_kind(records, "statistics"), title, "game")


def ratings(evaluations: list[dict[str, Any]]) -> dict[str, float]:
    """Elo of the network after so many games, and of its opponents; empty without evaluations."""
    matches = []
    for record in evaluations:
        for name in OPPONENTS:
            if f"{name}_wins" in record:
                counts = {part: record[f"{name}_{part}"] for part in ("wins", "draws", "losses")}
                opponent = str(record["previous_game"]) if name == "previous" else name
                matches.append((str(record["game"]), opponent, MatchResult(**counts)))
    return dict(elo_ratings(matches, "random")) if matches else {}


def _of_kind(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [record for record in records if record["kind"] == kind]
