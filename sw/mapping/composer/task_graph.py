"""Tasks of a training iteration: replay operations and groups of layers, and the bytes they hand on."""

import graphlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ....hw.cores.checks import require_integer
from ...core.fields import require_names, require_number

__all__ = ["Edge", "Task", "TaskGraph", "TaskKind"]


class TaskKind(StrEnum):
    """Parts of training to which tasks belong."""

    REPLAY = "replay"
    LEARNER = "learner"


@dataclass(frozen=True, kw_only=True)
class Task:
    """A node: an operation of the replay manager, or layer propagations of the learner.

    Parameters
    ----------
    name : str
    kind : TaskKind or str
        All replay tasks of a graph are one hypernode: they share a device.

    Raises
    ------
    ValueError
        Another kind.
    """

    name: str
    kind: TaskKind

    def __post_init__(self) -> None:
        if self.kind not in list(TaskKind):
            raise ValueError(f"Kind of task {self.name} must be {' or '.join(TaskKind)}, not {self.kind!r}")
        object.__setattr__(self, "kind", TaskKind(self.kind))


@dataclass(frozen=True, kw_only=True)
class Edge:
    """A dependency.

    Parameters
    ----------
    source, target : str
        Names of tasks.
    bytes : float
        Bytes that go from one device to the other, if they are two.

    Raises
    ------
    TypeError, ValueError
        Bytes that are no number, or negative.
    """

    source: str
    target: str
    bytes: float

    def __post_init__(self) -> None:
        require_number(f"Bytes from {self.source} to {self.target}", self.bytes)


@dataclass(frozen=True, kw_only=True)
class TaskGraph:
    """A training iteration, the source's G(V, E).

    Parameters
    ----------
    tasks : tuple of Task
    edges : tuple of Edge
    batch : int
        BS, experiences of an iteration.
    experience_bytes : float
        E, bytes of an experience.
    gradient_bytes : float
        Bytes of all gradients of an iteration, which data parallelism sums over devices.

    Raises
    ------
    TypeError, ValueError
        No task, two of one name, two edges between the same tasks, an edge to a task that is none, a cycle.
    """

    tasks: tuple[Task, ...]
    edges: tuple[Edge, ...]
    batch: int
    experience_bytes: float = 0
    gradient_bytes: float = 0

    def __post_init__(self) -> None:
        require_integer("Batch", self.batch, 1)
        require_number("Bytes of an experience", self.experience_bytes)
        require_number("Bytes of the gradients", self.gradient_bytes)
        if not self.tasks:
            raise ValueError("A task graph must have at least one task")
        names = [task.name for task in self.tasks]
        _refuse_twice("task", names)
        for edge in self.edges:
            require_names(f"task in the edge from {edge.source} to {edge.target}:", (edge.source, edge.target), names)
        _refuse_twice("edge", [f"from {edge.source} to {edge.target}" for edge in self.edges])
        _ = self.order

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Names of the tasks, each after those that it waits for."""
        try:
            sorter = graphlib.TopologicalSorter({name: list(self.predecessors[name]) for name in self.kinds})
            return tuple(sorter.static_order())
        except graphlib.CycleError as error:
            raise ValueError(f"The task graph has a cycle: {' -> '.join(error.args[1])}") from None

    @cached_property
    def kinds(self) -> Mapping[str, TaskKind]:
        """Kind of each task, by its name."""
        return {task.name: task.kind for task in self.tasks}

    @cached_property
    def predecessors(self) -> Mapping[str, Mapping[str, float]]:
        """The tasks that each task waits for, and the bytes from there."""
        found: dict[str, dict[str, float]] = {task.name: {} for task in self.tasks}
        for edge in self.edges:
            found[edge.target][edge.source] = edge.bytes
        return found

    @cached_property
    def successors(self) -> Mapping[str, Mapping[str, float]]:
        """The tasks that wait for each task, and the bytes to there."""
        found: dict[str, dict[str, float]] = {task.name: {} for task in self.tasks}
        for edge in self.edges:
            found[edge.source][edge.target] = edge.bytes
        return found

    @property
    def replay_tasks(self) -> tuple[str, ...]:
        """The hypernode, in order."""
        return tuple(name for name in self.order if self.kinds[name] == TaskKind.REPLAY)

    @property
    def learner_tasks(self) -> tuple[str, ...]:
        """In order."""
        return tuple(name for name in self.order if self.kinds[name] == TaskKind.LEARNER)

    @property
    def learner_entry_tasks(self) -> tuple[str, ...]:
        """The learner's tasks that wait for no other of its own: they take the experiences."""
        learner = self.learner_tasks
        return tuple(name for name in learner if not any(other in learner for other in self.predecessors[name]))


def _refuse_twice(what: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"Each {what} must occur once, and these occur twice: {', '.join(twice)}")
