"""Summary of a run of an agent that learns step by step."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.plots import plot_learning_curve, plot_statistics

__all__ = ["StepReport"]


@dataclass(frozen=True)
class StepReport:
    """A :class:`.Report` of records of episodes, evaluations and statistics.

    Parameters
    ----------
    about
        What the agent says of itself.
    mark
        Step from which activations are quantised, if they are.
    """

    about: dict[str, Any]
    mark: int | None = None

    def shown(self, record: dict[str, Any]) -> dict[str, str]:
        """The last episode's return."""
        return {"return": f"{record['return']:.0f}"} if record["kind"] == "episode" else {}

    def summarize(self, records: list[dict[str, Any]]) -> dict[str, Any]:
        """Mean return of the last evaluation and of random actions, where there are records of them; episodes."""
        means = {kind: [record["mean"] for record in records if record["kind"] == kind] for kind in WITH_MEAN}
        return {
            "return": means["evaluation"][-1] if means["evaluation"] else None,
            "random_return": means["random"][0] if means["random"] else None,
            "episodes": sum(record["kind"] == "episode" for record in records),
        }

    def plot(self, directory: Path, records: list[dict[str, Any]], summary: dict[str, Any]) -> None:
        """``learning_curve.png``, and ``statistics.png``: errors, values, saturations, cycles over steps."""
        title = f"{self.about['env']}, {self.about['backend']}, seed {self.about['seed']}"
        plot_learning_curve(directory / "learning_curve.png", records, title, self.mark)
        told = [record for record in records if record["kind"] == "statistics"]
        plot_statistics(directory / "statistics.png", told, title, "step")


WITH_MEAN = ("evaluation", "random")
