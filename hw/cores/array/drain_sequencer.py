"""Back half of the array matrix engine: walks the finished sums out of the accumulators."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .block_queue import BlockQueue
from .commands import ROW_WIDTH, Dataflow, Destination
from .engine_config import ArrayEngineConfig
from .layouts import VECTORS_WIDTH, block_layout, drained_layout

__all__ = ["DrainSequencer"]


class DrainSequencer(ConfiguredComponent):
    """Drains finished output blocks in the order in which they were filled, a row of sums every ``interval`` cycles.

    ::

        block -> BlockQueue -> upcoming block -> place in it -> drained row
                     ^------------- ended ----------'

    Forward and backward blocks give a row a sample (in half precision the low and the high sums of an entry are two
    samples); gradient blocks give a column of the gradient memory an input, and last the row of bias gradients.

    Latency: the first row is drained ``fill_latency`` + 1 cycles after ``block_filled``, if nothing else is. No
    back-pressure.

    Parameters
    ----------
    config : ArrayEngineConfig
    fill_latency : int
        Cycles from ``block_filled`` until all sums of the block can be read.
    write_latency : int
        Cycles from a drained row until its result is in memory.

    Members
    -------
    block_valid, block : in
        Announces a block (``block_layout``).
    block_filled : In(1)
        Pulses when the last vector of an announced block is streamed.
    drained : Out(drained_layout(config))
        The row of this cycle.
    buffer_busy : Out(2)
        Buffers with announced blocks that are not drained.
    auxiliary_busy : Out(2)
        Announced or active blocks read the activation memories (bit 0), the error memories (bit 1).
    idle : Out(1)
        Nothing is announced or under way and every result is written.
    completed : Out(1)
        Pulses when the last result of a command is written.

    Source
    ------
    FIXAR, section V-A (accumulator and write-back).
    """

    def __init__(self, config: ArrayEngineConfig, *, fill_latency: int, write_latency: int):
        self._fill_latency, self._write_latency = fill_latency, write_latency
        super().__init__(
            config,
            {
                "block_valid": In(1),
                "block": In(block_layout(config)),
                "block_filled": In(1),
                "drained": Out(drained_layout(config)),
                "buffer_busy": Out(2),
                "auxiliary_busy": Out(2),
                "idle": Out(1),
                "completed": Out(1),
            },
        )

    @property
    def fill_latency(self):
        """Cycles from ``block_filled`` until all sums of the block can be read."""
        return self._fill_latency

    @property
    def write_latency(self):
        """Cycles from a drained row until its result is in memory."""
        return self._write_latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = BlockQueue(self._config, fill_latency=self._fill_latency)
        block = Signal(block_layout(self._config), reset_less=True)
        place = Signal(_place_layout(self._config))
        row_now, ends = Signal(), Signal()
        m.d.comb += [
            queue.announced.eq(self.block_valid),
            queue.block.eq(self.block),
            queue.filled.eq(self.block_filled),
            queue.ended.eq(ends),
            self.buffer_busy.eq(queue.buffer_busy),
            self.auxiliary_busy.eq(queue.auxiliary_busy),
            row_now.eq(queue.active & self._may_drain(m, row_now)),
            ends.eq(row_now & place.final),
        ]
        with m.If(row_now):
            m.d.sync += place.eq(self._following_place(m, block.command, place))
        first = self._first_place(m, queue.upcoming)
        with m.If(queue.begin):
            m.d.sync += [block.eq(queue.upcoming), place.eq(first)]
        m.d.comb += [self.drained.valid.eq(row_now & ~place.absent), self.drained.buffer.eq(queue.buffer)]
        self._describe_row(m, block, place)

        written = Signal(self._write_latency)
        finishing = Signal(self._write_latency)
        m.d.sync += [
            written.eq(Cat(queue.active, written)),
            finishing.eq(Cat(queue.active & ends & block.last, finishing)),
            self.idle.eq(~queue.waiting & ~written.any()),
        ]
        m.d.comb += self.completed.eq(finishing[-1])
        return m

    def _may_drain(self, m, row_now):
        """Where lanes are time-multiplexed, a row follows the one before after ``interval`` cycles."""
        interval = self._config.interval
        may = Signal(init=1)
        if interval > 1:
            pause = Signal(range(interval))
            with m.If(row_now):
                m.d.sync += [pause.eq(interval - 1), may.eq(0)]
            with m.Elif(~may):
                m.d.sync += [pause.eq(pause - 1), may.eq(pause == 1)]
        return may

    def _first_place(self, m, block):
        """Where the upcoming block begins: strides, their products and the sums, each registered."""
        command = block.command
        place = Signal(_place_layout(self._config), name="first_place")
        first_input = Signal(11)
        is_gradient = command.dataflow == Dataflow.GRADIENT
        rows, lane, auxiliary_row, further = (
            Signal(ROW_WIDTH, name="first_row"),
            Signal.like(place.lane, name="first_lane"),
            Signal(ROW_WIDTH, name="first_auxiliary_row"),
            Signal(VECTORS_WIDTH, name="further_rows"),
        )
        number, stride, auxiliary_stride, products = (
            Signal.like(block.block, name="upcoming_block"),
            Signal(ROW_WIDTH, name="upcoming_stride"),
            Signal(ROW_WIDTH, name="upcoming_auxiliary_stride"),
            Signal(data.ArrayLayout(ROW_WIDTH, 2), name="upcoming_products"),
        )
        m.d.sync += [
            number.eq(block.block),
            stride.eq(Mux(is_gradient, command.outer_stride, command.destination_stride)),
            auxiliary_stride.eq(command.auxiliary_stride),
            products[0].eq(number * stride),
            products[1].eq(number * auxiliary_stride),
            rows.eq(Mux(is_gradient, command.weight_base, command.destination_base) + products[0]),
            auxiliary_row.eq(command.auxiliary_base + products[1]),
            lane.eq(first_input),
            further.eq(Mux(is_gradient, command.last - first_input + command.bias, command.samples) - 1),
        ]
        m.d.comb += [
            first_input.eq(Cat(command.first[0] & ~command.half, command.first[1:])),
            place.remaining.eq(further),
            place.final.eq(further == 0),
            # In half precision an odd first input has a partner before it that is none of the block's.
            place.absent.eq(is_gradient & command.half & command.first[0]),
            place.lane.eq(lane),
            place.row.eq(rows),
            place.auxiliary_row.eq(auxiliary_row),
        ]
        return place

    def _following_place(self, m, command, place):
        """The place of the row after this one."""
        lanes = self._config.lanes
        following = Signal.like(place, name="following_place")
        is_gradient = command.dataflow == Dataflow.GRADIENT
        last_input = Signal()
        m.d.comb += [
            last_input.eq(is_gradient & command.bias & (place.remaining == 1)),
            following.eq(place),
            following.sample.eq(place.sample + 1),
            following.remaining.eq(place.remaining - 1),
            following.final.eq(place.remaining == 1),
            following.absent.eq(0),
            # The dummy partner of an odd last input is passed over.
            following.high.eq(_is_packed(command) & ~place.high & ~last_input),
        ]
        with m.If(~_is_packed(command) | place.high | last_input):
            m.d.comb += following.entry.eq(place.entry + 1)
        with m.If(is_gradient):
            m.d.comb += following.lane.eq(place.lane + 1)
            with m.If(place.lane == lanes - 1):
                m.d.comb += [following.lane.eq(0), following.row.eq(place.row + lanes)]
        with m.Else():
            # A packed row of the activation memory holds two samples: its address moves with every other one.
            odd = place.sample[0]
            with m.If(~_packs_results(command) | odd):
                m.d.comb += following.row.eq(place.row + 1)
            with m.If(~command.packed_auxiliary | odd):
                m.d.comb += following.auxiliary_row.eq(place.auxiliary_row + 1)
            m.d.comb += following.index.eq(Mux(place.index == lanes - 1, 0, place.index + 1))
            with m.If(odd):
                m.d.comb += following.half_index.eq(Mux(place.half_index == lanes - 1, 0, place.half_index + 1))
        return following

    def _describe_row(self, m, block, place):
        """The row that is drained in this cycle."""
        command, out = block.command, self.drained
        odd = place.sample[0]
        is_gradient, constant = Signal(), Signal()
        m.d.comb += [
            is_gradient.eq(command.dataflow == Dataflow.GRADIENT),
            constant.eq(is_gradient & command.bias & place.final),
            out.command.eq(command),
            out.entry.eq(place.entry),
            out.gradient.eq(is_gradient),
            out.half_rule.eq(_is_packed(command) & ~constant),
            out.select_high.eq(place.high),
            out.row.eq(Mux(is_gradient & constant, command.bias_base + block.block, place.row)),
            out.lane.eq(place.lane),
            out.lanes.eq(Mux(block.last, command.lanes, self._config.lanes)),
            out.bias_row.eq(constant),
            out.parity.eq(odd),
            out.auxiliary_row.eq(place.auxiliary_row),
            out.auxiliary_index.eq(Mux(command.packed_auxiliary, place.half_index, place.index)),
            out.auxiliary_high.eq(command.packed_auxiliary & odd),
        ]
        with m.If(is_gradient):
            m.d.comb += out.index.eq(Mux(constant, block.index, 0))
        with m.Else():
            m.d.comb += out.index.eq(Mux(_packs_results(command), place.half_index, place.index))
        for number in range(self._config.cores):
            # A single vector is the same on every core: it is counted and monitored once.
            samples = command.samples - (command.full_cores <= number)
            m.d.comb += out.sample_valid[number].eq(Mux(command.intra_layer, number == 0, place.sample < samples))


def _place_layout(config):
    """A row of a block that is drained."""
    return data.StructLayout(
        {
            "entry": range(config.accumulator_depth),
            "high": 1,  # the high sums of the entry
            "sample": 10,
            "lane": range(config.lanes + 1),  # of a gradient
            "row": ROW_WIDTH,
            "auxiliary_row": ROW_WIDTH,
            "index": range(config.lanes),  # sample modulo lanes
            "half_index": range(config.lanes),  # pair of samples modulo lanes
            "remaining": VECTORS_WIDTH,  # rows after this one
            "final": 1,  # there are none: known a row ahead, for much depends on it
            "absent": 1,
        }
    )


def _is_packed(command):
    """Whether an entry holds the sums of two samples or inputs."""
    return command.half & (command.dataflow != Dataflow.BACKWARD)


def _packs_results(command):
    """Whether two samples' results share a row."""
    return command.quantize & (command.destination == Destination.ACTIVATION)
