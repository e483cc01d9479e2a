"""The on-chip sparse data encoding loop."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import layout_without, take_fields
from ..memory.ports import ReadPort
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .bit_vector_generator import BitVectorGenerator
from .config import SparseConfig
from .index_reader import IndexReader, blocks_of, indexes_layout
from .max_index import index_word

__all__ = ["SparseDataEncoder", "encoder_command"]


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


class SparseDataEncoder(ConfiguredComponent):
    """Encodes the mask of a layer as the tuples of its groups, from the indexes of the maxima.

    mask[r, n] = (row index[r] == column index[n]). Rows of one group have the same bit vector, so it is made when the
    group is met first (a miss: one comparison with the indexes of all columns at once) and its non-zero indexes are
    listed, one a cycle; any later row of the group is a hit and takes one cycle. Groups that no row is in come last,
    from the lowest up: a column needs its place even if nothing is added to it. Hence the lists hold the groups in
    the order of first appearance, and the indexes of a group rise.

    ::

        index lists ──> reader ──┬── columns ──> BitVectorGenerator ──> lists, tuples
                                 └── rows ──> group known? ── no ──┘

    Transposed, the columns of core 0, core 1, ... take the rows' place and the rows that of the columns.

    Latency: 6 cycles, one for each word of indexes that is compared with, and then one for each row: a miss of n
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
    indexes : Out(ReadPort)
        The memory of index lists.
    row_list, column_lists, tuples
        See :class:`.BitVectorGenerator`.
    missing_tuple : Out(1)
        An index names a group that the layer does not have. It is passed over.
    loading, missing, hitting : Out(1)
        The work of this cycle: reading the indexes to compare with, a miss, or a row of a known group.

    Source
    ------
    LearningGroup, III-B, figure 5 (OSEL).
    """

    def __init__(self, config: SparseConfig):
        self._generator = BitVectorGenerator(config)
        generated = self._generator.signature.members
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(encoder_command(config))),
                "completions": Out(stream.Signature(1)),
                "indexes": Out(ReadPort(index_word(config), config.index_words)),
                **{name: generated[name] for name in ("row_list", "column_lists", "tuples")},
                "missing_tuple": Out(1),
                "loading": Out(1),
                "missing": Out(1),
                "hitting": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.reader = reader = IndexReader(config)
        m.submodules.generator = generator = self._generator
        # All but the bases that the generator holds.
        command = Signal(layout_without(encoder_command(config), "row_base", "column_base"))
        comparing = Signal()
        self._connect(m, reader, generator, command, comparing)
        # It parts the memory, and the path of ready to it, from what is done with the indexes.
        m.submodules.words = buffer = StreamBuffer(indexes_layout(config), StreamBufferConfig(depth=2, latency=1))
        wiring.connect(m, reader.words, buffer.i)
        words, request = buffer.o, generator.groups
        word = words.payload
        lane = Signal(range(config.lanes))
        # Groups met so far; the next group that no row may have named.
        known, group = Signal(config.groups), Signal(range(config.groups + 1))
        exists, is_known, advance = Signal(), Signal(), Signal()
        captured = Signal()
        m.d.comb += [
            generator.compared.payload.eq(word),
            captured.eq(request.valid & request.ready),
            is_known.eq((known >> request.payload.group)[0]),
            self.missing.eq(captured | generator.busy),
            self.loading.eq(~self.commands.ready & ~self.completions.valid & ~self.hitting & ~self.missing),
        ]
        with m.FSM(name="encoder"):
            with m.State("IDLE"):
                m.d.comb += [self.commands.ready.eq(1), generator.starts.valid.eq(1)]
                m.d.sync += [*take_fields(command, self.commands.payload), known.eq(0), group.eq(0), lane.eq(0)]
                with m.If(self.commands.valid):
                    m.next = "ASK"
            with m.State("ASK"):
                m.d.comb += [reader.ranges.valid.eq(1), comparing.eq(1)]
                m.next = "LOAD"
            with m.State("LOAD"):
                m.d.comb += [words.ready.eq(1), generator.compared.valid.eq(words.valid)]
                outside = Cat(
                    (word.indexes[number] >= command.groups) & (number < word.count) for number in range(config.lanes)
                )
                m.d.comb += self.missing_tuple.eq(words.valid & outside.any())
                with m.If(words.valid & word.last):
                    m.next = "ASK_AGAIN"
            with m.State("ASK_AGAIN"):
                m.d.comb += reader.ranges.valid.eq(1)
                m.next = "ROWS"
            with m.State("ROWS"):
                m.d.comb += [
                    request.payload.group.eq(word.indexes[lane]),
                    request.payload.fresh.eq(~is_known),
                    exists.eq(request.payload.group < command.groups),
                    request.valid.eq(words.valid & exists & ~(is_known & config.caching)),
                    advance.eq(words.valid & (~request.valid | request.ready)),
                    self.missing_tuple.eq(words.valid & ~exists),
                    self.hitting.eq(words.valid & ~self.missing),
                    words.ready.eq(advance & (lane + 1 == word.count)),
                ]
                with m.If(advance):
                    m.d.sync += [
                        lane.eq(Mux(words.ready, 0, lane + 1)),
                        known.eq(known | (exists << request.payload.group)),
                    ]
                with m.If(words.ready & word.last):
                    m.next = "GROUPS"
            with m.State("GROUPS"):
                m.d.comb += [
                    request.payload.group.eq(group),
                    request.payload.fresh.eq(1),
                    request.valid.eq(~is_known),
                    advance.eq(is_known | request.ready),
                    self.hitting.eq(~self.missing),
                ]
                with m.If(advance):
                    m.d.sync += group.eq(group + 1)
                    with m.If(group + 1 == command.groups):
                        m.next = "SETTLE"
            with m.State("SETTLE"):
                # The last tuple is put out one cycle after its last index.
                m.d.comb += self.hitting.eq(~self.missing)
                with m.If(~generator.busy):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        return m

    def _connect(self, m, reader, generator, command, comparing):
        """First the indexes to compare with are read (of the columns; transposed of the rows), then the others."""
        given, wanted = self.commands.payload, reader.ranges.payload
        row_blocks = Signal(range(self.config.position_blocks + 1))
        wiring.connect(m, reader.indexes, wiring.flipped(self.indexes))
        wiring.connect(m, generator.row_list, wiring.flipped(self.row_list))
        wiring.connect(m, generator.tuples, wiring.flipped(self.tuples))
        for inner, outer in zip(generator.column_lists, self.column_lists, strict=True):
            wiring.connect(m, inner, wiring.flipped(outer))
        m.d.comb += [
            *(generator.starts.payload[name].eq(given[name]) for name in ("transposed", "row_base", "column_base")),
            row_blocks.eq(blocks_of(self.config, command.rows)),
            wanted.columns_wanted.eq(comparing ^ command.transposed),
            wanted.rows.eq(command.rows),
            wanted.columns.eq(command.columns),
            wanted.base.eq(command.index_base + Mux(wanted.columns_wanted, row_blocks, 0)),
        ]
