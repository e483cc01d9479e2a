"""Several units in one model, and their ports as values."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import Out
from cocotb.triggers import FallingEdge

from rewardware.hw.cores.forwarding import forward_port
from rewardware.sim.cocotb.codec import Sequence, codec_of


class SideBySide(wiring.Component):
    """Units that have nothing to do with each other: one build for all of them.

    Parameters
    ----------
    units : dict of str to component
        The ports of each have its name and two underscores before theirs.
    """

    def __init__(self, units):
        self._units = units
        # For the rule of streams, which is checked at the units.
        self.passes_streams_of = tuple(units.values())
        super().__init__({name: Out(unit.signature) for name, unit in units.items()})

    def elaborate(self, platform):
        m = Module()
        for name, unit in self._units.items():
            m.submodules[name] = unit
            # Port by port: `connect` refuses an interface with arrays of interfaces inside.
            for port in unit.signature.members:
                forward_port(m, unit, getattr(self, name), port)
        return m


class Ports:
    """The ports of a unit that are no streams; inputs begin as zeros.

    A port of an interface has the interface's name and two underscores before its own. An array is a list, one of
    several dimensions a list of lists.

    Parameters
    ----------
    dut : handle
    unit : component
        The same as the simulated one; it tells the shapes.
    name : str
        Name of the unit in a :class:`SideBySide`, or empty.
    opened : tuple of str
        Interfaces whose ports go by their own names, without the interface's before them.
    """

    def __init__(self, dut, unit, name="", opened=()):
        prefix = f"{name}__" if name else ""
        self._clock = dut.clk
        ports = dict(_ports(unit.signature))
        full = {_short(port, opened): port for port in ports}
        assert len(full) == len(ports), f"Ports of {', '.join(opened)} must have names of their own"
        ports = {short: ports[port] for short, port in full.items()}
        self.codecs = {port: _codec(member) for port, member in ports.items()}
        # A port has a handle for each element of its array, in order.
        self._handles = {
            port: [getattr(dut, prefix + full[port] + index) for index in _indices(member.dimensions)]
            for port, member in ports.items()
        }
        self._outputs = [port for port, member in ports.items() if member.flow == Out]
        for port in ports.keys() - set(self._outputs):
            for handle in self._handles[port]:
                handle.value = 0

    def set(self, **values):
        """Inputs from now on."""
        for port, value in values.items():
            bits, handles = self.codecs[port].pack(value), self._handles[port]
            width = self.codecs[port].width // len(handles)
            for handle in handles:
                handle.value = bits & (1 << width) - 1
                bits >>= width

    def get(self, port):
        """The value of an output."""
        handles = self._handles[port]
        width = self.codecs[port].width // len(handles)
        return self.codecs[port].unpack(sum(int(handle.value) << width * index for index, handle in enumerate(handles)))

    def all(self):
        """The values of all outputs, by name."""
        return {port: self.get(port) for port in self._outputs}

    async def outputs(self):
        """The same in the middle of the cycle, when they have followed the inputs."""
        await FallingEdge(self._clock)
        return self.all()


def _ports(signature, prefix=""):
    for name, member in signature.members.items():
        if member.is_port:
            yield prefix + name, member
        elif not isinstance(member.signature, stream.Signature):
            for index in _indices(member.dimensions):
                yield from _ports(member.signature, f"{prefix}{name}{index}__")


def _short(port, opened):
    interface, _, rest = port.partition("__")
    return rest if interface in opened else port


def _codec(member):
    codec = codec_of(member.shape)
    for length in reversed(member.dimensions):
        codec = Sequence(codec.width * length, length, codec)
    return codec


def _indices(dimensions):
    if not dimensions:
        return [""]
    return [f"__{first}{rest}" for first in range(dimensions[0]) for rest in _indices(dimensions[1:])]
