"""In which order the sequencer issues commands, where it waits, and how long that takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from .....hw.cores.convolution.cycles import GemmTimeline
from .....hw.cores.convolution.gemm_config import GemmEngineConfig
from .tasks import Task, dependencies

__all__ = ["Issue", "Schedule", "schedule"]

# Cycles of the sequencer for an instruction, and from a completion to the issue of what waits for it.
ISSUE, SEEN = 3, 2
# Commands of an engine under way, at most.
OUTSTANDING = 14


@dataclass(frozen=True, kw_only=True)
class Issue:
    """A command of the program.

    Parameters
    ----------
    task : Task
    waits : tuple of (str, int)
        Engines, and how many of their commands may be under way when it is issued.
    """

    task: Task
    waits: tuple[tuple[str, int], ...]


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """A program's commands in order.

    Parameters
    ----------
    issues : tuple of Issue
    cycles : int
        Modelled, from the start to the last completion.
    """

    issues: tuple[Issue, ...]
    cycles: int


def schedule(tasks: Sequence[Task], array: GemmEngineConfig) -> Schedule:
    """The order of the commands in which they could begin if each engine had a sequencer of its own.

    Engines keep the order of ``tasks``. A command begins when what it needs is complete and its engine takes it; so
    layouts of the next part of a layer come before the sums of the last one are put away.

    Parameters
    ----------
    tasks : sequence of Task
    array : GemmEngineConfig
        Of the engine of products.
    """
    needs = dependencies(tasks)
    begins = _begins(tasks, needs, array)
    order = sorted(range(len(tasks)), key=lambda number: (begins[number], number))
    return _issued(tasks, needs, order, array)


class _Engines:
    """When engines take commands, and complete them."""

    def __init__(self, array: GemmEngineConfig):
        self._array = GemmTimeline(array)
        self._free: dict[str, int] = {}

    def begin(self, task: Task, offered: int) -> tuple[int, int]:
        """The cycle in which a command is taken that is there from one on, and that of its completion."""
        if task.product is not None:
            times = self._array.add(task.product, offered)
            return times.taken, times.completion
        taken = max(offered, self._free.get(task.engine, 0))
        self._free[task.engine] = taken + task.cycles + 1
        return taken, taken + task.cycles


def _begins(tasks: Sequence[Task], needs: Sequence[set[int]], array: GemmEngineConfig) -> list[int]:
    engines = _Engines(array)
    begins: list[int] = []
    ends: list[int] = []
    for task, needed in zip(tasks, needs, strict=True):
        begin, end = engines.begin(task, max((ends[number] + SEEN for number in needed), default=0))
        begins.append(begin)
        ends.append(end)
    return begins


def _issued(
    tasks: Sequence[Task], needs: Sequence[set[int]], order: Sequence[int], array: GemmEngineConfig
) -> Schedule:
    engines = _Engines(array)
    place: dict[int, int] = {}  # of a task among those of its engine
    issued: dict[str, int] = {}
    known: dict[str, int] = {}  # commands of an engine that are complete by what was waited for
    ends: dict[int, int] = {}
    issues, now = [], 0
    for number in order:
        task, waits = tasks[number], []
        for needed in sorted(needs[number], key=lambda other: ends[other]):
            engine = tasks[needed].engine
            left = min(issued[engine] - place[needed] - 1, OUTSTANDING)
            if place[needed] >= known.get(engine, 0):
                known[engine] = place[needed] + 1
                waits.append((engine, left))
            # Waits for all of an engine's commands are part of the instruction, others are instructions.
            if left and waits and waits[-1] == (engine, left):
                now = max(now + ISSUE, ends[needed] + SEEN)
        now += ISSUE
        now = max([now, *(ends[needed] + SEEN for needed in needs[number])])
        now, ends[number] = engines.begin(task, now)
        place[number] = issued.get(task.engine, 0)
        issued[task.engine] = place[number] + 1
        issues.append(Issue(task=task, waits=tuple(waits)))
    return Schedule(issues=tuple(issues), cycles=max(ends.values(), default=0))
