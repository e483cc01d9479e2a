"""Clears and freezes ranges, and makes rows of noise."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..quantization.ports import RangeControlPort
from .commands import ROW_WIDTH, Destination, RangeNoiseKind
from .config import WORD_WIDTH
from .engine_config import ArrayEngineConfig
from .layouts import insertion_layout

__all__ = ["RangeNoiseEngine", "range_noise_command"]


def range_noise_command(config: ArrayEngineConfig):
    """A row of noise to the error memories of ``cores``, or what happens to the recorded ranges."""
    return data.StructLayout(
        {
            "kind": RangeNoiseKind,
            "cores": config.cores,
            "row": ROW_WIDTH,
            "lanes": range(config.lanes + 1),
            "clear": 1,
            "freeze": 1,
            "bits": 5,
        }
    )


class RangeNoiseEngine(ConfiguredComponent):
    """Inserts a row of noise, or clears the recorded ranges, or freezes them.

    Latency: a row of noise is complete ``settle`` + 4 cycles after its command, if noise and insertion do not wait; a
    clearing in 2 cycles, a freeze 2 cycles after the range unit. Throughput: one command at a time. Back-pressure:
    ``commands`` waits meanwhile.

    Parameters
    ----------
    config : ArrayEngineConfig
    settle : int
        Cycles from an accepted insertion until it is in memory.

    Members
    -------
    commands : In(stream.Signature(range_noise_command(config)))
    completions : Out(stream.Signature(1))
    busy : Out(1)
    noise : In(stream.Signature(data.ArrayLayout(32, lanes)))
    insertions : Out(stream.Signature(insertion_layout(config)))
    ranges : Out(RangeControlPort())
        ``bits`` are those of the command until its completion is taken.

    Source
    ------
    FIXAR, sections III (random number generator) and IV, Algorithm 1.
    """

    def __init__(self, config: ArrayEngineConfig, *, settle: int):
        self._settle = settle
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(range_noise_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "noise": In(stream.Signature(data.ArrayLayout(WORD_WIDTH, config.lanes))),
                "insertions": Out(stream.Signature(insertion_layout(config))),
                "ranges": Out(RangeControlPort()),
            },
        )

    @property
    def settle(self):
        """Cycles from an accepted insertion until it is in memory."""
        return self._settle

    def elaborate(self, platform):
        m = Module()
        command = Signal(range_noise_command(self._config))
        settling = Signal(range(self._settle + 1))
        row, ranges = self.insertions.payload, self.ranges
        m.d.comb += [
            self.busy.eq(~self.commands.ready),
            row.words.eq(self.noise.payload),
            row.cores.eq(command.cores),
            row.destination.eq(Destination.ERROR),
            row.row.eq(command.row),
            row.lanes.eq(command.lanes),
            ranges.bits.eq(command.bits),
        ]
        with m.FSM(name="range_noise"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), settling.eq(self._settle)]
                with m.If(self.commands.valid):
                    m.next = "RANGE"
                    with m.If(self.commands.payload.kind == RangeNoiseKind.NOISE):
                        m.next = "NOISE"
            with m.State("NOISE"):
                m.d.comb += [
                    self.insertions.valid.eq(self.noise.valid),
                    self.noise.ready.eq(self.insertions.ready),
                ]
                with m.If(self.noise.valid & self.insertions.ready):
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                m.d.sync += settling.eq(settling - 1)
                with m.If(settling == 0):
                    m.next = "COMPLETE"
            with m.State("RANGE"):
                m.d.comb += [ranges.clear.eq(command.clear), ranges.freeze.eq(command.freeze)]
                m.next = "COMPLETE"
                with m.If(command.freeze):
                    m.next = "FREEZE"
            with m.State("FREEZE"), m.If(ranges.done):
                m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        return m
