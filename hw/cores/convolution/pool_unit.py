"""The pooling unit: from a feature map to a feature map."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..memory.ports import ReadPort
from ..memory.unaligned import UnalignedReadPort, UnalignedWritePort
from .pool_config import PoolConfig
from .window_reader import WindowReader, window_command
from .window_reduction import WindowReduction
from .word_writer import WordWriter, begin_together, parameter_row, word_command

__all__ = ["PoolUnit", "pool_command"]


def pool_command(config: PoolConfig) -> data.StructLayout:
    """What becomes of which windows.

    ``window``: what is read (:func:`.window_reader.window_command`), a window with both innermost loops. ``maximum``:
    the largest of a window is wanted, and not the sum. ``words``: as of :func:`.word_writer.word_command`.
    """
    return data.StructLayout(
        {"window": window_command(config.reader), "maximum": 1, "words": word_command(config.writer)}
    )


class PoolUnit(ConfiguredComponent):
    """Reads windows pixel by pixel, reduces each to the largest elements or to sums, and writes words of them.

    An average is a sum times a multiplier, that of its channels; windows that are divided by other numbers, as at the
    borders where padding does not count, are another command. The largest takes a multiplier of 1.

    Latency: windows of n pixels and runs of channels together take n + 10 cycles from the command to the completion.
    Throughput: a pixel's run of channels a cycle. A command begins when the words of the one before are written.

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
        m.submodules.reduction = reduction = WindowReduction(config.reduction)
        m.submodules.writer = writer = WordWriter(config.writer)
        maximum = Signal()
        begins = begin_together(m, self, writer, reader.commands, self.commands.payload.window)
        with m.If(begins):
            m.d.sync += maximum.eq(self.commands.payload.maximum)
        for name in ("memory", "memory_granted"):
            forward_port(m, reader, self, name)

        read, into = reader.o.payload, reduction.i.payload
        m.d.comb += [
            Cat(into.elements).eq(Cat(read.elements)),
            into.inside.eq(read.inside),
            into.last.eq(read.ends[config.reader.levels - 2]),
            into.maximum.eq(maximum),
            reduction.i.valid.eq(reader.o.valid),
            reader.o.ready.eq(reduction.i.ready),
            writer.totals.valid.eq(reduction.o.valid),
            reduction.o.ready.eq(writer.totals.ready),
            *(writer.totals.payload[lane].eq(reduction.o.payload[lane]) for lane in range(config.writer.lanes)),
        ]
        return m
