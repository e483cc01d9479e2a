"""Buses of AXI as flat ports, whose names the vendors' tools know."""

from collections.abc import Mapping
from dataclasses import dataclass

from amaranth.lib.wiring import In, Out

__all__ = [
    "FlatChannel",
    "axi4_channels",
    "axi_lite_channels",
    "connect_axi_lite",
    "connect_axi_read",
    "connect_axi_write",
    "members_of",
]

INCREMENTING = 1
# Normal memory that an interconnect may buffer and widen.
MODIFIABLE_BUFFERABLE = 3


@dataclass(frozen=True, kw_only=True)
class FlatChannel:
    """A channel of AXI: its payload, valid and ready as ports of a top.

    Parameters
    ----------
    prefix : str
        What the names of its ports begin with, such as ``s_axi_ctrl_aw``.
    comes_in : bool
        The top takes it; otherwise it gives it.
    payload : Mapping
        Bits by name.
    """

    prefix: str
    comes_in: bool
    payload: Mapping[str, int]

    @property
    def members(self):
        """Members of the top's signature, by name."""
        forward, backward = (In, Out) if self.comes_in else (Out, In)
        return {
            **{f"{self.prefix}{name}": forward(bits) for name, bits in self.payload.items()},
            f"{self.prefix}valid": forward(1),
            f"{self.prefix}ready": backward(1),
        }

    def connect(self, m, top, inner, *, closed=None, **payload):
        """Connect it to a stream inside.

        Parameters
        ----------
        m : Module
        top : component
            With the ports.
        inner : stream interface
        closed : Signal or None
            While 1, nothing is taken.
        payload : dict
            What stands inside for each part of the payload; parts that come in may be left out.
        """
        valid, ready = getattr(top, f"{self.prefix}valid"), getattr(top, f"{self.prefix}ready")
        ports = {name: getattr(top, f"{self.prefix}{name}") for name in payload}
        if self.comes_in:
            taken = inner.ready if closed is None else inner.ready & ~closed
            m.d.comb += [inner.valid.eq(valid), ready.eq(taken)]
            m.d.comb += [value.eq(ports[name]) for name, value in payload.items()]
        else:
            m.d.comb += [valid.eq(inner.valid), inner.ready.eq(ready)]
            m.d.comb += [ports[name].eq(value) for name, value in payload.items()]


def members_of(channels):
    """Members of all channels of a bus."""
    return {name: member for channel in channels.values() for name, member in channel.members.items()}


def axi_lite_channels(prefix, address_width):
    """The channels of a slave of AXI4-Lite by their names, ``aw`` to ``r``; ``prefix`` ends with an underscore."""
    address = {"addr": address_width, "prot": 3}
    return {
        name: FlatChannel(prefix=f"{prefix}{name}", comes_in=name not in ("b", "r"), payload=payload)
        for name, payload in (
            ("aw", address),
            ("w", {"data": 32, "strb": 4}),
            ("b", {"resp": 2}),
            ("ar", address),
            ("r", {"data": 32, "resp": 2}),
        )
    }


def connect_axi_lite(m, top, channels, control, closed):
    """Connect the ports of a slave of AXI4-Lite to an :class:`.AxiLiteSignature`; nothing is taken while ``closed``."""
    channels["aw"].connect(m, top, control.write_address, closed=closed, addr=control.write_address.payload)
    written, got = control.write_data.payload, control.read_data.payload
    channels["w"].connect(m, top, control.write_data, closed=closed, data=written.data, strb=written.strobe)
    channels["b"].connect(m, top, control.write_response, resp=control.write_response.payload)
    channels["ar"].connect(m, top, control.read_address, closed=closed, addr=control.read_address.payload)
    channels["r"].connect(m, top, control.read_data, data=got.data, resp=got.response)


def axi4_channels(prefix, address_width, data_width):
    """The channels of a master of AXI4 by their names, ``aw`` to ``r``; ``prefix`` ends with an underscore."""
    identifier = {"id": 1}
    burst = {"len": 8, "size": 3, "burst": 2, "lock": 1, "cache": 4, "prot": 3, "qos": 4, "region": 4}
    address = {**identifier, "addr": address_width, **burst}
    return {
        name: FlatChannel(prefix=f"{prefix}{name}", comes_in=name in ("b", "r"), payload=payload)
        for name, payload in (
            ("aw", address),
            ("w", {"data": data_width, "strb": data_width // 8, "last": 1}),
            ("b", {**identifier, "resp": 2}),
            ("ar", address),
            ("r", {**identifier, "data": data_width, "resp": 2, "last": 1}),
        )
    }


def connect_axi_read(m, top, channels, bus):
    """Connect the reading channels of a master's ports to an :class:`.Axi4ReadSignature`."""
    _connect_bursts(m, top, channels["ar"], bus.read_address, bus.signature.data_width)
    answer = bus.read_data.payload
    channels["r"].connect(m, top, bus.read_data, data=answer.data, resp=answer.response, last=answer.last)


def connect_axi_write(m, top, channels, bus):
    """Connect the writing channels of a master's ports to an :class:`.Axi4WriteSignature`."""
    _connect_bursts(m, top, channels["aw"], bus.write_address, bus.signature.data_width)
    written = bus.write_data.payload
    channels["w"].connect(m, top, bus.write_data, data=written.data, strb=written.strobe, last=written.last)
    channels["b"].connect(m, top, bus.write_response, resp=bus.write_response.payload)


def _connect_bursts(m, top, channel, bursts, data_width):
    """An address channel: what never varies is added."""
    channel.connect(
        m,
        top,
        bursts,
        addr=bursts.payload.address,
        len=bursts.payload.length,
        size=(data_width // 8).bit_length() - 1,
        burst=INCREMENTING,
        cache=MODIFIABLE_BUFFERABLE,
    )
