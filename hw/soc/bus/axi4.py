"""AXI4: the channels of a master as streams."""

from amaranth.hdl import unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .axi_lite import Response

__all__ = ["Axi4ReadSignature", "Axi4WriteSignature", "burst_layout"]

LENGTH_WIDTH = 8


def burst_layout(address_width):
    """Payload of an address channel: ``address`` in bytes, and ``length``, the beats of the burst less one."""
    return data.StructLayout({"address": unsigned(address_width), "length": unsigned(LENGTH_WIDTH)})


class Axi4ReadSignature(wiring.Signature):
    """The two channels by which a master of AXI4 reads.

    Everything else that AXI4 says of a burst never varies, and is added where the ports are flat (:mod:`.flat_ports`):
    addresses increment, a beat has all bytes of the bus, and all bursts have the identifier 0, so that answers come in
    order.

    Parameters
    ----------
    address_width : int
        Bits of a byte address.
    data_width : int
        Bits of a beat, a power of two.

    Members
    -------
    read_address : :py:`Out(stream.Signature(burst_layout(address_width)))`
        AR.
    read_data : :py:`In(stream.Signature(...))`
        R: ``data``, ``response``, and ``last`` in the last beat of a burst.
    """

    def __init__(self, address_width, data_width):
        self.address_width = address_width
        self.data_width = data_width
        answered = data.StructLayout({"data": unsigned(data_width), "response": Response, "last": unsigned(1)})
        super().__init__(
            {
                "read_address": Out(stream.Signature(burst_layout(address_width))),
                "read_data": In(stream.Signature(answered)),
            }
        )


class Axi4WriteSignature(wiring.Signature):
    """The three channels by which a master of AXI4 writes; bursts are as those of :class:`Axi4ReadSignature`.

    Parameters
    ----------
    address_width : int
        Bits of a byte address.
    data_width : int
        Bits of a beat, a power of two.

    Members
    -------
    write_address : :py:`Out(stream.Signature(burst_layout(address_width)))`
        AW.
    write_data : :py:`Out(stream.Signature(...))`
        W: ``data``, ``strobe`` (one bit a byte), and ``last`` in the last beat of a burst.
    write_response : :py:`In(stream.Signature(Response))`
        B.
    """

    def __init__(self, address_width, data_width):
        self.address_width = address_width
        self.data_width = data_width
        written = {"data": unsigned(data_width), "strobe": unsigned(data_width // 8), "last": unsigned(1)}
        super().__init__(
            {
                "write_address": Out(stream.Signature(burst_layout(address_width))),
                "write_data": Out(stream.Signature(data.StructLayout(written))),
                "write_response": In(stream.Signature(Response)),
            }
        )
