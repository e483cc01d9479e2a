"""The pooling unit: from a feature map to a feature map."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..memory.ports import ReadPort
from ..memory.unaligned import UnalignedReadPort, UnalignedWritePort
from ..pipeline import delay
from .column_reduction import ColumnReduction
from .pool_config import PoolConfig
from .window_reader import WindowReader, window_command
from .window_reduction import WindowReduction
from .word_writer import WordWriter, begin_together, parameter_row, word_command

__all__ = ["PoolUnit", "pool_command"]


def pool_command(config: PoolConfig) -> data.StructLayout:
    """Layout of a command: windows to read, their reduction, and words to write.

    ``window``: what is read (:func:`.window_reader.window_command`). Where windows slide, its innermost loop goes over
    the columns of a line, and the loop around it over the lines of the picture; else both innermost loops are one
    window. ``slides``: windows slide over the lines. ``kernel``, ``stride``: lines and columns of such a window and of
    its steps; else 1. ``maximum``: the largest of a window is wanted, and not the sum. ``words``: as of
    :func:`.word_writer.word_command`.
    """
    reduction = config.reduction
    pair = data.StructLayout({"lines": range(reduction.lines + 1), "columns": range(reduction.columns + 1)})
    return data.StructLayout(
        {
            "window": window_command(config.reader),
            "slides": 1,
            "kernel": pair,
            "stride": pair,
            "maximum": 1,
            "words": word_command(config.writer),
        }
    )


class PoolUnit(ConfiguredComponent):
    """Reads a feature map, reduces each window of it to the largest elements or to sums, and writes words of them.

    ::

        feature map --> WindowReader --> ColumnReduction --> WindowReduction --> WordWriter --> feature map

    Windows that overlap slide over the picture: it is read once, line by line, a column of a window is reduced with the
    help of a memory of lines, and columns are reduced from a shift register. Other windows are read one after the other
    and accumulated. An average is a sum times a multiplier; windows that are divided by other numbers, as at the
    borders where padding does not count, are another command. The largest takes a multiplier of 1.

    Latency: n vectors that are read take n + 14 cycles from the command to the completion, where no grant is missing
    (:func:`.pool_commands.pool_cycles`). Throughput: a vector a cycle, a pixel's run of channels. A command begins when
    the words of the one before are written.

    Parameters
    ----------
    config : PoolConfig

    Members
    -------
    commands : :py:`In(stream.Signature(pool_command(config)))`
    completions : :py:`Out(stream.Signature(1, always_ready=True))`
        One for each command whose words are written.
    busy : Out(1)
        A command is under way.
    saturated : Out(lanes)
        Words that are written in this cycle and were saturated.
    memory : Out(UnalignedReadPort(config.writer.features))
    memory_granted : In(1)
        As of :class:`.WindowReader`.
    parameters : Out(ReadPort(parameter_row(config.writer), parameter_rows))
    features : Out(UnalignedWritePort(config.writer.features))
    features_granted : In(1)
        As of :class:`.WordWriter`.

    Source
    ------
    DYNAMAP, section 3.1.3: the pooling module.
    """

    def __init__(self, config: PoolConfig):
        writer = config.writer
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(pool_command(config))),
                "completions": Out(stream.Signature(1, always_ready=True)),
                "busy": Out(1),
                "saturated": Out(writer.lanes),
                "memory": Out(UnalignedReadPort(writer.features)),
                "memory_granted": In(1, init=1),
                "parameters": Out(ReadPort(parameter_row(writer), writer.parameter_rows)),
                "features": Out(UnalignedWritePort(writer.features)),
                "features_granted": In(1, init=1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.reader = reader = WindowReader(config.reader)
        m.submodules.columns = columns = ColumnReduction(config.reduction)
        m.submodules.windows = windows = WindowReduction(config.reduction)
        m.submodules.writer = writer = WordWriter(config.writer)
        given = self.commands.payload
        command = Signal(
            data.StructLayout({name: given[name].shape() for name in ("slides", "kernel", "stride", "maximum")})
        )
        begins = begin_together(m, self, writer, reader.commands, given.window)
        with m.If(begins):
            m.d.sync += [command[name].eq(given[name]) for name, _ in command.shape()]
        for name in ("memory", "memory_granted"):
            forward_port(m, reader, self, name)
        # Vectors come several cycles after their command. So its fields may have a cycle to the other end of the unit.
        for_windows = {
            "slides": command.slides,
            "maximum": command.maximum,
            "kernel": command.kernel.columns,
            "stride": command.stride.columns,
        }

        read, line, column = reader.o.payload, columns.i.payload, windows.i.payload
        ends_both, ends_innermost = read.ends[-2], read.ends[-1]
        m.d.comb += [
            Cat(line.elements).eq(Cat(read.elements)),
            line.inside.eq(read.inside),
            line.ends_line.eq(Mux(command.slides, ends_innermost, ends_both)),
            line.ends_picture.eq(ends_both),
            line.maximum.eq(command.maximum),
            line.kernel.eq(command.kernel.lines),
            line.stride.eq(command.stride.lines),
            columns.i.valid.eq(reader.o.valid),
            reader.o.ready.eq(columns.i.ready),
            column.elements.eq(columns.o.payload.elements),
            column.last.eq(columns.o.payload.last),
            *(column[name].eq(delay(m, field, 1, name)) for name, field in for_windows.items()),
            windows.i.valid.eq(columns.o.valid),
            columns.o.ready.eq(windows.i.ready),
            writer.totals.valid.eq(windows.o.valid),
            windows.o.ready.eq(writer.totals.ready),
            *(total.eq(result) for total, result in zip(writer.totals.payload, windows.o.payload, strict=True)),
        ]
        return m
