"""An iteration played through event by event, to hold a schedule against.

It shares no arithmetic with what makes schedules: it takes who runs what in which order, and finds out when.
"""

import heapq
from collections import deque
from collections.abc import Mapping, Sequence

from .problem import Problem

__all__ = ["simulate"]

_FINISHED, _ARRIVED = 0, 1


def simulate(problem: Problem, queues: Mapping[str, Sequence[str]]) -> dict[str, tuple[float, float]]:
    """Start and finish of each task.

    A device runs the tasks of its queue one after the other, each as soon as all its inputs have arrived. When a task
    finishes, its outputs leave for every other device that wants them, all at once.

    Parameters
    ----------
    problem : Problem
    queues : dict of str to sequence of str
        Tasks by device.

    Raises
    ------
    ValueError
        A task is in no queue or in two, or queues wait for each other.
    """
    where = {task: device for device, queue in queues.items() for task in queue}
    if sorted(task for queue in queues.values() for task in queue) != sorted(problem.graph.kinds):
        raise ValueError("Each task must be in one queue")
    waiting = {device: deque(queue) for device, queue in queues.items()}
    missing = {task: len(inputs) for task, inputs in problem.graph.predecessors.items()}
    running: set[str] = set()
    times: dict[str, tuple[float, float]] = {}
    events: list[tuple[float, int, str]] = []

    def begin(device: str, now: float) -> None:
        if device in running or not waiting[device] or missing[waiting[device][0]]:
            return
        task = waiting[device].popleft()
        running.add(device)
        times[task] = (now, now + problem.latency(task, device))
        heapq.heappush(events, (times[task][1], _FINISHED, task))

    for device in waiting:
        begin(device, 0.0)
    while events:
        now, event, task = heapq.heappop(events)
        if event == _ARRIVED:
            missing[task] -= 1
        else:
            running.discard(where[task])
            for other, size in problem.graph.successors[task].items():
                arrival = now + problem.platform.transfer(size, where[task], where[other])
                heapq.heappush(events, (arrival, _ARRIVED, other))
        begin(where[task], now)
    if len(times) < len(where):
        raise ValueError(f"Queues wait for each other: {', '.join(sorted(where.keys() - times.keys()))} cannot begin")
    return times
