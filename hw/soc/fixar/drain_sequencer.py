"""Back half of the matrix engine: walks the finished sums out of the accumulators."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .config import FixarConfig
from .instructions import Dataflow, Destination, Operation
from .tile_sequencer import ROW_WIDTH, VECTORS_WIDTH, block_layout, matrix_layout

__all__ = ["DrainSequencer", "drained_layout", "reads_activations", "reads_errors"]


def drained_layout(config):
    """One row of sums leaving the accumulators, and where its results go."""
    return data.StructLayout(
        {
            "valid": 1,
            "command": matrix_layout,
            "buffer": 1,
            "entry": range(config.accumulator_depth),
            "gradient": 1,
            "half_rule": 1,
            "select_high": 1,
            "sample_valid": config.cores,
            "row": ROW_WIDTH,
            "index": range(config.lanes),
            "lane": range(config.lanes),
            "lanes": range(config.lanes + 1),
            "bias_row": 1,  # gradient of the biases: written as a row
            "parity": 1,
            "auxiliary_row": ROW_WIDTH,
            "auxiliary_index": range(config.lanes),
            "auxiliary_high": 1,
        }
    )


def reads_activations(operation):
    """Whether the auxiliary words of an operation are in the activation memories."""
    return (operation == Operation.RELU_GRADIENT) | (operation == Operation.TANH_GRADIENT)


def reads_errors(operation):
    """Whether the auxiliary words of an operation are in the error memories."""
    return (
        (operation == Operation.TEMPORAL_DIFFERENCE_TARGET)
        | (operation == Operation.DIFFERENCE)
        | (operation == Operation.TANH_NOISE)
    )


class DrainSequencer(wiring.Component):
    """Drains finished output blocks, one row of sums a cycle, in the order in which they were filled.

    Forward and backward blocks give a row a sample (in half precision the low and the high sums of an entry are two
    samples); gradient blocks give a column of the gradient memory an input, and last the row of bias gradients.

    Parameters
    ----------
    config : FixarConfig
    fill_latency : int
        Cycles from ``block_filled`` until all sums of the block can be read.
    write_latency : int
        Cycles from a drained row until its result is in memory.

    Members
    -------
    block_valid, block : in
        Announces a block (``block_layout``).
    block_filled : in
        Pulses when the last vector of an announced block is streamed.
    drained : out
        The row of this cycle (``drained_layout``).
    buffer_busy : out
        Buffers with announced blocks that are not drained.
    auxiliary_busy : out
        Announced or active blocks read the activation memories (bit 0), the error memories (bit 1).
    idle : out
        Nothing is announced or under way and every result is written.
    completed : out
        Pulses when the last result of an instruction is written.

    Notes
    -----
    One row a cycle. Source: FIXAR, section V-A (accumulator and write-back).
    """

    def __init__(self, config: FixarConfig, *, fill_latency: int, write_latency: int):
        self.config = config
        self.fill_latency = fill_latency
        self.write_latency = write_latency
        super().__init__(
            {
                "block_valid": In(1),
                "block": In(block_layout(config)),
                "block_filled": In(1),
                "drained": Out(drained_layout(config)),
                "buffer_busy": Out(2),
                "auxiliary_busy": Out(2),
                "idle": Out(1),
                "completed": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        blocks = [Signal(block_layout(self.config), name=f"block_{number}", reset_less=True) for number in range(2)]
        busy = Signal(2)
        active = Signal()
        tick = Signal()
        buffer = Signal()
        ends = Signal()

        announced = self.block_valid << self.block.buffer
        kept = Signal(2)
        m.d.comb += kept.eq(busy & ~((active & ends) << buffer))
        m.d.sync += busy.eq(kept | announced)
        m.d.comb += self.buffer_busy.eq(busy)
        # Which memories the drains of both buffers read, known as early as that they are busy.
        operation = self.block.command.operation
        use = Cat(reads_activations(operation), reads_errors(operation))
        uses = [Signal(2, name=f"use_{number}") for number in range(2)]
        with m.If(self.block_valid):
            for number in range(2):
                with m.If(self.block.buffer == number):
                    m.d.sync += [blocks[number].eq(self.block), uses[number].eq(use)]
        still_used = [Mux(kept[number], uses[number], 0) for number in range(2)]
        m.d.sync += self.auxiliary_busy.eq(still_used[0] | still_used[1] | Mux(self.block_valid, use, 0))

        # Where lanes take turns, a row follows the one before after `lane_interval` cycles.
        pause = Signal(range(self.config.lane_interval))
        turn = Signal(init=1)
        m.d.comb += tick.eq(active & turn)
        if self.config.lane_interval > 1:
            with m.If(tick):
                m.d.sync += [pause.eq(self.config.lane_interval - 1), turn.eq(0)]
            with m.Elif(~turn):
                m.d.sync += [pause.eq(pause - 1), turn.eq(pause == 1)]

        # The sums of a block are complete a fixed time after its last vector.
        filling = Signal(self.fill_latency)
        m.d.sync += filling.eq(Cat(self.block_filled, filling))
        ready = Signal(range(3))
        start = Signal()
        # What a block starts with is worked out the cycle after it is known which one follows.
        prepared = Signal()
        m.d.sync += [ready.eq(ready + filling[-1] - start), prepared.eq(~start)]
        m.d.comb += start.eq((ready != 0) & prepared & (~active | ends))
        following = Signal()
        m.d.sync += following.eq(following ^ start)
        block = Signal(block_layout(self.config), reset_less=True)
        upcoming = Signal(block_layout(self.config))
        m.d.comb += upcoming.eq(Mux(following, *reversed(blocks)))
        with m.If(start):
            m.d.sync += [active.eq(1), buffer.eq(following), block.eq(upcoming)]
        with m.Elif(ends):
            m.d.sync += active.eq(0)

        self.elaborate_rows(m, block, tick, ends, start, upcoming)
        m.d.comb += self.drained.buffer.eq(buffer)

        written = Signal(self.write_latency)
        finishing = Signal(self.write_latency)
        m.d.sync += [
            written.eq(Cat(active, written)),
            finishing.eq(Cat(active & ends & block.last, finishing)),
        ]
        m.d.comb += self.completed.eq(finishing[-1])
        m.d.sync += self.idle.eq(~self.block_valid & ~busy.any() & ~active & ~written.any())
        return m

    def elaborate_rows(self, m, block, tick, ends, start, upcoming):
        lanes = self.config.lanes
        command = block.command
        out = self.drained
        is_gradient = Signal()
        packed = Signal()
        m.d.comb += [
            is_gradient.eq(command.dataflow == Dataflow.GRADIENT),
            packed.eq(command.half & (command.dataflow != Dataflow.BACKWARD)),
        ]

        entry = Signal(range(self.config.accumulator_depth))
        high = Signal()
        sample = Signal(10)
        lane = Signal(range(lanes + 1))
        row = Signal(ROW_WIDTH)
        auxiliary_row = Signal(ROW_WIDTH)
        whole_index = Signal(range(lanes))
        # Rows after this one; the end is known a row ahead, for much depends on it.
        remaining = Signal(VECTORS_WIDTH)
        final = Signal()
        constant = Signal()
        last_neuron = Signal()
        absent = Signal()
        m.d.comb += [
            ends.eq(tick & final),
            constant.eq(is_gradient & command.bias & final),
            last_neuron.eq(is_gradient & command.bias & (remaining == 1)),
        ]
        # A packed row of the activation memory holds two samples: its address moves with every other one.
        packed_destination = Signal()
        packed_auxiliary = Signal()
        m.d.comb += [
            packed_destination.eq(command.quantize & (command.destination == Destination.ACTIVATION)),
            packed_auxiliary.eq(command.packed_auxiliary),
        ]
        odd = Signal()
        m.d.comb += odd.eq(sample[0])
        wrap = Signal()
        half_index = Signal(range(lanes))
        with m.If(tick):
            m.d.sync += [
                sample.eq(sample + 1),
                remaining.eq(remaining - 1),
                final.eq(remaining == 1),
                absent.eq(0),
                # The dummy partner of an odd last input is passed over.
                high.eq(packed & ~high & ~last_neuron),
            ]
            with m.If(~packed | high | last_neuron):
                m.d.sync += entry.eq(entry + 1)
            with m.If(is_gradient):
                m.d.sync += lane.eq(lane + 1)
                with m.If(lane == lanes - 1):
                    m.d.sync += [lane.eq(0), row.eq(row + lanes)]
            with m.Else():
                with m.If(~packed_destination | odd):
                    m.d.sync += row.eq(row + 1)
                with m.If(~packed_auxiliary | odd):
                    m.d.sync += auxiliary_row.eq(auxiliary_row + 1)
                m.d.comb += wrap.eq(whole_index == lanes - 1)
                m.d.sync += whole_index.eq(Mux(wrap, 0, whole_index + 1))
                with m.If(odd):
                    m.d.sync += half_index.eq(Mux(half_index == lanes - 1, 0, half_index + 1))

        # Where the block that follows begins.
        place, instruction = upcoming.block, upcoming.command
        first = Signal(11)
        first_lane = Signal.like(lane)
        first_row = Signal(ROW_WIDTH)
        first_auxiliary_row = Signal(ROW_WIDTH)
        further = Signal(VECTORS_WIDTH)
        m.d.comb += first.eq(Cat(instruction.first[0] & ~instruction.half, instruction.first[1:]))
        m.d.sync += [
            first_lane.eq(first),
            first_auxiliary_row.eq(instruction.auxiliary_base + place * instruction.auxiliary_stride),
        ]
        with m.If(instruction.dataflow == Dataflow.GRADIENT):
            m.d.sync += [
                first_row.eq(instruction.weight_base + place * instruction.outer_stride),
                further.eq(instruction.last - first + instruction.bias - 1),
            ]
        with m.Else():
            m.d.sync += [
                first_row.eq(instruction.destination_base + place * instruction.destination_stride),
                further.eq(instruction.samples - 1),
            ]
        with m.If(start):
            m.d.sync += [
                entry.eq(0),
                high.eq(0),
                sample.eq(0),
                remaining.eq(further),
                final.eq(further == 0),
                # In half precision an odd first input has a partner before it that is none of the block's.
                absent.eq((instruction.dataflow == Dataflow.GRADIENT) & instruction.half & instruction.first[0]),
                lane.eq(first_lane),
                whole_index.eq(0),
                half_index.eq(0),
                row.eq(first_row),
                auxiliary_row.eq(first_auxiliary_row),
            ]
        m.d.comb += [
            out.valid.eq(tick & ~absent),
            out.command.eq(command),
            out.entry.eq(entry),
            out.gradient.eq(is_gradient),
            out.half_rule.eq(packed & ~constant),
            out.select_high.eq(high),
            out.row.eq(Mux(is_gradient & constant, command.bias_base + block.block, row)),
            out.index.eq(
                Mux(is_gradient, Mux(constant, block.index, 0), Mux(packed_destination, half_index, whole_index))
            ),
            out.lane.eq(lane),
            out.lanes.eq(Mux(block.last, command.lanes, lanes)),
            out.bias_row.eq(constant),
            out.parity.eq(odd),
            out.auxiliary_row.eq(auxiliary_row),
            out.auxiliary_index.eq(Mux(packed_auxiliary, half_index, whole_index)),
            out.auxiliary_high.eq(packed_auxiliary & odd),
        ]
        for number in range(self.config.cores):
            # A single vector is the same on every core: it is counted and monitored once.
            m.d.comb += out.sample_valid[number].eq(
                Mux(command.intra_layer, number == 0, sample < command.samples - (command.full_cores <= number))
            )
