"""A training run in a folder: metrics, evaluations, checkpoints, plots, a summary; stops and goes on."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..algorithms.agent import Agent
from ..core.plots import plot_learning_curve, plot_utilization
from ..core.run_folder import (
    CHECKPOINT,
    METRICS,
    SUMMARY,
    Interrupted,
    StopRequests,
    drop_records_after,
    hold_folder,
    read_metrics,
)

__all__ = ["TrainingRun"]


@dataclass
class TrainingRun:
    """Trains an agent up to a number of environment steps, and leaves in ``directory``:

    ==================== =========================================================================================
    checkpoint.zip       everything to go on from, written whole, every ``checkpoint_every`` steps and at the end
    metrics.jsonl        one JSON object a line: episodes, evaluations
    learning_curve.png   returns over steps
    utilization.png      how busy the engines were (accelerator only)
    summary.json         what `run` returns
    .lock                held by the run that is writing there
    ==================== =========================================================================================

    Parameters
    ----------
    agent
        New, or loaded from the folder's checkpoint to go on.
    directory
        Made if it is not there.
    steps
        Environment steps in all, those before a checkpoint included; of an agent that takes several at once at least.
    evaluate_every, evaluation_episodes
        Steps between evaluations, and episodes in one. 0 steps: only at the end.
    checkpoint_every
        Steps between checkpoints. 0: only at the end.
    progress
        Whether to show a progress bar.
    """

    agent: Agent
    directory: Path
    steps: int
    evaluate_every: int = 1000
    evaluation_episodes: int = 10
    checkpoint_every: int = 5000
    progress: bool = True

    def run(self) -> dict[str, Any]:
        """Trains, evaluates, writes; the summary.

        Raises
        ------
        ValueError
            Another run is writing to the folder; or the agent is further than ``steps``.
        Interrupted
            Ctrl-C (or a polite termination): the step under way was finished and the checkpoint written.
        """
        with hold_folder(self.directory):
            return self._run()

    def _run(self) -> dict[str, Any]:
        if self.steps < self.agent.num_timesteps:
            raise ValueError(
                f"The run is at step {self.agent.num_timesteps} already, beyond the {self.steps} asked for"
            )
        self._last_return: float | None = None
        drop_records_after(self.directory, "step", self.agent.num_timesteps)
        started, first_step = time.perf_counter(), self.agent.num_timesteps
        with (
            StopRequests() as self._stop,
            open(self.directory / METRICS, "a") as self._metrics,
            tqdm(
                total=self.steps, initial=first_step, unit="step", disable=not self.progress, dynamic_ncols=True
            ) as self._bar,
        ):
            self._shown = time.perf_counter()
            if first_step == 0:
                self._write_evaluation("random", self.agent.evaluate(self.evaluation_episodes, random=True))
            remaining = self.steps - self.agent.num_timesteps
            self.agent.learn(max(remaining, 0), callback=self._after_step)
            self.agent.save(self.directory / CHECKPOINT)
            if self._stop.number and self.agent.num_timesteps < self.steps:
                raise Interrupted(
                    f"Stopped after step {self.agent.num_timesteps}; checkpoint written", self._stop.number
                )
            if not self._evaluated_at(self.agent.num_timesteps):
                self._evaluate()
        return self._summarize(time.perf_counter() - started, self.agent.num_timesteps - first_step)

    def _after_step(self, agent: Agent, record: dict[str, Any]) -> bool:
        step = record["step"]
        if "return" in record:
            self._last_return = record["return"]
            self._write({"kind": "episode", **{key: record[key] for key in ("step", "return", "length")}})
        if self.evaluate_every and step % self.evaluate_every == 0 and step > agent.config.learning_starts:
            self._evaluate()
        if self.checkpoint_every and step % self.checkpoint_every == 0:
            self._metrics.flush()
            agent.save(self.directory / CHECKPOINT)
        self._bar.update()
        if time.perf_counter() - self._shown > 0.5:
            self._shown = time.perf_counter()
            shown = {}
            if self._last_return is not None:
                shown["return"] = f"{self._last_return:.0f}"
            counters = agent.counters()
            if counters.get("train_steps"):
                shown["cycles/step"] = f"{counters['train_cycles'] / counters['train_steps']:.0f}"
            self._bar.set_postfix(shown, refresh=False)
        return not self._stop.number

    def _evaluate(self) -> None:
        self._write_evaluation("evaluation", self.agent.evaluate(self.evaluation_episodes))

    def _write_evaluation(self, kind: str, returns) -> None:
        record = {"kind": kind, "step": self.agent.num_timesteps, "mean": float(returns.mean())}
        self._write({**record, "returns": [float(value) for value in returns]})

    def _write(self, record: dict[str, Any]) -> None:
        self._metrics.write(json.dumps(record) + "\n")
        self._metrics.flush()

    def _evaluated_at(self, step: int) -> bool:
        return any(r["kind"] == "evaluation" and r["step"] == step for r in read_metrics(self.directory))

    def _summarize(self, seconds: float, steps: int) -> dict[str, Any]:
        records = read_metrics(self.directory)
        evaluations = [record for record in records if record["kind"] == "evaluation"]
        summary = {
            "backend": self.agent.backend,
            "env": self.agent.environment.name,
            "steps": self.agent.num_timesteps,
            "seed": self.agent.config.seed,
            "return": evaluations[-1]["mean"],
            "random_return": next((record["mean"] for record in records if record["kind"] == "random"), None),
            "episodes": sum(record["kind"] == "episode" for record in records),
            "steps_per_second": steps / seconds if steps else None,
            "counters": self.agent.counters(),
        }
        (self.directory / SUMMARY).write_text(json.dumps(summary, indent=2) + "\n")
        title = f"{self.agent.environment.name}, {self.agent.backend}, seed {self.agent.config.seed}"
        # Of those that quantise.
        delay = getattr(self.agent.config, "quantization_delay", None)
        plot_learning_curve(self.directory / "learning_curve.png", records, title, delay)
        plot_utilization(self.directory / "utilization.png", summary["counters"], title)
        return summary
