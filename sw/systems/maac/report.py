"""Report of a training run of MAAC."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.plots import plot_returns, plot_statistics

__all__ = ["MAACReport"]

# Iterations whose episodes count together.
WINDOW = 100
# Values of a record whose means a summary has.
SUMMARIZED = ("return", "length", "entropy")


@dataclass(frozen=True)
class MAACReport:
    """A :class:`.Report` of records of iterations.

    Parameters
    ----------
    about
        What the agent says of itself.
    """

    about: dict[str, Any]

    def shown(self, record: dict[str, Any]) -> dict[str, str]:
        """The return."""
        return {"return": f"{record['return']:.2f}"} if record["kind"] == "iteration" else {}

    def summarize(self, records: list[dict[str, Any]]) -> dict[str, Any]:
        """Means over the last iterations, and of how many episodes they are; the last evaluation, and the return of
        random actions, where there are any."""
        last = _of_kind(records, "iteration")[-WINDOW:]
        found: dict[str, Any] = {"episodes": len(last) * self.about["config"]["episodes"]}
        for name in SUMMARIZED:
            if values := [record[name] for record in last if name in record]:
                found[name] = sum(values) / len(values)
        if evaluations := _of_kind(records, "evaluation"):
            found["evaluation"] = evaluations[-1]
        if random := _of_kind(records, "random"):
            found["random_return"] = random[-1]["return"]
        return found

    def plot(self, directory: Path, records: list[dict[str, Any]], summary: dict[str, Any]) -> None:
        """``learning_curve.png``: the returns of iterations; ``statistics.png``: losses, values, entropy."""
        iterations, agents = _of_kind(records, "iteration"), self.about["task"]["agents"]
        title = f"{self.about['env'] or 'MAAC'}, {agents} agents, seed {self.about['seed']}"
        returns = [(record["iteration"], record["return"]) for record in iterations]
        plot_returns(directory / "learning_curve.png", returns, title)
        plot_statistics(directory / "statistics.png", iterations, title, "iteration")


def _of_kind(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [record for record in records if record["kind"] == kind]
