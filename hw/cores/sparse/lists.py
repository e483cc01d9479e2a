"""The group tables of a core: where the lists and the compressed weights of each group are."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .config import SparseConfig
from .selection import count_ones

__all__ = ["GroupTables", "group_place", "table_command", "table_entry"]


def group_place(config):
    """Where a group's rows, or own columns, begin in their list, and how many they are."""
    return data.StructLayout(
        {"start": range(max(config.row_list, config.column_list) + 1), "count": range(config.entries + 1)}
    )


def table_entry(config):
    """What the matrix engine reads of a group.

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


class GroupTables(wiring.Component):
    """Ranks the groups of a layer by their size and writes both of its tables.

    Entry ``2 * group_base + rank`` is forward: groups in order of decreasing rows. Entry ``2 * group_base + groups +
    rank`` is transposed: in order of decreasing own columns. Of equal ones the lower group comes first. Compressed
    weights are laid out from ``weight_base`` on, group after group: rows times pitch addresses each, pitch = columns
    divided by ``banks``, rounded up.

    Latency: ``2 * groups + 7`` cycles from a command to its completion; an entry a cycle.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    place_enable, place_columns, place_group, place : in
        Sets the rows (``place_columns``: own columns) of a group, as ``group_place``.
    commands : stream, in
        ``table_command``. All its groups are set.
    completions : stream, out
        One for each command, when its entries are written.
    write_enable, write_address, write_entry : out
        Of the table memory; ``table_entry``.
    overflow : Out(1)
        The weights of a group end behind the banks. Its entry has an outer count of 0, and that of its transposed one
        an inner count of 0.
    end : out
        The first address behind the compressed weights of the last command.

    Source
    ------
    LearningGroup, III-C.
    """

    def __init__(self, config: SparseConfig):
        self._config = config
        super().__init__(
            {
                "place_enable": In(1),
                "place_columns": In(1),
                "place_group": In(range(config.groups)),
                "place": In(group_place(config)),
                "commands": In(stream.Signature(table_command(config))),
                "completions": Out(stream.Signature(1)),
                "write_enable": Out(1),
                "write_address": Out(range(2 * config.tuples)),
                "write_entry": Out(table_entry(config)),
                "overflow": Out(1),
                "end": Out(range(config.weight_words + 1)),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        command = Signal(table_command(config))
        group = Signal(range(config.groups + 1))
        transposed = Signal()
        walking = Signal()
        settling = Signal(2)
        m.d.sync += settling.eq(Mux(settling == 0, 0, settling - 1))
        m.d.sync += walking.eq(0)
        with m.FSM(name="tables"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), group.eq(0), transposed.eq(0)]
                with m.If(self.commands.valid):
                    m.d.sync += self.end.eq(self.commands.payload.weight_base)
                    m.next = "WALK"
            with m.State("WALK"):
                m.d.sync += [walking.eq(1), group.eq(group + 1), settling.eq(2)]
                with m.If(group + 1 == command.groups):
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                # The bases are written before the second walk reads them.
                with m.If(settling == 0):
                    m.d.sync += [transposed.eq(1), group.eq(0)]
                    m.next = "WALK"
                    with m.If(transposed):
                        m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"

        # First stage, one cycle behind `group`: what is known of the group.
        read_group = Signal(range(config.groups))
        m.d.comb += read_group.eq(group)
        rows = self._place_memory(m, "rows", self.place_enable & ~self.place_columns, read_group)
        columns = self._place_memory(m, "columns", self.place_enable & self.place_columns, read_group)
        m.submodules.bases = bases = Memory(shape=range(config.weight_words), depth=config.groups, init=[])
        base_read, base_write = bases.read_port(), bases.write_port()
        m.submodules.limits = limits = Memory(shape=1, depth=config.groups, init=[])
        limit_read, limit_write = limits.read_port(), limits.write_port()
        here = Signal(range(config.groups))
        m.d.sync += here.eq(group)
        m.d.comb += [base_read.addr.eq(read_group), limit_read.addr.eq(read_group)]
        rank = self._rank(m, here, Mux(transposed, columns.count, rows.count), transposed, command.groups)

        # Second stage: the entry.
        valid = Signal()
        entry = Signal(table_entry(config))
        size = Signal(range(config.weight_words * 2 + config.rows * config.core_columns + 1))
        base = Signal(range(config.weight_words))
        address = Signal(range(2 * config.tuples))
        outside = Signal()
        was_outside = Signal()
        banks_shift = (config.banks - 1).bit_length()
        pitch = Signal(entry.pitch.shape())
        second = Signal()
        stored = Signal(base.shape())
        inner, outer = Signal(group_place(config)), Signal(group_place(config))
        m.d.comb += [
            pitch.eq((columns.count + (config.banks - 1)) >> banks_shift),
            inner.eq(Mux(transposed, columns.as_value(), rows.as_value())),
            outer.eq(Mux(transposed, rows.as_value(), columns.as_value())),
        ]
        m.d.sync += [
            valid.eq(walking),
            second.eq(transposed),
            size.eq(rows.count * pitch),
            entry.inner_start.eq(inner.start),
            entry.inner_count.eq(inner.count),
            entry.outer_start.eq(outer.start),
            entry.outer_count.eq(outer.count),
            entry.pitch.eq(pitch),
            entry.group.eq(here),
            stored.eq(base_read.data),
            was_outside.eq(limit_read.data),
            address.eq((command.group_base << 1) + Mux(transposed, command.groups, 0) + rank),
        ]
        m.d.comb += [
            outside.eq(Mux(second, was_outside, self.end + size > config.weight_words)),
            base.eq(Mux(second, stored, Mux(outside, 0, self.end))),
            self.overflow.eq(valid & outside & ~second),
            base_write.en.eq(valid & ~second),
            base_write.addr.eq(entry.group),
            base_write.data.eq(base),
            limit_write.en.eq(valid & ~second),
            limit_write.addr.eq(entry.group),
            limit_write.data.eq(outside),
            self.write_enable.eq(valid),
            self.write_address.eq(address),
            self.write_entry.eq(entry),
            self.write_entry.weights_base.eq(base),
        ]
        with m.If(outside & second):
            m.d.comb += self.write_entry.inner_count.eq(0)
        with m.If(outside & ~second):
            m.d.comb += self.write_entry.outer_count.eq(0)
        with m.If(valid & ~second & ~outside):
            m.d.sync += self.end.eq(self.end + size)
        return m

    def _place_memory(self, m, name, enable, group):
        """Memory of places; what it holds of ``group``, in the next cycle. The counts are in registers besides."""
        config = self._config
        m.submodules[name] = memory = Memory(shape=group_place(config), depth=config.groups, init=[])
        read, write = memory.read_port(), memory.write_port()
        m.d.comb += [
            read.addr.eq(group),
            write.en.eq(enable),
            write.addr.eq(self.place_group),
            write.data.eq(self.place),
        ]
        counts = [Signal(range(config.entries + 1), name=f"{name}_{number}") for number in range(config.groups)]
        for number, count in enumerate(counts):
            with m.If(enable & (self.place_group == number)):
                m.d.sync += count.eq(self.place.count)
        setattr(self, f"_{name}", counts)
        return read.data

    def _rank(self, m, group, count, transposed, groups):
        """How many groups come before ``group``, which has ``count``."""
        before = []
        for number, (rows, columns) in enumerate(zip(self._rows, self._columns, strict=True)):
            other = Signal(rows.shape(), name=f"other_{number}")
            ahead = Signal(name=f"ahead_{number}")
            m.d.comb += [
                other.eq(Mux(transposed, columns, rows)),
                ahead.eq((number < groups) & ((other > count) | ((other == count) & (number < group)))),
            ]
            before.append(ahead)
        return count_ones(m, Cat(before), "rank")
