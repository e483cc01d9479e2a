"""The sparse data engine: weight grouping, lists and compression of one layer after another."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..replicated import replicated
from .address_generator import parameter_word
from .command import ADDRESS_WIDTH, STEPS, check_command, sparse_command
from .config import SparseConfig
from .core import SparseCore
from .encoder import SparseDataEncoder
from .index_reader import blocks_of
from .lists import table_entry
from .load_allocation import LoadAllocationUnit, workload_shape
from .max_index import MaxIndexUnit, index_word

__all__ = ["COUNTERS", "SparseDataEngine", "counters_layout", "sparse_errors"]

# Where the cycles of a layer go.
COUNTERS = ("max_index", "loading", "index_miss", "index_hit", "tables", "compression")

sparse_errors = data.StructLayout(
    {"too_many_groups": 1, "address_out_of_range": 1, "missing_tuple": 1, "not_a_number": 1}
)
counters_layout = data.StructLayout(dict.fromkeys(COUNTERS, 32))


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

    Three stages work on three commands at a time: one finds maxima, one encodes (transposed, too, with the tables), one
    compresses and walks. A command goes through all of them, and waits before the first while another one of its layer
    (of its ``group_base``) is under way. Memories of different layers must not overlap.

    Cycles: for R rows, N columns and G groups, with L lanes, about ``(R / L + N / L) * G`` to find the maxima, at most
    ``N / L + R + N + 3 G`` to encode, ``R / L + R + N + 3 G`` transposed, ``2 G`` for the tables, and a cycle for each
    word of L weights that has an unmasked one to compress, all cores at once. ``counters`` has what they were, those of
    stages that worked at a time besides one another.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    commands : stream, in
        ``sparse_command``
    completions : stream, out
        One for each command, in order, when everything is in the memories.
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
        # The command of each stage.
        self.find_command, self.encode_command, self.walk_command = (
            Signal(sparse_command(config), name=f"{stage}_command") for stage in ("find", "encode", "walk")
        )
        # Words of a row of each core.
        self.row_words = [
            Signal(range(config.core_blocks + 1), name=f"row_words_{core}") for core in range(config.cores)
        ]
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
        """A command goes from stage to stage; one that is ahead and of the same layer keeps it out of the first."""
        counted = {name: Signal(name=f"count_{name}") for name in COUNTERS}
        # Of the stages behind the first: there is a command, and the one before may give its own.
        encode_taken, walk_taken, to_encode, to_walk = (
            Signal(name=name) for name in ("encode_taken", "walk_taken", "to_encode", "to_walk")
        )
        same_layer = Signal()
        m.d.comb += same_layer.eq(
            encode_taken & (self.encode_command.group_base == self.find_command.group_base)
            | walk_taken & (self.walk_command.group_base == self.find_command.group_base)
        )
        self._find_stage(m, counted, same_layer, to_encode, encode_taken)
        mismatch = self._encode_stage(m, counted, to_encode, encode_taken, to_walk, walk_taken)
        self._walk_stage(m, counted, to_walk, walk_taken)
        m.d.comb += [
            self.busy.eq(~self.commands.ready | encode_taken | walk_taken),
            self.errors.missing_tuple.eq(
                mismatch
                | self.encoder.missing_tuple
                | self.load.missing_tuple
                | Cat(core.missing_tuple for core in self.cores).any()
            ),
        ]
        with m.If(Cat(core.overflow for core in self.cores).any()):
            m.d.comb += self.errors.address_out_of_range.eq(1)
        for name, enable in counted.items():
            counter = Signal(32, name=f"counter_{name}")
            m.d.comb += self.counters[name].eq(counter)
            m.d.sync += counter.eq(Mux(self.clear_counters, 0, counter + enable))

    def _find_stage(self, m, counted, same_layer, to_encode, encode_taken):
        command = self.find_command
        too_many, outside, self.grouping_words = check_command(m, self._config, command)
        m.d.comb += counted["max_index"].eq(self.finding)
        with m.FSM(name="find_stage"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += command.eq(self.commands.payload)
                with m.If(self.commands.valid):
                    m.next = "MEASURE"
            with m.State("MEASURE"):
                m.next = "MULTIPLY"
            with m.State("MULTIPLY"):
                m.next = "CHECK"
            with m.State("CHECK"):
                m.d.comb += [self.errors.too_many_groups.eq(too_many), self.errors.address_out_of_range.eq(outside)]
                with m.If(too_many | outside):
                    m.d.sync += [command[step].eq(0) for step in STEPS]
                m.next = "HOLD"
            with m.State("HOLD"), m.If(~same_layer):
                m.next = "GIVE"
                with m.If(command.find):
                    m.next = "FIND"
            with m.State("FIND"):
                m.d.comb += self.finding.eq(1)
                with m.If(self.found):
                    m.next = "GIVE"
            with m.State("GIVE"):
                m.d.comb += to_encode.eq(~encode_taken)
                with m.If(to_encode):
                    m.d.sync += self.encode_command.eq(command)
                    m.next = "IDLE"

    def _encode_stage(self, m, counted, given, taken, to_walk, walk_taken):
        """Returns whether a layer is to be transposed that was not the last encoded one."""
        config, command = self._config, self.encode_command
        encoded = Signal()
        encoded_base = Signal(ADDRESS_WIDTH)
        measuring = Signal()
        mismatch = Signal()
        tables_left = Signal(config.cores)
        m.d.comb += [
            self.encoder.completions.ready.eq(1),
            self.load.completions.ready.eq(1),
            counted["loading"].eq(self.encoder.loading),
            counted["index_miss"].eq(self.encoder.missing),
            counted["index_hit"].eq(self.encoder.hitting),
        ]
        with m.If(self.load.completions.valid):
            m.d.sync += measuring.eq(0)
        for core, left in enumerate(tables_left):
            m.d.comb += self.cores[core].tables_done.ready.eq(1)
            with m.If(self.cores[core].tables_done.valid):
                m.d.sync += left.eq(0)
        with m.FSM(name="encode_stage") as stage:
            with m.State("IDLE"), m.If(given):
                m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.sync += self.transposing.eq(0)
                m.next = "ENCODED"
                with m.If(command.encode):
                    m.next = "ENCODE"
            with m.State("ENCODE"):
                m.d.comb += self.encoder.commands.valid.eq(1)
                m.next = "ENCODING"
            with m.State("ENCODING"), m.If(self.encoder.completions.valid):
                m.next = "TABLES"
                with m.If(~self.transposing):
                    m.d.sync += [encoded.eq(1), encoded_base.eq(command.group_base)]
                    m.next = "MEASURE_LOAD"
            with m.State("MEASURE_LOAD"):
                m.d.comb += self.load.commands.valid.eq(1)
                m.d.sync += measuring.eq(1)
                m.next = "ENCODED"
            with m.State("ENCODED"):
                m.d.sync += self.transposing.eq(1)
                m.next = "SETTLE"
                with m.If(command.transpose):
                    m.d.comb += mismatch.eq(~encoded | (encoded_base != command.group_base))
                    with m.If(~mismatch):
                        m.next = "ENCODE"
            with m.State("TABLES"):
                m.d.comb += [self.start_tables.eq(1), counted["tables"].eq(1)]
                m.d.sync += tables_left.eq(~0)
                m.next = "RANKING"
            with m.State("RANKING"):
                m.d.comb += counted["tables"].eq(1)
                with m.If(tables_left == 0):
                    m.next = "SETTLE"
            with m.State("SETTLE"), m.If(~measuring & ~walk_taken):
                m.d.comb += to_walk.eq(1)
                m.d.sync += self.walk_command.eq(command)
                m.d.sync += [
                    words.eq(blocks_of(config, command.columns[core])) for core, words in enumerate(self.row_words)
                ]
                m.next = "IDLE"
            m.d.comb += taken.eq(~stage.ongoing("IDLE"))
        return mismatch

    def _walk_stage(self, m, counted, given, taken):
        config, command = self._config, self.walk_command
        walks_left = Signal(config.cores)
        for core, left in enumerate(walks_left):
            m.d.comb += self.cores[core].walk_done.ready.eq(1)
            with m.If(self.cores[core].walk_done.valid):
                m.d.sync += left.eq(0)
        with m.FSM(name="walk_stage") as stage:
            with m.State("IDLE"), m.If(given):
                m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.sync += [self.walking_out.eq(~command.compress), command.compress.eq(0)]
                m.next = "COMPLETE"
                with m.If(command.compress):
                    m.next = "WALK"
                with m.Elif(command.walk):
                    m.d.sync += command.walk.eq(0)
                    m.next = "WALK"
            with m.State("WALK"):
                m.d.comb += [self.start_walk.eq(1), counted["compression"].eq(~self.walking_out)]
                m.d.sync += walks_left.eq(~0)
                m.next = "WALKING"
            with m.State("WALKING"):
                m.d.comb += counted["compression"].eq(~self.walking_out)
                with m.If(walks_left == 0):
                    m.next = "BEGIN"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
            m.d.comb += taken.eq(~stage.ongoing("IDLE"))

    def _find(self, m):
        """Words of grouping matrices through the max-index unit, into the index lists."""
        config, command, unit = self._config, self.find_command, self.max_index
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
        config, command, encoder = self._config, self.encode_command, self.encoder
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
            address.eq(self.encode_command.group_base + found.group),
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
        config, encoded, walked = self._config, self.encode_command, self.walk_command
        for number, core in enumerate(self.cores):
            m.d.comb += [
                core.row_enable.eq(self.row_write_enable),
                core.row_address.eq(self.row_write_address),
                core.row.eq(self.row_write),
                core.tables.valid.eq(self.start_tables),
                core.tables.payload.groups.eq(encoded.groups),
                core.tables.payload.group_base.eq(encoded.group_base),
                core.tables.payload.weight_base.eq(encoded.weight_base),
                core.walk.valid.eq(self.start_walk),
                core.walk.payload.groups.eq(walked.groups),
                core.walk.payload.group_base.eq(walked.group_base),
                core.walk.payload.parameter_base.eq(walked.parameter_base),
                core.walk.payload.row_words.eq(self.row_words[number]),
                core.walk.payload.every_word.eq(walked.every_word & self.walking_out),
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
