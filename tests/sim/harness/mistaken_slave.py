"""A system of a bus slave alone, which breaks the rule of AXI that it is told to."""

import enum
from dataclasses import dataclass

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring

from rewardware.hw.soc.bus.axi_lite import AxiLiteSlave
from rewardware.hw.soc.devices import DeviceDescriptor
from rewardware.hw.soc.shell.shell import system_signature
from tests.hw.soc.shell.row_memory import RowMemoryConfig

DEVICE = DeviceDescriptor(
    name="mistaken_slave",
    description="breaks a rule of AXI",
    component=f"{__name__}:MistakenSlave",
    configuration=f"{__name__}:MistakenSlaveConfig",
    presets="tests.hw.soc.shell:presets",
    default_preset="narrow",
)


class Mistake(enum.IntEnum):
    """Mistakes, chosen by a write to address 0."""

    NONE = 0
    WITHDRAWN = 1
    CHANGED = 2
    EARLY = 3
    TWICE = 4
    NEVER = 5
    EXCLUSIVE = 6
    ROW = 7


# Where bit 3 of what is written is 1, writes are answered wrongly, otherwise reads.
WRITES = 8


@dataclass(frozen=True, kw_only=True)
class MistakenSlaveConfig:
    """``rows_in_reset`` says whether rows are valid during a reset."""

    rows_in_reset: bool = False
    name: str = "custom"
    system: str = "mistaken_slave"

    @property
    def shell(self):
        return RowMemoryConfig().shell


class MistakenSlave(wiring.Component):
    """Answers every read with 5, takes every write, and sends rows of 7 for ever."""

    def __init__(self, config):
        self.config = config
        super().__init__(system_signature(config.shell))

    def elaborate(self, platform):
        m = Module()
        m.submodules.slave = slave = AxiLiteSlave(self.control.signature.address_width)
        m.d.comb += [slave.read.data.eq(5), slave.read.okay.eq(1), slave.write.okay.eq(1)]
        mistake, writes = Signal(3), Signal()
        with m.If(slave.write.enable & (slave.write.address == 0)):
            m.d.sync += [mistake.eq(slave.write.data), writes.eq(slave.write.data[3])]
        for request in ("write_address", "write_data", "read_address"):
            wiring.connect(m, wiring.flipped(getattr(self.control, request)), getattr(slave.control, request))
        for response, wrong in (("write_response", writes), ("read_data", ~writes)):
            inner, outer = getattr(slave.control, response), getattr(self.control, response)
            m.d.comb += [outer.payload.eq(inner.payload), outer.valid.eq(inner.valid), inner.ready.eq(outer.ready)]
            with m.If(wrong):
                self._answer_wrongly(m, mistake, inner, outer)
        started, cycle = Signal(), Signal(4)
        m.d.sync += [started.eq(1), cycle.eq(cycle + 1)]
        m.d.comb += [
            self.stream_out.valid.eq(1 if self.config.rows_in_reset else started),
            self.stream_out.payload.data.eq(7),
            self.stream_out.payload.last.eq((mistake == Mistake.ROW) & cycle[-1]),
        ]
        return m

    def _answer_wrongly(self, m, mistake, inner, outer):
        waited, again, cycle = Signal(), Signal(), Signal(6)
        m.d.sync += [waited.eq(outer.valid & ~outer.ready), again.eq(inner.valid & inner.ready), cycle.eq(cycle + 1)]
        payload = outer.payload.as_value() if hasattr(outer.payload, "as_value") else outer.payload
        with m.Switch(mistake):
            with m.Case(Mistake.WITHDRAWN):
                m.d.comb += outer.valid.eq(inner.valid & ~waited)
            with m.Case(Mistake.CHANGED):
                m.d.comb += payload[-1].eq(waited)
            with m.Case(Mistake.EARLY):
                m.d.comb += outer.valid.eq(inner.valid | (cycle == 1))
            with m.Case(Mistake.TWICE):
                m.d.comb += outer.valid.eq(inner.valid | again)
            with m.Case(Mistake.NEVER):
                m.d.comb += outer.valid.eq(0)
            with m.Case(Mistake.EXCLUSIVE):
                m.d.comb += payload[-2:].eq(1)
