"""The least makespan there is, by trying every placement and every order: for graphs of a few tasks."""

from ..list_schedule import longest_paths
from .problem import Problem
from .schedule import Schedule, list_schedule

__all__ = ["LARGEST", "optimum"]

# Tasks: SAC's. Time grows with devices to the power of tasks, and with their orders; what is cut off keeps it to a
# second for the task graphs of the algorithms on three devices.
LARGEST = 14


def optimum(problem: Problem, bound: Schedule | None = None) -> Schedule:
    """A schedule that no other beats, whatever is placed where and in whatever order, replay tasks on one device.

    Tasks are started in the order of time, each on each device; a branch is left when the longest way from one of the
    tasks that remain, on the fastest devices and without transfers, cannot end before the best schedule so far. As with
    Algorithm 3, a device takes tasks one after the other and transfers do not wait for each other.

    Parameters
    ----------
    problem : Problem
    bound : Schedule, optional
        One that is feasible, to be beaten.

    Raises
    ------
    ValueError
        More than ``LARGEST`` tasks, or none of the placements has the resources.
    """
    if len(problem.graph.tasks) > LARGEST:
        raise ValueError(f"A graph must have at most {LARGEST} tasks to be searched, not {len(problem.graph.tasks)}")
    search = _Search(problem, bound)
    search.extend(0.0, -1)
    if search.best is None:
        if bound is None:
            raise ValueError("No placement has the resources")
        return bound
    return list_schedule(problem, *search.best)


class _Search:
    """Tasks and devices by number."""

    def __init__(self, problem: Problem, bound: Schedule | None):
        graph, self.problem = problem.graph, problem
        self.names, self.devices = graph.order, problem.devices
        number = {name: index for index, name in enumerate(self.names)}
        self.latency = [[problem.latency(name, device) for device in self.devices] for name in self.names]
        self.inputs = [
            [(number[other], self._transfers(size)) for other, size in graph.predecessors[name].items()]
            for name in self.names
        ]
        # Seconds from a task's start to the end at the least.
        inputs = [{other for other, _ in found} for found in self.inputs]
        self.tail = longest_paths([min(row) for row in self.latency], inputs)
        self.replay = {number[name] for name in graph.replay_tasks}
        self.limit = bound.makespan if bound is not None else float("inf")
        self.best: tuple[dict[str, str], list[str]] | None = None
        self.order: list[int] = []
        self.place = [-1] * len(self.names)
        self.finish = [0.0] * len(self.names)
        self.available = [0.0] * len(self.devices)

    def _transfers(self, size: float) -> list[list[float]]:
        transfer = self.problem.platform.transfer
        return [[transfer(size, source, target) for target in self.devices] for source in self.devices]

    def extend(self, last_start: float, last: int) -> None:
        """Every task that can be next, on every device."""
        if self._least(last_start) >= self.limit:
            return
        if len(self.order) == len(self.names):
            self.limit = max(self.finish)
            placement = {name: self.devices[self.place[index]] for index, name in enumerate(self.names)}
            self.best = placement, [self.names[index] for index in self.order]
            return
        for task in range(len(self.names)):
            if self.place[task] >= 0 or any(self.place[other] < 0 for other, _ in self.inputs[task]):
                continue
            for device in range(len(self.devices)):
                start = self.available[device]
                for other, transfers in self.inputs[task]:
                    start = max(start, self.finish[other] + transfers[self.place[other]][device])
                # Every schedule is met once: with its tasks in the order of their starts.
                if (start, task) < (last_start, last) or start + self.tail[task] >= self.limit:
                    continue
                if self._allowed(task, device):
                    self._try(task, device, start)

    def _try(self, task: int, device: int, start: float) -> None:
        available = self.available[device]
        self.place[task] = device
        self.finish[task] = self.available[device] = start + self.latency[task][device]
        self.order.append(task)
        self.extend(start, task)
        self.order.pop()
        self.place[task], self.available[device] = -1, available

    def _least(self, last_start: float) -> float:
        """No schedule that goes on from here ends before."""
        least, earliest = 0.0, [0.0] * len(self.names)
        for task in range(len(self.names)):
            if self.place[task] >= 0:
                least = max(least, self.finish[task])
                continue
            earliest[task] = max(
                (
                    self.finish[other] if self.place[other] >= 0 else earliest[other] + min(self.latency[other])
                    for other, _ in self.inputs[task]
                ),
                default=last_start,
            )
            least = max(least, max(earliest[task], last_start) + self.tail[task])
        return least

    def _allowed(self, task: int, device: int) -> bool:
        if task in self.replay and any(self.place[other] not in (-1, device) for other in self.replay):
            return False
        taken = [self.names[index] for index in self.order if self.place[index] == device]
        return self.problem.fits((*taken, self.names[task]), self.devices[device])
