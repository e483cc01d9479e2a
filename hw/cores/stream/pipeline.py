"""A pipeline that cannot stall, behind a stream that can."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay
from .buffer import StreamBuffer
from .buffer_config import StreamBufferConfig
from .pipeline_config import StreamPipelineConfig

__all__ = ["CreditBuffer", "StreamPipeline"]


class CreditBuffer(ConfiguredComponent):
    """A buffer whose places are reserved before the values come, so that it never refuses one.

    Whoever makes the values reserves a place for each of them when it begins, and gives the value when it is there, any
    number of cycles later. A place is free again when its value has left on ``o``.

    Latency: ``config.latency`` cycles from ``arrive`` to ``o``. Throughput: one value a cycle while there is room.
    Back-pressure: that of ``o`` appears as missing ``room``.

    Parameters
    ----------
    shape : shape-like
        A value.
    config : StreamBufferConfig

    Members
    -------
    room : Out(1)
        A place is free.
    reserve : In(1)
        Take a place in this cycle; only while ``room``.
    arrive : In(1)
        ``value`` is there in this cycle; its place was reserved in this cycle or before.
    value : In(shape)
    o : Out(stream.Signature(shape))
        The values in the order of their arrival.
    reserved : Out(range(depth + 1))
        Places that are taken.
    level : Out(range(depth + 1))
        Values that wait.
    """

    def __init__(self, shape, config: StreamBufferConfig):
        self._shape = shape
        super().__init__(
            config,
            {
                "room": Out(1),
                "reserve": In(1),
                "arrive": In(1),
                "value": In(shape),
                "o": Out(stream.Signature(shape)),
                "reserved": Out(range(config.depth + 1)),
                "level": Out(range(config.depth + 1)),
            },
        )

    @property
    def latency(self):
        """Cycles from ``arrive`` to valid on ``o`` when nothing waits."""
        return self._config.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.buffer = buffer = StreamBuffer(self._shape, self._config)
        leaves = Signal()
        m.d.comb += [
            self.room.eq(self.reserved != self._config.depth),
            self.level.eq(buffer.level),
            leaves.eq(self.o.valid & self.o.ready),
            buffer.i.valid.eq(self.arrive),
            buffer.i.payload.eq(self.value),
        ]
        m.d.sync += self.reserved.eq(self.reserved + self.reserve - leaves)
        wiring.connect(m, buffer.o, wiring.flipped(self.o))
        return m


class StreamPipeline(ConfiguredComponent):
    """Credits before a pipeline of fixed latency, and a buffer behind it, which let it stand between two streams.

    The pipeline itself is the user's and never stalls: whatever enters it in the cycle of ``begin`` comes out on
    ``result`` exactly ``config.latency`` cycles later, and waits in the buffer until ``o`` is taken. A token may only
    begin while ``ready``, that is, while a place of the buffer is left for it. A stream ``i`` before the pipeline is
    connected as::

        m.submodules.products = products = StreamPipeline(shape, StreamPipelineConfig(latency=multiplier.latency))
        m.d.comb += [
            multiplier.a.eq(self.i.payload.a),
            self.i.ready.eq(products.ready),
            products.begin.eq(self.i.valid & products.ready),
            products.result.eq(multiplier.result),
        ]
        wiring.connect(m, products.o, wiring.flipped(self.o))

    A memory's read port is also such a pipeline: ``begin`` is its enable, ``result`` its data.

    Latency: ``config.latency + config.buffer_latency`` cycles from ``begin`` to ``o``. Throughput: one token a cycle
    with the default depth, else ``depth`` tokens in ``latency + 1 + buffer_latency`` cycles. Back-pressure: that of
    ``o`` appears as missing ``ready``, after at most ``depth`` further tokens. Reset forgets the tokens under way; the
    pipeline's own registers need no reset.

    Parameters
    ----------
    shape : shape-like
        A result.
    config : StreamPipelineConfig

    Members
    -------
    ready : Out(1)
        A token may begin in this cycle; it comes from a register.
    begin : In(1)
        A token enters the pipeline in this cycle; only while ``ready``.
    done : Out(1)
        A token's ``result`` is taken in this cycle, ``latency`` cycles after its ``begin``.
    result : In(shape)
    o : Out(stream.Signature(shape))
        Results in the order of their tokens.
    idle : Out(1)
        No token is in the pipeline or waits.
    """

    def __init__(self, shape, config: StreamPipelineConfig):
        self._shape = shape
        super().__init__(
            config,
            {
                "ready": Out(1),
                "begin": In(1),
                "done": Out(1),
                "result": In(shape),
                "o": Out(stream.Signature(shape)),
                "idle": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from ``begin`` to valid on ``o`` when nothing waits."""
        return self._config.latency + self._config.buffer_latency

    def elaborate(self, platform):
        m = Module()
        config = self._config
        room = StreamBufferConfig(depth=config.places, latency=config.buffer_latency)
        m.submodules.buffer = buffer = CreditBuffer(self._shape, room)
        m.d.comb += [
            self.ready.eq(buffer.room),
            self.idle.eq(buffer.reserved == 0),
            buffer.reserve.eq(self.begin),
            # With a reset: nobody has counted what was in the pipeline before one.
            self.done.eq(delay(m, self.begin, config.latency, "begin", reset_less=False)),
            buffer.arrive.eq(self.done),
            buffer.value.eq(self.result),
        ]
        wiring.connect(m, buffer.o, wiring.flipped(self.o))
        return m
