"""What the sparse data engine keeps for each core: tables, row list, sparse row memory, and what walks them."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .address_generator import AddressGenerator, bit_vector, parameter_word, walk_command
from .compression import WeightCompressor
from .config import SparseConfig
from .lists import GroupTables, group_place, table_command, table_entry

__all__ = ["SparseCore", "core_tuple"]


def core_tuple(config):
    """A core's part of a tuple: its ``address`` in the sparse row memory, its ``place`` and, of columns, ``vector``."""
    return data.StructLayout(
        {
            "valid": 1,
            "transposed": 1,
            "address": range(config.tuples),
            "group": range(config.groups),
            "place": group_place(config),
            "vector": config.core_columns,
        }
    )


class SparseCore(wiring.Component):
    """Keeps the tuples of a core's columns, makes its group tables, compresses its weights.

    Latency: that of :class:`.GroupTables`, and of :class:`.AddressGenerator` plus :class:`.WeightCompressor`.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    tuple : in
        ``core_tuple`` to be kept.
    row_enable, row_address, row : in
        An entry of the row list to be kept.
    tables, tables_done : streams
        ``table_command`` in, a completion each out.
    walk, walk_done : streams
        ``walk_command`` in, a completion each out, when the last weight is written or the last word taken.
    walk_out : In(1)
        1: words go to ``words``; 0: they are compressed.
    words : stream, out
        ``parameter_word``
    table_write_enable, table_write_address, table_write_entry : out
        Of every table entry made.
    parameter_read_enable, parameter_read_address, parameter_data
        The data come ``parameter_latency`` cycles after the address.
    weight_write_enable, weight_write_addresses, weight_write_weights : out
        Of the banks.
    weight_end : out
        First address behind the compressed weights of the layer last put into tables.
    overflow, missing_tuple : Out(1)
        Flags of the two.
    """

    def __init__(self, config: SparseConfig):
        self._config = config
        super().__init__(
            {
                "tuple": In(core_tuple(config)),
                "row_enable": In(1),
                "row_address": In(range(config.row_list)),
                "row": In(range(max(config.rows, 2))),
                "tables": In(stream.Signature(table_command(config))),
                "tables_done": Out(stream.Signature(1)),
                "walk": In(stream.Signature(walk_command(config))),
                "walk_done": Out(stream.Signature(1)),
                "walk_out": In(1),
                "words": Out(stream.Signature(parameter_word(config))),
                "table_write_enable": Out(1),
                "table_write_address": Out(range(2 * config.tuples)),
                "table_write_entry": Out(table_entry(config)),
                "parameter_read_enable": Out(1),
                "parameter_read_address": Out(range(config.parameter_words)),
                "parameter_data": In(data.ArrayLayout(config.weight_width, config.lanes)),
                "weight_write_enable": Out(config.banks),
                "weight_write_addresses": Out(range(config.weight_words)).array(config.banks),
                "weight_write_weights": Out(config.weight_width).array(config.banks),
                "weight_end": Out(range(config.weight_words + 1)),
                "overflow": Out(1),
                "missing_tuple": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.tables = tables = GroupTables(config)
        m.submodules.addresses = addresses = AddressGenerator(config)
        m.submodules.compressor = compressor = WeightCompressor(config)
        self._keep(m, addresses, tables)
        wiring.connect(m, wiring.flipped(self.tables), tables.commands)
        wiring.connect(m, tables.completions, wiring.flipped(self.tables_done))
        wiring.connect(m, wiring.flipped(self.walk), addresses.commands)
        m.d.comb += [
            tables.place_enable.eq(self.tuple.valid),
            tables.place_columns.eq(~self.tuple.transposed),
            tables.place_group.eq(self.tuple.group),
            tables.place.eq(self.tuple.place),
            self.table_write_enable.eq(tables.write_enable),
            self.table_write_address.eq(tables.write_address),
            self.table_write_entry.eq(tables.write_entry),
            self.weight_end.eq(tables.end),
            self.overflow.eq(tables.overflow),
            self.missing_tuple.eq(addresses.missing_tuple),
            # Words go one way or the other.
            self.words.payload.eq(addresses.words.payload),
            self.words.valid.eq(addresses.words.valid & self.walk_out),
            compressor.words.payload.eq(addresses.words.payload),
            compressor.words.valid.eq(addresses.words.valid & ~self.walk_out),
            addresses.words.ready.eq(self.words.ready | ~self.walk_out),
            self.walk_done.valid.eq(addresses.completions.valid & ~compressor.busy),
            self.walk_done.payload.eq(addresses.completions.payload),
            addresses.completions.ready.eq(self.walk_done.ready & ~compressor.busy),
            self.parameter_read_enable.eq(compressor.parameter_read_enable),
            self.parameter_read_address.eq(compressor.parameter_read_address),
            compressor.parameter_data.eq(self.parameter_data),
            self.weight_write_enable.eq(compressor.write_enable),
        ]
        for bank in range(config.banks):
            m.d.comb += [
                self.weight_write_addresses[bank].eq(compressor.write_addresses[bank]),
                self.weight_write_weights[bank].eq(compressor.write_weights[bank]),
            ]
        return m

    def _keep(self, m, addresses, tables):
        """The memories that the address generator reads."""
        config = self._config
        entry = Signal(bit_vector(config))
        m.d.comb += [entry.vector.eq(self.tuple.vector), entry.valid.eq(1)]
        kept = (
            ("table", table_entry(config), 2 * config.tuples),
            ("row", range(max(config.rows, 2)), config.row_list),
            ("vector", bit_vector(config), config.tuples),
        )
        writes = {
            "table": (tables.write_enable, tables.write_address, tables.write_entry),
            "row": (self.row_enable, self.row_address, self.row),
            "vector": (self.tuple.valid & ~self.tuple.transposed, self.tuple.address, entry),
        }
        for name, shape, depth in kept:
            m.submodules[f"{name}_memory"] = memory = Memory(shape=shape, depth=depth, init=[])
            read, write = memory.read_port(), memory.write_port()
            enable, address, word = writes[name]
            m.d.comb += [
                read.en.eq(getattr(addresses, f"{name}_read_enable")),
                read.addr.eq(getattr(addresses, f"{name}_read_address")),
                getattr(addresses, f"{name}_data").eq(read.data),
                write.en.eq(enable),
                write.addr.eq(address),
                write.data.eq(word),
            ]
