"""Operations of several engines, ordered so that the engines overlap, with every wait that their data need."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..device.program import Program
from .list_schedule import dependencies, list_order, longest_paths

__all__ = ["ElementwiseTiming", "Operation", "Overlap", "Span"]

# An instruction may be issued so many cycles before its engine is free: it waits in the engine's queue.
LEAD = 64
# From one instruction to the next.
ISSUE_CYCLES = 3
MOST_OUTSTANDING = 15
# Commands of this engine run at a time, one per core, and may complete in another order than they were issued in.
UNORDERED = "softmax"
ELEMENTWISE = "elementwise"
MATRIX = "matrix"


@dataclass(frozen=True)
class Span:
    """Words of a memory.

    Parameters
    ----------
    memory : str
    first, count, stride : int
    """

    memory: str
    first: int
    count: int
    stride: int = 1

    def places(self) -> Iterator[tuple[str, int]]:
        """Each of them."""
        for index in range(self.count):
            yield self.memory, self.first + index * self.stride


@dataclass(kw_only=True)
class Operation:
    """An instruction, and what it touches.

    Parameters
    ----------
    instruction : str
    engine : str
    stream : int
        Operations of one stream and engine keep their order; streams are independent but for their data.
    cycles : int
        Cycles for which its engine is taken, about.
    latency : int
        From then on to its completion, about.
    reads, writes : sequence of Span
    ports : set of str
        Ports of memories that others also use: two engines never use one at a time.
    packet : tuple or None
        Key and rows of a load or store.
    fields : dict
        Fields of the instruction.
    """

    instruction: str
    engine: str
    stream: int
    cycles: int
    latency: int
    reads: Sequence[Span] = ()
    writes: Sequence[Span] = ()
    ports: frozenset[str] = frozenset()
    packet: tuple[Any, int] | None = None
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ElementwiseTiming:
    """Timing of the elementwise unit: says whether a pass may follow another at once.

    Parameters
    ----------
    width : int
        Blocks a cycle.
    latency : int
        Cycles from the read of a word to the write of what is made of it.
    """

    width: int
    latency: int


class Overlap:
    """Collects operations in an order that is right one after the other; writes them in one that overlaps.

    The order is found by list scheduling (:func:`.list_order`): of the operations whose data are made, one that can
    begin early is issued next. Several rules for that are tried, and the shortest order is taken. Times are estimates
    and decide on the order alone: each operation waits until what it reads is written, and what it overwrites is read,
    whatever that takes.

    Parameters
    ----------
    timing : ElementwiseTiming
    """

    def __init__(self, timing: ElementwiseTiming):
        self.timing = timing
        self.operations: list[Operation] = []

    def add(self, operation: Operation) -> None:
        """The next operation."""
        self.operations.append(operation)

    def parts(self, count: int) -> list["Overlap"]:
        """The operations in ``count`` parts of about the same length, to be done one after another."""
        ends = [len(self.operations) * number // count for number in range(count + 1)]
        found = []
        for first, end in itertools.pairwise(ends):
            part = Overlap(self.timing)
            part.operations = self.operations[first:end]
            found.append(part)
        return found

    def write(self, program: Program) -> None:
        """Appends all operations to a program, after everything that is in it."""
        needs = dependencies((_places(operation.reads), _places(operation.writes)) for operation in self.operations)
        paths = longest_paths([operation.cycles + operation.latency for operation in self.operations], needs)
        tries = [_Order(self, needs, paths, rule) for rule in _RULES]
        best = min(tries, key=lambda order: order.length)
        if program.words:
            program.emit("wait", wait="all")
        for packet, instruction, fields in best.lines:
            if packet is None:
                program.emit(instruction, **fields)
            else:
                {"load": program.load, "store": program.store}[instruction](*packet, **fields)


# Criteria that choose an operation, the least first: the cycle of issue, the cycle in which it begins, the cycle since
# which its data are there, the path that follows it, its number. None of the rules is the best for all programs.
_RULES: tuple[Callable[[int, int, int, int, int], tuple[int, ...]], ...] = (
    lambda issue, begin, ready, path, number: (issue, ready, number),
    lambda issue, begin, ready, path, number: (issue, number),
    lambda issue, begin, ready, path, number: (issue, -path, number),
    lambda issue, begin, ready, path, number: (begin, -path, number),
)


class _Order:
    """An order by one rule: ``lines`` of a program, and the ``length`` of the whole in cycles, as far as is known."""

    def __init__(self, overlap: Overlap, needs: list[set[int]], paths: list[int], rule: Callable[..., tuple[int, ...]]):
        self.overlap, self.needs, self.paths, self.rule = overlap, needs, paths, rule
        self.operations = overlap.operations
        self.lines: list[tuple[tuple[Any, int] | None, str, dict[str, Any]]] = []
        self.finish: dict[int, int] = {}
        self.free: dict[str, int] = {}
        self.issued: dict[str, list[int]] = {}
        self.place: dict[int, int] = {}  # in the engine's order
        self.complete: dict[str, int] = {}  # of each engine: how many of its operations are known to be complete
        self.port_users: dict[str, dict[str, int]] = {}  # of a port: the last user of each engine
        self.now = 0
        # Passes under way, on a clock that knows no stalls: real distances are as large or larger.
        self.pass_clock = 0
        self.written: dict[tuple[str, int], int] = {}
        self._run()
        self.length = max(self.finish.values(), default=0)

    def _run(self) -> None:
        # Besides what their data need, operations of a queue stay in order.
        before, last = [], dict[tuple[int, str], int]()
        for number, operation in enumerate(self.operations):
            queue = operation.stream, operation.engine
            before.append(self.needs[number] | ({last[queue]} if queue in last else set()))
            last[queue] = number
        for number in list_order(before, lambda ready: min(map(self._rank, ready))[-1]):
            self._issue(number, self._issue_time(number))

    def _rank(self, number: int) -> tuple[int, ...]:
        """The rule's, the least first; at last the number."""
        issue = self._issue_time(number)
        begin = max(issue, self.free.get(self.operations[number].engine, 0))
        ready = max((self.finish[need] for need in self.needs[number]), default=0)
        return self.rule(issue, begin, ready, self.paths[number], number)

    def _waits(self, number: int) -> dict[str, int]:
        """The last operation of each engine that must be complete, users of the same port included."""
        operation = self.operations[number]
        found: dict[str, int] = {}
        users = (
            user
            for port in operation.ports
            for engine, user in self.port_users.get(port, {}).items()
            if engine != operation.engine
        )
        for other in (*self.needs[number], *users):
            engine = self.operations[other].engine
            if engine == operation.engine and engine != UNORDERED:
                continue
            place = len(self.issued[engine]) - 1 if engine == UNORDERED else self.place[other]
            found[engine] = max(found.get(engine, -1), place)
        return {engine: place for engine, place in found.items() if place >= self.complete.get(engine, 0)}

    def _issue_time(self, number: int) -> int:
        operation = self.operations[number]
        time = max(self.now + ISSUE_CYCLES, self.free.get(operation.engine, 0) - LEAD)
        for engine, place in self._waits(number).items():
            time = max(time, self.finish[self.issued[engine][place]])
        return time

    def _issue(self, number: int, time: int) -> None:
        operation = self.operations[number]
        at_once = []
        for engine, place in self._waits(number).items():
            allowed = len(self.issued[engine]) - 1 - place
            if allowed == 0:
                at_once.append(engine)
            elif allowed < MOST_OUTSTANDING:
                self.lines.append((None, "wait", {"wait": (engine,), "outstanding": allowed}))
            self.complete[engine] = place + 1
        fields = operation.fields
        if operation.engine == ELEMENTWISE:
            fields = fields | {"after": int(self._pass_follows(operation))}
        if operation.engine == MATRIX:
            # Where one product ends, the next begins: with its longest sums, then with its shortest.
            fields = fields | {"reversed": len(self.issued.get(MATRIX, ())) % 2}
        self.lines.append((operation.packet, operation.instruction, {"wait": at_once, **fields}))
        issued = self.issued.setdefault(operation.engine, [])
        self.place[number] = len(issued)
        issued.append(number)
        for port in operation.ports:
            self.port_users.setdefault(port, {})[operation.engine] = number
        self.now = time
        begin = max(time, self.free.get(operation.engine, 0))
        self.free[operation.engine] = begin + operation.cycles
        self.finish[number] = begin + operation.cycles + operation.latency

    def _pass_follows(self, operation: Operation) -> bool:
        """Whether a pass must wait until those before it are written; keeps the clock of passes."""
        latency, blocks = self.overlap.timing.latency, operation.fields["blocks"]
        turns = -(-blocks // self.overlap.timing.width)
        follows = any(
            self.written.get(place, 0) > self.pass_clock + index * turns
            for span in operation.reads
            for index, place in enumerate(span.places())
        )
        if follows:
            self.pass_clock += latency
        for span in operation.writes:
            for index, place in enumerate(span.places()):
                # Read in the cycle after the write, with one to spare.
                self.written[place] = self.pass_clock + (index + 1) * turns + latency + 1
        self.pass_clock += operation.fields["features"] * turns
        return follows


def _places(spans: Iterable[Span]) -> Iterator[tuple[str, int]]:
    return itertools.chain.from_iterable(span.places() for span in spans)
