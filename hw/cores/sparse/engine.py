"""The sparse data engine: weight grouping, lists and compression of one layer after another."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import connect_port, forward_port
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..replicated import replicated
from .command import sparse_command
from .config import SparseConfig
from .core import SparseCore
from .encode_stage import WORKLOADS, EncodeStage
from .find_stage import FindStage
from .max_index import index_word
from .walk_stage import WalkStage

__all__ = ["COUNTERS", "SparseDataEngine", "counters_layout", "sparse_errors"]

# Where the cycles of a layer go.
COUNTERS = ("max_index", "loading", "index_miss", "index_hit", "tables", "compression")
# Ports of a core that are the engine's, an array of cores each, by the engine's names.
CORE_PORTS = {
    "read_row_lists": "read_row_lists",
    "read_column_lists": "read_column_lists",
    "read_tables": "read_tables",
    "parameters": "parameters",
    "weights": "weights",
    "words": "words",
    "weight_ends": "weight_end",
}

sparse_errors = data.StructLayout(
    {"too_many_groups": 1, "address_out_of_range": 1, "missing_tuple": 1, "not_a_number": 1}
)
counters_layout = data.StructLayout(dict.fromkeys(COUNTERS, 32))


class SparseDataEngine(ConfiguredComponent):
    """Makes all sparse data of a network's layers from their grouping matrices, and compresses their weights.

    ::

        commands ──> FindStage ──> EncodeStage ──> WalkStage ──> completions
                       │     ▲       ▲     │           │
        grouping ──────┘     └─ hold │     │           │
                     index lists ────┘     │           │
                                 lists, tuples       walks
                                           ▼           ▼
                          SparseCore for each core: lists, tables ──> weights, words

    Memories that it reads:

    * ``grouping``, the grouping matrices. From ``grouping_base`` on, for each block of ``lanes`` rows one word a group:
      the values of these rows for group 0, 1, ...; then likewise the columns of core 0, core 1, ..., each core's from a
      word of its own. Lanes after the last row or column hold zeros.
    * ``parameters`` of each core. From ``parameter_base`` on, row after row, the own columns in words of ``lanes``.

    It makes, each from its base on, the row list (the same for all cores), and for each core column list, tables
    (at ``2 * group_base``: see :class:`.GroupTables`) and banks of compressed weights. Lists and tables stay inside,
    and others read them through ports; so do index lists (from ``index_base``, in words) and tuples (from
    ``group_base``). A layer's data stay until something is written over them, so any layer can be compressed or walked
    again.

    Three stages work on three commands at a time: one finds maxima, one encodes (also transposed, with the tables), one
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
        rows or columns or too many, or something ends past its memory. Either way nothing is done; compressed weights
        are found not to fit after their tables are made: those groups are left out. ``missing_tuple``: an index names a
        group that the layer does not have; a layer is compressed before it was encoded; a layer is transposed that
        was not the last encoded one. ``not_a_number``: there is a NaN in a grouping matrix.
    grouping : Out(ReadPort)
    parameters : Out(ReadPort).array(cores)
        The data come ``parameter_latency`` cycles after the address.
    read_row_lists, read_column_lists, read_tables : In(ReadPort).array(cores, LIST_READERS)
        All cores have the same row list.
    weights : Out(WritePort).array(cores, banks)
    words : streams, out, array of ``cores``
        ``parameter_word`` of the step ``walk``.
    weight_ends : out, array of ``cores``
        First address after the compressed weights of the last layer that was transposed.
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
        cores = config.cores
        self._find, self._encode, self._walk = FindStage(config), EncodeStage(config), WalkStage(config)
        self._cores = [replicated(SparseCore(config), name="sparse_core") for _ in range(cores)]
        of_core, encoded = self._cores[0].signature.members, self._encode.signature.members
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(sparse_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(sparse_errors),
                "grouping": self._find.signature.members["grouping"],
                **{name: of_core[port].array(cores) for name, port in CORE_PORTS.items()},
                **{name: encoded[name] for name in WORKLOADS},
                "counters": Out(counters_layout),
                "clear_counters": In(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.find = find = self._find
        m.submodules.encode = encode = self._encode
        m.submodules.walk = walk = self._walk
        m.submodules.index_lists = indexes = Memory(
            index_word(self.config), MemoryConfig(depth=self.config.index_words, readers=2)
        )
        wiring.connect(m, find.indexes, indexes.write)
        for port, read in zip(encode.indexes, indexes.reads, strict=True):
            wiring.connect(m, port, read)
        wiring.connect(m, wiring.flipped(self.commands), find.commands)
        wiring.connect(m, find.checked, encode.commands)
        wiring.connect(m, encode.encoded, walk.commands)
        wiring.connect(m, walk.completions, wiring.flipped(self.completions))
        for part, names in ((find, ("grouping",)), (encode, WORKLOADS)):
            for name in names:
                forward_port(m, part, self, name)
        layer = find.checked.payload.group_base
        m.d.comb += [
            # A command of the same layer is ahead.
            find.hold.eq(
                encode.taken & (encode.encoded.payload.group_base == layer) | walk.taken & (walk.group_base == layer)
            ),
            self.busy.eq(~self.commands.ready | encode.taken | walk.taken),
        ]
        self._report(m, find, encode, walk)
        self._tuples(m, encode)
        self._connect_cores(m, encode, walk)
        return m

    def _report(self, m, find, encode, walk):
        """Errors and counters."""
        overflow = Cat(core.overflow for core in self._cores).any()
        missing = Cat(core.missing_tuple for core in self._cores).any()
        m.d.comb += [
            self.errors.too_many_groups.eq(find.errors.too_many_groups),
            self.errors.address_out_of_range.eq(find.errors.address_out_of_range | overflow),
            self.errors.not_a_number.eq(find.errors.not_a_number),
            self.errors.missing_tuple.eq(encode.missing_tuple | missing),
        ]
        spent = {"max_index": find.finding, "compression": walk.compressing}
        for name in COUNTERS:
            enable = spent[name] if name in spent else encode.activity[name]
            counter = Signal(32, name=f"counter_{name}")
            m.d.comb += self.counters[name].eq(counter)
            m.d.sync += counter.eq(Mux(self.clear_counters, 0, counter + enable))

    def _tuples(self, m, encode):
        """Each core keeps its part of a tuple, a cycle later: its own columns, or the rows of all."""
        config, found = self.config, encode.tuples.payload
        for number, core in enumerate(self._cores):
            tuple_ = core.tuples.payload
            m.d.sync += [
                core.tuples.valid.eq(encode.tuples.valid),
                tuple_.transposed.eq(found.transposed),
                tuple_.address.eq(encode.encoded.payload.group_base + found.group),
                tuple_.group.eq(found.group),
                tuple_.place.start.eq(Mux(found.transposed, found.starts[0], found.starts[number])),
                tuple_.place.count.eq(Mux(found.transposed, found.counts[0], found.counts[number])),
                tuple_.vector.eq(found.vector.word_select(number, config.core_columns)),
            ]

    def _connect_cores(self, m, encode, walk):
        """Commands and entries of the lists to the cores; their ports outside."""
        cores = self._cores
        m.d.comb += [
            encode.tables.ready.eq(Cat(core.tables.ready for core in cores).all()),
            encode.tables_done.eq(Cat(core.tables_done.valid for core in cores)),
            walk.walks_done.eq(Cat(core.walks_done.valid for core in cores)),
        ]
        for number, core in enumerate(cores):
            m.submodules[f"core_{number}"] = core
            wiring.connect(m, encode.row_list, core.row_list)
            wiring.connect(m, encode.column_lists[number], core.column_list)
            wiring.connect(m, walk.walks[number], core.walks)
            m.d.comb += [
                core.tables.valid.eq(encode.tables.valid),
                core.tables.payload.eq(encode.tables.payload),
                core.tables_done.ready.eq(1),
                core.walks_done.ready.eq(1),
                core.walk_out.eq(walk.walk_out),
            ]
            for name, port in CORE_PORTS.items():
                connect_port(m, getattr(core, port), getattr(self, name)[number], core.signature.members[port].flow)
