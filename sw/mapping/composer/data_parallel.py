"""Data parallelism: the whole learner on several devices, each with a part of the batch.

Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, sections 4.2.3.1 and 4.3.1.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .latency_table import Latency, LatencyTable
from .platform import DeviceKind
from .problem import Problem
from .schedule import Schedule, list_schedule
from .task_graph import Edge, Task, TaskGraph, TaskKind

__all__ = ["AGGREGATE", "DataParallel", "best_data_parallel", "data_parallel"]

# Sums the gradients and updates the weights: the source's parameter server.
AGGREGATE = "aggregate"


@dataclass(frozen=True, kw_only=True)
class DataParallel:
    """An iteration with the learner on several devices.

    Parameters
    ----------
    shares : dict of str to int
        Experiences of the batch, by device.
    problem : Problem
        Its tasks: the replay manager's, a replica ``TASK@DEVICE`` of each of the learner's, ``aggregate``, and
        ``load@DEVICE``.
    schedule : Schedule
    """

    shares: Mapping[str, int]
    problem: Problem
    schedule: Schedule


def best_data_parallel(problem: Problem, replay_device: str | None) -> DataParallel | None:
    """The fastest over all sets of two or more devices; ``None`` if there is none.

    There is none without a learner, a processor to be the parameter server, or known bytes of gradients.
    """
    graph = problem.graph
    if not (graph.learner_tasks and graph.gradient_bytes and problem.platform.of_kind(DeviceKind.CPU)):
        return None
    sets = (
        devices
        for size in range(2, len(problem.devices) + 1)
        for devices in itertools.combinations(problem.devices, size)
    )
    found = [made for devices in sets if (made := data_parallel(problem, devices, replay_device)) is not None]
    return min(found, key=lambda made: made.schedule.makespan, default=None)


def data_parallel(problem: Problem, devices: Sequence[str], replay_device: str | None) -> DataParallel | None:
    """An iteration with the learner on these devices; ``None`` where one lacks the resources, or gets no experience.

    Shares are as the devices' experiences a second with the whole batch. Each device sends its gradients to a
    processor, which sums them once an iteration and sends the weights back, which the device loads into its memory. An
    algorithm with several optimisers would sum them one after the other: this takes as long, but for the latencies of
    the links.
    """
    graph = problem.graph
    for device in devices:
        replay = graph.replay_tasks if device == replay_device else ()
        if not problem.fits((*graph.learner_tasks, *replay), device):
            return None
    shares = _shares(problem, devices)
    if not all(shares.values()):
        return None
    server = problem.platform.of_kind(DeviceKind.CPU)[0]
    names, placement, latencies = _tasks(problem, shares, server, replay_device)
    replicated = Problem(
        graph=TaskGraph(
            tasks=names,
            edges=_edges(graph, shares),
            batch=graph.batch,
            experience_bytes=graph.experience_bytes,
            gradient_bytes=graph.gradient_bytes,
        ),
        platform=problem.platform,
        table=LatencyTable(
            latencies={
                name: dict.fromkeys(problem.devices, Latency(fixed=seconds)) for name, seconds in latencies.items()
            }
        ),
    )
    return DataParallel(shares=shares, problem=replicated, schedule=list_schedule(replicated, placement))


def _shares(problem: Problem, devices: Sequence[str]) -> dict[str, int]:
    """Whole numbers by largest remainder."""
    batch, tasks = problem.graph.batch, problem.graph.learner_tasks
    speed = {device: 1 / sum(problem.latency(task, device) for task in tasks) for device in devices}
    exact = {device: batch * value / sum(speed.values()) for device, value in speed.items()}
    shares = {device: math.floor(value) for device, value in exact.items()}
    behind = sorted(devices, key=lambda device: shares[device] - exact[device])
    for device in behind[: batch - sum(shares.values())]:
        shares[device] += 1
    return shares


def _tasks(problem: Problem, shares: Mapping[str, int], server: str, replay_device: str | None) -> Any:
    """Tasks, their placement, and what they take there."""
    graph, platform = problem.graph, problem.platform
    tasks = [task for task in graph.tasks if task.kind == TaskKind.REPLAY]
    placement = {task.name: replay_device or server for task in tasks}
    latencies = {task.name: problem.latency(task.name, placement[task.name]) for task in tasks}

    def add(name: str, device: str, seconds: float) -> None:
        tasks.append(Task(name=name, kind=TaskKind.LEARNER))
        placement[name], latencies[name] = device, seconds

    for device, share in shares.items():
        for task in graph.learner_tasks:
            add(f"{task}@{device}", device, problem.table.latency(task, device, share))
    # All gradients are read, and the weights written; so are they where they are loaded.
    summed = (len(shares) + 1) * graph.gradient_bytes
    add(AGGREGATE, server, summed / platform.by_name[server].memory_bandwidth)
    for device in shares:
        add(f"load@{device}", device, 2 * graph.gradient_bytes / platform.by_name[device].memory_bandwidth)
    return tuple(tasks), placement, latencies


def _edges(graph: TaskGraph, shares: Mapping[str, int]) -> tuple[Edge, ...]:
    learner, edges = graph.learner_tasks, []
    last = [task for task in learner if not any(other in learner for other in graph.successors[task])]
    for device, share in shares.items():
        for edge in graph.edges:
            source, target = (f"{task}@{device}" if task in learner else task for task in (edge.source, edge.target))
            if (source, target) != (edge.source, edge.target):
                edges.append(Edge(source=source, target=target, bytes=edge.bytes * share / graph.batch))
        edges += [
            Edge(source=f"{task}@{device}", target=AGGREGATE, bytes=graph.gradient_bytes / len(last)) for task in last
        ]
        edges.append(Edge(source=AGGREGATE, target=f"load@{device}", bytes=graph.gradient_bytes))
    kept = [edge for edge in graph.edges if edge.source not in learner and edge.target not in learner]
    return (*kept, *edges)
