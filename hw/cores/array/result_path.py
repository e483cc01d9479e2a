"""From drained sums and rows from outside to the memories: write-back path and gradients."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped

from ..component import ConfiguredComponent
from ..memory.transposable import TransposableReadPort, TransposableWritePort
from ..pipeline import delay
from ..quantization.ports import LookupPort, MonitorPort
from .accumulator import DrainPort
from .config import ACCUMULATOR_WIDTH, WORD_WIDTH
from .core_memories import READ_LATENCY
from .engine_config import ArrayEngineConfig
from .gradient_writeback import GradientWriteback
from .layouts import drained_layout, insertion_layout
from .writeback import WritebackPath
from .writeback_ports import ResultPort

__all__ = ["RESULT_LOOKUPS", "ResultPath"]

# Range slots that are looked up at once: three of the write-back path, and the drained gradient's.
RESULT_LOOKUPS = 4
GRADIENT_LOOKUP = 3
# From the drain of a row to the input of the write-back path: the memories, and the sum over the cores.
ENTRY_LATENCY = READ_LATENCY + 1


class ResultPath(ConfiguredComponent):
    """Path of drained sums: results go through the write-back path, gradients to the gradient memory.

    ::

        drains --> sum over the cores --+--> register --> WritebackPath --> results, monitor
        biases, auxiliary words --------'        |
        insertions (where no row is drained) ----'
                                                 '------> GradientWriteback <--> gradient memory

    Gradients, and with intra-layer parallelism results, are summed over the cores. A row that is inserted passes the
    rescaling unchanged, and is quantised and written as results are. Where no row enters, the write-back path has the
    last one's values and control, so that it rests.

    Latency: ``latency`` cycles from a drained row to its write request, at most as many for a gradient;
    ``insertion_latency`` from an inserted row. Throughput: a row every ``config.interval`` cycles. Back-pressure:
    insertions wait for drained rows.

    Parameters
    ----------
    config : ArrayEngineConfig

    Members
    -------
    drained : In(drained_layout(config))
        Row that is drained in this cycle.
    drain_waits : In(1)
        There are sums that will be drained.
    drains : Out(DrainPort(config.array)).array(cores)
    biases : In(data.ArrayLayout(signed(32), lanes)).array(2)
        The biases of each accumulator buffer.
    activation_words, error_words : In(data.ArrayLayout(32, cores * lanes))
        Auxiliary words, ``READ_LATENCY`` cycles after the drain.
    auxiliary_errors : In(1)
        The row drained in this cycle has its auxiliary words in the error memories.
    insertions : In(stream.Signature(insertion_layout(config)))
        Rows from outside.
    results : Out(ResultPort(config.writeback))
    monitor : Out(MonitorPort(slots, cores, lanes))
    lookups : Out(LookupPort(slots)).array(RESULT_LOOKUPS)
    gradient_read : Out(TransposableReadPort(config.gradients))
    gradient_write : Out(TransposableWritePort(config.gradients))
    result_saturations, code_saturations, gradient_saturations : out
        Values clamped in this cycle.

    Source
    ------
    FIXAR, sections III and V.
    """

    def __init__(self, config: ArrayEngineConfig):
        self._path = WritebackPath(config.writeback)
        self._gradients = GradientWriteback(config.gradients, interval=config.interval)
        words = data.ArrayLayout(WORD_WIDTH, config.cores * config.lanes)
        super().__init__(
            config,
            {
                "drained": In(drained_layout(config)),
                "drain_waits": In(1),
                "drains": Out(DrainPort(config.array)).array(config.cores),
                "biases": In(data.ArrayLayout(signed(WORD_WIDTH), config.lanes)).array(2),
                "activation_words": In(words),
                "error_words": In(words),
                "auxiliary_errors": In(1),
                "insertions": In(stream.Signature(insertion_layout(config))),
                "results": Out(ResultPort(config.writeback)),
                "monitor": Out(MonitorPort(config.slots, config.cores, config.lanes)),
                "lookups": Out(LookupPort(config.slots)).array(RESULT_LOOKUPS),
                "gradient_read": Out(TransposableReadPort(config.gradients)),
                "gradient_write": Out(TransposableWritePort(config.gradients)),
                "result_saturations": Out(range(2 * config.cores * config.lanes + 1)),
                "code_saturations": Out(range(config.cores * config.lanes + 1)),
                "gradient_saturations": Out(range(2 * config.lanes + 1)),
            },
        )

    @property
    def latency(self):
        """Cycles from a drained row until its result is in memory; a gradient is there sooner."""
        return ENTRY_LATENCY + self._path.latency + 1

    @property
    def insertion_latency(self):
        """Cycles from an accepted insertion until it is in memory."""
        return 1 + self._path.latency + 1

    def elaborate(self, platform):
        m = Module()
        m.submodules.path = path = self._path
        m.submodules.gradients = gradients = self._gradients
        assert gradients.latency <= path.latency  # what `latency` promises
        requested = delay(m, self.drained, READ_LATENCY - 1, "requested")
        arrived = delay(m, requested, 1, "arrived")
        row = delay(m, arrived, 1, "row")
        inserted, enters = Signal(), Signal()
        m.d.comb += [
            self.insertions.ready.eq(self._takes_insertion(m, requested, arrived, inserted)),
            inserted.eq(self.insertions.valid & self.insertions.ready),
            enters.eq(arrived.valid | inserted),
        ]
        m.d.sync += path.valid.eq((arrived.valid & ~arrived.gradient) | inserted)
        self._enter_sums(m, requested, arrived, enters)
        self._enter_auxiliary(m, arrived, enters)
        self._control_results(m, arrived, enters)
        self._control_gradients(m, arrived, row)
        for name in ("results", "monitor"):
            connect(m, getattr(path, name), flipped(getattr(self, name)))
        for lookup, outside in zip(path.lookups, self.lookups, strict=False):
            connect(m, lookup, flipped(outside))
        connect(m, gradients.read, flipped(self.gradient_read))
        connect(m, gradients.write, flipped(self.gradient_write))
        m.d.comb += [
            self.result_saturations.eq(path.arithmetic_saturations),
            self.code_saturations.eq(path.quantizer_saturations),
            self.gradient_saturations.eq(gradients.saturations),
        ]
        return m

    def _takes_insertion(self, m, requested, arrived, inserted):
        """Whether the write-back path takes an inserted row in this cycle: one in which no drained row enters."""
        interval = self._config.interval
        if interval == 1:
            return ~arrived.valid
        # Lanes are time-multiplexed: nothing else may enter for `interval` cycles before and after.
        pause = Signal(range(interval))
        with m.If(inserted | arrived.valid):
            m.d.sync += pause.eq(interval - 1)
        with m.Elif(pause != 0):
            m.d.sync += pause.eq(pause - 1)
        drains = self.drain_waits | self.drained.valid | requested.valid | arrived.valid
        return ~drains & (pause == 0)

    def _enter_sums(self, m, requested, arrived, enters):
        """Drained sums, of each core or summed over the cores, or the words of an inserted row."""
        cores, lanes = self._config.cores, self._config.lanes
        combined = Signal()
        m.d.comb += combined.eq(arrived.gradient | arrived.command.intra_layer)
        for drain in self.drains:
            m.d.comb += [
                drain.enable.eq(requested.valid),
                drain.buffer.eq(requested.buffer),
                drain.entry.eq(requested.entry),
            ]
        words = self.insertions.payload.words
        for half in ("low", "high"):
            of_results, of_gradients = getattr(self._path, half), getattr(self._gradients, half)
            for lane in range(lanes):
                drained = [getattr(drain, half)[lane] for drain in self.drains]
                total = Signal(signed(ACCUMULATOR_WIDTH), name=f"total_{half}_{lane}")
                m.d.comb += total.eq(sum(drained[1:], drained[0]))
                # An inserted word passes the full precision rule with a shift of one unchanged.
                word = words[lane].as_signed() << 1 if half == "high" else 0
                for core in range(cores):
                    place = core * lanes + lane
                    entering = Signal(signed(ACCUMULATOR_WIDTH), name=f"{half}_{place}", reset_less=True)
                    with m.If(enters):
                        m.d.sync += entering.eq(Mux(arrived.valid, Mux(combined, total, drained[core]), word))
                    m.d.comb += of_results[place].eq(entering)
                    if core == 0:
                        m.d.comb += of_gradients[lane].eq(entering)

    def _enter_auxiliary(self, m, arrived, enters):
        """The row's biases and auxiliary words."""
        path = self._path
        bias = Mux(arrived.buffer, self.biases[1], self.biases[0])
        uses_errors = delay(m, self.auxiliary_errors, READ_LATENCY, "auxiliary_errors")
        added = Signal.like(path.bias, name="added_bias", reset_less=True)
        auxiliary = Signal.like(path.auxiliary, name="entering_auxiliary", reset_less=True)
        with m.If(enters):
            m.d.sync += [
                added.eq(Mux(arrived.valid & arrived.command.bias, bias, 0)),
                auxiliary.eq(Mux(uses_errors, self.error_words, self.activation_words)),
            ]
        m.d.comb += [path.bias.eq(added), path.auxiliary.eq(auxiliary)]

    def _control_results(self, m, arrived, enters):
        """Controls the row that enters the write-back path."""
        command, inserted = arrived.command, self.insertions.payload
        control = self._path.control.shape()
        of_drained, of_inserted = Signal(control), Signal(control)
        m.d.comb += [
            of_drained.core_mask.eq(-1),
            of_drained.auxiliary_packed.eq(command.packed_auxiliary),
            of_drained.auxiliary_slot.eq(command.input_slot),
            of_drained.store_half.eq(command.quantize),
            *(
                of_drained[name].eq(command[name])
                for name in ("shift", "bias_shift", "operation", "input_slot", "merge", "destination", "output_slot")
            ),
            *(of_drained[name].eq(command[name]) for name in ("monitor", "quantize")),
            *(
                of_drained[name].eq(arrived[name])
                for name in ("sample_valid", "half_rule", "select_high", "auxiliary_high", "lanes", "row", "index")
            ),
            of_drained.parity.eq(arrived.parity),
            of_inserted.core_mask.eq(inserted.cores),
            # A row for every core is counted and monitored once, as the results of a single vector are.
            of_inserted.sample_valid.eq(Mux(inserted.cores.all(), 1, inserted.cores)),
            of_inserted.shift.eq(1),
            of_inserted.store_half.eq(inserted.quantize),
            of_inserted.output_slot.eq(inserted.slot),
            *(of_inserted[name].eq(inserted[name]) for name in ("lanes", "merge", "destination", "row", "index")),
            *(of_inserted[name].eq(inserted[name]) for name in ("parity", "monitor", "quantize")),
        ]
        entering = Signal(control, reset_less=True)
        with m.If(enters):
            m.d.sync += entering.eq(Mux(arrived.valid, of_drained, of_inserted))
        m.d.comb += self._path.control.eq(entering)

    def _control_gradients(self, m, arrived, row):
        """Controls the row of gradients that leaves."""
        command, gradients = row.command, self._gradients
        control, lookup = gradients.control, self.lookups[GRADIENT_LOOKUP]
        first_row = Signal.like(control.row, name="first_row")
        for bank in range(self._config.gradient_banks):
            with m.If(command.bank == bank):
                m.d.comb += first_row.eq(bank * self._config.weight_rows)
        m.d.comb += [
            lookup.slot.eq(arrived.command.input_slot),
            gradients.valid.eq(row.valid & row.gradient),
            control.half_rule.eq(row.half_rule),
            control.select_high.eq(row.select_high),
            control.scale.eq(lookup.parameters.scale),
            control.shift.eq(Mux(row.bias_row & command.half, command.bias_shift, command.shift)),
            control.accumulate.eq(command.accumulate),
            control.column.eq(~row.bias_row),
            control.row.eq(row.row + first_row),
            control.index.eq(row.index),
            control.lane.eq(row.lane),
        ]
