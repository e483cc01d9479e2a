"""A lane of an optimiser that several layers take one after another."""

from amaranth.hdl import Array, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["SharedLane"]


class SharedLane(wiring.Component):
    """Gives the numbers of the layer whose turn it is to a lane, and its results to all of them.

    Number format: the lane's.

    Latency: ``latency`` cycles, a register and the lane. A number a cycle. No back-pressure.

    Parameters
    ----------
    lane : component
        A lane of :mod:`.float_lane` or the like.
    rates : tuple of str
        Its ports that are the same for all layers.
    layers : int

    Members
    -------
    layers : Out(port).array(layers)
        Ports that each layer has of the lane: all but the rates.
    active : In(range(layers))
        The layer whose turn it is.
    rates : In
        Each by its name; constant while numbers are under way.
    """

    def __init__(self, lane, rates, layers):
        self._lane, self._rates = lane, tuple(rates)
        members = lane.signature.members
        self._port = wiring.Signature({name: member for name, member in members.items() if name not in rates})
        super().__init__(
            {
                "layers": Out(self._port).array(layers),
                "active": In(range(layers)),
                **{name: members[name] for name in rates},
            }
        )

    @property
    def port(self):
        """The signature of what a layer has of the lane."""
        return self._port

    @property
    def latency(self):
        """Cycles from a number to its result."""
        return 1 + self._lane.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.lane = lane = self._lane
        m.d.comb += [getattr(lane, name).eq(getattr(self, name)) for name in self._rates]
        for name, member in self._port.members.items():
            ports = [getattr(layer, name) for layer in self.layers]
            if member.flow is Out:
                m.d.comb += [port.eq(getattr(lane, name)) for port in ports]
            else:
                m.d.sync += getattr(lane, name).eq(Array(ports)[self.active])
        return m
