"""A core's part of the sparse data engine: lists, tables, sparse row memory, and what walks them."""

from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..memory.ports import ReadPort, WritePort
from .address_generator import AddressGenerator, bit_vector, parameter_word, walk_command
from .compression import WeightCompressor
from .config import SparseConfig
from .lists import GroupTables, group_place, table_command, table_entry

__all__ = ["LIST_READERS", "SparseCore", "core_tuple"]

# Users of lists and table besides the walk, with a port each: the update of the grouping, and the products.
LIST_READERS = 2


def core_tuple(config):
    """A core's part of a tuple: its ``address`` in the sparse row memory, its ``place`` and, of columns, ``vector``."""
    return data.StructLayout(
        {
            "transposed": 1,
            "address": range(config.tuples),
            "group": range(config.groups),
            "place": group_place(config),
            "vector": config.core_columns,
        }
    )


class SparseCore(ConfiguredComponent):
    """Keeps the lists and the tuples of a core's columns, makes its group tables, compresses its weights.

    ::

        tuples ──┬── places ──> GroupTables ──> table ──┐
                 └── bit vectors ───────────────────────┼──> AddressGenerator ──┬──> WeightCompressor ──> weights
        row list ───────────────────────────────────────┘                       └──> words

    Latency: that of :class:`.GroupTables`, and of :class:`.AddressGenerator` plus :class:`.WeightCompressor`.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    tuples : stream, in, always ready
        ``core_tuple`` to be kept.
    row_list, column_list : In(WritePort)
        Entries of the lists.
    read_row_lists, read_column_lists, read_tables : In(ReadPort).array(LIST_READERS)
        Lists and table, for others than the walk. A read does not see the write of its own cycle.
    tables, tables_done : streams
        ``table_command`` in, a completion each out.
    walks, walks_done : streams
        ``walk_command`` in, a completion each out, when the last weight is written or the last word taken.
    walk_out : In(1)
        1: words go to ``words``; 0: they are compressed.
    words : stream, out
        ``parameter_word``
    parameters : Out(ReadPort)
    weights : Out(WritePort).array(banks)
    weight_end : out
        First address after the compressed weights of the layer last put into tables.
    overflow, missing_tuple : Out(1)
        See :class:`.GroupTables` and :class:`.AddressGenerator`.
    """

    def __init__(self, config: SparseConfig):
        self._tables, self._addresses = GroupTables(config), AddressGenerator(config)
        self._compressor = WeightCompressor(config)
        row, column = range(config.rows), range(config.core_columns)
        super().__init__(
            config,
            {
                "tuples": In(stream.Signature(core_tuple(config), always_ready=True)),
                "row_list": In(WritePort(row, config.row_list)),
                "column_list": In(WritePort(column, config.column_list)),
                "read_row_lists": In(ReadPort(row, config.row_list)).array(LIST_READERS),
                "read_column_lists": In(ReadPort(column, config.column_list)).array(LIST_READERS),
                "read_tables": In(ReadPort(table_entry(config), 2 * config.tuples)).array(LIST_READERS),
                "tables": In(stream.Signature(table_command(config))),
                "tables_done": Out(stream.Signature(1)),
                "walks": In(stream.Signature(walk_command(config))),
                "walks_done": Out(stream.Signature(1)),
                "walk_out": In(1),
                "words": Out(stream.Signature(parameter_word(config))),
                **{name: self._compressor.signature.members[name] for name in ("parameters", "weights")},
                "weight_end": Out(range(config.weight_words + 1)),
                "overflow": Out(1),
                "missing_tuple": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.tables = tables = self._tables
        m.submodules.addresses = addresses = self._addresses
        m.submodules.compressor = compressor = self._compressor
        wiring.connect(m, wiring.flipped(self.tables), tables.commands)
        wiring.connect(m, tables.completions, wiring.flipped(self.tables_done))
        wiring.connect(m, wiring.flipped(self.walks), addresses.commands)
        wiring.connect(m, compressor.parameters, wiring.flipped(self.parameters))
        for inner, outer in zip(compressor.weights, self.weights, strict=True):
            wiring.connect(m, inner, wiring.flipped(outer))
        m.d.comb += [
            self.weight_end.eq(tables.weight_end),
            self.overflow.eq(tables.overflow),
            self.missing_tuple.eq(addresses.missing_tuple),
            # Words go one way or the other.
            self.words.payload.eq(addresses.words.payload),
            self.words.valid.eq(addresses.words.valid & self.walk_out),
            compressor.words.payload.eq(addresses.words.payload),
            compressor.words.valid.eq(addresses.words.valid & ~self.walk_out),
            addresses.words.ready.eq(self.words.ready | ~self.walk_out),
            self.walks_done.valid.eq(addresses.completions.valid & ~compressor.busy),
            self.walks_done.payload.eq(addresses.completions.payload),
            addresses.completions.ready.eq(self.walks_done.ready & ~compressor.busy),
        ]
        self._memories(m, tables, addresses)
        return m

    def _memories(self, m, tables, addresses):
        """Lists, table and sparse row memory; what the walk reads has a port of its own."""
        config, found = self.config, self.tuples
        column = range(config.core_columns)
        row_size = MemoryConfig(depth=config.row_list, readers=1 + LIST_READERS)
        column_size = MemoryConfig(depth=config.column_list, readers=LIST_READERS)
        table_size = MemoryConfig(depth=2 * config.tuples, readers=1 + LIST_READERS)
        m.submodules.row_list = rows = Memory(range(config.rows), row_size)
        m.submodules.column_list = columns = Memory(column, column_size)
        m.submodules.table = table = Memory(table_entry(config), table_size)
        m.submodules.vectors = vectors = Memory(bit_vector(config), MemoryConfig(depth=config.tuples))
        wiring.connect(m, wiring.flipped(self.row_list), rows.write)
        wiring.connect(m, wiring.flipped(self.column_list), columns.write)
        wiring.connect(m, addresses.row_list, rows.reads[0])
        wiring.connect(m, tables.table, table.write)
        wiring.connect(m, addresses.table, table.reads[0])
        wiring.connect(m, addresses.vectors, vectors.reads[0])
        for users, ports in (
            (self.read_row_lists, rows.reads[1:]),
            (self.read_column_lists, columns.reads),
            (self.read_tables, table.reads[1:]),
        ):
            for user, port in zip(users, ports, strict=True):
                wiring.connect(m, wiring.flipped(user), port)
        m.d.comb += [
            vectors.write.enable.eq(found.valid & ~found.payload.transposed),
            vectors.write.address.eq(found.payload.address),
            vectors.write.data.vector.eq(found.payload.vector),
            vectors.write.data.valid.eq(1),
        ]
        for write, here in ((tables.rows, found.payload.transposed), (tables.columns, ~found.payload.transposed)):
            m.d.comb += [
                write.enable.eq(found.valid & here),
                write.address.eq(found.payload.group),
                write.data.eq(found.payload.place),
            ]
