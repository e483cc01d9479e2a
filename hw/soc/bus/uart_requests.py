"""Parts shared by the units that execute the requests of a host behind a UART."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .uart_config import PAYLOAD_LIMIT, Status

__all__ = ["LENGTH_WIDTH", "ByteCollector", "RequestSignature", "result_layout"]

# A payload has at most so many bytes that its length fits.
LENGTH_WIDTH = PAYLOAD_LIMIT.bit_length()
# How a request ended, and bytes of the answer after its status.
result_layout = data.StructLayout({"status": Status, "length": LENGTH_WIDTH})


class RequestSignature(wiring.Signature):
    """The ports of a unit, seen from whoever hands out requests.

    Members
    -------
    begin : Out(1)
        A request for the unit; its payload follows.
    length : Out(LENGTH_WIDTH)
        Bytes of that.
    payload : Out(stream.Signature(8))
        Bytes that the unit has not taken when it gives the result are not for it.
    results : In(stream.Signature(result_layout))
        One for each request.
    answer : In(stream.Signature(8))
        As many bytes as the result says; waits for nothing but the wire.
    """

    def __init__(self):
        super().__init__(
            {
                "begin": Out(1),
                "length": Out(LENGTH_WIDTH),
                "payload": Out(stream.Signature(8)),
                "results": In(stream.Signature(result_layout)),
                "answer": In(stream.Signature(8)),
            }
        )


class ByteCollector(wiring.Component):
    """Puts bytes side by side in words, the first in the lowest bits.

    Latency: one cycle from the last byte of a word. Throughput: a byte a cycle but for one at each word. Back-pressure:
    a word waits until it is taken.

    Parameters
    ----------
    size : int
        Bytes of a word.

    Members
    -------
    i : In(stream.Signature(8))
    o : Out(stream.Signature(8 * size))
    """

    def __init__(self, size: int):
        super().__init__({"i": In(stream.Signature(8)), "o": Out(stream.Signature(8 * size))})

    def elaborate(self, platform):
        m = Module()
        word = self.o.payload
        count = Signal(range(len(word) // 8))
        m.d.comb += self.i.ready.eq(~self.o.valid)
        with m.If(self.i.valid & self.i.ready):
            last = count == len(word) // 8 - 1
            m.d.sync += [
                word.eq(Cat(word, self.i.payload)[8:]),
                count.eq(Mux(last, 0, count + 1)),
                self.o.valid.eq(last),
            ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        return m
