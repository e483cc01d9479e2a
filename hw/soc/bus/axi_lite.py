"""AXI4-Lite: its five channels as streams."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["AxiLiteSignature", "Response", "read_data_layout", "write_data_layout"]


class Response(enum.Enum, shape=2):
    """Answer to a transaction."""

    OKAY = 0
    SLAVE_ERROR = 2


write_data_layout = data.StructLayout({"data": unsigned(32), "strobe": unsigned(4)})
read_data_layout = data.StructLayout({"data": unsigned(32), "response": Response})


class AxiLiteSignature(wiring.Signature):
    """AXI4-Lite with 32 data bits, seen from the master.

    Parameters
    ----------
    address_width : int
        Bits of a byte address.

    Members
    -------
    write_address : :py:`Out(stream.Signature(address_width))`
        AW.
    write_data : :py:`Out(stream.Signature(write_data_layout))`
        W.
    write_response : :py:`In(stream.Signature(Response))`
        B.
    read_address : :py:`Out(stream.Signature(address_width))`
        AR.
    read_data : :py:`In(stream.Signature(read_data_layout))`
        R.
    """

    def __init__(self, address_width):
        self.address_width = address_width
        super().__init__(
            {
                "write_address": Out(stream.Signature(unsigned(address_width))),
                "write_data": Out(stream.Signature(write_data_layout)),
                "write_response": In(stream.Signature(Response)),
                "read_address": Out(stream.Signature(unsigned(address_width))),
                "read_data": In(stream.Signature(read_data_layout)),
            }
        )
