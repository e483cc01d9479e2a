"""AXI4-Lite: its five channels as streams."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["AxiLiteSignature", "AxiLiteSlave", "Response", "read_data_layout", "write_data_layout"]


class Response(enum.Enum, shape=2):  # type: ignore[call-arg]
    """Answer to a transaction."""

    OKAY = 0
    EXCLUSIVE_OKAY = 1
    SLAVE_ERROR = 2
    DECODE_ERROR = 3


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


class AxiLiteSlave(wiring.Component):
    """Turns AXI4-Lite transactions into single-cycle register accesses.

    One write and one read are outstanding at most, independently of each other; write address and data come in either
    order. The access happens in the one cycle in which ``enable`` is 1; it is answered with ``okay``, else with
    SLVERR. The address stands a cycle before, for whoever decodes it with a register.

    Latency: a write is executed in the second cycle after the later of its address and data, and answered in the next;
    a read is executed in the second cycle after its address and answered in the next. Throughput: one of each every
    four cycles. Back-pressure: address and data channels are not ready from their acceptance until the response is
    taken.

    Parameters
    ----------
    address_width : int
        Bits of a byte address. The lowest two are ignored: an access is to a word.

    Members
    -------
    control : :py:`In(AxiLiteSignature(address_width))`
        From the host.
    write : :py:`Out(Signature)`
        ``enable``, ``address`` (of the word), ``data``, ``strobe`` (one bit a byte); ``okay`` is answered in the same
        cycle.
    read : :py:`Out(Signature)`
        ``enable``, ``address``; ``data`` and ``okay`` are answered in the same cycle.
    """

    def __init__(self, address_width):
        self.address_width = address_width
        word = address_width - 2
        write = {"enable": Out(1), "address": Out(word), "data": Out(32), "strobe": Out(4), "okay": In(1)}
        read = {"enable": Out(1), "address": Out(word), "data": In(32), "okay": In(1)}
        super().__init__(
            {
                "control": In(AxiLiteSignature(address_width)),
                "write": Out(wiring.Signature(write)),
                "read": Out(wiring.Signature(read)),
            }
        )

    @property
    def latency(self):
        """Cycles from the transfer of an address (and data) to the response's valid."""
        return 3

    def elaborate(self, platform):
        m = Module()
        control, write, read = self.control, self.write, self.read

        # A request is held until its response is taken.
        has_address = Signal()
        has_data = Signal()
        m.d.comb += [control.write_address.ready.eq(~has_address), control.write_data.ready.eq(~has_data)]
        m.d.sync += write.enable.eq(has_address & has_data & ~write.enable & ~control.write_response.valid)
        with m.If(control.write_address.valid & control.write_address.ready):
            m.d.sync += [has_address.eq(1), write.address.eq(control.write_address.payload[2:])]
        with m.If(control.write_data.valid & control.write_data.ready):
            m.d.sync += [
                has_data.eq(1),
                write.data.eq(control.write_data.payload.data),
                write.strobe.eq(control.write_data.payload.strobe),
            ]
        with m.If(write.enable):
            m.d.sync += [
                control.write_response.valid.eq(1),
                control.write_response.payload.eq(Mux(write.okay, Response.OKAY, Response.SLAVE_ERROR)),
            ]
        with m.If(control.write_response.valid & control.write_response.ready):
            m.d.sync += [control.write_response.valid.eq(0), has_address.eq(0), has_data.eq(0)]

        has_request = Signal()
        m.d.comb += control.read_address.ready.eq(~has_request)
        m.d.sync += read.enable.eq(has_request & ~read.enable & ~control.read_data.valid)
        with m.If(control.read_address.valid & control.read_address.ready):
            m.d.sync += [has_request.eq(1), read.address.eq(control.read_address.payload[2:])]
        with m.If(read.enable):
            m.d.sync += [
                control.read_data.valid.eq(1),
                control.read_data.payload.data.eq(read.data),
                control.read_data.payload.response.eq(Mux(read.okay, Response.OKAY, Response.SLAVE_ERROR)),
            ]
        with m.If(control.read_data.valid & control.read_data.ready):
            m.d.sync += [control.read_data.valid.eq(0), has_request.eq(0)]
        return m
