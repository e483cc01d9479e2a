"""Completion of commands, tracked by their waves."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .matrix_config import MatrixConfig

__all__ = ["WaveTracker"]

# Commands that may be outstanding, as the sequencer of a shell has it.
_COMMANDS = 16


class WaveTracker(ConfiguredComponent):
    """Counts waves whose results have been written, and completes the commands whose last wave is among them.

    Latency: two cycles from an end to its completion, one from the last wave of the command. Throughput: a command a
    cycle. Back-pressure: ends wait while 16 are outstanding; completions wait for ``ready``.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    ends : In(stream.Signature(8))
        For every command the number of its last wave, counted from 1, modulo 256.
    drained : In(1)
        The last result of a wave is written.
    waves : Out(8)
        Waves that have been drained, modulo 256.
    completions : Out(stream.Signature(1))
    idle : Out(1)
        No command is outstanding.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            config,
            {
                "ends": In(stream.Signature(8)),
                "drained": In(1),
                "waves": Out(8),
                "completions": Out(stream.Signature(1)),
                "idle": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.ends = ends = StreamBuffer(8, StreamBufferConfig(depth=_COMMANDS))
        wiring.connect(m, wiring.flipped(self.ends), ends.i)
        # Waves after the command's last one; fewer than 128 are outstanding.
        ahead = Signal(8)
        m.d.sync += self.waves.eq(self.waves + self.drained)
        m.d.comb += [
            ahead.eq(self.waves - ends.o.payload),
            self.completions.valid.eq(ends.o.valid & ~ahead[-1]),
            ends.o.ready.eq(self.completions.valid & self.completions.ready),
            self.idle.eq(~ends.o.valid),
        ]
        return m
