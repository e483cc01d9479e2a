"""In which order the sequencer issues commands, where it waits, and how long that takes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .....hw.cores.convolution.cycles import GemmTimeline
from .....hw.cores.convolution.gemm_config import GemmEngineConfig
from .tasks import Task, dependencies

__all__ = ["Issue", "Schedule", "schedule"]

# Cycles of the sequencer for an instruction, and from a completion to the issue of what waits for it, or to the halt.
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
    """Commands in order, as programs one behind the other.

    Parameters
    ----------
    programs : tuple of tuple of Issue
        Each ends when all that it began is complete.
    cycles : int
        Modelled, from the start of each program to its halt, added up.
    """

    programs: tuple[tuple[Issue, ...], ...]
    cycles: int

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Of all programs."""
        return tuple(issue for program in self.programs for issue in program)


def schedule(tasks: Sequence[Task], array: GemmEngineConfig, depth: float = math.inf) -> Schedule:
    """The order of the commands in which they could begin if each engine had a sequencer of its own.

    Engines keep the order of ``tasks``. A command begins when what it needs is complete and its engine takes it; so
    layouts of the next part of a layer come before the sums of the last one are put away.

    Parameters
    ----------
    tasks : sequence of Task
    array : GemmEngineConfig
        Of the engine of products.
    depth : int
        Instructions of a program, its halt among them; else one program has them all.
    """
    needs = dependencies(tasks)
    begins = _begins(tasks, needs, array)
    programs = [_Program(array, depth)]
    for number in sorted(range(len(tasks)), key=lambda number: (begins[number], number)):
        if not programs[-1].add(number, tasks[number], needs[number]):
            programs.append(_Program(array, depth))
            programs[-1].add(number, tasks[number], needs[number])
    return Schedule(
        programs=tuple(tuple(program.issues) for program in programs),
        cycles=sum(program.cycles for program in programs),
    )


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


class _Program:
    """A program: what it issues, when that is, and when it is complete."""

    def __init__(self, array: GemmEngineConfig, depth: float):
        self.issues: list[Issue] = []
        self._room = depth - 1  # without the halt
        self._engines = _Engines(array)
        self._places: dict[int, tuple[str, int]] = {}  # of a task: its engine, and its number among those of it
        self._issued: dict[str, int] = {}
        self._known: dict[str, int] = {}  # commands of an engine that are complete by what was waited for
        self._ends: dict[int, int] = {}
        self._now = 0

    @property
    def cycles(self) -> int:
        """From the start to the halt."""
        return max(self._now + ISSUE, *(end + SEEN for end in self._ends.values()))

    def add(self, number: int, task: Task, needs: set[int]) -> bool:
        """Issues a task behind the others, if there is room for it, and says whether there was."""
        # What earlier programs began is complete.
        needed = sorted(needs & self._ends.keys(), key=lambda other: self._ends[other])
        waits = [(other, self._wait(other)) for other in needed if self._waits_for(other)]
        # Waits for all of an engine's commands are part of the instruction, others are instructions.
        separate = [other for other, (_, left) in waits if left]
        if self._room < len(separate) + 1:
            return False
        self._room -= len(separate) + 1
        for other in separate:
            self._now = max(self._now + ISSUE, self._ends[other] + SEEN)
        for other, _ in waits:
            engine, place = self._places[other]
            self._known[engine] = place + 1
        offered = max([self._now + ISSUE, *(self._ends[other] + SEEN for other in needed)])
        self._now, self._ends[number] = self._engines.begin(task, offered)
        self._places[number] = task.engine, self._issued.get(task.engine, 0)
        self._issued[task.engine] = self._issued.get(task.engine, 0) + 1
        self.issues.append(Issue(task=task, waits=tuple(wait for _, wait in waits)))
        return True

    def _waits_for(self, other: int) -> bool:
        engine, place = self._places[other]
        return place >= self._known.get(engine, 0)

    def _wait(self, other: int) -> tuple[str, int]:
        engine, place = self._places[other]
        return engine, min(self._issued[engine] - place - 1, OUTSTANDING)
