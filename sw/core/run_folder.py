"""Folders of runs: their files, who may write them, records line by line, and a stop at the next good moment."""

import contextlib
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import filelock

from ...hw.soc.written_file import write_text

__all__ = [
    "CHECKPOINT", "LOCK", "METRICS", "SETTINGS", "SUMMARY", "Interrupted", "StopRequests", "drop_records_after",
    "hold_folder", "read_metrics",
]  # fmt: skip

CHECKPOINT = "checkpoint.zip"
METRICS = "metrics.jsonl"
SUMMARY = "summary.json"
SETTINGS = "settings.json"
LOCK = ".lock"
STANDARD_ERROR = 2
STOPPING = b"\nstopping when what is under way has ended; a second Ctrl-C stops at once\n"


class Interrupted(Exception):
    """The run was asked to stop by a signal; its checkpoint is written."""

    def __init__(self, message: str, signal_number: int):
        super().__init__(message)
        self.signal_number = signal_number


@contextlib.contextmanager
def hold_folder(directory: Path) -> Iterator[None]:
    """Make a folder, if it is not there, and keep every other run out of it.

    Raises
    ------
    ValueError
        Another run, of this process or another one, is writing there.
    """
    directory.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(directory / LOCK, timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise ValueError(f"Another run is writing to {directory}: wait for its end, or choose another folder") from None
    try:
        yield
    finally:
        lock.release()


class StopRequests:
    """Within it the first Ctrl-C (or polite termination) is only noted, and says so; a second stops at once.

    Members
    -------
    number
        Number of the signal that came; 0: none.
    """

    def __init__(self) -> None:
        self.number = 0
        self._old: dict[int, Any] = {}

    def __enter__(self) -> "StopRequests":
        # Only the main thread can catch signals.
        if threading.current_thread() is threading.main_thread():
            self._old = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._old.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: Any) -> None:
        if self.number:
            raise KeyboardInterrupt
        self.number = number
        # Not print: the signal may have come in the middle of one.
        os.write(STANDARD_ERROR, STOPPING)


def read_metrics(directory: Path) -> list[dict[str, Any]]:
    """The records of a run's `metrics.jsonl`; a last line cut short is left out."""
    path = directory / METRICS
    records = []
    for line in path.read_text().splitlines() if path.is_file() else ():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return records


def drop_records_after(directory: Path, key: str, last: int) -> None:
    """Drops records later than a checkpoint; they will come again."""
    kept = [record for record in read_metrics(directory) if record[key] <= last]
    write_text(directory / METRICS, "".join(json.dumps(record) + "\n" for record in kept))
