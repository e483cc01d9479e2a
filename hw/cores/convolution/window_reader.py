"""Reads the windows of a convolution from a feature map, with zeros where the picture is padded."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.unaligned import UnalignedReadPort
from ..pipeline import delay
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .loop_nest import LoopNest, nest_command
from .window_reader_config import WindowReaderConfig

__all__ = ["WindowReader", "window_command", "window_elements"]

# A read of the unaligned memory.
LATENCY = 2


def window_command(config: WindowReaderConfig) -> data.StructLayout:
    """A picture, and the windows of it that are read.

    ``nest``: the loops, as :func:`.loop_nest.nest_command` of ``config.nest`` has them. ``height``: lines of the
    picture. ``pitch``: elements of a line.
    """
    return data.StructLayout(
        {
            "nest": nest_command(config.nest),
            "height": config.line_width - 1,
            "pitch": config.element_width - 1,
        }
    )


def window_elements(config: WindowReaderConfig) -> data.StructLayout:
    """Layout of the result of an access.

    ``elements``: 0 outside of the picture and past the run. ``inside``: a bit for each that is in the picture and in
    the run. ``size``: how many are in the run. ``ends``: as of :class:`.LoopNest`.
    """
    lanes = config.elements
    return data.StructLayout(
        {
            "elements": data.ArrayLayout(config.memory.width, lanes),
            "inside": lanes,
            "size": range(lanes + 1),
            "ends": config.levels,
        }
    )


class WindowReader(ConfiguredComponent):
    """Goes over windows of a picture in nested loops, and reads ``config.elements`` of them a cycle.

    The picture is a 3-D tensor, pixel after pixel, channels of a pixel beside each other, from any place of the memory
    on. A read gives elements of one line: a pixel's channels, or several pixels' as of a line of a
    window. Each is 0 where its line, or its number in the line, is outside of the picture, and where it is past the
    run it belongs to.

    Latency: 5 cycles from a command to its first elements. Throughput: an access a cycle, commands one after the other
    without a gap. Back-pressure: that of ``o``; an access waits until it is granted.

    Parameters
    ----------
    config : WindowReaderConfig

    Members
    -------
    commands : :py:`In(stream.Signature(window_command(config)))`
    memory : Out(UnalignedReadPort(config.memory))
    memory_granted : In(1)
        The memory takes the access of this cycle; where nobody drives it, always.
    o : :py:`Out(stream.Signature(window_elements(config)))`

    Source
    ------
    DYNAMAP, Fig. 3.4: the layout transformation unit's source addresses.
    """

    def __init__(self, config: WindowReaderConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(window_command(config))),
                "memory": Out(UnalignedReadPort(config.memory)),
                "memory_granted": In(1, init=1),
                "o": Out(stream.Signature(window_elements(config))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        lanes = config.elements
        m.submodules.nest = nest = LoopNest(config.nest)
        m.submodules.pipeline = pipeline = StreamPipeline(
            window_elements(config), StreamPipelineConfig(latency=LATENCY)
        )
        height, pitch = Signal(config.line_width - 1), Signal(config.element_width - 1)
        m.d.comb += [
            nest.commands.valid.eq(self.commands.valid),
            self.commands.ready.eq(nest.commands.ready),
            nest.commands.payload.eq(self.commands.payload.nest),
        ]
        with m.If(self.commands.valid & self.commands.ready):
            m.d.sync += [height.eq(self.commands.payload.height), pitch.eq(self.commands.payload.pitch)]

        values = nest.o.payload.values
        m.d.comb += [
            self.memory.enable.eq(nest.o.valid & pipeline.ready),
            nest.o.ready.eq(pipeline.ready & self.memory_granted),
            pipeline.begin.eq(self.memory.enable & self.memory_granted),
            self.memory.row.eq(values.row),
            self.memory.lane.eq(values.lane),
        ]
        line, element = Signal(signed(config.line_width)), Signal(signed(config.element_width))
        size, inside = Signal(range(lanes + 1)), Signal(lanes)
        m.d.comb += [
            line.eq(values.line),
            element.eq(values.element),
            size.eq(Mux(values.rest > lanes, lanes, values.rest)),
        ]
        in_line = (line >= 0) & (line < height)
        for lane in range(lanes):
            number = Signal(signed(config.element_width + 1), name=f"number_{lane}")
            m.d.comb += [
                number.eq(element + lane),
                inside[lane].eq(in_line & (number >= 0) & (number < pitch) & (lane < size)),
            ]

        told = delay(m, Cat(inside, size, nest.o.payload.ends), LATENCY, "told")
        result = pipeline.result
        m.d.comb += Cat(result.inside, result.size, result.ends).eq(told)
        for lane in range(lanes):
            m.d.comb += result.elements[lane].eq(Mux(told[lane], self.memory.data[lane], 0))
        wiring.connect(m, pipeline.o, wiring.flipped(self.o))
        return m
