"""Steps 1 and 2 of Algorithm 3: tasks by rank, each on the device that finishes it first; and what may be better.

Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, section 4.3.1, after the
heterogeneous earliest finish time of Topcuoglu et al.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .problem import Problem
from .schedule import Schedule, Timetable, by_rank, list_schedule

__all__ = ["Decision", "earliest_finish_time", "feasible", "refined", "single_device"]


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Why tasks are where they are.

    Parameters
    ----------
    tasks : tuple of str
        One, or those of the hypernode.
    finish : dict of str to float
        EFT by device, of those that could have had them; of the hypernode with all its tasks one after the other.
    removed : tuple of str
        Devices that lacked the resources for them and take no task from here on.
    """

    tasks: tuple[str, ...]
    finish: Mapping[str, float]
    removed: tuple[str, ...] = ()

    @property
    def device(self) -> str:
        """The one with the least EFT."""
        return min(self.finish, key=lambda device: self.finish[device])


def earliest_finish_time(problem: Problem) -> tuple[Schedule, tuple[Decision, ...]]:
    """The task array from its beginning, each task on the device with the least EFT; and why.

    The replay tasks are a hypernode: the first of them that is reached chooses for all, by the EFT of all of them one
    after the other. A device that lacks resources for a task takes none from then on.

    Raises
    ------
    ValueError
        No device has the resources for a task; the text names it.
    """
    timetable, candidates = Timetable(problem), list(problem.devices)
    placement: dict[str, str] = {}
    decisions = []
    for task in by_rank(problem):
        if task not in placement:
            group = problem.graph.replay_tasks if task in problem.graph.replay_tasks else (task,)
            able = [device for device in candidates if problem.fits((*_placed(placement, device), *group), device)]
            if not able:
                raise ValueError(f"No device has the resources for {' and '.join(group)}")
            after = {device: sum(problem.latency(other, device) for other in group if other != task) for device in able}
            decision = Decision(
                tasks=group,
                finish={device: timetable.earliest_finish(task, device) + after[device] for device in able},
                removed=tuple(device for device in candidates if device not in able),
            )
            candidates = able
            placement.update(dict.fromkeys(group, decision.device))
            decisions.append(decision)
        timetable.assign(task, placement[task])
    return timetable.schedule, tuple(decisions)


def single_device(problem: Problem, replay_device: str | None) -> Schedule | None:
    """The best schedule with the whole learner on one device, and the replay tasks where they are.

    ``None`` if no device has the resources for it.
    """
    graph, found = problem.graph, []
    for device in problem.devices:
        placement = dict.fromkeys(graph.learner_tasks, device)
        placement |= dict.fromkeys(graph.replay_tasks, replay_device or device)
        if feasible(problem, placement):
            found.append(list_schedule(problem, placement))
    return min(found, key=lambda schedule: schedule.makespan, default=None)


def refined(problem: Problem, schedule: Schedule) -> Schedule:
    """No part of the source: the best that moving tasks one at a time, the hypernode as one, leads to.

    It begins from ``schedule`` and from the whole iteration on each device, and each time makes the move that gains
    most, until none gains.
    """
    graph = problem.graph
    groups = [(task,) for task in graph.learner_tasks] + ([graph.replay_tasks] if graph.replay_tasks else [])
    order = by_rank(problem)
    best = schedule
    starts = [dict.fromkeys(graph.order, device) for device in problem.devices]
    for start in (schedule.placement, *(start for start in starts if feasible(problem, start))):
        current = list_schedule(problem, start, order)
        while True:
            moves = (current.placement | dict.fromkeys(group, device) for group in groups for device in problem.devices)
            tried = (list_schedule(problem, move, order) for move in moves if feasible(problem, move))
            moved = min(tried, key=lambda schedule: schedule.makespan, default=current)
            if not moved.makespan < current.makespan:
                break
            current = moved
        best = min(best, current, key=lambda schedule: schedule.makespan)
    return best


def feasible(problem: Problem, placement: Mapping[str, str]) -> bool:
    """Whether every device has what its tasks take."""
    return all(problem.fits(_placed(placement, device), device) for device in problem.devices)


def _placed(placement: Mapping[str, str], device: str) -> Iterable[str]:
    return [task for task, where in placement.items() if where == device]
