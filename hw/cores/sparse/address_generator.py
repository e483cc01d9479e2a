"""Walks the parameters of a core and says where their compressed weights are."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..bits import count_ones, lowest
from ..component import ConfiguredComponent
from ..memory.ports import ReadPort
from .config import SparseConfig
from .lists import table_entry
from .row_reader import RowReader

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


class AddressGenerator(ConfiguredComponent):
    """Walks the words of a core's parameters that have unmasked weights, and says where these are.

    Groups come as the forward table has them, the rows of a group as the row list has them, the words of a row in
    order; words without an unmasked weight are passed over.

    A row's words begin at ``parameter_base + row * row_words``; which columns of a word are unmasked is in the bit
    vector of the group, from the sparse row memory.

    ::

        table ──> bit vector ──────────────────────┐
          └─────> row list ──> row, its address ──> scan ──> words

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
    table : Out(ReadPort)
        ``table_entry``
    row_list : Out(ReadPort)
    vectors : Out(ReadPort)
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
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(walk_command(config))),
                "completions": Out(stream.Signature(1)),
                "table": Out(ReadPort(table_entry(config), 2 * config.tuples)),
                "row_list": Out(ReadPort(range(config.rows), config.row_list)),
                "vectors": Out(ReadPort(bit_vector(config), config.tuples)),
                "words": Out(stream.Signature(parameter_word(config))),
                "missing_tuple": Out(1),
            },
        )

    @property
    def group_cycles(self):
        """Cycles from the last word of a group to the first of the next, at most."""
        return 6

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.reader = reader = RowReader(config)
        wiring.connect(m, reader.row_list, wiring.flipped(self.row_list))
        command = Signal(walk_command(config))
        rank = Signal(range(config.groups + 1))
        # Words of a row to visit in this group.
        wanted, visited = Signal(config.core_blocks), Signal(config.core_blocks)
        begin, scanned = Signal(), Signal()
        entry, range_ = self.table.data, reader.ranges
        m.d.comb += [
            self.table.address.eq((command.group_base << 1) + rank),
            self.vectors.address.eq(command.group_base + entry.group),
            wanted.eq(
                Cat(
                    self.vectors.data.vector.word_select(block, config.lanes).any()
                    | (command.every_word & (block < command.row_words))
                    for block in range(config.core_blocks)
                )
            ),
            range_.valid.eq(begin),
            range_.payload.start.eq(entry.inner_start),
            range_.payload.count.eq(entry.inner_count),
            range_.payload.parameter_base.eq(command.parameter_base),
            range_.payload.row_words.eq(command.row_words),
        ]

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
                m.d.comb += self.table.enable.eq(1)
                m.d.sync += rank.eq(rank + 1)
                m.next = "TUPLE"
            with m.State("TUPLE"):
                m.d.comb += self.vectors.enable.eq(1)
                m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.comb += [
                    self.missing_tuple.eq(~self.vectors.data.valid),
                    begin.eq(self.vectors.data.valid & wanted.any()),
                ]
                m.d.sync += visited.eq(wanted)
                m.next = "ROWS"
                with m.If(~begin):
                    next_group()
            with m.State("ROWS"), m.If(scanned & ~reader.busy):
                next_group()
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(~self.words.valid)
                with m.If(self.completions.valid & self.completions.ready):
                    m.next = "IDLE"
        self._scan(m, reader.rows, visited, begin, scanned)
        return m

    def _scan(self, m, rows, visited, begin, scanned):
        """The words of one row after the other; ``scanned``: the last one leaves, or has left."""
        config, entry, word = self.config, self.table.data, self.words.payload
        bank_bits = (config.banks - 1).bit_length()
        scanning, advance, final, take = Signal(), Signal(), Signal(), Signal()
        # Words of the row still to be visited.
        waiting, rest = Signal(config.core_blocks), Signal(config.core_blocks)
        row = Signal(rows.payload.shape())
        # Compressed weights of the row; its rank in the group, modulo the banks.
        address, next_address = Signal(range(config.weight_words)), Signal(range(config.weight_words))
        rank, next_rank = Signal(range(config.banks)), Signal(range(config.banks))
        # Unmasked weights of the row in the words before this one.
        place = Signal(range(config.core_columns + 1))
        mask = Signal(config.lanes)
        block = lowest(m, waiting, "block")
        m.d.comb += [
            rest.eq(waiting & (waiting - 1)),
            advance.eq(scanning & (~self.words.valid | self.words.ready)),
            final.eq(advance & (rest == 0)),
            take.eq(rows.valid & rows.ready),
            rows.ready.eq(~scanning | final),
            mask.eq(self.vectors.data.vector.word_select(block, config.lanes)),
            scanned.eq(~scanning | final),
        ]
        with m.If(self.words.ready):
            m.d.sync += self.words.valid.eq(0)
        with m.If(advance):
            m.d.sync += [
                self.words.valid.eq(1),
                word.parameter_address.eq(row.address + block),
                word.mask.eq(mask),
                word.row.eq(row.row),
                word.column.eq(block * Const(config.lanes)),
                word.group.eq(entry.group),
                word.weight_address.eq(address + (place >> bank_bits)),
                word.phase.eq(place),
                word.turn.eq(rank + place),
                waiting.eq(rest),
                place.eq(place + count_ones(m, mask, "ones")),
            ]
        with m.If(final):
            m.d.sync += scanning.eq(0)
        with m.If(take):
            m.d.sync += [
                scanning.eq(1),
                waiting.eq(visited),
                row.eq(rows.payload),
                address.eq(next_address),
                next_address.eq(next_address + entry.pitch),
                rank.eq(next_rank),
                next_rank.eq(next_rank + 1),
                place.eq(0),
            ]
        with m.If(begin):
            m.d.sync += [next_address.eq(entry.weights_base), next_rank.eq(0)]
