"""The scratchpad in which sums are added up."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..pipeline import delay
from .config import FractionalConvolutionConfig
from .layouts import SCRATCHPAD_LATENCY, ScratchpadReadPort, ScratchpadWritePort, sums_layout

__all__ = ["Scratchpad"]


class Scratchpad(ConfiguredComponent):
    """Two halves of N lanes, each lane a memory with an address of its own: sums are added up in the one half while the
    other is read and cleared.

    Latency: ``SCRATCHPAD_LATENCY`` cycles from an address to its sum; what is written is read from the next cycle on,
    and in the cycle of the write nothing is promised. Throughput: a read and a write a lane, half and cycle. No
    back-pressure. After a reset all sums are cleared, a row a cycle.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    reads : In(ScratchpadReadPort(config)).array(2)
    writes : In(ScratchpadWritePort(config)).array(2)
        Writes of two users, who never use the same half in a cycle.
    ready : Out(1)
        All is cleared since the last reset.
    """

    def __init__(self, config: FractionalConvolutionConfig):
        super().__init__(
            config,
            {
                "reads": In(ScratchpadReadPort(config)).array(2),
                "writes": In(ScratchpadWritePort(config)).array(2),
                "ready": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from an address to its sum."""
        return SCRATCHPAD_LATENCY

    def elaborate(self, platform):
        m = Module()
        config = self._config
        row = Signal(range(config.scratchpad_rows))
        with m.If(~self.ready):
            m.d.sync += row.eq(row + 1)
            with m.If(row == config.scratchpad_rows - 1):
                m.d.sync += self.ready.eq(1)
        halves = [self._half(m, half, row) for half in range(2)]
        for number, read in enumerate(self.reads):
            half = delay(m, read.half, SCRATCHPAD_LATENCY, f"half_{number}")
            m.d.comb += read.data.eq(Mux(half, halves[1], halves[0]))
        return m

    def _half(self, m, half, row):
        """The sums that a half has read."""
        config = self._config
        memory = MemoryConfig(depth=config.scratchpad_rows, latency=SCRATCHPAD_LATENCY, hazard="never")
        found = Signal(sums_layout(config), name=f"found_{half}")
        for lane in range(config.lanes):
            m.submodules[f"half_{half}_lane_{lane}"] = bank = Memory(unsigned(config.sum_width), memory)
            for bank_port, ports in ((bank.reads[0], self.reads), (bank.write, self.writes)):
                first, second = (port.enable[lane] & (port.half == half) for port in ports)
                m.d.comb += [
                    bank_port.enable.eq(first | second),
                    bank_port.address.eq(Mux(first, ports[0].address[lane], ports[1].address[lane])),
                ]
            first = self.writes[0].enable[lane] & (self.writes[0].half == half)
            m.d.comb += [
                bank.write.data.eq(Mux(first, self.writes[0].data[lane], self.writes[1].data[lane])),
                found[lane].eq(bank.reads[0].data),
            ]
            with m.If(~self.ready):
                m.d.comb += [bank.write.enable.eq(1), bank.write.address.eq(row), bank.write.data.eq(0)]
        return found
