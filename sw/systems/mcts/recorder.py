"""Requests of whole episodes, kept in a file and played again."""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....hw.cores.tree.config import TreeConfig
from ....hw.soc.written_file import writing
from ...device.errors import DeviceError
from .backends import TreeBackend

__all__ = ["Recording", "RecordingTree"]


@dataclass(frozen=True)
class Recording:
    """What went to a tree and what came back.

    Parameters
    ----------
    config : TreeConfig
    registers : dict
        By name; as they were before the first request.
    requests, answers : array of uint64, shape (n,)
        Rows, in order.
    """

    config: TreeConfig
    registers: dict[str, int]
    requests: np.ndarray
    answers: np.ndarray

    def save(self, path: Path | str) -> None:
        """Write a compressed ``.npz``.

        Raises
        ------
        WriteError
            It cannot be written.
        """
        about = json.dumps({"config": dataclasses.asdict(self.config), "registers": self.registers})
        with writing(path):
            np.savez_compressed(path, requests=self.requests, answers=self.answers, about=np.array(about))

    @classmethod
    def load(cls, path: Path | str) -> "Recording":
        """Read one.

        Raises
        ------
        ValueError
            The file holds something else.
        """
        try:
            with np.load(path) as file:
                about = json.loads(str(file["about"]))
                return cls(TreeConfig(**about["config"]), about["registers"], file["requests"], file["answers"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} holds no recording of a search tree: {error}") from None

    def replay(self, tree: TreeBackend) -> None:
        """Send the requests to another tree.

        Raises
        ------
        ValueError
            The tree has another shape.
        DeviceError
            An answer differs: the first one.
        """
        if tree.config != self.config:
            raise ValueError(f"The tree must be that of the recording, {self.config}, not {tree.config}")
        tree.write_registers(self.registers)
        tree.send(self.requests)
        answers = tree.receive(len(self.requests))
        different = np.flatnonzero(answers != self.answers)
        if len(different):
            first = different[0]
            raise DeviceError(
                f"Answer {first} of {len(answers)} differs: {int(answers[first]):#018x}, not "
                f"{int(self.answers[first]):#018x}, to request {int(self.requests[first]):#018x}"
            )


class RecordingTree:
    """A tree that keeps what goes to another one and what comes back.

    Parameters
    ----------
    tree : TreeBackend
        It is closed with this one.
    """

    def __init__(self, tree: TreeBackend):
        self.config = tree.config
        self._tree = tree
        self._registers: dict[str, int] = {}
        self._requests: list[np.ndarray] = []
        self._answers: list[np.ndarray] = []

    @property
    def recording(self) -> Recording:
        """Everything so far."""
        requests, answers = (
            np.concatenate([np.empty(0, np.uint64), *rows]) for rows in (self._requests, self._answers)
        )
        return Recording(self.config, dict(self._registers), requests, answers)

    def write_registers(self, registers: dict[str, int]) -> None:
        """Set the registers.

        Raises
        ------
        DeviceError
            There were requests already: a recording has one set of registers.
        """
        if self._requests:
            raise DeviceError("Registers cannot change within a recording")
        self._tree.write_registers(registers)
        self._registers.update(registers)

    def send(self, rows: np.ndarray) -> None:
        """Send requests."""
        self._tree.send(rows)
        self._requests.append(rows)

    def receive(self, count: int) -> np.ndarray:
        """The next answers."""
        answers = self._tree.receive(count)
        self._answers.append(answers)
        return answers

    def counters(self) -> dict[str, int]:
        """Those of the other one."""
        return self._tree.counters()

    def close(self) -> None:
        """Give the other one back."""
        self._tree.close()
