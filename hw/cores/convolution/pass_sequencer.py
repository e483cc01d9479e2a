"""Reads the operands of passes: while one is streamed, the block of the next is loaded."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import layout_of_fields, take_fields
from .gemm_config import GemmEngineConfig
from .layouts import load_layout, pass_layout, request_layout

__all__ = ["PassSequencer"]

# Fields of a pass that each of its requests has; what is held of it while it is streamed.
TOLD = ("stationary", "input_stationary", "input_half", "weight_half", "count", "lanes", "clear")
STREAMED = (*TOLD, "final", "empty", "input_stride")


class PassSequencer(ConfiguredComponent):
    """Streams the steps of passes back to back, and loads the block of the next pass from the first step on.

    A pass begins after the last step of the one before, when its block is loaded, and

    - a stationary pass after an NS pass: L cycles later, as the NS pass's rows of sums come in these cycles;
    - an NS pass of b < L steps after another: L - b cycles later.

    L is ``config.array.chain``. Loading waits for the last step where both would read the same half of a buffer,
    which within a command is never so.

    Latency: 2 cycles from a pass to its first step, and one for each vector of its block after the first. Throughput:
    a step a cycle. Back-pressure: a pass is taken when the one before begins.

    Parameters
    ----------
    config : GemmEngineConfig

    Members
    -------
    passes : In(stream.Signature(pass_layout))
    load : Out(load_layout)
        Vector to read in this cycle.
    request : Out(request_layout)
        Step whose operands are to be read in this cycle.
    """

    def __init__(self, config: GemmEngineConfig):
        super().__init__(
            config,
            {
                "passes": In(stream.Signature(pass_layout(config))),
                "load": Out(load_layout(config)),
                "request": Out(request_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        array = self._config.array
        following = Signal(pass_layout(self._config))
        current = Signal(layout_of_fields(pass_layout(self._config), STREAMED))
        here, streams, start = (Signal(name=name) for name in ("here", "streams", "start"))
        loaded = self._load(m, following, current, here, streams, start)
        ends = self._stream(m, following, current, streams, start)
        # Cycles until the rows of sums of the last NS pass are on their way.
        draining, drains_next = (Signal(range(array.chain + 1), name=name) for name in ("draining", "drains_next"))
        m.d.comb += drains_next.eq(
            Mux(self.request.last, array.chain, Mux(draining == 0, 0, draining - 1)),
        )
        m.d.sync += draining.eq(drains_next)
        m.d.comb += [
            start.eq(here & loaded & (~streams | ends) & (drains_next <= following.slack)),
            self.passes.ready.eq(~here | start),
        ]
        with m.If(self.passes.ready):
            m.d.sync += [here.eq(self.passes.valid), following.eq(self.passes.payload)]
        return m

    def _load(self, m, following, current, here, streams, start):
        """Reads the block of the pass that follows; returns whether this is its last cycle, or over."""
        load, given = self.load, self.passes.payload
        left = Signal(range(self._config.array.columns + 1))
        first, meets = Signal(), Signal()
        m.d.comb += [
            meets.eq(
                streams
                & Mux(
                    following.input_stationary,
                    ~(current.stationary & current.input_stationary) & (current.input_half == following.input_half),
                    (~current.stationary | current.input_stationary) & (current.weight_half == following.weight_half),
                )
            ),
            load.enable.eq(here & (left != 0) & ~meets),
            load.first.eq(load.enable & first),
            load.inputs.eq(following.input_stationary),
            load.half.eq(Mux(following.input_stationary, following.input_half, following.weight_half)),
            load.count.eq(following.count),
        ]
        with m.If(load.enable):
            m.d.sync += [left.eq(left - 1), first.eq(0), load.row.eq(load.row + 1), self._next_index(load.index)]
        with m.If(self.passes.ready):
            m.d.sync += [
                left.eq(Mux(given.stationary, given.lanes, 0)),
                first.eq(1),
                load.row.eq(Mux(given.input_stationary, given.input_row, given.weight_row)),
                load.index.eq(given.input_index),
            ]
        return (left == 0) | ((left == 1) & load.enable)

    def _stream(self, m, following, current, streams, start):
        """Reads the operands of the steps; returns whether this is the last one."""
        request = self.request
        left = Signal.like(following.steps)
        ends, wraps = Signal(), Signal()
        m.d.comb += [
            ends.eq(left == 1),
            wraps.eq(request.index == self._config.array.rows - 1),
            request.valid.eq(streams),
            request.enable.eq(streams & ~current.empty),
            request.last.eq(streams & ends & ~current.stationary),
            request.final.eq(ends & current.final),
            *(request[name].eq(current[name]) for name in TOLD),
        ]
        with m.If(streams):
            m.d.sync += [
                left.eq(left - 1),
                request.first.eq(0),
                self._next_index(request.index),
                request.weight_row.eq(request.weight_row + 1),
                request.input_row.eq(
                    request.input_row + Mux(current.stationary, 1, Mux(wraps, current.input_stride, 0))
                ),
                request.sum_row.eq(request.sum_row + current.stationary),
            ]
            with m.If(ends):
                m.d.sync += streams.eq(0)
        with m.If(start):
            m.d.sync += [
                streams.eq(1),
                *take_fields(current, following),
                left.eq(following.steps),
                request.first.eq(1),
                # Inputs are streamed from the first pixel of a row block.
                request.index.eq(0),
                *(request[name].eq(following[name]) for name in ("input_row", "weight_row", "sum_row")),
            ]
        return ends

    def _next_index(self, index):
        return index.eq(Mux(index == self._config.array.rows - 1, 0, index + 1))
