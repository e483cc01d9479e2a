"""Buses of AXI as flat ports, whose names the vendors' tools know."""

from collections.abc import Mapping
from dataclasses import dataclass

from amaranth.hdl import Const
from amaranth.lib.wiring import In, Out

from .interfaces import BusInterface

__all__ = ["FlatBus", "FlatChannel", "axi4_master", "axi_lite_slave", "axi_stream"]

INCREMENTING = 1
# Normal memory that an interconnect may buffer and widen.
MODIFIABLE_BUFFERABLE = 3
# All bursts of a master have the same identifier: they are answered in order.
IDENTIFIER = {"id": 1}


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
            What stands inside for each part of the payload; parts may be left out.
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


@dataclass(frozen=True, kw_only=True)
class FlatBus:
    """A bus of AXI as ports of a top.

    Parameters
    ----------
    channels : Mapping
        :class:`FlatChannel` by its name in AXI: ``aw``, ``w``, ``b``, ``ar``, ``r``; ``t`` of a stream.
    interface : BusInterface
        Description for other tools.
    """

    channels: Mapping[str, FlatChannel]
    interface: BusInterface

    @property
    def members(self):
        """Members of the top's signature, by name."""
        return {name: member for channel in self.channels.values() for name, member in channel.members.items()}

    def connect_lite(self, m, top, control, closed):
        """Connect a slave of AXI4-Lite to an :class:`.AxiLiteSignature`; nothing is taken while ``closed``."""
        channels, written, got = self.channels, control.write_data.payload, control.read_data.payload
        channels["aw"].connect(m, top, control.write_address, closed=closed, addr=control.write_address.payload)
        channels["w"].connect(m, top, control.write_data, closed=closed, data=written.data, strb=written.strobe)
        channels["b"].connect(m, top, control.write_response, resp=control.write_response.payload)
        channels["ar"].connect(m, top, control.read_address, closed=closed, addr=control.read_address.payload)
        channels["r"].connect(m, top, control.read_data, data=got.data, resp=got.response)

    def connect_stream(self, m, top, packets, closed):
        """Connect a stream to packets of rows; nothing is taken while ``closed``."""
        row = packets.payload
        if self.channels["t"].comes_in:
            self.channels["t"].connect(m, top, packets, closed=closed, data=row.data, last=row.last)
        else:
            whole = Const(-1, self.interface.data_width // 8)
            self.channels["t"].connect(m, top, packets, data=row.data, last=row.last, keep=whole)

    def connect_read(self, m, top, bus):
        """Connect the reading channels of a master to an :class:`.Axi4ReadSignature`."""
        self._connect_bursts(m, top, "ar", bus.read_address)
        got = bus.read_data.payload
        self.channels["r"].connect(m, top, bus.read_data, data=got.data, resp=got.response, last=got.last)

    def connect_write(self, m, top, bus):
        """Connect the writing channels of a master to an :class:`.Axi4WriteSignature`."""
        self._connect_bursts(m, top, "aw", bus.write_address)
        written = bus.write_data.payload
        self.channels["w"].connect(m, top, bus.write_data, data=written.data, strb=written.strobe, last=written.last)
        self.channels["b"].connect(m, top, bus.write_response, resp=bus.write_response.payload)

    def _connect_bursts(self, m, top, channel, bursts):
        """An address channel: what never varies is added."""
        self.channels[channel].connect(
            m,
            top,
            bursts,
            addr=bursts.payload.address,
            len=bursts.payload.length,
            size=(self.interface.data_width // 8).bit_length() - 1,
            burst=INCREMENTING,
            cache=MODIFIABLE_BUFFERABLE,
        )


def axi_lite_slave(name, *, address_width, clock, reset, description):
    """A slave of AXI4-Lite with 32 data bits."""
    address = {"addr": address_width, "prot": 3}
    payloads = {
        "aw": address,
        "w": {"data": 32, "strb": 4},
        "b": {"resp": 2},
        "ar": address,
        "r": {"data": 32, "resp": 2},
    }
    return _bus(name, payloads, ("aw", "w", "ar"), "axi4lite", "slave", clock, reset, 32, address_width, description)


def axi_stream(name, *, comes_in, data_width, clock, reset, description):
    """A stream of rows."""
    payloads = {"t": {"data": data_width, "keep": data_width // 8, "last": 1}}
    incoming, mode = (("t",), "slave") if comes_in else ((), "master")
    return _bus(name, payloads, incoming, "axi4stream", mode, clock, reset, data_width, 0, description)


def axi4_master(name, *, address_width, data_width, clock, reset, description, pointers=(), row_bytes=0):
    """A master of AXI4. The channels that nothing is connected to are silent; the rest is as in the interface."""
    burst = {"len": 8, "size": 3, "burst": 2, "lock": 1, "cache": 4, "prot": 3, "qos": 4, "region": 4}
    address = {**IDENTIFIER, "addr": address_width, **burst}
    payloads = {
        "aw": address,
        "w": {"data": data_width, "strb": data_width // 8, "last": 1},
        "b": {**IDENTIFIER, "resp": 2},
        "ar": address,
        "r": {**IDENTIFIER, "data": data_width, "resp": 2, "last": 1},
    }
    bits = (data_width, address_width)
    rows = {"pointers": pointers, "row_bytes": row_bytes}
    return _bus(name, payloads, ("b", "r"), "axi4", "master", clock, reset, *bits, description, **rows)


def _bus(name, payloads, incoming, protocol, mode, clock, reset, data_width, address_width, description, **rows):
    channels = {
        channel: FlatChannel(prefix=f"{name}_{channel}", comes_in=channel in incoming, payload=payload)
        for channel, payload in payloads.items()
    }
    ports = [port for channel in channels.values() for port in channel.members]
    interface = BusInterface(
        name=name,
        protocol=protocol,
        mode=mode,
        ports={port.removeprefix(f"{name}_").upper(): port for port in ports},
        clock=clock,
        reset=reset,
        data_width=data_width,
        address_width=address_width,
        description=description,
        **rows,
    )
    return FlatBus(channels=channels, interface=interface)
