"""A run in a folder: metrics, evaluations, checkpoints, pictures, a summary; stops and goes on. There is this one."""

import contextlib
import json
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from tqdm import tqdm

from ...hw.soc.written_file import write_text, writing_into
from .environments.failure import EnvironmentFailure
from .loggers import JsonLines, Logger, make_logger
from .run_folder import (
    CHECKPOINT,
    SETTINGS,
    SUMMARY,
    Interrupted,
    StopRequests,
    drop_records_after,
    hold_folder,
    read_metrics,
)
from .versions import versions

__all__ = ["KEPT", "Algorithm", "Report", "Run"]

logger = logging.getLogger(__name__)

# Settings that a resumed run takes from the one before, where nobody says otherwise.
KEPT = (
    "until", "evaluate_every", "evaluation_episodes", "checkpoint_every", "checkpoint_seconds", "statistics_every",
    "evaluation_seed",
)  # fmt: skip
# Seconds between two looks of the progress bar at the records.
LOOK = 0.5
# Seconds between two states of the progress bar in a file, where each stays; on a terminal it replaces the one before.
SECONDS_IN_FILE = 60.0


class Algorithm(Protocol):
    """The interface of algorithms that run: an agent that learns, or a planner that plays.

    Members
    -------
    unit
        What it counts: ``"step"``, ``"iteration"``, ``"episode"``; records have their number under this name.
    count
        How many of those are done.
    evaluates_from
        Count up to which a policy is not worth an evaluation; ``None``: it is not evaluated at the end.
    """

    unit: ClassVar[str]

    @property
    def count(self) -> int: ...
    @property
    def evaluates_from(self) -> int | None: ...

    def advance(self) -> list[dict[str, Any]]:
        """Do the least there is to do at a time, a round; its records, each with its ``kind``."""

    def evaluate_for_record(self, episodes: int, seed: int = ...) -> dict[str, Any]:
        """Play with the policy as it is; training goes on afterwards as if it had not been asked. ``seed``, which is
        given where somebody chose one, is of the starting states."""

    def baseline(self, episodes: int, seed: int = ...) -> dict[str, Any] | None:
        """The same of what there is to be better than, if there is."""

    def statistics(self) -> dict[str, float] | None:
        """Numbers of the last round: losses, values, rates, counters; ``None`` if nothing was learned in it."""

    def save(self, path: Path | str) -> None:
        """Write a checkpoint, from which `advance` goes on with the same bits."""

    def about(self) -> dict[str, Any]:
        """Description for the summary: backend, environment, configuration, hardware, seed; plain data."""

    def counters(self) -> dict[str, Any]:
        """Counts of cycles, saturations and comparisons."""

    def report(self) -> "Report":
        """The report, which makes sense of the records."""


class Report(Protocol):
    """The report of a run: its results, and their pictures."""

    def shown(self, record: dict[str, Any]) -> dict[str, str]:
        """Texts of a record for the progress bar."""

    def summarize(self, records: list[dict[str, Any]]) -> dict[str, Any]:
        """Summarise the records."""

    def plot(self, directory: Path, records: list[dict[str, Any]], summary: dict[str, Any]) -> None:
        """Write the pictures."""


@dataclass
class Run:
    """Runs an algorithm up to a count, and leaves in ``directory``:

    ==================== =========================================================================================
    checkpoint.zip       everything to go on from, written whole: every ``checkpoint_every``, after so many seconds,
                         when the environment fails, when it is stopped, and at the end
    metrics.jsonl        one JSON object a line, each of a ``kind``
    *.png                pictures, which the algorithm's report says
    settings.json        how long it runs and how often it does what: of the fields below
    summary.json         what `run` returns
    .lock                held by the run that is writing there
    ==================== =========================================================================================

    Parameters
    ----------
    algorithm
        New, or loaded from the folder's checkpoint to go on.
    directory
        Made if it is not there.
    until
        Count of the algorithm at which it ends, what was before a checkpoint included; of one that does several at a
        time at least.
    evaluate_every, evaluation_episodes
        Count between evaluations, and episodes in one. 0: only at the end. They are at ends of rounds: one at most.
    checkpoint_every, checkpoint_seconds
        Count, and seconds, after which there is another checkpoint. 0: only at the end.
    statistics_every
        Count between records of kind ``statistics`` and ``speed``. 0: none.
    evaluation_seed
        Seed of the starting states of evaluations; ``None``: the algorithm's own, also the same ones each time.
    log
        Who gets the records beside the file, by name: ``"tensorboard"``, ``"wandb"``.
    progress
        Whether to show a progress bar.
    saves
        Whether there are checkpoints.
    """

    algorithm: Algorithm
    directory: Path
    until: int
    evaluate_every: int = 0
    evaluation_episodes: int = 10
    checkpoint_every: int = 0
    checkpoint_seconds: float = 60.0
    statistics_every: int = 0
    evaluation_seed: int | None = None
    log: Sequence[str] = ()
    progress: bool = True
    saves: bool = True

    def run(self) -> dict[str, Any]:
        """Runs, evaluates, writes; the summary.

        Raises
        ------
        ValueError
            Another run is writing to the folder; or the algorithm is further than ``until``.
        Interrupted
            Ctrl-C (or a polite termination): the round under way was finished, and what it came to is written.
        WriteError
            Something cannot be written, which the text names.
        EnvironmentFailure
            The environment failed; the checkpoint has everything before the step that did.
        """
        self.directory = Path(self.directory)
        with writing_into(self.directory), hold_folder(self.directory):
            return self._run()

    def _run(self) -> dict[str, Any]:
        algorithm, first = self.algorithm, self.algorithm.count
        if self.until < first:
            raise ValueError(f"The run is at {algorithm.unit} {first} already, beyond the {self.until} asked for")
        kept = {name: getattr(self, name) for name in KEPT}
        write_text(self.directory / SETTINGS, json.dumps(kept, indent=2) + "\n")
        drop_records_after(self.directory, algorithm.unit, first if self.saves else -1)
        told = [record[algorithm.unit] for record in read_metrics(self.directory) if record["kind"] == "statistics"]
        self._told = max(told, default=0)
        self._report, self._first, self._shown = algorithm.report(), first, dict[str, str]()
        self._started = self._saved = self._looked = time.perf_counter()
        self._log_beginning()
        with StopRequests() as stop, contextlib.ExitStack() as closing:
            self._loggers: list[Logger] = [JsonLines(self.directory)]
            closing.callback(self._close_loggers)
            self._loggers += [make_logger(name, self.directory, algorithm.about()) for name in self.log]
            self._bar = closing.enter_context(
                tqdm(
                    total=self.until,
                    initial=first,
                    unit=algorithm.unit,
                    disable=not self.progress,
                    dynamic_ncols=True,
                )
            )
            if not sys.stderr.isatty():
                self._bar.mininterval = self._bar.maxinterval = SECONDS_IN_FILE
            if first == 0 and (baseline := algorithm.baseline(*self._evaluations())) is not None:
                self._write({"kind": "random", algorithm.unit: 0, **baseline})
            while algorithm.count < self.until and not stop.number:
                self._round()
            if self.saves:
                self._save()
            ended = algorithm.count >= self.until
            if ended and algorithm.evaluates_from is not None and not self._has_evaluation(algorithm.count):
                self._evaluate()
        summary = self._summarize()
        if not ended:
            written = "checkpoint written" if self.saves else "what it came to is written"
            raise Interrupted(f"Stopped after {algorithm.unit} {algorithm.count}; {written}", stop.number)
        return summary

    def _log_beginning(self) -> None:
        """For who wants to know what exactly runs."""
        about, unit = self.algorithm.about(), self.algorithm.unit
        seed = about.get("seed", about.get("config", {}).get("seed"))
        what = f"{about.get('env')} on backend {about.get('backend')}, seed {seed}"
        logger.info("%s, %ss %d to %d, in folder %s", what, unit, self._first, self.until, self.directory)
        logger.debug("configuration: %s", json.dumps(about, default=str))

    def _round(self) -> None:
        """A round, and what comes after it."""
        algorithm, before = self.algorithm, self.algorithm.count
        try:
            records = algorithm.advance()
        except EnvironmentFailure as error:
            if self.saves:
                self._save()
                error.add_note(f"checkpoint written at {algorithm.unit} {algorithm.count}")
            raise
        for record in records:
            self._write(record)
        self._write_statistics()
        if self._passed(self.evaluate_every, before, algorithm.evaluates_from or 0):
            self._evaluate()
        if self.saves:
            due = self.checkpoint_seconds and time.perf_counter() - self._saved > self.checkpoint_seconds
            if due or self._passed(self.checkpoint_every, before):
                self._save()
        self._show(records)
        self._bar.update(algorithm.count - before)

    def _write_statistics(self) -> None:
        """Once every so often, after the first round in which something was learned."""
        count, every = self.algorithm.count, self.statistics_every
        if not every or count // every * every <= self._told:
            return
        statistics = self.algorithm.statistics()
        if statistics is None:
            return
        self._told = count
        unit, speed = self.algorithm.unit, (count - self._first) / (time.perf_counter() - self._started)
        self._write({"kind": "statistics", unit: count, **statistics})
        self._write({"kind": "speed", unit: count, f"{unit}s_per_second": speed})

    def _passed(self, every: int, before: int, start: int = -1) -> bool:
        """Whether the round went over a multiple of ``every`` that lies after ``start``."""
        return bool(every) and self.algorithm.count // every * every > max(before, start)

    def _show(self, records: list[dict[str, Any]]) -> None:
        if self._bar.disable:
            return
        for record in records:
            self._shown |= self._report.shown(record)
        if time.perf_counter() - self._looked > LOOK:
            self._looked = time.perf_counter()
            self._bar.set_postfix(self._shown, refresh=False)

    def _evaluate(self) -> None:
        outcome = self.algorithm.evaluate_for_record(*self._evaluations())
        self._write({"kind": "evaluation", self.algorithm.unit: self.algorithm.count, **outcome})

    def _evaluations(self) -> tuple[int, ...]:
        """How many episodes, and their seed if one was chosen: an algorithm of a user's own may know of none."""
        if self.evaluation_seed is None:
            return (self.evaluation_episodes,)
        return self.evaluation_episodes, self.evaluation_seed

    def _has_evaluation(self, count: int) -> bool:
        unit = self.algorithm.unit
        return any(r["kind"] == "evaluation" and r[unit] == count for r in read_metrics(self.directory))

    def _write(self, record: dict[str, Any]) -> None:
        for logger in self._loggers:
            logger.write(record, self.algorithm.unit)

    def _close_loggers(self) -> None:
        for logger in self._loggers:
            logger.close()

    def _save(self) -> None:
        self.algorithm.save(self.directory / CHECKPOINT)
        self._saved = time.perf_counter()

    def _summarize(self) -> dict[str, Any]:
        algorithm, records = self.algorithm, read_metrics(self.directory)
        seconds, done = time.perf_counter() - self._started, algorithm.count - self._first
        summary = {
            **algorithm.about(),
            f"{algorithm.unit}s": algorithm.count,
            **self._report.summarize(records),
            f"{algorithm.unit}s_per_second": done / seconds if done else None,
            "counters": algorithm.counters(),
            "versions": versions(),
        }
        write_text(self.directory / SUMMARY, json.dumps(summary, indent=2) + "\n")
        self._report.plot(self.directory, records, summary)
        return summary
