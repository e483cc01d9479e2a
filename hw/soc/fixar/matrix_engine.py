"""The matrix engine: array cores, their memories and accumulators, under one controller."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.array.accumulator import AccumulatorBank
from ...cores.array.config import ACCUMULATOR_WIDTH, ArrayConfig, WritebackConfig
from ...cores.array.core import AdaptiveArrayCore
from ...cores.array.gradient_writeback import gradient_control
from ...cores.array.writeback import WritebackPath
from ...cores.memory.config import TransposableConfig
from ...cores.pipeline import delay
from ...cores.quantization.parameters import slot_parameters
from ..sequencer.layouts import command_layout
from ..shell.engine import error_layout
from .config import FixarConfig
from .core_memories import READ_LATENCY, REQUEST_LATENCY, CoreMemories
from .drain_sequencer import DrainSequencer
from .instructions import INSTRUCTION_SET
from .tile_sequencer import TileSequencer
from .transfer_engine import injected_layout, read_layout

__all__ = ["LOOKUPS", "MatrixEngine", "gradient_config", "weight_read_layout"]

# Range slots looked up at once: three of the write-back path, the streamed tensor's, the drained gradient's.
LOOKUPS = 5
STREAM_LOOKUP, GRADIENT_LOOKUP = 3, 4
# From a drained row to the input of the write-back path: request, memory reads and the sum over the cores.
DRAIN_LATENCY = REQUEST_LATENCY + READ_LATENCY + 1


def weight_read_layout():
    """A weight row wanted in this cycle; its words come ``READ_LATENCY`` cycles later."""
    return data.StructLayout({"enable": 1, "bank": 2, "row": 16})


def gradient_config(config):
    """The gradient memory of a device: the rows of two networks."""
    return TransposableConfig(lanes=config.lanes, rows=2 * config.weight_rows)


class MatrixEngine(wiring.Component):
    """Executes matrix instructions: forward, backward and gradient products of a whole layer and chunk.

    See docs/fixar.md for dataflows, layouts and number formats. One controller (tile and drain sequencers) drives ``N``
    array cores in lockstep; each has its activation and error memory and its accumulators.

    Parameters
    ----------
    config : FixarConfig

    Members
    -------
    commands, completions, busy, errors
        See :class:`..shell.engine.EngineSignature`. ``address_out_of_range``: a row behind the end of an activation,
        error or weight memory; ``overflow``: a result was clamped.
    weight_read : out
        Weight row wanted (``weight_read_layout``); ``weight_words`` follows ``READ_LATENCY`` cycles later.
    gradient_valid, gradient_control, gradient_low, gradient_high : out
        Sums of gradients over the cores, for a :class:`GradientWriteback`.
    injected : stream, in
        Rows to write into activation and error memories, taken when no results are written.
    read : stream, in
        Row of an activation or error memory to read, taken when the memory is free; ``read_data`` follows
        ``READ_LATENCY`` cycles later.
    lookup_slots, lookup_parameters
        Range slots, and their parameters one cycle later.
    monitor_valid, monitor_slot, monitor_values, monitor_mask : out
        Results to record, see :class:`RangeUnit`.
    result_saturations, code_saturations : out
        Values clamped in this cycle.

    Notes
    -----
    A tile takes ``max(L, streamed rows)`` cycles; a dependent instruction waits for its predecessor's drain, ``rows +
    fill_latency + write_latency`` cycles.

    Source: FIXAR (Yang, Hong, Kim, DAC 2021), sections III and V.
    """

    def __init__(self, config: FixarConfig):
        self.config = config
        cores, lanes = config.cores, config.lanes
        self.array_config = ArrayConfig(
            lanes=lanes, accumulator_depth=config.accumulator_depth, activation_fraction=config.activation_fraction
        )
        self.path = WritebackPath(
            WritebackConfig(
                cores=cores,
                lanes=lanes,
                rows=max(config.activation_rows, config.error_rows),
                slots=config.slots,
                activation_fraction=config.activation_fraction,
                interval=config.lane_interval,
            )
        )
        self.arrays = [AdaptiveArrayCore(self.array_config) for _ in range(cores)]
        self.accumulators = [AccumulatorBank(self.array_config) for _ in range(cores)]
        gradients = gradient_config(config)
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(INSTRUCTION_SET, "matrix"))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(error_layout),
                "weight_read": Out(weight_read_layout()),
                "weight_words": In(data.ArrayLayout(32, lanes)),
                "gradient_valid": Out(1),
                "gradient_control": Out(gradient_control(gradients)),
                "gradient_low": Out(signed(ACCUMULATOR_WIDTH)).array(lanes),
                "gradient_high": Out(signed(ACCUMULATOR_WIDTH)).array(lanes),
                "injected": In(stream.Signature(injected_layout(config))),
                "read": In(stream.Signature(read_layout(config))),
                "read_data": Out(data.ArrayLayout(32, lanes)),
                "lookup_slots": Out(range(config.slots)).array(LOOKUPS),
                "lookup_parameters": In(slot_parameters).array(LOOKUPS),
                "monitor_valid": Out(1),
                "monitor_slot": Out(range(config.slots)),
                "monitor_values": Out(signed(32)).array(cores, lanes),
                "monitor_mask": Out(lanes).array(cores),
                "result_saturations": Out(range(2 * cores * lanes + 1)),
                "code_saturations": Out(range(cores * lanes + 1)),
            }
        )

    @property
    def fill_latency(self):
        """Cycles from the last streamed vector of a block until its sums can be read."""
        return READ_LATENCY + self.arrays[0].latency + self.accumulators[0].revisit

    @property
    def write_latency(self):
        """Cycles from a drained row until its result is in memory; a gradient is there sooner."""
        return DRAIN_LATENCY + self.path.latency + 1

    @property
    def inject_latency(self):
        """Cycles from an accepted injected row until it is in memory."""
        return 1 + self.path.latency + 1

    def elaborate(self, platform):
        m = Module()
        m.submodules.tiles = tiles = TileSequencer(self.config)
        m.submodules.drain = drain = DrainSequencer(
            self.config, fill_latency=self.fill_latency, write_latency=self.write_latency
        )
        m.submodules.memories = memories = CoreMemories(self.config)
        m.submodules.path = self.path
        for number in range(self.config.cores):
            m.submodules[f"core_{number}"] = self.arrays[number]
            m.submodules[f"accumulators_{number}"] = self.accumulators[number]

        wiring.connect(m, wiring.flipped(self.commands), tiles.commands)
        m.d.comb += [
            drain.block_valid.eq(tiles.block_valid),
            drain.block.eq(tiles.block),
            drain.block_filled.eq(tiles.block_filled),
            tiles.buffer_busy.eq(drain.buffer_busy),
            tiles.auxiliary_busy.eq(drain.auxiliary_busy),
            tiles.drained.eq(drain.idle),
            self.completions.valid.eq(drain.completed),
            self.busy.eq(~tiles.idle | ~drain.idle | self.commands.valid),
        ]
        self.stationary = delay(m, tiles.stationary, REQUEST_LATENCY, "stationary_request")
        self.streamed = delay(m, tiles.streamed, REQUEST_LATENCY, "streamed_request")
        self.drained = delay(m, drain.drained, REQUEST_LATENCY, "drained_request")
        self.elaborate_reads(m, tiles, drain, memories)
        self.elaborate_arrays(m, tiles, memories)
        self.elaborate_drain(m, drain, memories)
        self.elaborate_writes(m, memories)
        return m

    def elaborate_reads(self, m, tiles, drain, memories):
        """Requests of this cycle to the weight, activation and error memories."""
        m.d.comb += [
            self.weight_read.enable.eq(self.stationary.valid & ~self.stationary.errors),
            self.weight_read.bank.eq(self.stationary.bank),
            self.weight_read.row.eq(self.stationary.row),
            memories.stationary.eq(tiles.stationary),
            memories.streamed.eq(tiles.streamed),
            memories.drained.eq(drain.drained),
            memories.read.payload.eq(self.read.payload),
            memories.read.valid.eq(self.read.valid),
            self.read.ready.eq(memories.read.ready),
            self.read_data.eq(memories.read_data),
        ]

    def elaborate_arrays(self, m, tiles, memories):
        """Words that were read enter the arrays; sums enter the accumulators."""
        cores, lanes = self.config.cores, self.config.lanes
        stationary = delay(m, self.stationary, READ_LATENCY, "stationary")
        streamed = delay(m, self.streamed, READ_LATENCY, "streamed")
        m.d.comb += self.lookup_slots[STREAM_LOOKUP].eq(delay(m, self.streamed.slot, READ_LATENCY - 1, "slot"))
        zero_point = self.lookup_parameters[STREAM_LOOKUP].zero_point

        summed = delay(m, streamed, self.arrays[0].latency, "summed")
        for number in range(cores):
            array, accumulator = self.arrays[number], self.accumulators[number]
            m.d.comb += [
                array.load_enable.eq(stationary.valid & stationary.cores[number]),
                array.load_transposed.eq(stationary.transposed),
                array.load_index.eq(stationary.index),
                array.swap.eq(streamed.valid & streamed.swap),
                array.activation_valid.eq(streamed.valid),
                array.half.eq(streamed.half),
                array.zero_point.eq(zero_point),
                array.constant.eq(streamed.constant),
                accumulator.add_valid.eq(array.sums_valid),
                accumulator.add_first.eq(summed.first),
                accumulator.add_buffer.eq(summed.buffer),
                accumulator.add_index.eq(summed.entry),
            ]
            for lane in range(lanes):
                word = Mux(stationary.errors, memories.error_words[number][lane], self.weight_words[lane])
                m.d.comb += [
                    array.load_words[lane].eq(Mux(stationary.absent[number], 0, word)),
                    array.activations[lane].eq(
                        Mux(
                            streamed.errors, memories.error_words[number][lane], memories.activation_words[number][lane]
                        )
                    ),
                    accumulator.add_low[lane].eq(array.sums_low[lane]),
                    accumulator.add_high[lane].eq(array.sums_high[lane]),
                ]

        # Biases are staged as they arrive and belong to a buffer once its block begins.
        staged = Signal(data.ArrayLayout(signed(32), lanes), reset_less=True)
        with m.If(stationary.valid & stationary.bias):
            m.d.sync += staged.eq(self.weight_words)
        self.biases = [
            Signal(data.ArrayLayout(signed(32), lanes), name=f"bias_{buffer}", reset_less=True) for buffer in range(2)
        ]
        commit = delay(m, tiles.commit_bias, REQUEST_LATENCY + READ_LATENCY + 1, "commit")
        commit_buffer = delay(m, tiles.commit_buffer, REQUEST_LATENCY + READ_LATENCY + 1, "commit_buffer")
        for buffer in range(2):
            with m.If(commit & (commit_buffer == buffer)):
                m.d.sync += self.biases[buffer].eq(staged)

    def elaborate_drain(self, m, drain, memories):
        """Drained sums meet their auxiliary words and enter the write-back path, or leave as gradients."""
        cores, lanes = self.config.cores, self.config.lanes
        path = self.path
        requested = delay(m, self.drained, READ_LATENCY - 1, "requested")
        arrived = delay(m, requested, 1, "arrived")
        row = delay(m, arrived, 1, "row")
        combined = Signal()
        m.d.comb += [
            combined.eq(arrived.gradient | arrived.command.intra_layer),
            self.lookup_slots[GRADIENT_LOOKUP].eq(arrived.command.input_slot),
        ]
        for accumulator in self.accumulators:
            m.d.comb += [
                accumulator.drain_enable.eq(requested.valid),
                accumulator.drain_buffer.eq(requested.buffer),
                accumulator.drain_index.eq(requested.entry),
            ]

        # What enters the path is registered. Words to inject stand there wherever no row is drained.
        injected = self.injected.payload
        inject = Signal()
        m.d.comb += [
            self.injected.ready.eq(self.injection_slot(m, drain, requested, arrived, inject)),
            inject.eq(self.injected.valid & self.injected.ready),
            self.gradient_valid.eq(row.valid & row.gradient),
        ]
        m.d.sync += path.valid.eq((arrived.valid & ~arrived.gradient) | inject)
        for lane in range(lanes):
            for half in ("low", "high"):
                drained = [getattr(accumulator, f"drain_{half}")[lane] for accumulator in self.accumulators]
                total = Signal(signed(ACCUMULATOR_WIDTH), name=f"total_{half}_{lane}")
                m.d.comb += total.eq(sum(drained[1:], drained[0]))
                # An injected word passes the full precision rule with a shift of one unchanged.
                word = injected.words[lane].as_signed() << 1 if half == "high" else 0
                for number in range(cores):
                    register = Signal(
                        signed(ACCUMULATOR_WIDTH), name=f"drained_{half}_{number}_{lane}", reset_less=True
                    )
                    m.d.sync += register.eq(Mux(arrived.valid, Mux(combined, total, drained[number]), word))
                    m.d.comb += getattr(path, half)[number][lane].eq(register)
                    if number == 0:
                        m.d.comb += getattr(self, f"gradient_{half}")[lane].eq(register)
            bias = Mux(arrived.buffer, self.biases[1][lane], self.biases[0][lane])
            added = Mux(arrived.valid & arrived.command.bias, bias, 0)
            m.d.comb += path.bias[lane].eq(delay(m, added, 1, f"added_bias_{lane}"))

        uses_errors = delay(m, memories.auxiliary_errors, READ_LATENCY, "auxiliary_errors")
        for number in range(cores):
            for lane in range(lanes):
                word = Mux(uses_errors, memories.error_words[number][lane], memories.activation_words[number][lane])
                m.d.comb += path.auxiliary[number][lane].eq(delay(m, word, 1, f"auxiliary_{number}_{lane}"))
        self.elaborate_control(m, arrived, row, injected)

    def injection_slot(self, m, drain, requested, arrived, inject):
        """Whether the write-back path takes an injected row in this cycle."""
        interval = self.config.lane_interval
        if interval == 1:
            return ~arrived.valid
        # Lanes take turns: nothing else may enter for `interval` cycles before and after.
        assert interval <= self.fill_latency
        pause = Signal(range(interval))
        with m.If(inject | arrived.valid):
            m.d.sync += pause.eq(interval - 1)
        with m.Elif(pause != 0):
            m.d.sync += pause.eq(pause - 1)
        drains = drain.buffer_busy.any() | self.drained.valid | requested.valid | arrived.valid
        return ~drains & (pause == 0)

    def elaborate_control(self, m, arrived, row, injected):
        """What happens to the row that enters the write-back path, or to the gradients that leave."""
        command = arrived.command
        drained = Signal(self.path.control.shape())
        inserted = Signal(self.path.control.shape())
        m.d.comb += [
            drained.core_mask.eq(-1),
            drained.sample_valid.eq(arrived.sample_valid),
            drained.half_rule.eq(arrived.half_rule),
            drained.select_high.eq(arrived.select_high),
            drained.shift.eq(command.shift),
            drained.bias_shift.eq(command.bias_shift),
            drained.operation.eq(command.operation),
            drained.input_slot.eq(command.input_slot),
            drained.auxiliary_packed.eq(command.packed_auxiliary),
            drained.auxiliary_high.eq(arrived.auxiliary_high),
            drained.auxiliary_slot.eq(command.input_slot),
            drained.lanes.eq(arrived.lanes),
            drained.merge.eq(command.merge),
            drained.destination.eq(command.destination),
            drained.row.eq(arrived.row),
            drained.index.eq(arrived.index),
            drained.store_half.eq(command.quantize),
            drained.parity.eq(arrived.parity),
            drained.output_slot.eq(command.output_slot),
            drained.monitor.eq(command.monitor),
            drained.quantize.eq(command.quantize),
            inserted.core_mask.eq(injected.cores),
            # A row for every core is counted and monitored once, as the results of a single vector are.
            inserted.sample_valid.eq(Mux(injected.cores.all(), 1, injected.cores)),
            inserted.shift.eq(1),
            inserted.lanes.eq(injected.lanes),
            inserted.merge.eq(injected.merge),
            inserted.destination.eq(injected.destination),
            inserted.row.eq(injected.row),
            inserted.index.eq(injected.index),
            inserted.store_half.eq(injected.quantize),
            inserted.parity.eq(injected.parity),
            inserted.output_slot.eq(injected.slot),
            inserted.monitor.eq(injected.monitor),
            inserted.quantize.eq(injected.quantize),
        ]
        entering = Signal(self.path.control.shape(), reset_less=True)
        m.d.sync += entering.eq(Mux(arrived.valid, drained, inserted))
        m.d.comb += self.path.control.eq(entering)
        command = row.command
        control = self.gradient_control
        network = Signal(range(2 * self.config.weight_rows))
        m.d.comb += [
            network.eq(Mux(command.bank[0], self.config.weight_rows, 0)),
            control.half_rule.eq(row.half_rule),
            control.select_high.eq(row.select_high),
            control.scale.eq(self.lookup_parameters[GRADIENT_LOOKUP].scale),
            control.shift.eq(Mux(row.bias_row & command.half, command.bias_shift, command.shift)),
            control.accumulate.eq(command.accumulate),
            control.column.eq(~row.bias_row),
            control.row.eq(row.row + network),
            control.index.eq(row.index),
            control.lane.eq(row.lane),
        ]

    def elaborate_writes(self, m, memories):
        """Results enter the memories; counts and ranges go outside."""
        path = self.path
        m.d.comb += [
            memories.write_enable.eq(path.write_enable),
            memories.write_destination.eq(path.write_destination),
            memories.write_row.eq(path.write_row),
            memories.write_index.eq(path.write_index),
            memories.write_half.eq(path.write_half),
            memories.write_parity.eq(path.write_parity),
            memories.write_mask.eq(path.write_mask),
            self.monitor_valid.eq(path.monitor_valid),
            self.monitor_slot.eq(path.monitor_slot),
            self.result_saturations.eq(path.arithmetic_saturations),
            self.code_saturations.eq(path.quantizer_saturations),
        ]
        m.d.sync += [
            self.errors.overflow.eq(path.arithmetic_saturations != 0),
            self.errors.address_out_of_range.eq(
                memories.out_of_range | (self.weight_read.enable & (self.weight_read.row >= self.config.weight_rows))
            ),
        ]
        for number in range(self.config.cores):
            m.d.comb += self.monitor_mask[number].eq(path.monitor_mask[number])
            for lane in range(self.config.lanes):
                m.d.comb += [
                    memories.write_data[number][lane].eq(path.write_data[number][lane]),
                    self.monitor_values[number][lane].eq(path.monitor_values[number][lane]),
                ]
        for lookup in range(3):
            m.d.comb += [
                self.lookup_slots[lookup].eq(path.lookup_slots[lookup]),
                path.lookup_parameters[lookup].eq(self.lookup_parameters[lookup]),
            ]
