"""Hands the requests of a host to the units that execute them, and replies to each."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .uart_config import REPLY, Kind, Status
from .uart_frame import frame_layout
from .uart_requests import LENGTH_WIDTH, RequestSignature

__all__ = ["RequestDispatcher"]

UNITS = ("registers", "rows_in", "rows_out")
# Which unit executes a request, and whether a payload has a length that it may have.
EXECUTION = {
    Kind.READ: ("registers", lambda length: length == 4),
    Kind.WRITE: ("registers", lambda length: (length >= 8) & (length[:2] == 0)),
    Kind.SEND: ("rows_in", lambda length: length >= 2),
    Kind.RECEIVE: ("rows_out", lambda length: length == 1),
}


class RequestDispatcher(wiring.Component):
    """Replies to every frame with a status, after a unit has executed it or without.

    A frame that is not intact is answered ``CORRUPT``; one of no kind, or of a length that its kind cannot have,
    ``UNKNOWN``. A frame with the kind and tag of the intact one before is taken for its repetition by a host that
    missed the reply: it is answered as that was, and not executed again. ``READ`` and ``RECEIVE`` are executed always,
    and so is a request that found no room before.

    Latency and throughput are the wire's. Back-pressure: a frame waits until the one before is answered.

    Members
    -------
    frames, payload : In(streams)
        As a :class:`.FrameReceiver` gives them.
    replies, answer : Out(streams)
        As a :class:`.FrameTransmitter` takes them.
    units : Out(interface)
        A :class:`.RequestSignature` for ``registers``, ``rows_in`` and ``rows_out``.
    writes : Out(1)
        The request is a ``WRITE``.
    forget : Out(1)
        One cycle: drop the rows in the buffers.
    """

    def __init__(self):
        super().__init__(
            {
                "frames": In(stream.Signature(frame_layout)),
                "payload": In(stream.Signature(8)),
                "replies": Out(stream.Signature(frame_layout)),
                "answer": Out(stream.Signature(8)),
                "units": Out(wiring.Signature({name: Out(RequestSignature()) for name in UNITS})),
                "writes": Out(1),
                "forget": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        frame = Signal(frame_layout)
        # The last intact request: what tells its repetition, and how it was answered.
        previous = Signal(data.StructLayout({"kind": 8, "tag": 8, "status": Status, "valid": 1}))
        chosen = Signal(data.StructLayout(dict.fromkeys(UNITS, 1)))
        # Results of a frame's comparisons.
        found = Signal(data.StructLayout({"repeats": 1, **{kind.name: 1 for kind in (*EXECUTION, Kind.FORGET)}}))
        status, left = Signal(Status), Signal(LENGTH_WIDTH)
        for name in UNITS:
            unit = getattr(self.units, name)
            m.d.comb += [unit.length.eq(frame.length), unit.payload.payload.eq(self.payload.payload)]
        m.d.comb += [
            self.writes.eq(frame.kind == Kind.WRITE),
            self.replies.payload.kind.eq(frame.kind | REPLY),
            self.replies.payload.tag.eq(frame.tag),
            self.replies.payload.length.eq(left + 1),
        ]
        with m.If(self.payload.valid & self.payload.ready):
            m.d.sync += left.eq(left - 1)
        length = Signal(LENGTH_WIDTH)
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.frames.ready.eq(1)
                m.d.sync += [
                    frame.eq(self.frames.payload),
                    left.eq(self.frames.payload.length),
                    length.eq(0),
                    chosen.eq(0),
                ]
                with m.If(self.frames.valid):
                    m.next = "COMPARE"
            with m.State("COMPARE"):
                m.next = "CHOOSE"
                self._compare(m, frame, previous, found)
            with m.State("CHOOSE"):
                m.next = "DRAIN"
                self._choose(m, frame, found, previous, chosen, status)
            with m.State("EXECUTE"):
                self._execute(m, previous, chosen, status, length)
            with m.State("DRAIN"):
                # The rest of the payload is not to be executed.
                m.d.comb += self.payload.ready.eq(1)
                with m.If(left == 0):
                    m.d.sync += left.eq(length)
                    m.next = "REPLY"
            with m.State("REPLY"):
                m.d.comb += self.replies.valid.eq(1)
                with m.If(self.replies.ready):
                    m.next = "STATUS"
            with m.State("STATUS"):
                m.d.comb += [self.answer.valid.eq(1), self.answer.payload.eq(status)]
                with m.If(self.answer.ready):
                    m.next = "ANSWER"
                    with m.If(left == 0):
                        m.next = "IDLE"
            with m.State("ANSWER"):
                self._pass_answer(m, chosen, left)
        return m

    def _compare(self, m, frame, previous, found):
        """Whether a frame repeats the one before, and which kind of request it is."""
        m.d.sync += found.repeats.eq(
            previous.valid
            & (previous.kind == frame.kind)
            & (previous.tag == frame.tag)
            & (frame.kind != Kind.READ)
            & (frame.kind != Kind.RECEIVE)
        )
        for kind, (_, is_possible) in EXECUTION.items():
            m.d.sync += found[kind.name].eq((frame.kind == kind) & is_possible(frame.length))
        m.d.sync += found[Kind.FORGET.name].eq((frame.kind == Kind.FORGET) & (frame.length == 0))

    def _choose(self, m, frame, found, previous, chosen, status):
        """Chooses the unit that executes a frame, or an answer without one."""
        with m.If(~frame.intact):
            m.d.sync += status.eq(Status.CORRUPT)
        with m.Elif(found.repeats):
            m.d.sync += status.eq(previous.status)
        with m.Else():
            m.d.sync += [
                status.eq(Status.UNKNOWN),
                previous.kind.eq(frame.kind),
                previous.tag.eq(frame.tag),
                previous.status.eq(Status.UNKNOWN),
                previous.valid.eq(1),
            ]
            for kind, (name, _) in EXECUTION.items():
                with m.If(found[kind.name]):
                    m.d.comb += getattr(self.units, name).begin.eq(1)
                    m.d.sync += chosen[name].eq(1)
                    m.next = "EXECUTE"
            with m.If(found[Kind.FORGET.name]):
                m.d.comb += self.forget.eq(1)
                m.d.sync += [status.eq(Status.OK), previous.status.eq(Status.OK)]

    def _execute(self, m, previous, chosen, status, length):
        """The payload to the unit, until it has a result."""
        for name in UNITS:
            unit = getattr(self.units, name)
            with m.If(chosen[name]):
                result = unit.results.payload
                m.d.comb += [
                    unit.payload.valid.eq(self.payload.valid),
                    self.payload.ready.eq(unit.payload.ready),
                    unit.results.ready.eq(1),
                ]
                with m.If(unit.results.valid):
                    m.d.sync += [
                        status.eq(result.status),
                        previous.status.eq(result.status),
                        # Nothing was executed: the repetition must be.
                        previous.valid.eq(result.status != Status.BUSY),
                        length.eq(result.length),
                    ]
                    m.next = "DRAIN"

    def _pass_answer(self, m, chosen, left):
        """The answer of the unit after the status."""
        for name in UNITS:
            unit = getattr(self.units, name)
            with m.If(chosen[name]):
                m.d.comb += [
                    self.answer.valid.eq(unit.answer.valid),
                    self.answer.payload.eq(unit.answer.payload),
                    unit.answer.ready.eq(self.answer.ready),
                ]
        with m.If(self.answer.valid & self.answer.ready):
            m.d.sync += left.eq(left - 1)
            with m.If(left == 1):
                m.next = "IDLE"
