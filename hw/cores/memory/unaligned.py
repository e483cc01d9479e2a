"""A memory of words of which any that stand in a row one after the other are one access, wherever they begin."""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..bits import rotate
from ..component import ConfiguredComponent
from .config import MemoryConfig, UnalignedConfig
from .memory import Memory

__all__ = ["UnalignedMemory", "UnalignedReadPort", "UnalignedWritePort"]


class UnalignedReadPort(wiring.Signature):
    """Reads ``lanes`` words from any one on, seen from the user.

    Parameters
    ----------
    config : UnalignedConfig

    Members
    -------
    enable : Out(1)
    row : Out(range(rows))
    lane : Out(range(lanes))
        The first word is number ``row * lanes + lane``.
    data : In(data.ArrayLayout(width, lanes))
        The words, ``UnalignedMemory.latency`` cycles after the request.
    """

    def __init__(self, config: UnalignedConfig):
        words = data.ArrayLayout(config.width, config.lanes)
        super().__init__({"enable": Out(1), **_place(config), "data": In(words)})


class UnalignedWritePort(wiring.Signature):
    """Writes some of ``lanes`` words from any one on, seen from the user.

    Parameters
    ----------
    config : UnalignedConfig

    Members
    -------
    enable : Out(lanes)
        A bit for each word.
    row, lane : Out
        As of :class:`UnalignedReadPort`.
    data : Out(data.ArrayLayout(width, lanes))
    """

    def __init__(self, config: UnalignedConfig):
        words = data.ArrayLayout(config.width, config.lanes)
        super().__init__({"enable": Out(config.lanes), **_place(config), "data": Out(words)})


def _place(config):
    return {"row": Out(range(config.rows)), "lane": Out(range(config.lanes))}


class UnalignedMemory(ConfiguredComponent):
    """Words without gaps, ``lanes`` of them a cycle from any one on.

    Word number p is in bank ``p mod lanes`` at address ``p div lanes``, so that ``lanes`` words one after the other
    are in as many banks: the first ones in the row of the access, the others in the next row. The first word follows
    the last one.

    A place is a row and a lane, never a number that would have to be divided by ``lanes``, which need be no power of
    two.

    Latency: read data come two cycles after the request: one of the banks, one behind the network that brings the words
    into their order. Throughput: one read and one write a cycle. A read sees the writes of earlier cycles, not that of
    its own. No back-pressure.

    Parameters
    ----------
    config : UnalignedConfig

    Members
    -------
    read : In(UnalignedReadPort(config))
    write : In(UnalignedWritePort(config))
    """

    def __init__(self, config: UnalignedConfig):
        super().__init__(config, {"read": In(UnalignedReadPort(config)), "write": In(UnalignedWritePort(config))})

    @property
    def latency(self):
        """Cycles from a read request to its data."""
        return 2

    def elaborate(self, platform):
        m = Module()
        lanes, width = self._config.lanes, self._config.width
        written = rotate(m, list(self.write.data), self.write.lane, "written")
        enables = rotate(m, list(self.write.enable), self.write.lane, "enable")
        lane, arrives = Signal(range(lanes)), Signal()
        m.d.sync += [lane.eq(self.read.lane), arrives.eq(self.read.enable)]
        stored = []
        for number in range(lanes):
            m.submodules[f"bank_{number}"] = bank = Memory(unsigned(width), MemoryConfig(depth=self._config.rows))
            m.d.comb += [
                bank.reads[0].enable.eq(self.read.enable),
                bank.reads[0].address.eq(self._address(m, number, self.read, "read")),
                bank.write.enable.eq(enables[number]),
                bank.write.address.eq(self._address(m, number, self.write, "write")),
                bank.write.data.eq(written[number]),
            ]
            stored.append(bank.reads[0].data)
        ordered = rotate(m, stored, lane, "read", back=True)
        with m.If(arrives):
            m.d.sync += self.read.data.eq(Cat(ordered))
        return m

    def _address(self, m, bank, port, name):
        """The address in ``bank``: the row of the access, or the next one where the bank is below its lane."""
        address = Signal(range(self._config.rows), name=f"{name}_{bank}_address")
        last = self._config.rows - 1
        following = Mux(port.row == last, 0, port.row + 1)
        m.d.comb += address.eq(Mux(port.lane > bank, following, port.row))
        return address
