"""Tasks of a device for a network: commands of its engines, and those that must be complete before each."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .....hw.cores.convolution.cycles import Gemm

__all__ = ["Task", "dependencies"]

Resource = Hashable


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """A command.

    Parameters
    ----------
    instruction, engine : str
        Instruction and engine, of the instruction set.
    fields : function
        Gives those of the instruction.
    reads, writes : frozenset
        Memory that it uses: halves of buffers, regions of the accumulators, lines of feature maps.
    fills : bool
        Several tasks fill what it writes, each a part of its own; else it replaces what was there.
    after : frozenset of str
        Contents of where it writes, which nobody may use any more: feature maps, fillings of the kernel buffer.
    users : frozenset of str
        What it uses of these.
    cycles : int
        From the command to the completion, of engines that execute one at a time.
    product : Gemm or None
        Product of the array, which takes the next command while one is under way.
    packet : object
        What the host sends for it, or gets; None: nothing.
    layer : str
        Layer that it is for.
    """

    instruction: str
    engine: str
    fields: Callable[[], Mapping[str, int]]
    reads: frozenset[Resource] = frozenset()
    writes: frozenset[Resource] = frozenset()
    fills: bool = False
    after: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()
    cycles: int = 0
    product: Gemm | None = None
    packet: Any = None
    layer: str = ""


@dataclass
class _Uses:
    """The tasks that wrote what a resource holds, and those that read it since."""

    writers: list[int] = field(default_factory=list)
    readers: list[int] = field(default_factory=list)


def dependencies(tasks: Sequence[Task]) -> list[set[int]]:
    """The tasks whose completion each task needs, by their numbers: the last one of each other engine.

    It needs what wrote what it reads, what read what it replaces, and all that used what was in its place before. An
    engine executes its commands in order, so nothing is said of its own.
    """
    uses: dict[Resource, _Uses] = {}
    users: dict[str, list[int]] = {}
    found = []
    for number, task in enumerate(tasks):
        needed: set[int] = set()
        for resource in task.reads:
            use = uses.setdefault(resource, _Uses())
            needed.update(use.writers)
            use.readers.append(number)
        for resource in task.writes:
            use = uses.setdefault(resource, _Uses())
            needed.update(use.readers)
            if task.fills:
                use.writers.append(number)
            else:
                needed.update(use.writers)
                use.writers, use.readers = [number], []
        for name in task.after:
            needed.update(users.get(name, ()))
        for name in task.users:
            users.setdefault(name, []).append(number)
        last = {tasks[other].engine: other for other in sorted(needed)}
        found.append({other for engine, other in last.items() if engine != task.engine})
    return found
