"""The group tables of a core: where the lists and the compressed weights of each group are."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..bits import count_ones
from ..component import ConfiguredComponent
from ..layouts import layout_of_fields, take_fields
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..memory.ports import WritePort
from .config import SparseConfig

__all__ = ["GroupTables", "group_place", "table_command", "table_entry"]


def group_place(config):
    """Where a group's rows, or own columns, begin in their list, and how many they are."""
    return data.StructLayout(
        {"start": range(max(config.row_list, config.column_list) + 1), "count": range(config.entries + 1)}
    )


# Fields of a group's entry that are there before the address of its weights.
FOUND = ("inner_start", "inner_count", "outer_start", "outer_count", "pitch", "group")


def table_entry(config):
    """A group as the matrix engine reads it.

    ``inner`` are the features that are summed over (rows forward, own columns transposed), ``outer`` those that get
    results. Element (r, p), r-th row and p-th own column of the group, is in bank ``(r + p) mod banks`` at address
    ``weights_base + r * pitch + p div banks``.
    """
    start = range(max(config.row_list, config.column_list) + 1)
    count = range(config.entries + 1)
    return data.StructLayout(
        {
            "inner_start": start,
            "inner_count": count,
            "outer_start": start,
            "outer_count": count,
            "weights_base": range(config.weight_words),
            "pitch": range(-(-config.core_columns // config.banks) + 1),
            "group": range(config.groups),
        }
    )


def table_command(config):
    """A layer: its groups, the first of its entries, and where its compressed weights begin."""
    return data.StructLayout(
        {
            "groups": range(config.groups + 1),
            "group_base": range(config.tuples),
            "weight_base": range(config.weight_words),
        }
    )


class GroupTables(ConfiguredComponent):
    """Ranks the groups of a layer by their size and writes both of its tables.

    Entry ``2 * group_base + rank`` is forward: groups in order of decreasing rows. Entry ``2 * group_base + groups +
    rank`` is transposed: in order of decreasing own columns. The lower one of equal groups comes first. Compressed
    weights are laid out from ``weight_base`` on, group after group: rows times pitch addresses each, pitch = columns
    divided by ``banks``, rounded up.

    ::

        rows, columns ──┬── places ──────> size ──> address of the weights ──> entry
          (of a group)  └── counts ──> rank ────────────────────────────────> its address

    The groups go through twice, one a cycle: forward, which finds the address of each group's weights, then transposed.

    Latency: ``2 * groups + 7`` cycles from a command to its completion; an entry a cycle.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    rows, columns : In(WritePort)
        Set the rows, or own columns, of a group, as ``group_place``.
    commands : stream, in
        ``table_command``. All its groups are set.
    completions : stream, out
        One for each command, when its entries are written.
    table : Out(WritePort)
        The table memory, ``table_entry``.
    overflow : Out(1)
        The weights of a group end past the banks. Its entry has an outer count of 0, and that of its transposed one
        an inner count of 0.
    weight_end : Out(range(weight_words + 1))
        The first address after the compressed weights of the last command.

    Source
    ------
    LearningGroup, III-C.
    """

    def __init__(self, config: SparseConfig):
        place = In(WritePort(group_place(config), config.groups))
        super().__init__(
            config,
            {
                "rows": place,
                "columns": place,
                "commands": In(stream.Signature(table_command(config))),
                "completions": Out(stream.Signature(1)),
                "table": Out(WritePort(table_entry(config), 2 * config.tuples)),
                "overflow": Out(1),
                "weight_end": Out(range(config.weight_words + 1)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        command = Signal(layout_of_fields(table_command(config), ("groups", "group_base")))
        # The group whose places are read; the one whose places are there.
        group, here = Signal(range(config.groups + 1)), Signal(range(config.groups))
        walking, transposed = Signal(), Signal()
        self._control(m, command, group, walking, transposed)
        m.d.sync += here.eq(group)
        rows, row_counts = self._places(m, "rows", group)
        columns, column_counts = self._places(m, "columns", group)
        counts = []
        for number, (row_count, column_count) in enumerate(zip(row_counts, column_counts, strict=True)):
            count = Signal(row_count.shape(), name=f"count_{number}")
            m.d.comb += count.eq(Mux(transposed, column_count, row_count))
            counts.append(count)
        mine = Mux(transposed, columns.count, rows.count)
        rank = count_ones(m, Cat(self._ahead(m, here, mine, counts, command.groups)), "rank")

        entry = Signal(layout_of_fields(table_entry(config), FOUND))
        address = Signal(range(2 * config.tuples))
        size = Signal(range(config.weight_words * 2 + config.rows * config.core_columns + 1))
        pitch = Signal(entry.pitch.shape())
        m.d.comb += pitch.eq((columns.count + (config.banks - 1)) >> (config.banks - 1).bit_length())
        m.d.sync += [
            size.eq(rows.count * pitch),
            entry.inner_start.eq(Mux(transposed, columns.start, rows.start)),
            entry.inner_count.eq(Mux(transposed, columns.count, rows.count)),
            entry.outer_start.eq(Mux(transposed, rows.start, columns.start)),
            entry.outer_count.eq(Mux(transposed, rows.count, columns.count)),
            entry.pitch.eq(pitch),
            entry.group.eq(here),
            address.eq((command.group_base << 1) + Mux(transposed, command.groups, 0) + rank),
        ]
        m.d.comb += self.table.address.eq(address)
        self._write(m, entry, size, group, walking, transposed)
        return m

    def _control(self, m, command, group, walking, transposed):
        """Groups in their order, twice."""
        settling = Signal(2)
        m.d.sync += [settling.eq(Mux(settling == 0, 0, settling - 1)), walking.eq(0)]
        with m.FSM(name="tables"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [*take_fields(command, self.commands.payload), group.eq(0), transposed.eq(0)]
                with m.If(self.commands.valid):
                    m.d.sync += self.weight_end.eq(self.commands.payload.weight_base)
                    m.next = "WALK"
            with m.State("WALK"):
                m.d.sync += [walking.eq(1), group.eq(group + 1), settling.eq(2)]
                with m.If(group + 1 == command.groups):
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                # The addresses of the weights are written before the second walk reads them.
                with m.If(settling == 0):
                    m.d.sync += [transposed.eq(1), group.eq(0)]
                    m.next = "WALK"
                    with m.If(transposed):
                        m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"

    def _places(self, m, name, group):
        """The place of a group, in the next cycle, and the counts of all."""
        config, write = self.config, getattr(self, name)
        m.submodules[name] = places = Memory(group_place(config), MemoryConfig(depth=config.groups))
        wiring.connect(m, wiring.flipped(write), places.write)
        m.d.comb += [places.reads[0].enable.eq(1), places.reads[0].address.eq(group)]
        counts = [Signal(range(config.entries + 1), name=f"{name}_{number}") for number in range(config.groups)]
        for number, count in enumerate(counts):
            with m.If(write.enable & (write.address == number)):
                m.d.sync += count.eq(write.data.count)
        return places.reads[0].data, counts

    def _ahead(self, m, group, count, counts, groups):
        """Whether each group comes before ``group``, which has ``count``."""
        for number, other in enumerate(counts):
            ahead = Signal(name=f"ahead_{number}")
            m.d.comb += ahead.eq((number < groups) & ((other > count) | ((other == count) & (number < group))))
            yield ahead

    def _write(self, m, entry, size, group, walking, transposed):
        """The address of the weights, found in the first walk and kept for the second, completes an entry."""
        config = self.config
        found = data.StructLayout({"base": range(config.weight_words), "outside": 1})
        m.submodules.weights = weights = Memory(found, MemoryConfig(depth=config.groups))
        read, write = weights.reads[0], weights.write
        kept, chosen = Signal(found), Signal(found)
        valid, second, beyond = Signal(), Signal(), Signal()
        m.d.sync += [valid.eq(walking), second.eq(transposed), kept.eq(read.data)]
        m.d.comb += [
            read.enable.eq(1),
            read.address.eq(group),
            beyond.eq(self.weight_end + size > config.weight_words),
            chosen.base.eq(Mux(second, kept.base, Mux(beyond, 0, self.weight_end))),
            chosen.outside.eq(Mux(second, kept.outside, beyond)),
            write.enable.eq(valid & ~second),
            write.address.eq(entry.group),
            write.data.eq(chosen),
            self.overflow.eq(write.enable & beyond),
            self.table.enable.eq(valid),
            *(self.table.data[name].eq(entry[name]) for name in FOUND),
            self.table.data.weights_base.eq(chosen.base),
        ]
        with m.If(chosen.outside & second):
            m.d.comb += self.table.data.inner_count.eq(0)
        with m.If(chosen.outside & ~second):
            m.d.comb += self.table.data.outer_count.eq(0)
        with m.If(write.enable & ~beyond):
            m.d.sync += self.weight_end.eq(self.weight_end + size)
