"""PEARL's system composer: Algorithm 3 as a whole.

Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, section 4.3.1.
"""

from dataclasses import dataclass

from .data_parallel import DataParallel, best_data_parallel
from .placement import Decision, earliest_finish_time, refined, single_device
from .platform import DeviceKind
from .problem import Problem
from .replay_memory import ReplayMemory, place_replay_memory
from .schedule import Schedule

__all__ = ["LEAST_SPEEDUP", "Composition", "compose"]

# Below, data parallelism is tried.
LEAST_SPEEDUP = 1.5


@dataclass(frozen=True, kw_only=True)
class Composition:
    """The answer.

    Parameters
    ----------
    problem : Problem
        Problem that the schedule solves; with data parallelism, that of the replicas.
    schedule : Schedule
    replay_memory : ReplayMemory
    decisions : tuple of Decision
        Decisions of step 2.
    task_parallel : Schedule
        What step 2 came to.
    refined : Schedule or None
        The refined schedule, if it was asked for.
    single_device : Schedule or None
        The best with the whole learner on one device; none where no device holds it.
    data_parallel : DataParallel or None
        The best of what was explored.
    explored : bool
        Whether data parallelism was tried.
    """

    problem: Problem
    schedule: Schedule
    replay_memory: ReplayMemory
    decisions: tuple[Decision, ...]
    task_parallel: Schedule
    refined: Schedule | None
    single_device: Schedule | None
    data_parallel: DataParallel | None
    explored: bool

    @property
    def is_data_parallel(self) -> bool:
        """Whether data parallelism won."""
        return self.data_parallel is not None and self.schedule is self.data_parallel.schedule

    @property
    def makespan(self) -> float:
        """Seconds of an iteration."""
        return self.schedule.makespan

    @property
    def experiences_per_second(self) -> float:
        """EPS, section 4.5.1: batch over makespan."""
        return self.problem.graph.batch / self.makespan


def compose(problem: Problem, *, actors: int = 1, refine: bool = False) -> Composition:
    """Where each task runs, and where experiences are kept.

    Data parallelism is tried if the whole learner is on one device, or on several with no more than 1.5 times the speed
    of one; it is taken if it is faster.

    Parameters
    ----------
    problem : Problem
    actors : int
        N, which run on the first processor, or on the first device if there is none.
    refine : bool
        Whether step 2 is followed by :func:`.placement.refined`, which the source does not have.

    Raises
    ------
    ValueError
        No device has the resources for a task.
    """
    graph = problem.graph
    task_parallel, decisions = earliest_finish_time(problem)
    better = refined(problem, task_parallel) if refine else None
    schedule, answered = better or task_parallel, problem
    placement = schedule.placement
    processor = (*problem.platform.of_kind(DeviceKind.CPU), *problem.devices)[0]
    replay_device = placement[graph.replay_tasks[0]] if graph.replay_tasks else None
    alone = single_device(problem, replay_device)
    learner_devices = {placement[task] for task in graph.learner_tasks}
    explored = len(learner_devices) == 1 or (alone is not None and alone.makespan / schedule.makespan <= LEAST_SPEEDUP)
    parallel = best_data_parallel(problem, replay_device) if explored else None
    entry = {placement[task]: 1.0 for task in graph.learner_entry_tasks}
    if parallel is not None and parallel.schedule.makespan < schedule.makespan:
        schedule, answered = parallel.schedule, parallel.problem
        entry = {device: share / graph.batch for device, share in parallel.shares.items()}
    return Composition(
        problem=answered,
        schedule=schedule,
        replay_memory=place_replay_memory(
            graph, problem.platform, entry, processor, replay_device or processor, actors
        ),
        decisions=decisions,
        task_parallel=task_parallel,
        refined=better,
        single_device=alone,
        data_parallel=parallel,
        explored=explored,
    )
