"""Two slaves of AXI4-Lite behind one."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...cores.checks import require_integer, require_power_of_two
from .axi_lite import AxiLiteSignature

__all__ = ["AxiLiteDecoder"]


class AxiLiteDecoder(wiring.Component):
    """Gives the accesses of a block of addresses to one slave, and all others to another.

    At most one write and one read are outstanding, independently of each other. The slave that has an address also
    answers accesses outside its register map.

    Latency: a request reaches its slave a cycle later, a response none. Back-pressure: an address channel is not ready
    from its acceptance until the response is taken.

    Parameters
    ----------
    address_width : int
        Bits of a byte address.
    base, size : int
        The block in bytes: a power of two of them, at a multiple.

    Members
    -------
    control : :py:`In(AxiLiteSignature(address_width))`
        From the host.
    block : :py:`Out(AxiLiteSignature(...))`
        To the slave of the block; its addresses begin at 0.
    rest : :py:`Out(AxiLiteSignature(address_width))`
        To the other slave.
    """

    def __init__(self, address_width, *, base, size):
        require_power_of_two("Size of the block", size, 4, 1 << address_width)
        require_integer("Base of the block", base, 0, (1 << address_width) - size, unit=size)
        self.base, self.size = base, size
        super().__init__(
            {
                "control": In(AxiLiteSignature(address_width)),
                "block": Out(AxiLiteSignature(size.bit_length() - 1)),
                "rest": Out(AxiLiteSignature(address_width)),
            }
        )
        # The data of a write have gone to its slave: for proofs.
        self.write_data_given = Signal()

    @property
    def latency(self):
        """Cycles from a request to the same request at its slave."""
        return 1

    def elaborate(self, platform):
        m = Module()
        self._decode(m, "write_address", "write_data", "write_response")
        self._decode(m, "read_address", None, "read_data")
        return m

    def _decode(self, m, address_name, data_name, response_name):
        requests, responses = getattr(self.control, address_name), getattr(self.control, response_name)
        slaves = (self.rest, self.block)
        bits = self.size.bit_length() - 1
        address = Signal.like(requests.payload, name=f"{response_name}_address")
        busy = Signal(name=f"{response_name}_busy")
        in_block = Signal(name=f"{response_name}_in_block")
        given = Signal(name=f"{response_name}_address_given")
        m.d.comb += [requests.ready.eq(~busy), in_block.eq(address[bits:] == self.base >> bits)]
        with m.If(requests.valid & requests.ready):
            m.d.sync += [busy.eq(1), address.eq(requests.payload), given.eq(0)]

        def chosen(name, part):
            return Mux(in_block, *(Value.cast(getattr(getattr(slave, name), part)) for slave in reversed(slaves)))

        with m.If(busy & chosen(address_name, "ready")):
            m.d.sync += given.eq(1)
        with m.If(responses.valid & responses.ready):
            m.d.sync += busy.eq(0)
        for index, slave in enumerate(slaves):
            to_slave, from_slave = getattr(slave, address_name), getattr(slave, response_name)
            m.d.comb += [
                to_slave.payload.eq(address),
                to_slave.valid.eq(busy & ~given & (in_block == index)),
                from_slave.ready.eq(responses.ready & (in_block == index)),
            ]
        m.d.comb += [
            responses.valid.eq(busy & chosen(response_name, "valid")),
            Value.cast(responses.payload).eq(chosen(response_name, "payload")),
        ]
        if data_name:
            data, moved = getattr(self.control, data_name), self.write_data_given
            with m.If(data.valid & data.ready):
                m.d.sync += moved.eq(1)
            with m.If(requests.valid & requests.ready):
                m.d.sync += moved.eq(0)
            for index, slave in enumerate(slaves):
                to_slave = getattr(slave, data_name)
                m.d.comb += [
                    to_slave.payload.eq(data.payload),
                    to_slave.valid.eq(data.valid & busy & ~moved & (in_block == index)),
                ]
            m.d.comb += data.ready.eq(busy & ~moved & chosen(data_name, "ready"))
