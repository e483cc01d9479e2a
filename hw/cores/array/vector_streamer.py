"""Streams the vectors of a tile."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .commands import ROW_WIDTH, Dataflow
from .engine_config import ArrayEngineConfig
from .layouts import VECTORS_WIDTH, streamed_layout, tile_layout

__all__ = ["VectorStreamer"]


class VectorStreamer(ConfiguredComponent):
    """Asks for the vectors of one tile: rows of samples, or of a gradient columns of inputs and last the constant one.

    Latency: the first vector is asked for in the cycle after ``start``, the last one in the cycle of ``done``; one
    vector a cycle. No back-pressure.

    Parameters
    ----------
    config : ArrayEngineConfig

    Members
    -------
    start : In(1)
        Stream ``tile``; only while ``done``.
    tile : In(tile_layout(config))
        It stands for two cycles or more before ``start``.
    buffer : In(1)
        Accumulator buffer that its sums are added to.
    done : Out(1)
        Nothing is streamed, or the last vector is asked for in this cycle.
    busy : Out(1)
        A vector is asked for in this cycle.
    block_filled : Out(1)
        It is the last one of an output block.
    streamed : Out(streamed_layout(config))

    Source
    ------
    FIXAR, sections V-A and V-B.
    """

    def __init__(self, config: ArrayEngineConfig):
        super().__init__(
            config,
            {
                "start": In(1),
                "tile": In(tile_layout(config)),
                "buffer": In(1),
                "done": Out(1, init=1),
                "busy": Out(1),
                "block_filled": Out(1),
                "streamed": Out(streamed_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes
        tile = Signal(tile_layout(self._config), reset_less=True)
        command = tile.command
        entry = Signal(range(self._config.accumulator_depth))
        row, index, lane = Signal(ROW_WIDTH), Signal(range(lanes)), Signal(range(lanes + 2))
        following_lane = Signal(range(lanes + 3))
        is_gradient, packed, swap, buffer = Signal(), Signal(), Signal(), Signal()
        remaining = Signal(VECTORS_WIDTH)  # vectors after this one
        m.d.comb += [
            is_gradient.eq(command.dataflow == Dataflow.GRADIENT),
            packed.eq(command.half & (command.dataflow != Dataflow.BACKWARD)),
            following_lane.eq(lane + Mux(packed, 2, 1)),
        ]
        with m.If(self.busy):
            m.d.sync += [entry.eq(entry + 1), swap.eq(0), remaining.eq(remaining - 1)]
            with m.If(~self.done):
                m.d.sync += self.done.eq(remaining == 1)
            with m.If(is_gradient):
                m.d.sync += lane.eq(following_lane)
                with m.If(following_lane >= lanes):
                    m.d.sync += [lane.eq(0), row.eq(row + command.stream_stride)]
            with m.Else():
                m.d.sync += [row.eq(row + 1), index.eq(Mux(index == lanes - 1, 0, index + 1))]
            with m.If(self.done):
                m.d.sync += self.busy.eq(0)
        further, first_row, first_lane = self._beginning(m)
        with m.If(self.start):
            m.d.sync += [
                self.busy.eq(1),
                self.done.eq(further == 0),
                tile.eq(self.tile),
                buffer.eq(self.buffer),
                entry.eq(0),
                index.eq(0),
                swap.eq(1),
                remaining.eq(further),
                lane.eq(first_lane),
                row.eq(first_row),
            ]
        streamed = self.streamed
        m.d.comb += [
            self.block_filled.eq(self.busy & self.done & tile.last_inner),
            streamed.valid.eq(self.busy),
            streamed.errors.eq(command.dataflow == Dataflow.BACKWARD),
            streamed.column.eq(is_gradient),
            streamed.row.eq(row),
            streamed.index.eq(index),
            streamed.lane.eq(lane),
            streamed.core_stride.eq(Mux(command.intra_layer, command.stream_stride, 0)),
            streamed.half.eq(packed),
            streamed.parity.eq(command.half & tile.inner[0]),
            streamed.slot.eq(command.input_slot),
            streamed.constant.eq(is_gradient & command.bias & self.done),
            streamed.swap.eq(swap),
            streamed.buffer.eq(buffer),
            streamed.entry.eq(entry),
            streamed.first.eq(tile.first_inner),
        ]
        return m

    def _beginning(self, m):
        """Where the waiting tile begins: its vectors after the first, the first one's row and lane."""
        command, inner = self.tile.command, self.tile.inner
        inputs, samples, further = (Signal(VECTORS_WIDTH, name=name) for name in ("inputs", "samples", "further"))
        with m.If(command.half):
            m.d.comb += inputs.eq(((command.last + 1) >> 1) - (command.first >> 1))
        with m.Else():
            m.d.comb += inputs.eq(command.last - command.first)
        is_gradient = Signal(name="waiting_is_gradient")
        packed = Signal(name="waiting_is_packed")
        pair = Signal(9)
        row = Signal(ROW_WIDTH, name="first_row")
        lane = Signal(VECTORS_WIDTH, name="first_lane")
        m.d.comb += [
            is_gradient.eq(command.dataflow == Dataflow.GRADIENT),
            packed.eq(command.half & (command.dataflow != Dataflow.BACKWARD)),
            samples.eq(Mux(packed, (command.samples + 1) >> 1, command.samples)),
            # A gradient streams columns of the sample block that `inner` names; `first` is in the first row of lanes.
            pair.eq(Mux(command.half, inner >> 1, inner)),
            row.eq(Mux(is_gradient, command.stream_base + pair * self._config.lanes, self.tile.stream_row)),
            lane.eq(Cat(command.first[0] & ~command.half, command.first[1:])),
        ]
        m.d.sync += further.eq(Mux(is_gradient, inputs + command.bias, samples) - 1)
        return further, row, lane
