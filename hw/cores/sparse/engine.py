"""The sparse data engine: weight grouping, lists and compression of one layer after another."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..replicated import replicated
from .address_generator import parameter_word
from .config import SparseConfig
from .core import SparseCore
from .encoder import SparseDataEncoder
from .index_reader import blocks_of
from .lists import table_entry
from .load_allocation import LoadAllocationUnit, workload_shape
from .max_index import MaxIndexUnit, index_word

__all__ = ["COUNTERS", "SparseDataEngine", "counters_layout", "sparse_command", "sparse_errors"]

ADDRESS_WIDTH = 20
COUNT_WIDTH = 16
# Where the cycles of a layer go.
COUNTERS = ("max_index", "loading", "index_miss", "index_hit", "tables", "compression")

sparse_errors = data.StructLayout(
    {"too_many_groups": 1, "address_out_of_range": 1, "missing_tuple": 1, "not_a_number": 1}
)
counters_layout = data.StructLayout(dict.fromkeys(COUNTERS, 32))


def sparse_command(config):
    """A layer and the stages to go through, in this order: ``find`` the indexes of the maxima, ``encode``,
    ``transpose`` (encode transposed, then write the tables), ``compress`` the weights, ``walk`` them (words go to
    ``words``; ``every_word``: masked ones, too).

    Fields are wider than what fits, so that what does not fit is seen.
    """
    bases = ("grouping", "index", "group", "row", "column", "weight", "parameter")
    return data.StructLayout(
        dict.fromkeys(("find", "encode", "transpose", "compress", "walk", "every_word"), 1)
        | {"groups": 8, "rows": COUNT_WIDTH, "columns": data.ArrayLayout(COUNT_WIDTH, config.cores)}
        | {f"{name}_base": ADDRESS_WIDTH for name in bases}
    )


class SparseDataEngine(wiring.Component):
    """Makes all sparse data of a network's layers from their grouping matrices, and compresses their weights.

    Memories that it reads (data come one cycle after the address and stay until the next read):

    * grouping matrices. From ``grouping_base`` on, for each block of ``lanes`` rows one word a group: the values of
      these rows for group 0, 1, ...; then likewise the columns of core 0, core 1, ..., each core's from a word of its
      own. Lanes behind the last row or column hold zeros.
    * parameters of each core. From ``parameter_base`` on, row after row, the own columns in words of ``lanes``.

    Memories that it writes, each from its base on: the row list (the same for all cores), and for each core column
    list, tables (at ``2 * group_base``: see :class:`.GroupTables`) and banks of compressed weights. Index lists (from
    ``index_base``, in words) and tuples (from ``group_base``) stay inside. What was made of a layer stays until
    something is written over it, so any layer can be compressed or walked again.

    Cycles: for R rows, N columns and G groups, with L lanes, about ``(R / L + N / L) * G`` to find the maxima, at most
    ``N / L + R + N + 3 G`` to encode, ``R / L + R + N + 3 G`` transposed, ``2 G`` for the tables, and a cycle for each
    word of L weights that has an unmasked one to compress, all cores at once. ``counters`` has what they were.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    commands : stream, in
        ``sparse_command``; one at a time.
    completions : stream, out
        One for each command, when everything is in the memories.
    busy : Out(1)
    errors : out, ``sparse_errors``
        ``too_many_groups``: the groups are none, or more than there can be. ``address_out_of_range``: the layer has no
        rows or columns or too many, or something ends behind its memory. Either way nothing is done; compressed weights
        are found not to fit after their tables are made: those groups are left out. ``missing_tuple``: an index names a
        group that the layer does not have; a layer is compressed before it was encoded; a layer is transposed that
        was not the last encoded one. ``not_a_number``: there is a NaN in a grouping matrix.
    grouping_read_enable, grouping_read_address, grouping_data
    row_write_enable, row_write_address, row_write : out
        Row list.
    column_write_enable, column_write_address, column_write : out, arrays of ``cores``
        Column lists.
    table_write_enable, table_write_address, table_write_entry : out, arrays of ``cores``
    parameter_read_enable, parameter_read_address, parameter_data : arrays of ``cores``
        The data come ``parameter_latency`` cycles after the address.
    weight_write_enable, weight_write_addresses, weight_write_weights : out, arrays of ``cores`` (and ``banks``)
    words : streams, out, array of ``cores``
        ``parameter_word`` of the stage ``walk``.
    weight_ends : out, array of ``cores``
        First address behind the compressed weights of the last layer that was transposed.
    total, row_based, threshold_based, row_deviation, threshold_deviation : out
        Workloads of the last layer encoded; see :class:`.LoadAllocationUnit`.
    counters : out, ``counters_layout``
        Cycles since ``clear_counters``.
    clear_counters : In(1)

    Source
    ------
    LearningGroup, III-B and III-C.
    """

    def __init__(self, config: SparseConfig):
        self._config = config
        cores, banks = config.cores, config.banks
        workload = workload_shape(config)
        deviation = range(config.rows * config.positions * cores + 1)
        super().__init__(
            {
                "commands": In(stream.Signature(sparse_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(sparse_errors),
                "grouping_read_enable": Out(1),
                "grouping_read_address": Out(range(config.grouping_words)),
                "grouping_data": In(data.ArrayLayout(config.value_width, config.lanes)),
                "row_write_enable": Out(1),
                "row_write_address": Out(range(config.row_list)),
                "row_write": Out(range(max(config.rows, 2))),
                "column_write_enable": Out(1).array(cores),
                "column_write_address": Out(range(config.column_list)).array(cores),
                "column_write": Out(range(config.core_columns)).array(cores),
                "table_write_enable": Out(1).array(cores),
                "table_write_address": Out(range(2 * config.tuples)).array(cores),
                "table_write_entry": Out(table_entry(config)).array(cores),
                "parameter_read_enable": Out(1).array(cores),
                "parameter_read_address": Out(range(config.parameter_words)).array(cores),
                "parameter_data": In(data.ArrayLayout(config.weight_width, config.lanes)).array(cores),
                "weight_write_enable": Out(banks).array(cores),
                "weight_write_addresses": Out(range(config.weight_words)).array(cores, banks),
                "weight_write_weights": Out(config.weight_width).array(cores, banks),
                "words": Out(stream.Signature(parameter_word(config))).array(cores),
                "weight_ends": Out(range(config.weight_words + 1)).array(cores),
                "total": Out(workload),
                "row_based": Out(workload).array(cores),
                "threshold_based": Out(workload).array(cores),
                "row_deviation": Out(deviation),
                "threshold_deviation": Out(deviation),
                "counters": Out(counters_layout),
                "clear_counters": In(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.max_index = self.max_index = MaxIndexUnit(config)
        m.submodules.encoder = self.encoder = SparseDataEncoder(config)
        m.submodules.load_allocation = self.load = LoadAllocationUnit(config)
        self.cores = [replicated(SparseCore(config), name="sparse_core") for _ in range(config.cores)]
        for number, core in enumerate(self.cores):
            m.submodules[f"core_{number}"] = core
        self.command = Signal(sparse_command(config))
        self.finding = Signal()
        self.found = Signal()
        self.transposing = Signal()
        self.start_tables = Signal()
        self.start_walk = Signal()
        self.walking_out = Signal()
        self._control(m)
        self._find(m)
        self._lists(m)
        self._tuples(m)
        self._connect_cores(m)
        return m

    def _control(self, m):
        """One stage after another."""
        config, command = self._config, self.command
        stages = ("find", "encode", "transpose", "compress", "walk")
        pending = Signal(len(stages))
        too_many, outside = self._check(m)
        encoded = Signal()
        encoded_base = Signal(ADDRESS_WIDTH)
        measuring = Signal()
        mismatch = Signal()
        tables_left, walks_left = Signal(config.cores), Signal(config.cores)
        counted = {name: Signal(name=f"count_{name}") for name in COUNTERS}
        m.d.comb += [
            self.busy.eq(~self.commands.ready),
            self.encoder.completions.ready.eq(1),
            self.load.completions.ready.eq(1),
            counted["max_index"].eq(self.finding),
            counted["loading"].eq(self.encoder.loading),
            counted["index_miss"].eq(self.encoder.missing),
            counted["index_hit"].eq(self.encoder.hitting),
        ]
        with m.If(self.load.completions.valid):
            m.d.sync += measuring.eq(0)
        for core, (tables, walk) in enumerate(zip(tables_left, walks_left, strict=True)):
            m.d.comb += [self.cores[core].tables_done.ready.eq(1), self.cores[core].walk_done.ready.eq(1)]
            with m.If(self.cores[core].tables_done.valid):
                m.d.sync += tables.eq(0)
            with m.If(self.cores[core].walk_done.valid):
                m.d.sync += walk.eq(0)

        with m.FSM(name="stages"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                given = self.commands.payload
                m.d.sync += [
                    command.eq(given),
                    pending.eq(Cat(given[stage] for stage in stages)),
                ]
                with m.If(self.commands.valid):
                    m.next = "MEASURE"
            with m.State("MEASURE"):
                m.next = "MULTIPLY"
            with m.State("MULTIPLY"):
                m.next = "CHECK"
            with m.State("CHECK"):
                m.d.comb += [self.errors.too_many_groups.eq(too_many), self.errors.address_out_of_range.eq(outside)]
                m.next = "STAGE"
                with m.If(too_many | outside):
                    m.next = "COMPLETE"
            with m.State("STAGE"):
                m.d.sync += pending.eq(pending & (pending - 1))
                m.d.sync += [self.transposing.eq(~pending[1]), self.walking_out.eq(~pending[3])]
                m.next = "SETTLE"
                for stage, state in reversed(list(enumerate(("FIND", "ENCODE", "TRANSPOSE", "WALK", "WALK")))):
                    with m.If(pending[stage]):
                        m.next = state
            with m.State("FIND"):
                m.d.comb += self.finding.eq(1)
                with m.If(self.found):
                    m.next = "STAGE"
            with m.State("TRANSPOSE"):
                m.d.comb += mismatch.eq(~encoded | (encoded_base != command.group_base))
                m.next = "ENCODE"
                with m.If(mismatch):
                    m.next = "STAGE"
            with m.State("ENCODE"):
                m.d.comb += self.encoder.commands.valid.eq(1)
                m.next = "ENCODING"
            with m.State("ENCODING"):
                with m.If(self.encoder.completions.valid):
                    m.next = "TABLES"
                    with m.If(~self.transposing):
                        m.d.sync += [encoded.eq(1), encoded_base.eq(command.group_base)]
                        m.next = "MEASURE_LOAD"
            with m.State("MEASURE_LOAD"):
                m.d.comb += self.load.commands.valid.eq(1)
                m.d.sync += measuring.eq(1)
                m.next = "STAGE"
            with m.State("TABLES"):
                m.d.comb += [self.start_tables.eq(1), counted["tables"].eq(1)]
                m.d.sync += tables_left.eq(~0)
                m.next = "RANKING"
            with m.State("RANKING"):
                m.d.comb += counted["tables"].eq(1)
                with m.If(tables_left == 0):
                    m.next = "STAGE"
            with m.State("WALK"):
                m.d.comb += [self.start_walk.eq(1), counted["compression"].eq(~self.walking_out)]
                m.d.sync += walks_left.eq(~0)
                m.next = "WALKING"
            with m.State("WALKING"):
                m.d.comb += counted["compression"].eq(~self.walking_out)
                with m.If(walks_left == 0):
                    m.next = "STAGE"
            with m.State("SETTLE"):
                with m.If(~measuring):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"

        m.d.comb += self.errors.missing_tuple.eq(
            mismatch
            | self.encoder.missing_tuple
            | self.load.missing_tuple
            | Cat(core.missing_tuple for core in self.cores).any()
        )
        with m.If(Cat(core.overflow for core in self.cores).any()):
            m.d.comb += self.errors.address_out_of_range.eq(1)
        for name, enable in counted.items():
            counter = Signal(32, name=f"counter_{name}")
            m.d.comb += self.counters[name].eq(counter)
            m.d.sync += counter.eq(Mux(self.clear_counters, 0, counter + enable))

    def _check(self, m):
        """``(too many groups, out of range)``, three cycles after the command was taken."""
        config, command = self._config, self.command
        row_blocks = Signal(COUNT_WIDTH)
        core_blocks = [Signal(COUNT_WIDTH, name=f"core_blocks_{core}") for core in range(config.cores)]
        parameter_words = [Signal(2 * COUNT_WIDTH, name=f"parameter_words_{core}") for core in range(config.cores)]
        blocks = Signal(COUNT_WIDTH + 8)
        grouping_words = Signal(COUNT_WIDTH + 16)
        m.d.sync += [
            row_blocks.eq(blocks_of(config, command.rows)),
            blocks.eq(row_blocks + sum(core_blocks)),
            grouping_words.eq((row_blocks + sum(core_blocks)) * command.groups),
        ]
        for core in range(config.cores):
            m.d.sync += [
                core_blocks[core].eq(blocks_of(config, command.columns[core])),
                parameter_words[core].eq(core_blocks[core] * command.rows),
            ]
        self.core_blocks, self.grouping_words = core_blocks, grouping_words
        walks = command.compress | command.walk
        reasons = [
            command.rows == 0,
            command.rows > config.rows,
            ~Cat(count != 0 for count in command.columns).any(),
            command.find & (command.grouping_base + grouping_words > config.grouping_words),
            command.index_base + blocks > config.index_words,
            command.group_base + command.groups > config.tuples,
            command.row_base + command.rows > config.row_list,
            command.weight_base >= config.weight_words,
        ]
        for core in range(config.cores):
            reasons += [
                command.columns[core] > config.core_columns,
                command.column_base + command.columns[core] > config.column_list,
                walks & (command.parameter_base + parameter_words[core] > config.parameter_words),
            ]
        too_many, outside = Signal(), Signal()
        m.d.comb += [
            too_many.eq((command.groups == 0) | (command.groups > config.groups)),
            outside.eq(Cat(reasons).any()),
        ]
        return too_many, outside

    def _find(self, m):
        """Words of grouping matrices through the max-index unit, into the index lists."""
        config, command, unit = self._config, self.command, self.max_index
        left = Signal(self.grouping_words.shape())
        group = Signal(range(config.groups))
        arrived = Signal()
        last = Signal()
        address = Signal(range(config.grouping_words))
        running = Signal()
        index_address = Signal(range(config.index_words))
        m.d.sync += running.eq(self.finding & ~self.found)
        with m.If(self.finding & ~running):
            m.d.sync += [left.eq(self.grouping_words), group.eq(0), address.eq(command.grouping_base)]
            m.d.sync += index_address.eq(command.index_base)
        m.d.comb += [
            self.grouping_read_enable.eq(running & (left != 0) & (~arrived | unit.words.ready)),
            self.grouping_read_address.eq(address),
            unit.words.valid.eq(arrived),
            unit.words.payload.values.eq(self.grouping_data),
            unit.words.payload.last.eq(last),
            unit.indexes.ready.eq(1),
            self.found.eq(running & (left == 0) & ~arrived & ~unit.indexes.valid),
            self.errors.not_a_number.eq(unit.indexes.valid & unit.indexes.payload.not_a_number.any()),
        ]
        with m.If(self.grouping_read_enable):
            m.d.sync += [
                arrived.eq(1),
                left.eq(left - 1),
                address.eq(address + 1),
                last.eq(group + 1 == command.groups),
                group.eq(Mux(group + 1 == command.groups, 0, group + 1)),
            ]
        with m.Elif(unit.words.ready):
            m.d.sync += arrived.eq(0)
        # One port to write, and one each for the encoder and the load allocation unit to read.
        m.submodules.index_memory = memory = Memory(shape=index_word(config), depth=config.index_words, init=[])
        write = memory.write_port()
        m.d.comb += [
            write.en.eq(unit.indexes.valid),
            write.addr.eq(index_address),
            write.data.eq(unit.indexes.payload.indexes),
        ]
        with m.If(unit.indexes.valid):
            m.d.sync += index_address.eq(index_address + 1)
        for reader in (self.encoder, self.load):
            read = memory.read_port()
            m.d.comb += [
                read.en.eq(reader.read_enable),
                read.addr.eq(reader.read_address),
                reader.read_data.eq(read.data),
            ]

    def _lists(self, m):
        """Commands of encoder and load allocation unit; what the encoder lists goes to the list of its owner."""
        config, command, encoder = self._config, self.command, self.encoder
        payload, listed = encoder.commands.payload, encoder.listed
        m.d.comb += [
            payload.transposed.eq(self.transposing),
            payload.groups.eq(command.groups),
            payload.rows.eq(command.rows),
            payload.index_base.eq(command.index_base),
            payload.row_base.eq(command.row_base),
            payload.column_base.eq(command.column_base),
            self.load.commands.payload.groups.eq(command.groups),
            self.load.commands.payload.rows.eq(command.rows),
            self.load.commands.payload.index_base.eq(command.index_base),
            self.row_write_enable.eq(listed.valid & listed.transposed),
            self.row_write_address.eq(listed.address),
            self.row_write.eq(listed.feature),
        ]
        for core in range(config.cores):
            m.d.comb += [
                payload.columns[core].eq(command.columns[core]),
                self.column_write_enable[core].eq(listed.valid & ~listed.transposed & (listed.core == core)),
                self.column_write_address[core].eq(listed.address),
                self.column_write[core].eq(listed.feature),
                self.row_based[core].eq(self.load.row_based[core]),
                self.threshold_based[core].eq(self.load.threshold_based[core]),
            ]
        m.d.comb += [
            self.total.eq(self.load.total),
            self.row_deviation.eq(self.load.row_deviation),
            self.threshold_deviation.eq(self.load.threshold_deviation),
        ]

    def _tuples(self, m):
        """Each core keeps its part of a tuple; the load allocation unit gets the workload of all."""
        config, found = self._config, self.encoder.tuple
        address = Signal(range(config.tuples))
        workload = Signal(range(config.positions + 1))
        m.d.comb += [
            address.eq(self.command.group_base + found.group),
            workload.eq(sum(found.counts[core] for core in range(config.cores))),
        ]
        m.d.sync += [
            self.load.workload_enable.eq(found.valid & ~found.transposed),
            self.load.workload_group.eq(found.group),
            self.load.workload.eq(workload),
        ]
        for number, core in enumerate(self.cores):
            place = Signal(core.tuple.place.shape(), name=f"place_{number}")
            m.d.comb += [
                place.start.eq(Mux(found.transposed, found.starts[0], found.starts[number])),
                place.count.eq(Mux(found.transposed, found.counts[0], found.counts[number])),
            ]
            m.d.sync += [
                core.tuple.valid.eq(found.valid),
                core.tuple.transposed.eq(found.transposed),
                core.tuple.address.eq(address),
                core.tuple.group.eq(found.group),
                core.tuple.place.eq(place),
                core.tuple.vector.eq(found.vector.word_select(number, config.core_columns)),
            ]

    def _connect_cores(self, m):
        config, command = self._config, self.command
        for number, core in enumerate(self.cores):
            m.d.comb += [
                core.row_enable.eq(self.row_write_enable),
                core.row_address.eq(self.row_write_address),
                core.row.eq(self.row_write),
                core.tables.valid.eq(self.start_tables),
                core.tables.payload.groups.eq(command.groups),
                core.tables.payload.group_base.eq(command.group_base),
                core.tables.payload.weight_base.eq(command.weight_base),
                core.walk.valid.eq(self.start_walk),
                core.walk.payload.groups.eq(command.groups),
                core.walk.payload.group_base.eq(command.group_base),
                core.walk.payload.parameter_base.eq(command.parameter_base),
                core.walk.payload.row_words.eq(self.core_blocks[number]),
                core.walk.payload.every_word.eq(command.every_word & self.walking_out),
                core.walk_out.eq(self.walking_out),
                self.table_write_enable[number].eq(core.table_write_enable),
                self.table_write_address[number].eq(core.table_write_address),
                self.table_write_entry[number].eq(core.table_write_entry),
                self.parameter_read_enable[number].eq(core.parameter_read_enable),
                self.parameter_read_address[number].eq(core.parameter_read_address),
                core.parameter_data.eq(self.parameter_data[number]),
                self.weight_write_enable[number].eq(core.weight_write_enable),
                self.weight_ends[number].eq(core.weight_end),
                self.words[number].valid.eq(core.words.valid),
                self.words[number].payload.eq(core.words.payload),
                core.words.ready.eq(self.words[number].ready),
            ]
            for bank in range(config.banks):
                m.d.comb += [
                    self.weight_write_addresses[number][bank].eq(core.weight_write_addresses[bank]),
                    self.weight_write_weights[number][bank].eq(core.weight_write_weights[bank]),
                ]
