"""Walks the parameters of a core and says where their compressed weights are."""

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..bits import lowest
from .config import SparseConfig
from .lists import table_entry
from .selection import count_ones

__all__ = ["AddressGenerator", "bit_vector", "parameter_word", "walk_command"]


def bit_vector(config):
    """An entry of the sparse row memory of a core: the own columns of a group, and whether it was ever written."""
    return data.StructLayout({"vector": config.core_columns, "valid": 1})


def walk_command(config):
    """A layer: its groups, the first of its tuples, the first word of its parameters and the words of a row.

    ``every_word``: also the words of which the group of the row has no column.
    """
    return data.StructLayout(
        {
            "groups": range(config.groups + 1),
            "group_base": range(config.tuples),
            "parameter_base": range(config.parameter_words),
            "row_words": range(config.core_blocks + 1),
            "every_word": 1,
        }
    )


def parameter_word(config):
    """A word of the parameter memory, ``lanes`` neighbouring own columns of a row, and where its weights are.

    Lane l with ``mask[l]`` is unmasked. The j-th of these, from the lowest lane up, is in bank ``(turn + j) mod banks``
    at address ``weight_address + (phase + j) div banks``.
    """
    bank = range(config.banks)
    return data.StructLayout(
        {
            "parameter_address": range(config.parameter_words),
            "mask": config.lanes,
            "row": range(config.rows),
            "column": range(config.core_columns),
            "group": range(config.groups),
            "weight_address": range(config.weight_words),
            "phase": bank,
            "turn": bank,
        }
    )


class AddressGenerator(wiring.Component):
    """Walks the words of a core's parameters that have unmasked weights, and says where these are.

    Groups come as the forward table has them, the rows of a group as the row list has them, the words of a row in
    order; words without an unmasked weight are passed over.

    A row's words begin at ``parameter_base + row * row_words``; which columns of a word are unmasked is in the bit
    vector of the group, from the sparse row memory.

    Throughput: a word a cycle while the stream takes them, and ``group_cycles`` or fewer for each group besides.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    commands : stream, in
        ``walk_command``
    completions : stream, out
        One for each command, when its last word has been taken.
    table_read_enable, table_read_address, table_data
        ``table_entry``. The data of all memories come in the next cycle and stay until the next read.
    row_read_enable, row_read_address, row_data
        The row list.
    vector_read_enable, vector_read_address, vector_data
        The sparse row memory, ``bit_vector``.
    words : stream, out
        ``parameter_word``
    missing_tuple : Out(1)
        The table names a group that was never encoded; it is passed over.

    Source
    ------
    LearningGroup, III-C, figure 6.
    """

    def __init__(self, config: SparseConfig):
        self._config = config
        super().__init__(
            {
                "commands": In(stream.Signature(walk_command(config))),
                "completions": Out(stream.Signature(1)),
                "table_read_enable": Out(1),
                "table_read_address": Out(range(2 * config.tuples)),
                "table_data": In(table_entry(config)),
                "row_read_enable": Out(1),
                "row_read_address": Out(range(config.row_list)),
                "row_data": In(range(config.rows)),
                "vector_read_enable": Out(1),
                "vector_read_address": Out(range(config.tuples)),
                "vector_data": In(bit_vector(config)),
                "words": Out(stream.Signature(parameter_word(config))),
                "missing_tuple": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def group_cycles(self):
        """Cycles from the last word of a group to the first of the next, at most."""
        return 6

    def elaborate(self, platform):
        m = Module()
        config = self._config
        self.command = command = Signal(walk_command(config))
        rank = Signal(range(config.groups + 1))
        # Words of a row to visit in this group.
        self.visited = visited = Signal(config.core_blocks)
        wanted = Signal(config.core_blocks)
        self.rows_left = Signal(range(config.entries + 1))
        self.begin = Signal()
        self.idle = Signal()
        vector = self.vector_data.vector
        m.d.comb += [
            self.table_read_address.eq((command.group_base << 1) + rank),
            self.vector_read_address.eq(command.group_base + self.table_data.group),
        ]
        for block in range(config.core_blocks):
            m.d.comb += wanted[block].eq(
                vector.word_select(block, config.lanes).any() | (command.every_word & (block < command.row_words))
            )

        def next_group():
            m.next = "ENTRY"
            with m.If(rank == command.groups):
                m.next = "COMPLETE"

        with m.FSM(name="addresses"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), rank.eq(0)]
                with m.If(self.commands.valid):
                    m.next = "ENTRY"
            with m.State("ENTRY"):
                m.d.comb += self.table_read_enable.eq(1)
                m.d.sync += rank.eq(rank + 1)
                m.next = "TUPLE"
            with m.State("TUPLE"):
                m.d.comb += self.vector_read_enable.eq(1)
                m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.sync += visited.eq(wanted)
                m.next = "ROWS"
                with m.If(~self.vector_data.valid):
                    m.d.comb += self.missing_tuple.eq(1)
                    next_group()
                with m.Elif(~wanted.any()):
                    next_group()
                with m.Else():
                    m.d.comb += self.begin.eq(1)
            with m.State("ROWS"):
                with m.If(self.idle):
                    next_group()
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(~self.words.valid)
                with m.If(self.completions.valid & self.completions.ready):
                    m.next = "IDLE"
        fetched, row, offset, take = self._fetch(m)
        self._scan(m, fetched, row, offset, take)
        return m

    def _fetch(self, m):
        """Rows of the group and the words before each, ahead of the scan: a row a cycle."""
        config = self._config
        entry = self.table_data
        has_row = Signal()
        fetched = Signal()
        row = Signal(range(config.rows))
        offset = Signal(range(config.parameter_words))
        take = Signal()
        advance_row = Signal()
        advance_offset = Signal()
        m.d.comb += [
            advance_offset.eq(~fetched | take),
            advance_row.eq(~has_row | advance_offset),
            self.row_read_enable.eq(advance_row & (self.rows_left != 0)),
        ]
        with m.If(advance_row):
            m.d.sync += has_row.eq(self.rows_left != 0)
        with m.If(self.row_read_enable):
            m.d.sync += [self.row_read_address.eq(self.row_read_address + 1), self.rows_left.eq(self.rows_left - 1)]
        with m.If(advance_offset):
            m.d.sync += [
                fetched.eq(has_row),
                row.eq(self.row_data),
                offset.eq(self.command.parameter_base + self.row_data * self.command.row_words),
            ]
        with m.If(self.begin):
            m.d.sync += [self.row_read_address.eq(entry.inner_start), self.rows_left.eq(entry.inner_count)]
        self.fetching = Signal()
        m.d.comb += self.fetching.eq((self.rows_left != 0) | has_row | fetched)
        return fetched, row, offset, take

    def _scan(self, m, fetched, fetched_row, fetched_offset, take):
        """The words of one row after the other."""
        config = self._config
        bank_bits = (config.banks - 1).bit_length()
        entry = self.table_data
        scanning = Signal()
        waiting = Signal(config.core_blocks)
        rest = Signal(config.core_blocks)
        row = Signal(range(config.rows))
        offset = Signal(range(config.parameter_words))
        address = Signal(range(config.weight_words))
        next_address = Signal(range(config.weight_words))
        rank = Signal(range(config.banks))
        next_rank = Signal(range(config.banks))
        # Unmasked weights of the row in the words before this one.
        place = Signal(range(config.core_columns + 1))
        mask = Signal(config.lanes)
        advance = Signal()
        final = Signal()
        block = lowest(m, waiting, "block")
        ones = count_ones(m, mask, "ones")
        word = self.words.payload
        m.d.comb += [
            rest.eq(waiting & (waiting - 1)),
            advance.eq(scanning & (~self.words.valid | self.words.ready)),
            final.eq(advance & (rest == 0)),
            take.eq(fetched & (~scanning | final)),
            mask.eq(self.vector_data.vector.word_select(block, config.lanes)),
            self.idle.eq((~scanning | final) & ~self.fetching),
        ]
        with m.If(self.words.ready):
            m.d.sync += self.words.valid.eq(0)
        with m.If(advance):
            m.d.sync += [
                self.words.valid.eq(1),
                word.parameter_address.eq(offset + block),
                word.mask.eq(mask),
                word.row.eq(row),
                word.column.eq(block * Const(config.lanes)),
                word.group.eq(entry.group),
                word.weight_address.eq(address + (place >> bank_bits)),
                word.phase.eq(place),
                word.turn.eq(rank + place),
                waiting.eq(rest),
                place.eq(place + ones),
            ]
        with m.If(final):
            m.d.sync += scanning.eq(0)
        with m.If(take):
            m.d.sync += [
                scanning.eq(1),
                waiting.eq(self.visited),
                row.eq(fetched_row),
                offset.eq(fetched_offset),
                address.eq(next_address),
                next_address.eq(next_address + entry.pitch),
                rank.eq(next_rank),
                next_rank.eq(next_rank + 1),
                place.eq(0),
            ]
        with m.If(self.begin):
            m.d.sync += [next_address.eq(entry.weights_base), next_rank.eq(0)]
