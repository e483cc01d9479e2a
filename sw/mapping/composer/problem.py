"""The composer's inputs together: task graph, latency table, platform; from a YAML file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.fields import read_fields, read_yaml, require_names
from .latency_table import Latency, LatencyTable
from .platform import Platform
from .task_graph import Edge, Task, TaskGraph

__all__ = ["Problem", "read_problem"]

_GRAPH = ("batch", "experience_bytes", "gradient_bytes")
_TASK = ("kind", "latency", "resources")


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A placement problem: the tasks, and the platform that they are placed on.

    Parameters
    ----------
    graph : TaskGraph
    platform : Platform
    table : LatencyTable
        A latency for each task on each device.

    Raises
    ------
    ValueError
        The table lacks a latency, or names a task or device that there is not.
    """

    graph: TaskGraph
    platform: Platform
    table: LatencyTable

    def __post_init__(self) -> None:
        self.table.check(self.graph.kinds, self.platform.by_name)

    @property
    def devices(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.platform.by_name)

    def latency(self, task: str, device: str) -> float:
        """w, seconds of the whole batch."""
        return self.table.latency(task, device, self.graph.batch)

    def fits(self, tasks: Iterable[str], device: str) -> bool:
        """Whether a device has what tasks take of it together."""
        total: dict[str, float] = {}
        for task in tasks:
            for name, amount in self.table.needs(task, device).items():
                total[name] = total.get(name, 0) + amount
        limits = self.platform.by_name[device].resources
        return all(amount <= limits.get(name, amount) for name, amount in total.items())


def read_problem(path: Path | str) -> Problem:
    """A problem whose latencies are given in a YAML file: ``batch``, ``tasks``, ``edges``, ``devices``, ``links``.

    Raises
    ------
    TypeError, ValueError
        The text says what is wrong with it.
    OSError
        It cannot be read.
    """
    return read_yaml(Path(path), _problem)


def _problem(content: Any) -> Problem:
    if not isinstance(content, Mapping) or not isinstance(content.get("tasks"), Mapping):
        raise TypeError("A problem must be a mapping with batch, tasks by name, edges, devices and links")
    require_names("section of a problem:", content, (*_GRAPH, "tasks", "edges", "devices", "links"))
    for name, given in content["tasks"].items():
        if not isinstance(given, Mapping) or not isinstance(given.get("latency"), Mapping):
            raise TypeError(f"Task {name} must be a mapping with kind, and latency by device")
        require_names(f"field of task {name}:", given, _TASK)
    tasks = content["tasks"].items()
    edges = [read_fields(Edge, "An edge", given) for given in content.get("edges") or ()]
    head = {name: content[name] for name in _GRAPH if name in content}
    if "batch" not in head:
        raise ValueError("A problem needs batch")
    graph = TaskGraph(
        tasks=tuple(Task(name=name, kind=given.get("kind", "learner")) for name, given in tasks),
        edges=tuple(edges),
        **head,
    )
    table = LatencyTable(
        latencies={
            name: {device: _latency(name, device, value) for device, value in given["latency"].items()}
            for name, given in tasks
        },
        resources={name: given["resources"] for name, given in tasks if "resources" in given},
    )
    platform = Platform.from_mapping({name: content.get(name) for name in ("devices", "links")})
    return Problem(graph=graph, platform=platform, table=table)


def _latency(task: str, device: str, value: Any) -> Latency:
    """A number is the whole batch's."""
    try:
        return read_fields(Latency, "It", value if isinstance(value, Mapping) else {"fixed": value})
    except (TypeError, ValueError) as error:
        raise type(error)(f"Latency of task {task} on {device}: {error}") from None
