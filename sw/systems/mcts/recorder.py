"""Requests of whole episodes, kept in a file and played again."""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from ....hw.cores.tree.config import TreeConfig
from ....hw.cores.tree.requests import Status
from ....hw.soc.written_file import writing
from ...device.errors import DeviceError
from ...device.search_tree_backends import TreeBackend
from ...reference.tree.requests import Answer, Request

__all__ = ["Recording", "RecordingTree"]


@dataclass(frozen=True)
class Recording:
    """Requests that went to a tree and answers that came back.

    Parameters
    ----------
    config : TreeConfig
    registers : dict
        By name; as they were before the first request.
    requests : list of Request
        In order.
    answers : list of Answer
        To each of them.
    """

    config: TreeConfig
    registers: dict[str, int]
    requests: Sequence[Request]
    answers: Sequence[Answer]

    def save(self, path: Path | str) -> None:
        """Write a compressed ``.npz``: an array for each part of requests and of answers, as ``request_worker``.

        Raises
        ------
        WriteError
            It cannot be written.
        """
        about = json.dumps({"config": dataclasses.asdict(self.config), "registers": self.registers})
        columns = _columns("request", Request, self.requests) | _columns("answer", Answer, self.answers)
        with writing(path):
            np.savez_compressed(path, about=np.array(about), **columns)

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
                requests, answers = _values("request", Request, file), _values("answer", Answer, file)
            return cls(
                TreeConfig(**about["config"]),
                about["registers"],
                [Request(**parts | {"terminal": bool(parts["terminal"])}) for parts in requests],
                [Answer(**parts | {"status": Status(parts["status"])}) for parts in answers],
            )
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
        for number, (request, expected, got) in enumerate(zip(self.requests, self.answers, answers, strict=True)):
            if got != expected:
                raise DeviceError(f"Answer {number} of {len(answers)} differs: {got}, not {expected}, to {request}")


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
        self._requests: list[Request] = []
        self._answers: list[Answer] = []

    @property
    def recording(self) -> Recording:
        """Everything so far."""
        return Recording(self.config, dict(self._registers), list(self._requests), list(self._answers))

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

    def send(self, requests: Sequence[Request]) -> None:
        """Send requests."""
        self._tree.send(requests)
        self._requests.extend(requests)

    def receive(self, count: int) -> list[Answer]:
        """The next answers."""
        answers = self._tree.receive(count)
        self._answers.extend(answers)
        return answers

    def counters(self) -> dict[str, int]:
        """Counters of the recorded tree."""
        return self._tree.counters()

    def close(self) -> None:
        """Give the other one back."""
        self._tree.close()


def _columns(name: str, kind: Any, values: Sequence[Any]) -> dict[str, Any]:
    """An array of each part of a dataclass's values."""
    parts = [part.name for part in fields(kind)]
    return {f"{name}_{part}": np.array([getattr(value, part) for value in values], np.int32) for part in parts}


def _values(name: str, kind: Any, columns: Any) -> list[dict[str, Any]]:
    """The parts of each value again."""
    parts = [part.name for part in fields(kind)]
    rows = zip(*(columns[f"{name}_{part}"].tolist() for part in parts), strict=True)
    return [dict(zip(parts, row, strict=True)) for row in rows]
