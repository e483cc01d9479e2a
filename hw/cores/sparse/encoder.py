"""The on-chip sparse data encoding loop."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..bits import lowest
from .config import SparseConfig
from .index_reader import IndexReader, blocks_of
from .max_index import index_word
from .selection import place_of_block

__all__ = ["SparseDataEncoder", "encoder_command", "listed_layout", "tuple_layout"]


def encoder_command(config):
    """A layer: its number of groups, rows and columns of each core, the first word of its index lists, and where its
    lists begin. ``transposed`` exchanges the roles of rows and columns."""
    return data.StructLayout(
        {
            "transposed": 1,
            "groups": range(config.groups + 1),
            "rows": range(config.rows + 1),
            "columns": data.ArrayLayout(range(config.core_columns + 1), config.cores),
            "index_base": range(config.index_words),
            "row_base": range(config.row_list),
            "column_base": range(config.column_list),
        }
    )


def listed_layout(config):
    """A non-zero index: a core's own ``column``, or a row (``transposed``), at ``address`` of the list."""
    return data.StructLayout(
        {
            "valid": 1,
            "transposed": 1,
            "core": range(max(config.cores, 2)),
            "address": range(max(config.row_list, config.column_list)),
            "feature": range(max(config.positions, 2)),
        }
    )


def tuple_layout(config):
    """The tuple of a group: bit vector, and for each core where its non-zero indexes begin and how many they are (the
    workload). ``transposed``: those of the rows, in place 0."""
    return data.StructLayout(
        {
            "valid": 1,
            "transposed": 1,
            "group": range(config.groups),
            "vector": config.positions,
            "starts": data.ArrayLayout(range(max(config.row_list, config.column_list) + 1), config.cores),
            "counts": data.ArrayLayout(range(config.positions + 1), config.cores),
        }
    )


class SparseDataEncoder(wiring.Component):
    """Encodes the mask of a layer as the tuples of its groups, from the indexes of the maxima.

    mask[r, n] = (row index[r] == column index[n]). Rows of one group have the same bit vector, so it is made when the
    group is met first (a miss: one comparison with the indexes of all columns at once) and its non-zero indexes are
    listed, one a cycle; any later row of the group is a hit and takes one cycle. Groups that no row is in come last,
    from the lowest up: a column needs its place even if nothing is added to it. Hence the lists hold the groups in
    the order of first appearance, and the indexes of a group rise.

    Transposed, the columns of core 0, core 1, ... take the rows' place and the rows that of the columns.

    Latency: 4 cycles, one for each word of indexes that is compared with, and then one for each row: a miss of n
    indexes keeps the unit busy for n + 2 cycles, in which hits go on and the next miss waits; one cycle for each group
    at the end. Without ``caching`` every row waits so, and the tuple that is known already is made again and dropped.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    commands : stream, in
        ``encoder_command``. There is at least one row, one column and one group, and all are within the configuration.
    completions : stream, out
        One for each command, when everything was put out.
    read_enable, read_address, read_data
        Of the memory of index lists; the word comes in the next cycle and stays until the next read.
    listed : out
        ``listed_layout``: an index to be written in this cycle.
    tuple : out
        ``tuple_layout``: a tuple to be written in this cycle, after its last index.
    missing_tuple : Out(1)
        An index names a group that the layer does not have. It is passed over.
    loading, missing, hitting : Out(1)
        What this cycle goes to: reading the indexes to compare with, a miss, or a row of a known group.

    Source
    ------
    LearningGroup, III-B, figure 5 (OSEL).
    """

    def __init__(self, config: SparseConfig):
        self._config = config
        super().__init__(
            {
                "commands": In(stream.Signature(encoder_command(config))),
                "completions": Out(stream.Signature(1)),
                "read_enable": Out(1),
                "read_address": Out(range(config.index_words)),
                "read_data": In(index_word(config)),
                "listed": Out(listed_layout(config)),
                "tuple": Out(tuple_layout(config)),
                "missing_tuple": Out(1),
                "loading": Out(1),
                "missing": Out(1),
                "hitting": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        self.command = Signal(encoder_command(config))
        self.ask = Signal()
        self.ask_columns = Signal()
        # For each block of comparators its indexes, and which of them are there.
        self.compared = [
            (
                Signal(index_word(config), name=f"compared_{block}", reset_less=True),
                Signal(config.lanes, name=f"compared_valid_{block}"),
            )
            for block in range(config.position_blocks)
        ]
        m.submodules.reader = reader = IndexReader(config)
        self._ask(m, reader.ranges)
        m.d.comb += [
            self.read_enable.eq(reader.read_enable),
            self.read_address.eq(reader.read_address),
            reader.read_data.eq(self.read_data),
        ]
        word = reader.words.payload
        lane = Signal(range(config.lanes))
        group = Signal(range(config.groups + 1))
        index = Signal(range(config.groups))
        known = Signal(config.groups)
        exists = Signal()
        is_known = Signal()
        advance = Signal()
        self.capture = Signal()
        self.captured = Signal(range(config.groups))
        self.fresh = Signal()
        self.generating = Signal()
        self.clear = Signal()
        m.d.comb += [
            index.eq(word.indexes[lane]),
            self.loading.eq(~self.commands.ready & ~self.completions.valid & ~self.hitting & ~self.missing),
            self.missing.eq(self.capture | self.generating),
        ]
        columns_outside = Cat(
            (word.indexes[number] >= self.command.groups) & (number < word.count) for number in range(config.lanes)
        )

        with m.FSM(name="encoder"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [self.command.eq(self.commands.payload), known.eq(0), group.eq(0), lane.eq(0)]
                m.d.comb += self.clear.eq(1)
                with m.If(self.commands.valid):
                    m.next = "ASK"
            with m.State("ASK"):
                m.d.comb += [self.ask.eq(1), self.ask_columns.eq(~self.command.transposed)]
                m.next = "LOAD"
            with m.State("LOAD"):
                m.d.comb += reader.words.ready.eq(1)
                with m.If(reader.words.valid):
                    self._load(m, word)
                    m.d.comb += self.missing_tuple.eq(columns_outside.any())
                    with m.If(word.last):
                        m.next = "ASK_AGAIN"
            with m.State("ASK_AGAIN"):
                m.d.comb += [self.ask.eq(1), self.ask_columns.eq(self.command.transposed)]
                m.next = "ROWS"
            with m.State("ROWS"):
                m.d.comb += [
                    self.captured.eq(index),
                    exists.eq(index < self.command.groups),
                    is_known.eq((known >> index)[0]),
                    self.fresh.eq(~is_known),
                    self.hitting.eq(reader.words.valid & ~self.missing),
                ]
                with m.If(~exists):
                    m.d.comb += [advance.eq(1), self.missing_tuple.eq(reader.words.valid)]
                with m.Elif(is_known & config.caching):
                    m.d.comb += advance.eq(1)
                with m.Else():
                    m.d.comb += [advance.eq(~self.generating), self.capture.eq(advance & reader.words.valid)]
                with m.If(reader.words.valid & advance):
                    m.d.sync += [lane.eq(lane + 1), known.eq(known | (exists << index))]
                    with m.If(lane + 1 == word.count):
                        m.d.sync += lane.eq(0)
                        m.d.comb += reader.words.ready.eq(1)
                        with m.If(word.last):
                            m.next = "GROUPS"
            with m.State("GROUPS"):
                # What no row named.
                m.d.comb += [
                    self.captured.eq(group),
                    is_known.eq((known >> group[: len(index)])[0]),
                    self.fresh.eq(1),
                    self.hitting.eq(~self.missing),
                    advance.eq(is_known | ~self.generating),
                    self.capture.eq(advance & ~is_known),
                ]
                with m.If(advance):
                    m.d.sync += group.eq(group + 1)
                    with m.If(group + 1 == self.command.groups):
                        m.next = "SETTLE"
            with m.State("SETTLE"):
                # The last tuple is put out one cycle after its last index.
                m.d.comb += self.hitting.eq(~self.missing)
                with m.If(~self.generating):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        self._generate(m)
        return m

    def _ask(self, m, ranges):
        """Ask for the indexes of the rows or the columns; the reader is idle whenever the encoder does."""
        config = self._config
        row_blocks = Signal(range(config.position_blocks + 1))
        m.d.comb += [
            row_blocks.eq(blocks_of(config, self.command.rows)),
            ranges.valid.eq(self.ask),
            ranges.payload.columns_wanted.eq(self.ask_columns),
            ranges.payload.rows.eq(self.command.rows),
            ranges.payload.columns.eq(self.command.columns),
            ranges.payload.base.eq(self.command.index_base + Mux(self.ask_columns, row_blocks, 0)),
        ]

    def _load(self, m, word):
        """Into the registers of the comparators."""
        lanes = self._config.lanes
        for block, (indexes, valid) in enumerate(self.compared):
            with m.If(word.block == block):
                m.d.sync += [indexes.eq(word.indexes), valid.eq(Cat(number < word.count for number in range(lanes)))]

    def _generate(self, m):
        """Bit vector of the group captured, and then its indexes, lowest first."""
        config = self._config
        with m.If(self.clear):
            m.d.sync += [valid.eq(0) for _, valid in self.compared]
        matches = [
            Signal(config.lanes, name=f"matches_{block}", reset_less=True) for block in range(config.position_blocks)
        ]
        waiting = Signal(config.position_blocks)
        current = Signal(config.lanes)
        current_block = Signal(range(config.position_blocks))
        rest = Signal(config.lanes)
        keep = Signal()
        transposed = self.command.transposed
        vector = Cat(*matches)
        following = lowest(m, waiting, "following")
        here = lowest(m, current, "here")
        core, core_block = place_of_block(m, config, current_block, "place")
        entry = Signal(tuple_layout(config))
        starts = [Signal(entry.starts[number].shape(), name=f"start_{number}") for number in range(config.cores)]
        ends = [Signal(entry.starts[number].shape(), name=f"end_{number}") for number in range(config.cores)]
        group = Signal(range(config.groups))
        done = Signal()

        m.d.comb += rest.eq(current & (current - 1))
        m.d.sync += done.eq(0)
        with m.If(self.capture):
            m.d.sync += [self.generating.eq(1), group.eq(self.captured), keep.eq(self.fresh), current.eq(0)]
            m.d.sync += [start.eq(end) for start, end in zip(starts, ends, strict=True)]
            nonempty = []
            for block, (indexes, valid) in enumerate(self.compared):
                match = Signal(config.lanes, name=f"match_{block}")
                m.d.comb += match.eq(
                    Cat(valid[number] & (indexes[number] == self.captured) for number in range(config.lanes))
                )
                m.d.sync += matches[block].eq(match)
                nonempty.append(match.any())
            m.d.sync += waiting.eq(Cat(nonempty))
        with m.Elif(self.generating):
            m.d.sync += current.eq(rest)
            with m.If(rest == 0):
                m.d.sync += [
                    current.eq(vector.word_select(following, config.lanes)),
                    current_block.eq(following),
                    waiting.eq(waiting & (waiting - 1)),
                ]
                with m.If(waiting == 0):
                    m.d.sync += [self.generating.eq(0), done.eq(keep), current.eq(0)]
        with m.If(self.clear):
            m.d.sync += [end.eq(self.commands.payload.column_base) for end in ends]
            with m.If(self.commands.payload.transposed):
                m.d.sync += ends[0].eq(self.commands.payload.row_base)

        listing = Signal()
        list_core = Signal.like(core)
        m.d.comb += [
            listing.eq((current != 0) & keep & ~self.capture),
            list_core.eq(Mux(transposed, 0, core)),
            self.listed.valid.eq(listing),
            self.listed.transposed.eq(transposed),
            self.listed.core.eq(list_core),
            self.listed.feature.eq(Mux(transposed, current_block, core_block) * Const(config.lanes) + here),
            self.tuple.eq(entry),
            entry.valid.eq(done),
            entry.transposed.eq(transposed),
            entry.group.eq(group),
            entry.vector.eq(vector),
        ]
        for number in range(config.cores):
            m.d.comb += [
                entry.starts[number].eq(starts[number]),
                entry.counts[number].eq(ends[number] - starts[number]),
            ]
            with m.If(list_core == number):
                m.d.comb += self.listed.address.eq(ends[number])
                with m.If(listing):
                    m.d.sync += ends[number].eq(ends[number] + 1)
        return m
