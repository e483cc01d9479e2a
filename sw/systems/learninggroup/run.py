"""A training run of IC3Net in a folder: metrics, checkpoints, plots, a summary; stops and goes on."""

import dataclasses
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ...core.plots import plot_shares, plot_utilization
from ...core.run_folder import (
    CHECKPOINT,
    METRICS,
    SUMMARY,
    Interrupted,
    StopRequests,
    drop_records_after,
    hold_folder,
    read_metrics,
)
from .agent import IC3Net

__all__ = ["IC3NetRun", "smoothed", "workload_curves"]

# Iterations whose episodes count together: 3200 episodes of 32 at a time.
WINDOW = 100
# Values of a record whose means a summary has.
SUMMARIZED = ("success", "arrived", "return", "sparsity")


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


@dataclass
class IC3NetRun:
    """Trains an agent up to a number of iterations, and leaves in ``directory``:

    ==================== =========================================================================================
    checkpoint.zip       everything to go on from, written whole, every ``checkpoint_every`` iterations and at the end
    metrics.jsonl        one JSON object a line, one for each iteration
    learning_curve.png   success, predators arrived and sparsity over iterations
    workload.png         each core's share of the weights that take part, over iterations (accelerator only)
    utilization.png      how busy the engines were (device only)
    summary.json         what `run` returns
    .lock                held by the run that is writing there
    ==================== =========================================================================================

    Parameters
    ----------
    agent
        New, or loaded from the folder's checkpoint to go on.
    directory
        Made if it is not there.
    iterations
        In all, those before a checkpoint included.
    checkpoint_every
        Iterations between checkpoints. 0: only at the end.
    progress
        Whether to show a progress bar.
    """

    agent: IC3Net
    directory: Path
    iterations: int
    checkpoint_every: int = 500
    progress: bool = True

    def run(self) -> dict[str, Any]:
        """Trains, writes; the summary.

        Raises
        ------
        ValueError
            Another run is writing to the folder; or the agent is further than ``iterations``.
        Interrupted
            Ctrl-C (or a polite termination): the iteration under way was finished and the checkpoint written.
        """
        with hold_folder(self.directory):
            return self._run()

    def _run(self) -> dict[str, Any]:
        first = self.agent.iterations
        if self.iterations < first:
            raise ValueError(f"The run is at iteration {first} already, beyond the {self.iterations} asked for")
        drop_records_after(self.directory, "iteration", first)
        started = time.perf_counter()
        with (
            StopRequests() as stop,
            open(self.directory / METRICS, "a") as metrics,
            tqdm(total=self.iterations, initial=first, disable=not self.progress, dynamic_ncols=True) as bar,
        ):

            def after_iteration(agent: IC3Net, record: dict[str, Any]) -> bool:
                metrics.write(json.dumps(record) + "\n")
                if self.checkpoint_every and record["iteration"] % self.checkpoint_every == 0:
                    metrics.flush()
                    agent.save(self.directory / CHECKPOINT)
                bar.update()
                bar.set_postfix(success=f"{record['success']:.2f}", refresh=False)
                return not stop.number

            self.agent.learn(self.iterations - first, after_iteration)
            metrics.flush()
            self.agent.save(self.directory / CHECKPOINT)
            if stop.number and self.agent.iterations < self.iterations:
                done = self.agent.iterations
                raise Interrupted(f"Stopped after iteration {done}; checkpoint written", stop.number)
        return self._summarize(time.perf_counter() - started, self.iterations - first)

    def _summarize(self, seconds: float, iterations: int) -> dict[str, Any]:
        records = read_metrics(self.directory)
        last = records[-WINDOW:]
        names = [name for name in (*SUMMARIZED, "lost_updates") if name in last[0]]
        summary = {
            "backend": self.agent.backend,
            "task": dataclasses.asdict(self.agent.task),
            "config": self.agent.config.to_mapping(),
            "hardware": self.agent.hardware and dataclasses.asdict(self.agent.hardware),
            "iterations": self.agent.iterations,
            **{name: sum(record[name] for record in last) / len(last) for name in names},
            "episodes": len(last) * self.agent.config.episodes,
            "iterations_per_second": iterations / seconds if iterations else None,
            "counters": self.agent.learner.counters(),
        }
        (self.directory / SUMMARY).write_text(json.dumps(summary, indent=2) + "\n")
        config = self.agent.config
        title = f"{self.agent.task.predators} predators, {config.groups} groups, seed {config.seed}"
        curves = {name: [smoothed(records, name, 50)] for name in ("success", "arrived", "sparsity")}
        plot_shares(self.directory / "learning_curve.png", curves, title)
        if "workloads" in records[-1]:
            plot_shares(self.directory / "workload.png", workload_curves(records), title)
        if "utilization" in summary["counters"]:
            plot_utilization(self.directory / "utilization.png", summary["counters"], title)
        return summary
