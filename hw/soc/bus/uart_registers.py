"""Reads and writes of registers for a host behind a UART."""

from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .axi_lite import AxiLiteSignature, Response
from .uart_config import Status
from .uart_requests import LENGTH_WIDTH, ByteCollector, RequestSignature

__all__ = ["RegisterRequests"]


class RegisterRequests(wiring.Component):
    """Executes ``READ`` and ``WRITE``: a word from an address, or words for it and the addresses after it.

    Addresses past the bits that the bus has are refused, as those are that the system refuses. The answer to ``READ``
    is a word, whatever the status is.

    Latency and throughput are the bus's.

    Parameters
    ----------
    address_width : int
        Bits of an address of the bus.

    Members
    -------
    requests : In(RequestSignature())
    writes : In(1)
        The request is a ``WRITE``.
    control : Out(AxiLiteSignature(address_width))
    """

    def __init__(self, address_width: int):
        self._address_width = address_width
        super().__init__(
            {"requests": In(RequestSignature()), "writes": In(1), "control": Out(AxiLiteSignature(address_width))}
        )

    def elaborate(self, platform):
        m = Module()
        requests, control = self.requests, self.control
        words = ByteCollector(4)
        # A request that was refused may have left some bytes.
        m.submodules.words = ResetInserter(requests.begin)(words)
        wiring.connect(m, wiring.flipped(requests.payload), words.i)
        address, word, left = Signal(32), Signal(32), Signal(LENGTH_WIDTH - 2)
        status = Signal(Status)
        m.d.comb += [
            requests.results.payload.status.eq(status),
            requests.results.payload.length.eq(Mux(self.writes, 0, 4)),
            control.write_address.payload.eq(address),
            control.write_data.payload.data.eq(words.o.payload),
            control.write_data.payload.strobe.eq(0b1111),
            control.read_address.payload.eq(address),
        ]
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [status.eq(Status.OK), left.eq(requests.length[2:] - 1), word.eq(0)]
                with m.If(requests.begin):
                    m.next = "ADDRESS"
            with m.State("ADDRESS"):
                m.d.comb += words.o.ready.eq(1)
                m.d.sync += address.eq(words.o.payload)
                with m.If(words.o.valid):
                    m.next = "CHECK"
            with m.State("CHECK"):
                m.d.sync += left.eq(left - 1)
                m.next = "READ ADDRESS"
                with m.If(self.writes):
                    m.next = "WRITE ADDRESS"
                with m.If(address[self._address_width :].any()):
                    m.d.sync += status.eq(Status.REFUSED)
                    m.next = "RESULT"
            self._write_states(m, words.o, address, left, status)
            self._read_states(m, word, address, status)
            with m.State("RESULT"):
                m.d.comb += requests.results.valid.eq(1)
                with m.If(requests.results.ready):
                    m.next = "IDLE"
                    with m.If(~self.writes):
                        m.next = "ANSWER"
            with m.State("ANSWER"):
                self._answer_state(m, word)
        return m

    def _write_states(self, m, words, address, left, status):
        """One word; then back to the check of the next one's address."""
        control = self.control
        with m.State("WRITE ADDRESS"):
            m.d.comb += control.write_address.valid.eq(words.valid)
            with m.If(words.valid & control.write_address.ready):
                m.next = "WRITE DATA"
        with m.State("WRITE DATA"):
            m.d.comb += [control.write_data.valid.eq(1), words.ready.eq(control.write_data.ready)]
            with m.If(control.write_data.ready):
                m.next = "WRITE RESPONSE"
        with m.State("WRITE RESPONSE"):
            m.d.comb += control.write_response.ready.eq(1)
            with m.If(control.write_response.valid):
                m.d.sync += address.eq(address + 4)
                with m.If(control.write_response.payload != Response.OKAY):
                    m.d.sync += status.eq(Status.REFUSED)
                m.next = "CHECK"
                with m.If(left == 0):
                    m.next = "RESULT"

    def _read_states(self, m, word, address, status):
        control = self.control
        with m.State("READ ADDRESS"):
            m.d.comb += control.read_address.valid.eq(1)
            with m.If(control.read_address.ready):
                m.next = "READ DATA"
        with m.State("READ DATA"):
            m.d.comb += control.read_data.ready.eq(1)
            with m.If(control.read_data.valid):
                m.d.sync += word.eq(control.read_data.payload.data)
                with m.If(control.read_data.payload.response != Response.OKAY):
                    m.d.sync += status.eq(Status.REFUSED)
                m.next = "RESULT"

    def _answer_state(self, m, word):
        answer = self.requests.answer
        index = Signal(2)
        m.d.comb += [answer.valid.eq(1), answer.payload.eq(word.word_select(index, 8))]
        with m.If(answer.ready):
            m.d.sync += index.eq(index + 1)
            with m.If(index == 3):
                m.next = "IDLE"
