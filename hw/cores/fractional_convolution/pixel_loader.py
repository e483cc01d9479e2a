"""From a feature map to the input memory of the engine of fractionally strided convolutions."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..convolution.loop_nest import LoopNest, nest_command
from ..convolution.row_transposition import RowTransposition
from ..convolution.window_reader import WindowReader, window_command
from ..forwarding import forward_port
from ..memory.ports import WritePort
from ..memory.unaligned import UnalignedReadPort
from .layouts import operands_layout
from .unit_config import FractionalConvolutionUnitConfig

__all__ = ["PixelLoader", "load_command"]


def load_command(config: FractionalConvolutionUnitConfig) -> data.StructLayout:
    """A picture, and where it goes.

    ``window``: its pixels in tiles (:func:`.window_reader.window_command`). ``rows``: loops over rows of the input
    memory, of ``config.input_nest``: tiles, runs of P1 channels, the channels of a run.
    """
    return data.StructLayout({"window": window_command(config.reader), "rows": nest_command(config.input_nest)})


class PixelLoader(ConfiguredComponent):
    """Reads a picture in blocks of P1 pixels by P1 channels, and writes each as rows of P1 pixels of a channel.

    ::

        feature map --> WindowReader --> RowTransposition --> input memory
                        a pixel's channels                    a channel's pixels

    Channels after the last one fill the last block of a tile, and are not written.

    Latency: n blocks take n * P1 + P1 + 7 cycles from the command to the completion. Throughput: P1 words per cycle
    that is granted. A command begins when the rows of the one before are written.

    Parameters
    ----------
    config : FractionalConvolutionUnitConfig

    Members
    -------
    commands : :py:`In(stream.Signature(load_command(config)))`
    completions : :py:`Out(stream.Signature(1, always_ready=True))`
        One for each command whose rows are written.
    busy : Out(1)
        A command is under way.
    memory : Out(UnalignedReadPort(config.writer.features))
    memory_granted : In(1)
        As of :class:`.WindowReader`.
    inputs : Out(WritePort(operands_layout(config.engine, rows), input_rows))
        Elements are extended by their sign.
    out_of_range : Out(1)
        A row was written past the end of the input memory.
    """

    def __init__(self, config: FractionalConvolutionUnitConfig):
        engine = config.engine
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(load_command(config))),
                "completions": Out(stream.Signature(1, always_ready=True)),
                "busy": Out(1),
                "memory": Out(UnalignedReadPort(config.writer.features)),
                "memory_granted": In(1, init=1),
                "inputs": Out(WritePort(operands_layout(engine, engine.rows), engine.input_rows)),
                "out_of_range": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.reader = reader = WindowReader(config.reader)
        m.submodules.turn = turn = RowTransposition(config.turned)
        m.submodules.rows = rows = LoopNest(config.input_nest)
        command, begins, ends = self.commands.payload, Signal(), Signal()
        m.d.comb += [
            self.commands.ready.eq(~self.busy),
            begins.eq(self.commands.valid & self.commands.ready),
            # Both are idle when nothing is under way.
            reader.commands.valid.eq(begins),
            reader.commands.payload.eq(command.window),
            rows.commands.valid.eq(begins),
            rows.commands.payload.eq(command.rows),
            self.completions.valid.eq(ends),
        ]
        with m.If(begins):
            m.d.sync += self.busy.eq(1)
        with m.Elif(ends):
            m.d.sync += self.busy.eq(0)
        for name in ("memory", "memory_granted"):
            forward_port(m, reader, self, name)

        place, writes = rows.o.payload, Signal()
        m.d.comb += [
            turn.i.valid.eq(reader.o.valid),
            reader.o.ready.eq(turn.i.ready),
            Cat(turn.i.payload).eq(Cat(reader.o.payload.elements)),
            turn.o.ready.eq(rows.o.valid),
            rows.o.ready.eq(turn.o.valid),
            ends.eq(rows.o.valid & turn.o.valid & place.ends[0]),
            writes.eq(rows.o.valid & turn.o.valid & (place.values.rest.as_signed() > 0)),
            self.inputs.enable.eq(writes),
            self.inputs.address.eq(place.values.row),
            *(self.inputs.data[pixel].eq(turn.o.payload[pixel]) for pixel in range(config.engine.rows)),
            self.out_of_range.eq(writes & (place.values.row >= config.engine.input_rows)),
        ]
        return m
