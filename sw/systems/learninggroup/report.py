"""Report of a training run of IC3Net."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.environments.predator_prey_batch import PREDATOR_PREY
from ...core.plots import plot_returns, plot_shares, plot_statistics

__all__ = ["IC3NetReport", "smoothed", "workload_curves"]

# Iterations whose episodes count together: 3200 episodes of 32 at a time.
WINDOW = 100
# Values of a record whose means a summary has.
SUMMARIZED = ("success", "arrived", "return", "length", "sparsity")


def smoothed(records: list[dict[str, Any]], name: str, window: int = WINDOW) -> list[tuple[int, float]]:
    """Means of a record's value over every ``window`` iterations, by the last of them."""
    values = [(record["iteration"], record[name]) for record in records]
    groups = [values[index : index + window] for index in range(0, len(values), window)]
    return [(group[-1][0], sum(value for _, value in group) / len(group)) for group in groups]


def workload_curves(records: list[dict[str, Any]]) -> dict[str, list[list[tuple[int, float]]]]:
    """Each core's share of the weights that take part, over iterations."""
    curves = {}
    for core in range(len(records[-1]["workloads"])):
        shares = [
            {"iteration": record["iteration"], "share": record["workloads"][core] / max(sum(record["workloads"]), 1)}
            for record in records
        ]
        curves[f"core {core}"] = [smoothed(shares, "share", 10)]
    return curves


@dataclass(frozen=True)
class IC3NetReport:
    """A :class:`.Report` of records of iterations.

    Parameters
    ----------
    about
        What the agent says of itself.
    """

    about: dict[str, Any]

    def shown(self, record: dict[str, Any]) -> dict[str, str]:
        """The share of episodes in which all predators arrived; of other environments the return."""
        name = "success" if "success" in record else "return"
        return {name: f"{record[name]:.2f}"} if record["kind"] == "iteration" else {}

    def summarize(self, records: list[dict[str, Any]]) -> dict[str, Any]:
        """Means over the last iterations, and of how many episodes they are; of an evaluation, its outcome."""
        last = _iterations(records)[-WINDOW:]
        names = [name for name in (*SUMMARIZED, "lost_updates") if last and name in last[0]]
        evaluations = [record for record in records if record["kind"] == "evaluation"]
        outcome = {"evaluation": evaluations[-1]} if evaluations else {}
        return {
            **{name: sum(record[name] for record in last) / len(last) for name in names},
            "episodes": len(last) * self.about["config"]["episodes"],
            **outcome,
        }

    def plot(self, directory: Path, records: list[dict[str, Any]], summary: dict[str, Any]) -> None:
        """``learning_curve.png``: success, predators arrived and sparsity, or the return; of an accelerator
        ``workload.png``, each core's share of the weights that take part; ``statistics.png``: losses, cycles, how busy
        the engines were."""
        iterations, config = _iterations(records), self.about["config"]
        groups = f"{config['groups']} group{'s' * (config['groups'] != 1)}"
        task, curve = self.about["task"], directory / "learning_curve.png"
        if self.about["env"] == PREDATOR_PREY:
            title = f"{task['predators']} predators, {groups}, seed {config['seed']}"
            curves = {name: [smoothed(iterations, name, 50)] for name in ("success", "arrived", "sparsity")}
            plot_shares(curve, curves, title)
        else:
            title = f"{self.about['env'] or 'IC3Net'}, {task['agents']} agents, {groups}, seed {config['seed']}"
            plot_returns(curve, [(record["iteration"], record["return"]) for record in iterations], title)
        if iterations and "workloads" in iterations[-1]:
            plot_shares(directory / "workload.png", workload_curves(iterations), title)
        told = [record for record in records if record["kind"] in ("iteration", "statistics")]
        plot_statistics(directory / "statistics.png", told, title, "iteration")


def _iterations(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [record for record in records if record["kind"] == "iteration"]
