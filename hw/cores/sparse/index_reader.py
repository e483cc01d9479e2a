"""Reads the index list of a layer's rows, or of its columns, word after word."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.ports import ReadPort
from .config import SparseConfig
from .max_index import index_word

__all__ = ["IndexReader", "blocks_of", "index_range_layout", "indexes_layout"]


def blocks_of(config, count):
    """The words that ``count`` numbers take."""
    shift = (config.lanes - 1).bit_length()
    return (count + (config.lanes - 1)) >> shift


def index_range_layout(config):
    """Layout of a list: ``rows`` from word ``base`` on, or (``columns_wanted``) ``columns`` of each core, one after the
    other, each from a word of its own."""
    return data.StructLayout(
        {
            "columns_wanted": 1,
            "rows": range(config.rows + 1),
            "columns": data.ArrayLayout(range(config.core_columns + 1), config.cores),
            "base": range(config.index_words),
        }
    )


def indexes_layout(config):
    """``count`` indexes of a word, lowest lanes first.

    ``block`` says where they stand among the comparators: position ``block * lanes + lane``. A core's columns begin at
    ``core * core_columns``; rows begin at 0.
    """
    return data.StructLayout(
        {
            "indexes": index_word(config),
            "count": range(config.lanes + 1),
            "block": range(config.position_blocks),
            "last": 1,
        }
    )


class IndexReader(ConfiguredComponent):
    """Reads what is in one range of an index list memory.

    Latency: 2 cycles from a range to its first word; a word a cycle. It takes the next range when the last word of this
    one is taken.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    ranges : stream, in
        ``index_range_layout``; at least one row, or one column.
    indexes : Out(ReadPort)
        The memory of index lists.
    words : stream, out
        ``indexes_layout``.
    """

    def __init__(self, config: SparseConfig):
        super().__init__(
            config,
            {
                "ranges": In(stream.Signature(index_range_layout(config))),
                "indexes": Out(ReadPort(index_word(config), config.index_words)),
                "words": Out(stream.Signature(indexes_layout(config))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        active = Signal()
        columns = Signal(data.ArrayLayout(range(config.core_columns + 1), config.cores))
        # Indexes of this core (of the rows) still to be read, and the cores with any after it.
        left = Signal(range(config.entries + 1))
        waiting = Signal(config.cores)
        block = Signal(range(config.position_blocks + 1))
        advance = Signal()
        final = Signal()
        word = Signal(data.StructLayout({"count": range(config.lanes + 1), "block": block.shape(), "last": 1}))
        m.d.comb += [
            advance.eq(~self.words.valid | self.words.ready),
            self.ranges.ready.eq(~active & advance),
            self.indexes.enable.eq(active & advance),
            final.eq(left <= config.lanes),
            self.words.payload.indexes.eq(self.indexes.data),
            self.words.payload.count.eq(word.count),
            self.words.payload.block.eq(word.block),
            self.words.payload.last.eq(word.last),
        ]

        def begin_core(cores, counts):
            """Go on with the first of ``cores``."""
            for number in reversed(range(config.cores)):
                with m.If(cores[number]):
                    m.d.sync += [
                        left.eq(counts[number]),
                        block.eq(number * config.core_blocks),
                        waiting.eq(cores & ~((2 << number) - 1)),
                    ]

        with m.If(self.ranges.valid & self.ranges.ready):
            given = self.ranges.payload
            nonempty = Cat(given.columns[number] != 0 for number in range(config.cores))
            m.d.sync += [active.eq(1), columns.eq(given.columns), self.indexes.address.eq(given.base)]
            with m.If(given.columns_wanted):
                begin_core(nonempty, given.columns)
            with m.Else():
                m.d.sync += [left.eq(given.rows), block.eq(0), waiting.eq(0)]
        with m.If(self.words.ready):
            m.d.sync += self.words.valid.eq(0)
        with m.If(self.indexes.enable):
            m.d.sync += [
                self.words.valid.eq(1),
                word.count.eq(Mux(final, left, config.lanes)),
                word.block.eq(block),
                word.last.eq(final & ~waiting.any()),
                self.indexes.address.eq(self.indexes.address + 1),
                left.eq(left - config.lanes),
                block.eq(block + 1),
            ]
            with m.If(final):
                m.d.sync += active.eq(waiting.any())
                begin_core(waiting, columns)
        return m
