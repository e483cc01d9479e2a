"""When each task of an iteration runs, and where."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .problem import Problem

__all__ = ["Schedule", "ScheduledTask", "Timetable", "by_rank", "list_schedule", "upward_ranks"]


@dataclass(frozen=True, kw_only=True)
class ScheduledTask:
    """A task in its place.

    Parameters
    ----------
    task, device : str
    start, finish : float
        Seconds from the beginning of the iteration; the source's AFT.
    """

    task: str
    device: str
    start: float
    finish: float


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """An iteration.

    Parameters
    ----------
    tasks : tuple of ScheduledTask
        In the order in which they were placed: that in which each device takes its own.
    """

    tasks: tuple[ScheduledTask, ...]

    @property
    def makespan(self) -> float:
        """Seconds until the last task has finished."""
        return max(task.finish for task in self.tasks)

    @property
    def placement(self) -> dict[str, str]:
        """Device by task."""
        return {task.task: task.device for task in self.tasks}

    def on(self, device: str) -> tuple[ScheduledTask, ...]:
        """A device's tasks, one after the other."""
        return tuple(task for task in self.tasks if task.device == device)


def upward_ranks(problem: Problem) -> dict[str, float]:
    """Step 1 of Algorithm 3: seconds from a task's start to the end, with means of latencies and of links.

    ``rank(v) = max over successors u of (mean c + rank(u)) + mean w``; a task's is above those of its successors.
    """
    graph, devices, ranks = problem.graph, problem.devices, dict[str, float]()
    for task in reversed(graph.order):
        after = (problem.platform.mean_transfer(size) + ranks[other] for other, size in graph.successors[task].items())
        mean = sum(problem.latency(task, device) for device in devices) / len(devices)
        ranks[task] = max(after, default=0.0) + mean
    return ranks


def by_rank(problem: Problem) -> list[str]:
    """The task array Q: decreasing rank, which keeps every task after those it waits for."""
    ranks = upward_ranks(problem)
    return sorted(problem.graph.order, key=lambda task: -ranks[task])


class Timetable:
    """A schedule in the making: each device takes its tasks one after the other, as they are assigned.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem: Problem):
        self.problem = problem
        self.available = dict.fromkeys(problem.devices, 0.0)
        self.assigned: dict[str, ScheduledTask] = {}

    def earliest_start(self, task: str, device: str) -> float:
        """When a device is free and has all of a task's inputs. Transfers do not wait for each other."""
        inputs = self.problem.graph.predecessors[task].items()
        before = ((self.assigned[other], size) for other, size in inputs)
        arrived = (done.finish + self.problem.platform.transfer(size, done.device, device) for done, size in before)
        return max(self.available[device], max(arrived, default=0.0))

    def earliest_finish(self, task: str, device: str) -> float:
        """EFT."""
        return self.earliest_start(task, device) + self.problem.latency(task, device)

    def assign(self, task: str, device: str) -> None:
        """The task goes after what the device has."""
        start = self.earliest_start(task, device)
        finish = start + self.problem.latency(task, device)
        self.assigned[task] = ScheduledTask(task=task, device=device, start=start, finish=finish)
        self.available[device] = finish

    @property
    def schedule(self) -> Schedule:
        """Schedule the tasks that have been assigned."""
        return Schedule(tasks=tuple(self.assigned.values()))


def list_schedule(problem: Problem, placement: Mapping[str, str], order: Sequence[str] | None = None) -> Schedule:
    """The schedule of a placement, tasks taken in the order of their ranks, or in another one."""
    timetable = Timetable(problem)
    for task in by_rank(problem) if order is None else order:
        timetable.assign(task, placement[task])
    return timetable.schedule
