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
# Engines that read feature maps, the first one first, and a command's cycles in which they do not, about.
READERS = ("layouts", "pooling", "transfer")
BESIDE = {"layouts": 4, "pooling": 14, "transfer": 8}
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
    """Commands in order, as programs one after the other.

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
        """The commands of all programs."""
        return tuple(issue for program in self.programs for issue in program)


def schedule(tasks: Sequence[Task], array: GemmEngineConfig, depth: float = math.inf) -> Schedule:
    """The order of the commands in which they could begin if each engine had a sequencer of its own.

    Engines keep the order of ``tasks``. A command begins when what it needs is complete and its engine takes it; so
    layouts of the next part of a layer come before the sums of the last one are put away.

    Parameters
    ----------
    tasks : sequence of Task
    array : GemmEngineConfig
        Configuration of the engine of products.
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
    """When engines take commands, and complete them: ``ends`` by the commands' numbers.

    Among engines that read feature maps, the first one reads and the others wait. So the completion of a command is
    known when no other one is begun before it. That a pooling waits for the writes of stores is not modelled.
    """

    def __init__(self, array: GemmEngineConfig):
        self._array = GemmTimeline(array)
        self._free: dict[str, int] = {}
        self._reads: dict[str, int] = {}  # of an engine, the last command that reads feature maps
        self.ends: dict[int, int] = {}

    def begin(self, number: int, task: Task, offered: int) -> int:
        """The cycle in which a command is taken that is there from one on."""
        if task.product is not None:
            times = self._array.add(task.product, offered)
            self.ends[number] = times.completion
            return times.taken
        taken = max(offered, self._free.get(task.engine, 0))
        self._complete(number, task.engine, taken + task.cycles)
        if task.engine in READERS and task.reads:
            self._read(number, task, taken)
        return taken

    def _read(self, number: int, task: Task, taken: int) -> None:
        """Waits for who reads before, and lets those who read after it wait."""
        rank = READERS.index(task.engine)
        waits = max([0, *(self._ends_reading(engine) - taken for engine in READERS[:rank])])
        self._complete(number, task.engine, taken + task.cycles + waits)
        for engine in READERS[rank + 1 :]:
            if self._ends_reading(engine) > taken:
                waiting = self._reads[engine]
                self._complete(waiting, engine, self.ends[waiting] + task.cycles - BESIDE[task.engine])
        self._reads[task.engine] = number

    def _ends_reading(self, engine: str) -> int:
        return self.ends[self._reads[engine]] - BESIDE[engine] if engine in self._reads else 0

    def _complete(self, number: int, engine: str, end: int) -> None:
        self.ends[number], self._free[engine] = end, end + 1


def _begins(tasks: Sequence[Task], needs: Sequence[set[int]], array: GemmEngineConfig) -> list[int]:
    engines = _Engines(array)
    return [
        engines.begin(number, task, max((engines.ends[other] + SEEN for other in needed), default=0))
        for number, (task, needed) in enumerate(zip(tasks, needs, strict=True))
    ]


class _Program:
    """A program: what it issues, when that is, and when it is complete."""

    def __init__(self, array: GemmEngineConfig, depth: float):
        self.issues: list[Issue] = []
        self._room = depth - 1  # without the halt
        self._engines = _Engines(array)
        self._places: dict[int, tuple[str, int]] = {}  # of a task: its engine, and its number among those of it
        self._issued: dict[str, int] = {}
        self._known: dict[str, int] = {}  # commands of an engine that are complete by what was waited for
        self._now = 0

    @property
    def cycles(self) -> int:
        """Cycles from the start to the halt."""
        return max(self._now + ISSUE, *(end + SEEN for end in self._engines.ends.values()))

    def add(self, number: int, task: Task, needs: set[int]) -> bool:
        """Issues a task after the others, if there is room for it, and says whether there was."""
        # Commands that earlier programs began are complete.
        needed = sorted(needs & self._engines.ends.keys(), key=lambda other: self._engines.ends[other])
        waits = [(other, self._wait(other)) for other in needed if self._waits_for(other)]
        # Waits for all of an engine's commands are part of the instruction, others are instructions.
        separate = [other for other, (_, left) in waits if left]
        if self._room < len(separate) + 1:
            return False
        self._room -= len(separate) + 1
        for other in separate:
            self._now = max(self._now + ISSUE, self._engines.ends[other] + SEEN)
        for other, _ in waits:
            engine, place = self._places[other]
            self._known[engine] = place + 1
        offered = max([self._now + ISSUE, *(self._engines.ends[other] + SEEN for other in needed)])
        self._now = self._engines.begin(number, task, offered)
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
