"""Who gets the records of a run: a file, TensorBoard, Weights & Biases."""

import importlib
import json
import numbers
from pathlib import Path
from typing import Any, Protocol

from ...hw.cores.checks import require_name
from ...hw.soc.written_file import writing
from .run_folder import METRICS

__all__ = ["LOGGERS", "JsonLines", "Logger", "TensorBoard", "WeightsAndBiases", "make_logger"]


class Logger(Protocol):
    """Takes records as they are made."""

    def write(self, record: dict[str, Any], unit: str) -> None:
        """Take a record; ``unit`` names the count in it."""

    def close(self) -> None:
        """Write what is still to be written."""


class JsonLines:
    """The run's ``metrics.jsonl``: a JSON object a line, on disk as soon as it is made.

    Parameters
    ----------
    directory
        Directory of the run.

    Raises
    ------
    WriteError
        The file cannot be written.
    """

    def __init__(self, directory: Path):
        self._path = directory / METRICS
        with writing(self._path):
            self._file = open(self._path, "a", encoding="utf-8")

    def write(self, record: dict[str, Any], unit: str) -> None:
        with writing(self._path):
            self._file.write(json.dumps(record) + "\n")
            self._file.flush()

    def close(self) -> None:
        with writing(self._path):
            self._file.close()


def _numbers(record: dict[str, Any], unit: str) -> dict[str, float]:
    """Numbers of a record, by ``kind/name``."""
    kind = record["kind"]
    return {
        f"{kind}/{name}": float(value)
        for name, value in record.items()
        if name not in ("kind", unit) and isinstance(value, numbers.Real) and not isinstance(value, bool)
    }


class TensorBoard:
    """Scalars in event files for TensorBoard, in ``tensorboard`` of the run's folder.

    Parameters
    ----------
    directory
        Directory of the run.
    settings
        Settings of the run; they become a text.

    Raises
    ------
    ValueError
        TensorBoard is not installed.
    """

    def __init__(self, directory: Path, settings: dict[str, Any]):
        try:
            writer = importlib.import_module("torch.utils.tensorboard").SummaryWriter
        except ImportError as error:
            raise ValueError("--log tensorboard needs TensorBoard: pip install tensorboard") from error
        self._writer = writer(str(directory / "tensorboard"))
        self._writer.add_text("settings", f"```\n{json.dumps(settings, indent=2)}\n```")

    def write(self, record: dict[str, Any], unit: str) -> None:
        for name, value in _numbers(record, unit).items():
            self._writer.add_scalar(name, value, record[unit])

    def close(self) -> None:
        self._writer.close()


class WeightsAndBiases:
    """A run of Weights & Biases, in its project ``rewardware``; its own variables say where it goes.

    Parameters
    ----------
    directory
        Directory of the run; its name is the run's there.
    settings
        Settings of the run.

    Raises
    ------
    ValueError
        Weights & Biases is not installed.
    """

    def __init__(self, directory: Path, settings: dict[str, Any]):
        try:
            wandb = importlib.import_module("wandb")
        except ImportError as error:
            raise ValueError("--log wandb needs Weights & Biases: pip install wandb") from error
        self._run = wandb.init(project="rewardware", name=directory.name, dir=str(directory), config=settings)

    def write(self, record: dict[str, Any], unit: str) -> None:
        self._run.log({**_numbers(record, unit), unit: record[unit]})

    def close(self) -> None:
        self._run.finish()


LOGGERS: dict[str, Any] = {"tensorboard": TensorBoard, "wandb": WeightsAndBiases}


def make_logger(name: str, directory: Path, settings: dict[str, Any]) -> Logger:
    """The logger of that name.

    Raises
    ------
    ValueError
        There is none, or what it needs is not installed.
    """
    require_name("Logger", name, LOGGERS)
    directory.mkdir(parents=True, exist_ok=True)
    logger: Logger = LOGGERS[name](directory, settings)
    return logger
