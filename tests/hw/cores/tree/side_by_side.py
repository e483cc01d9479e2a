"""Several units in one model, and their ports as values."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out
from cocotb.triggers import FallingEdge

from rewardware.sim.cocotb.codec import codec_of


class SideBySide(wiring.Component):
    """Units that have nothing to do with each other: one build for all of them.

    Parameters
    ----------
    units : dict of str to component
        The ports of each have its name and two underscores before theirs.
    """

    def __init__(self, units):
        self._units = units
        super().__init__({name: Out(unit.signature) for name, unit in units.items()})

    def elaborate(self, platform):
        m = Module()
        for name, unit in self._units.items():
            m.submodules[name] = unit
            wiring.connect(m, unit, wiring.flipped(getattr(self, name)))
        return m


class Ports:
    """Those ports of a unit that are no streams; inputs begin as zeros.

    Parameters
    ----------
    dut : handle
    unit : component
        The same as the simulated one; it tells the shapes.
    name : str
        Of the unit in a :class:`SideBySide`, or empty.
    """

    def __init__(self, dut, unit, name=""):
        prefix = f"{name}__" if name else ""
        self._clock = dut.clk
        ports = {port: member for port, member in unit.signature.members.items() if member.is_port}
        self.codecs = {port: codec_of(member.shape) for port, member in ports.items()}
        self._handles = {port: getattr(dut, prefix + port) for port in ports}
        self._outputs = [port for port, member in ports.items() if member.flow == Out]
        for port in ports.keys() - set(self._outputs):
            self._handles[port].value = 0

    def set(self, **values):
        """Inputs from now on."""
        for port, value in values.items():
            self._handles[port].value = self.codecs[port].pack(value)

    def get(self, port):
        """What is on an output."""
        return self.codecs[port].unpack(int(self._handles[port].value))

    def all(self):
        """What is on all outputs, by name."""
        return {port: self.get(port) for port in self._outputs}

    async def outputs(self):
        """The same in the middle of the cycle, when they have followed the inputs."""
        await FallingEdge(self._clock)
        return self.all()
