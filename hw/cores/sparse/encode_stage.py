"""Second stage of the sparse data engine: lists, tuples and tables of a layer, and its workloads."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..layouts import layout_of_fields, layout_without, take_fields
from ..memory.ports import ReadPort
from .command import ADDRESS_WIDTH, WALKED, sparse_command
from .config import SparseConfig
from .encoder import SparseDataEncoder
from .lists import table_command
from .load_allocation import LoadAllocationUnit
from .max_index import index_word

__all__ = ["WORKLOADS", "EncodeStage", "encode_activity"]

# Results of the load allocation unit for the last layer.
WORKLOADS = ("total", "row_based", "threshold_based", "row_deviation", "threshold_deviation")

encode_activity = data.StructLayout({"loading": 1, "index_miss": 1, "index_hit": 1, "tables": 1})


class EncodeStage(ConfiguredComponent):
    """Encodes a layer, transposes it, has the cores make their tables.

    Workloads are counted while the layer is transposed.

    ::

        command ──> encode ──> count workloads ──> (in the background)
                       └─────> transpose ──> tables of all cores ──> next stage

    Latency: two cycles, and those of the steps: see :class:`.SparseDataEncoder` and :class:`.GroupTables`. The next
    command is taken when the next stage has taken this one.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    commands : stream, in
        ``sparse_command``, of which this stage does ``encode`` and ``transpose``.
    encoded : stream, out
        The same command, for the next stage.
    taken : Out(1)
        There is a command; ``encoded`` has its payload.
    indexes : Out(ReadPort).array(2)
        The index lists: for the encoder, for the load allocation unit.
    row_list, column_lists : out
        See :class:`.BitVectorGenerator`.
    tuples : stream, out, always ready
        ``tuple_layout``
    tables : stream, out
        ``table_command`` for all cores.
    tables_done : In(cores)
        A core's tables are written.
    total, row_based, threshold_based, row_deviation, threshold_deviation : out
        Workloads of the last layer encoded; see :class:`.LoadAllocationUnit`.
    activity : out, ``encode_activity``
        The work of this cycle.
    missing_tuple : Out(1)
        An index names a group that the layer does not have; or the layer to be transposed was not encoded last.

    Source
    ------
    LearningGroup, III-B and III-C.
    """

    def __init__(self, config: SparseConfig):
        self._encoder, self._load = SparseDataEncoder(config), LoadAllocationUnit(config)
        encoded, counted = self._encoder.signature.members, self._load.signature.members
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(sparse_command(config))),
                "encoded": Out(stream.Signature(layout_of_fields(sparse_command(config), WALKED))),
                "taken": Out(1),
                "indexes": Out(ReadPort(index_word(config), config.index_words)).array(2),
                **{name: encoded[name] for name in ("row_list", "column_lists", "tuples")},
                "tables": Out(stream.Signature(table_command(config))),
                "tables_done": In(config.cores),
                **{name: counted[name] for name in WORKLOADS},
                "activity": Out(encode_activity),
                "missing_tuple": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.encoder = encoder = self._encoder
        m.submodules.load_allocation = load = self._load
        command = Signal(layout_without(sparse_command(self.config), "find", "grouping_base"))
        transposing, measuring, mismatch = Signal(), Signal(), Signal()
        # The layer that was encoded last, if any.
        encoded, encoded_base = Signal(), Signal(ADDRESS_WIDTH)
        tables_left = Signal(self.config.cores)
        self._connect(m, command, transposing)
        m.d.comb += mismatch.eq(~encoded | (encoded_base != command.group_base))
        m.d.sync += tables_left.eq(tables_left & ~self.tables_done)
        with m.If(load.completions.valid):
            m.d.sync += measuring.eq(0)
        with m.FSM(name="encode_stage") as stage:
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += take_fields(command, self.commands.payload)
                with m.If(self.commands.valid):
                    m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.sync += transposing.eq(0)
                m.next = "ENCODED"
                with m.If(command.encode):
                    m.next = "ENCODE"
            with m.State("ENCODE"):
                m.d.comb += encoder.commands.valid.eq(1)
                m.next = "ENCODING"
            with m.State("ENCODING"), m.If(encoder.completions.valid):
                m.next = "TABLES"
                with m.If(~transposing):
                    m.d.sync += [encoded.eq(1), encoded_base.eq(command.group_base)]
                    m.next = "MEASURE_LOAD"
            with m.State("MEASURE_LOAD"):
                m.d.comb += load.commands.valid.eq(1)
                m.d.sync += measuring.eq(1)
                m.next = "ENCODED"
            with m.State("ENCODED"):
                m.d.sync += transposing.eq(1)
                m.next = "SETTLE"
                with m.If(command.transpose & ~mismatch):
                    m.next = "ENCODE"
            with m.State("TABLES"):
                m.d.comb += self.tables.valid.eq(1)
                m.d.sync += tables_left.eq(~0)
                m.next = "RANKING"
            with m.State("RANKING"), m.If(tables_left == 0):
                m.next = "SETTLE"
            with m.State("SETTLE"), m.If(~measuring):
                m.d.comb += self.encoded.valid.eq(1)
                with m.If(self.encoded.ready):
                    m.next = "IDLE"
            m.d.comb += [
                self.taken.eq(~stage.ongoing("IDLE")),
                self.activity.tables.eq(stage.ongoing("TABLES") | stage.ongoing("RANKING")),
                self.missing_tuple.eq(
                    encoder.missing_tuple | load.missing_tuple | stage.ongoing("ENCODED") & command.transpose & mismatch
                ),
            ]
        return m

    def _connect(self, m, command, transposing):
        """The command to the units, and what they give to the ports of the same names."""
        encoder, load = self._encoder, self._load
        payload = encoder.commands.payload
        for reader, port in zip((encoder, load), self.indexes, strict=True):
            wiring.connect(m, reader.indexes, wiring.flipped(port))
        for name in ("row_list", "column_lists", "tuples"):
            forward_port(m, encoder, self, name)
        for name in WORKLOADS:
            forward_port(m, load, self, name)
        m.d.comb += [
            payload.transposed.eq(transposing),
            *(payload[name].eq(command[name]) for name in ("groups", "rows", "index_base", "row_base", "column_base")),
            *(count.eq(given) for count, given in zip(payload.columns, command.columns, strict=True)),
            *(load.commands.payload[name].eq(command[name]) for name in ("groups", "rows", "index_base")),
            *(self.tables.payload[name].eq(command[name]) for name in ("groups", "group_base", "weight_base")),
            *take_fields(self.encoded.payload, command),
            encoder.completions.ready.eq(1),
            load.completions.ready.eq(1),
            self.activity.loading.eq(encoder.loading),
            self.activity.index_miss.eq(encoder.missing),
            self.activity.index_hit.eq(encoder.hitting),
        ]
        found = encoder.tuples.payload
        m.d.sync += [
            load.workloads.enable.eq(encoder.tuples.valid & ~found.transposed),
            load.workloads.address.eq(found.group),
            load.workloads.data.eq(sum(found.counts)),
        ]
