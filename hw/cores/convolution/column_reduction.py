"""The vertical half of pooling: pixels of a column, one below the other, become one."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..pipeline import delay
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .window_reduction_config import WindowReductionConfig

__all__ = ["ColumnReduction", "column_elements", "line_elements", "neutral", "reduced"]

# A read of the line memory, and a register behind it.
READ = 1
LATENCY = READ + 1


def line_elements(config: WindowReductionConfig) -> data.StructLayout:
    """A vector of a line of the picture.

    ``elements``: a pixel's channels. ``inside``: a bit for each element that counts. ``ends_line``: the line ends with
    this vector. ``ends_picture``: the picture ends with it. ``maximum``: the largest is wanted, and not the sum.
    ``kernel``: lines of a window (1 to ``lines``). ``stride``: lines from a window to the next one below (1 to
    ``lines``). The last three stay the same for all vectors of a picture.
    """
    lines = range(config.lines + 1)
    return data.StructLayout(
        {
            "elements": data.ArrayLayout(signed(config.width), config.lanes),
            "inside": config.lanes,
            "ends_line": 1,
            "ends_picture": 1,
            "maximum": 1,
            "kernel": lines,
            "stride": lines,
        }
    )


def column_elements(config: WindowReductionConfig) -> data.StructLayout:
    """A reduced column.

    ``elements``: a result for each channel. ``last``: the line ends with this column.
    """
    return data.StructLayout({"elements": data.ArrayLayout(signed(config.column_width), config.lanes), "last": 1})


def neutral(config, maximum):
    """The neutral element of the reduction: the least number where ``maximum``, else 0."""
    return Mux(maximum, -(1 << config.width - 1), 0)


def reduced(m, terms, maximum, width, name):
    """The largest of ``terms`` where ``maximum``, else their sum, of at most ``width`` bits, by a balanced tree."""
    number = 0
    while len(terms) > 1:
        nodes = []
        for left, right in zip(terms[::2], terms[1::2], strict=False):
            node = Signal(signed(min(max(len(left), len(right)) + 1, width)), name=f"{name}_{number}")
            m.d.comb += node.eq(Mux(maximum, Mux(left > right, left, right), left + right))
            nodes.append(node)
            number += 1
        terms = nodes + terms[2 * len(nodes) :]
    return terms[0]


class ColumnReduction(ConfiguredComponent):
    """Reduces each pixel of a line with the pixels above it, as many as a window has lines.

    ::

        i ---> elements that do not count become neutral ---+--------------> [tree] ---> o
                                                            |                  ^
                                                            +--> line memory --+
                                                                  ^  (the lines above)

    The line memory holds the last ``lines - 1`` lines of the picture, so that each pixel comes once. Results leave for
    the lines with which a window ends: line ``kernel - 1``, and each ``stride``-th after it. A pixel that does not
    count is never the largest, and adds nothing to a sum. A kernel of one line does not touch the memory, and its
    lines may have any length.

    Latency: 3 cycles. Throughput: a vector a cycle. Back-pressure: that of ``o``.

    Parameters
    ----------
    config : WindowReductionConfig

    Members
    -------
    i : :py:`In(stream.Signature(line_elements(config)))`
        Pixels of a picture, line by line; each line has from 2 to ``length`` vectors where the kernel has several
        lines.
    o : :py:`Out(stream.Signature(column_elements(config)))`

    Source
    ------
    DYNAMAP, section 3.1.3: the pooling module, of the maximum; sums and the line memory are ours.
    """

    def __init__(self, config: WindowReductionConfig):
        super().__init__(
            config,
            {"i": In(stream.Signature(line_elements(config))), "o": Out(stream.Signature(column_elements(config)))},
        )

    @property
    def latency(self):
        """Cycles from a vector to its column's result."""
        return LATENCY + 1

    def elaborate(self, platform):
        m = Module()
        config = self._config
        payload = self.i.payload
        m.submodules.pipeline = pipeline = StreamPipeline(
            column_elements(config), StreamPipelineConfig(latency=LATENCY, buffer_latency=1)
        )
        # A vector's line was written when the line below it comes: lines of one vector would be too early.
        row = data.ArrayLayout(data.ArrayLayout(signed(config.width), config.lines - 1), config.lanes)
        m.submodules.above = above = Memory(row, MemoryConfig(depth=config.length, hazard="never"))
        takes, reads = Signal(), Signal()
        column = Signal(range(config.length))
        m.d.comb += [
            self.i.ready.eq(pipeline.ready),
            takes.eq(self.i.valid & self.i.ready),
            reads.eq(takes & (payload.kernel != 1)),
            pipeline.begin.eq(takes & self._ends_windows(m, takes & payload.ends_line)),
            above.reads[0].enable.eq(reads),
            above.reads[0].address.eq(column),
            above.write.enable.eq(delay(m, reads, READ, "reads", reset_less=False)),
            above.write.address.eq(delay(m, column, READ, "column")),
        ]
        with m.If(reads):
            m.d.sync += column.eq(Mux(payload.ends_line, 0, column + 1))

        counts = Cat(payload.kernel > number for number in range(1, config.lines))
        maximum, counts, last = (
            delay(m, value, LATENCY, name)
            for value, name in ((payload.maximum, "maximum"), (counts, "counts"), (payload.ends_line, "last"))
        )
        m.d.comb += pipeline.result.last.eq(last)
        for lane in range(config.lanes):
            element = Signal(signed(config.width), name=f"element_{lane}")
            m.d.comb += element.eq(Mux(payload.inside[lane], payload.elements[lane], neutral(config, payload.maximum)))
            element = delay(m, element, READ, f"read_element_{lane}")
            stored = list(above.reads[0].data[lane])
            # The column as it is now: this element, and those above it.
            pixels = [element, *stored]
            m.d.comb += Cat(above.write.data[lane]).eq(Cat(pixels[:-1]))
            element, *stored = (delay(m, pixel, 1, f"pixel_{lane}_{number}") for number, pixel in enumerate(pixels))
            terms = [Mux(*pair, neutral(config, maximum)) for pair in zip(counts, stored, strict=True)]
            result = reduced(m, [element, *terms], maximum, config.column_width, f"column_{lane}")
            m.d.comb += pipeline.result.elements[lane].eq(result)
        wiring.connect(m, pipeline.o, wiring.flipped(self.o))
        return m

    def _ends_windows(self, m, line_ends):
        """Whether windows end with this line."""
        payload, first = self.i.payload, Signal(init=1)
        remaining, kept = (Signal(range(self._config.lines + 1), name=name) for name in ("remaining", "kept"))
        m.d.comb += remaining.eq(Mux(first, payload.kernel, kept))
        with m.If(line_ends):
            m.d.sync += [
                first.eq(payload.ends_picture),
                kept.eq(Mux(remaining == 1, payload.stride, remaining - 1)),
            ]
        return remaining == 1
