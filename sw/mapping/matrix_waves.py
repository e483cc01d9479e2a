"""How many cycles the matrix engine of a LearningGroup core takes, from the sizes of groups alone.

The same decisions in the same cycles as the RTL (hw/cores/vector: work item generator, wave builder, step sequencer),
told wave by wave instead of cycle by cycle. A test holds it against the RTL, cycle for cycle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...hw.cores.vector.matrix_config import COLUMN_BLOCK, SLOTS, MatrixConfig, Product

__all__ = ["ProductShape", "Wave", "Schedule", "schedule"]

# Cycles from the last issue slot of a wave to its first result in the word register, and to the count of drained waves.
_DRAIN_START = 15
_DRAIN_END = 5
# Waves are wanted so many cycles before the one that runs has ended.
_LEAD = 8


@dataclass(frozen=True, kw_only=True)
class ProductShape:
    """A command, as far as its duration depends on it.

    Parameters
    ----------
    product : Product
    groups : sequence of (int, int)
        Inner and outer features of each entry of the group table.
    blocks : int
        In use.
    steps : int
        Terms of a weight gradient; otherwise words of vectors (0 is as 1).
    reversed : bool
        The last entry first.
    skip_empty : bool
        Without the entries that have no inner features.
    """

    product: Product
    groups: Sequence[tuple[int, int]]
    blocks: int
    steps: int = 0
    reversed: bool = False
    skip_empty: bool = False

    @property
    def operations(self) -> int:
        """Multiplications and additions for a block of vectors of each VPU, in cycles of one cluster."""
        terms = sum(inner * outer for inner, outer in self.groups)
        factor = self.steps if self.product == Product.GRADIENT else max(1, self.steps)
        return SLOTS * terms * factor * self.blocks


@dataclass(kw_only=True)
class Wave:
    """A wave: the work of the engine at a time.

    Parameters
    ----------
    product : Product
    blocks : int
        In use.
    assignments, steps : int
        Clusters that work, and for how many steps of four cycles.
    closed, begin, end : int
        Cycles in which it was complete, before it began, and its last.
    """

    product: Product
    blocks: int
    assignments: int = 0
    steps: int = 0
    slots: int = 0
    columns: int = 0
    closed: int = 0
    begin: int = 0
    end: int = 0

    @property
    def length(self) -> int:
        """Cycles."""
        return SLOTS * max(1, self.steps)

    @property
    def drain_cycles(self) -> int:
        """Until its results have left."""
        return self.assignments if self.product == Product.GRADIENT else -(-self.assignments // self.blocks)


@dataclass(kw_only=True)
class Schedule:
    """The waves of a sequence of commands.

    Parameters
    ----------
    clusters : int
        Clusters of the core.
    waves : list of Wave
    cycles : int
        From the first command to the last completion.
    operations : int
        Cycles of clusters that were needed.
    """

    clusters: int
    waves: list[Wave] = field(default_factory=list)
    cycles: int = 0
    operations: int = 0

    @property
    def utilisation(self) -> float:
        """Multiplications that were asked for over those that the core could have done."""
        return self.operations / (self.cycles * self.clusters) if self.cycles else 0.0


@dataclass(frozen=True)
class _WorkItem:
    steps: int
    new_slot: bool
    new_column: bool
    column: int
    skipped: int  # groups without items before it


def schedule(config: MatrixConfig, commands: Sequence[ProductShape]) -> Schedule:
    """Cycles of commands that wait for nothing but each other's place."""
    result = Schedule(clusters=config.clusters, operations=sum(command.operations for command in commands))
    engine = _Engine(config, result)
    for number, command in enumerate(commands):
        engine.command(command, last=number == len(commands) - 1)
    engine.finish()
    return result


class _Engine:
    """Times of the parts; a time is the cycle in which something happens."""

    def __init__(self, config: MatrixConfig, result: Schedule) -> None:
        self.config, self.result = config, result
        self.open: Wave | None = None
        self.carried = 0  # blocks of the first item that the wave before had
        self.slot_valid = False
        self.columns: set[int] = set()
        self.place_from = 0  # when the builder can place next
        self.advanced = -1  # when the item before entered the second stage
        self.left = -1  # when it left that for the skid buffer or the builder
        self.consumed = -1  # when the builder had it
        self.accepted = 0  # of the command
        self.product = Product.FORWARD
        self.ends: list[tuple[int, int]] = []  # of each command: its last wave, and when that is known
        self.starved = 0  # when the last item has gone

    def command(self, command: ProductShape, last: bool) -> None:
        """All items of a command."""
        first, skipped = True, 0
        for item in _work_items(command, self.config.weight_banks):
            if isinstance(item, int):
                skipped = item
                continue
            raw = (self.accepted + 3 if first else self.advanced + 1) + item.skipped
            if command.product != self.product:
                raw = self._change(command.product, raw)
            first = False
            self._place(item, command, self._advance(raw))
        if first:
            # A cycle for the table unless there is none to read, one for each of its entries.
            raw = self.accepted + 1 + bool(command.groups) + skipped
        else:
            raw = self.advanced + max(1, skipped)
        self.consumed = self._advance(raw)
        number = len(self.result.waves) + (self.open is not None)
        self.ends.append((number, self.consumed))
        self.accepted = max(self.advanced, self.accepted + 1)
        if last:
            self.starved = self.consumed + 1

    def finish(self) -> None:
        """No more commands come."""
        if self.open is not None:
            self._flush(self.starved)
        time = 0
        for number, known in self.ends:
            ready = self._drained(self.result.waves[number - 1]) if number else 0
            time = max(time + 1, ready, known + 2)
        self.result.cycles = time + 1

    def _advance(self, raw: int) -> int:
        """A raw item moves up when the one before leaves; returns when the builder has it before itself."""
        self.advanced = max(raw, self.left)
        # The skid buffer takes it while another item waits there no longer.
        self.left = max(self.advanced, self.consumed) + 1
        return self.left

    def _change(self, product: Product, raw: int) -> int:
        """Another kind of product: runs empty first."""
        if self.open is not None:
            self._flush(max(raw, self.consumed + 1))
        quiet = max(raw, self.consumed + 1)
        if self.result.waves:
            quiet = max(quiet, self._drained(self.result.waves[-1]))
        self.product = product
        return quiet + 1

    def _place(self, item: _WorkItem, command: ProductShape, valid: int) -> None:
        blocks, clusters = command.blocks, self.config.clusters
        left = blocks
        time = max(valid, self.place_from)
        while True:
            current = self.open
            if current is not None:
                needs_slot = item.new_slot or not self.slot_valid
                needs_column = command.product == Product.GRADIENT and (
                    item.new_column or item.column not in self.columns
                )
                fits = (
                    current.product == command.product
                    and current.blocks == blocks
                    and not (needs_slot and current.slots == SLOTS)
                    and not (needs_column and current.columns == self.config.error_slots)
                )
                if not fits:
                    time = self._close(time) + 1
                    continue
            else:
                current = self.open = Wave(product=command.product, blocks=blocks)
                needs_slot, needs_column = True, command.product == Product.GRADIENT
            placed = min(left, clusters - current.assignments)
            current.assignments += placed
            left -= placed
            current.steps = max(current.steps, item.steps)
            current.slots += needs_slot
            current.columns += needs_column
            self.slot_valid = True
            self.columns.add(item.column)
            place, self.place_from = time, time + 1
            if current.assignments == clusters:
                time = self.place_from = self._close(time + 1) + 1
            if not left:
                self.consumed = place
                return

    def _close(self, time: int) -> int:
        """The wave that is open waits for the sequencer; returns when."""
        waves, closing = self.result.waves, self.open
        assert closing is not None
        self.open, self.slot_valid, self.columns = None, False, set()
        if waves:
            time = max(time, waves[-1].begin + 2)
        closing.closed = time
        begin = time + 1
        if waves:
            before = waves[-1]
            begin = max(begin, before.end, before.end + before.drain_cycles - closing.length)
        closing.begin, closing.end = begin, begin + closing.length
        waves.append(closing)
        return time

    def _flush(self, time: int) -> None:
        """Closes the open wave when nothing else comes and the next one is wanted."""
        if self.result.waves:
            running = self.result.waves[-1]
            # Taken, and near its end.
            time = max(time, running.begin + 2, min(running.end, max(running.begin + 1, running.end - _LEAD + 1)))
        self.place_from = self._close(max(time, self.place_from)) + 1

    def _drained(self, done: Wave) -> int:
        """When the count of drained waves says so."""
        time = done.end + _DRAIN_START + done.drain_cycles + _DRAIN_END
        if done.product == Product.GRADIENT:
            lanes = self.config.lanes.bit_length() - 1
            time += 4 * (lanes + 2)
        return time


def _work_items(command: ProductShape, weight_banks: int) -> Iterator[_WorkItem | int]:
    """The items of a command; at last the number of groups without items after the last one."""
    gradient = command.product == Product.GRADIENT
    skipped = 0
    for inner, outer in reversed(command.groups) if command.reversed else command.groups:
        if not outer or (gradient or command.skip_empty) and not inner:
            skipped += 1
            continue
        if not gradient:
            for index in list(range(outer)) * max(1, command.steps):
                yield _WorkItem(inner, index % weight_banks == 0, False, 0, skipped)
                skipped = 0
            continue
        begin = 0
        while begin < outer:
            width = _column_block(outer - begin)
            for row in range(inner):
                for column in range(width):
                    yield _WorkItem(command.steps, column == 0, row == 0, column, skipped)
                    skipped = 0
            begin += width
    yield skipped


def _column_block(columns: int) -> int:
    """Columns of the next column block of a weight gradient."""
    if columns < COLUMN_BLOCK:
        return columns
    return COLUMN_BLOCK - 1 if columns in (COLUMN_BLOCK + 1, COLUMN_BLOCK + 2) else COLUMN_BLOCK
