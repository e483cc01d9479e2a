"""Rows to a system and from it for a host behind a UART."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...cores.stream.packet import packet_signature
from .uart_config import BUFFER_ROWS, Status, rows_per_frame
from .uart_requests import ByteCollector, RequestSignature

__all__ = ["RowsToHost", "RowsToSystem"]


class RowsToSystem(wiring.Component):
    """Executes ``SEND``: all rows of a request, or none while there is no room for them.

    Latency: a cycle after the last row is in the buffer. Throughput: a byte a cycle, with a cycle more for each row
    and for the check before the first. Back-pressure: none but the buffer's, which has room.

    Parameters
    ----------
    width : int
        Bits of a row.

    Members
    -------
    requests : In(RequestSignature())
    room : In(range(BUFFER_ROWS + 1))
        Rows that the buffer takes.
    o : Out(packet_signature(width))
        To the buffer.
    """

    def __init__(self, width: int):
        self._width = width
        super().__init__(
            {"requests": In(RequestSignature()), "room": In(range(BUFFER_ROWS + 1)), "o": Out(packet_signature(width))}
        )

    def elaborate(self, platform):
        m = Module()
        requests, payload = self.requests, self.requests.payload
        m.submodules.collector = collector = ByteCollector(self._width // 8)
        m.d.comb += [
            collector.i.payload.eq(payload.payload),
            self.o.payload.data.eq(collector.o.payload),
        ]
        status, ends, rows = Signal(Status), Signal(), Signal(8)
        m.d.comb += [requests.results.payload.status.eq(status), self.o.payload.last.eq(ends & (rows == 1))]
        with m.FSM():
            with m.State("IDLE"):
                with m.If(requests.begin):
                    m.next = "ENDS"
            with m.State("ENDS"):
                m.d.comb += payload.ready.eq(1)
                m.d.sync += ends.eq(payload.payload)
                with m.If(payload.valid):
                    m.next = "ROWS"
            with m.State("ROWS"):
                m.d.comb += payload.ready.eq(1)
                m.d.sync += rows.eq(payload.payload)
                with m.If(payload.valid):
                    m.next = "CHECK"
            with m.State("CHECK"):
                m.next = "RESULT"
                with m.If((rows == 0) | (requests.length != rows * (self._width // 8) + 2)):
                    m.d.sync += status.eq(Status.UNKNOWN)
                with m.Elif(rows > self.room):
                    m.d.sync += status.eq(Status.BUSY)
                with m.Else():
                    m.d.sync += status.eq(Status.OK)
                    m.next = "PASS"
            with m.State("PASS"):
                m.d.comb += [
                    collector.i.valid.eq(payload.valid),
                    payload.ready.eq(collector.i.ready),
                    self.o.valid.eq(collector.o.valid),
                    collector.o.ready.eq(self.o.ready),
                ]
                with m.If(self.o.valid & self.o.ready):
                    m.d.sync += rows.eq(rows - 1)
                    with m.If(rows == 1):
                        m.next = "RESULT"
            with m.State("RESULT"):
                m.d.comb += requests.results.valid.eq(1)
                with m.If(requests.results.ready):
                    m.next = "IDLE"
        return m


class RowsToHost(wiring.Component):
    """Executes ``RECEIVE``: the rows that are wanted, are there and fit a frame, each after a byte: it ends a packet.

    Latency: three cycles from the number that is wanted. Throughput: a byte a cycle.

    Parameters
    ----------
    width : int
        Bits of a row.

    Members
    -------
    requests : In(RequestSignature())
    level : In(range(BUFFER_ROWS + 1))
        Rows that are there.
    i : In(packet_signature(width))
        From the buffer.
    """

    def __init__(self, width: int):
        self._width = width
        super().__init__(
            {"requests": In(RequestSignature()), "level": In(range(BUFFER_ROWS + 1)), "i": In(packet_signature(width))}
        )

    def elaborate(self, platform):
        m = Module()
        requests, answer = self.requests, self.requests.answer
        row_bytes = self._width // 8
        limit = rows_per_frame(row_bytes)
        rows, index = Signal(8), Signal(range(row_bytes + 1))
        ends = Signal(8)
        m.d.comb += [
            ends.eq(self.i.payload.last),
            requests.results.payload.status.eq(Status.OK),
            requests.results.payload.length.eq(rows * (row_bytes + 1)),
            answer.payload.eq(Cat(ends, self.i.payload.data).word_select(index, 8)),
        ]
        with m.FSM():
            with m.State("IDLE"):
                with m.If(requests.begin):
                    m.next = "WANTED"
            with m.State("WANTED"):
                m.d.comb += requests.payload.ready.eq(1)
                m.d.sync += rows.eq(Mux(requests.payload.payload > limit, limit, requests.payload.payload))
                with m.If(requests.payload.valid):
                    m.next = "THERE"
            with m.State("THERE"):
                with m.If(rows > self.level):
                    m.d.sync += rows.eq(self.level)
                m.next = "RESULT"
            with m.State("RESULT"):
                m.d.comb += requests.results.valid.eq(1)
                with m.If(requests.results.ready):
                    m.next = "ANSWER"
                    with m.If(rows == 0):
                        m.next = "IDLE"
            with m.State("ANSWER"):
                # The rows counted are there, but the last of them may still be on its way through the buffer.
                m.d.comb += answer.valid.eq(self.i.valid)
                with m.If(answer.valid & answer.ready):
                    m.d.sync += index.eq(index + 1)
                    with m.If(index == row_bytes):
                        m.d.comb += self.i.ready.eq(1)
                        m.d.sync += [index.eq(0), rows.eq(rows - 1)]
                        with m.If(rows == 1):
                            m.next = "IDLE"
        return m
