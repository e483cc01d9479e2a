"""An iteration played through event by event, to hold a schedule against.

It shares no arithmetic with what makes schedules: it takes who runs what in which order, and finds out when.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import simpy

from .problem import Problem

__all__ = ["simulate"]


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
    environment = simpy.Environment()
    finished = {task: environment.event() for task in where}
    times: dict[str, tuple[float, float]] = {}

    def transfer(source: str, target: str, size: float) -> Generator[Any, Any, None]:
        yield finished[source]
        yield environment.timeout(problem.platform.transfer(size, where[source], where[target]))

    inputs = {
        task: [environment.process(transfer(source, task, size)) for source, size in sources.items()]
        for task, sources in problem.graph.predecessors.items()
    }

    def run(device: str) -> Generator[Any, Any, None]:
        for task in queues[device]:
            yield environment.all_of(inputs[task])
            start = environment.now
            yield environment.timeout(problem.latency(task, device))
            times[task] = (start, environment.now)
            finished[task].succeed()

    for device in queues:
        environment.process(run(device))
    environment.run()
    if len(times) < len(where):
        raise ValueError(f"Queues wait for each other: {', '.join(sorted(where.keys() - times.keys()))} cannot begin")
    return times
