"""A host behind a UART: registers and streams of a system in frames."""

from amaranth.hdl import Cat, Module, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.stream.buffer import StreamBuffer
from ...cores.stream.buffer_config import StreamBufferConfig
from .axi_lite import AxiLiteSignature, Response
from .axi_stream import packet_layout
from .uart import UartReceiver, UartTransmitter
from .uart_config import BUFFER_ROWS, PAYLOAD_LIMIT, REPLY, Kind, Status, rows_per_frame
from .uart_frame import FrameReceiver, FrameTransmitter

__all__ = ["UartBridge", "UartTop"]


class UartBridge(wiring.Component):
    """Executes the requests of a host (``uart_config`` has them) and replies to each.

    A frame that is not intact changes nothing and is answered ``CORRUPT``. A request with the kind and tag of the one
    before is taken for its repetition by a host that missed the reply: writes, rows and ``FORGET`` are not executed
    again, the reply is. No request waits for the system's streams: rows for which there is no room are answered
    ``BUSY``, and rows asked for are those that are there.

    Latency and throughput are the wire's.

    Parameters
    ----------
    config : UartConfig
    address_width : int
        Of the system's registers.
    stream_width : int
        Of its rows.

    Members
    -------
    rx : :py:`In(1)`, tx : :py:`Out(1)`
        The wires.
    control : :py:`Out(AxiLiteSignature(address_width))`
    stream_in : :py:`Out(packet_signature(stream_width))`
        To the system.
    stream_out : :py:`In(packet_signature(stream_width))`
        From it.
    """

    def __init__(self, config, *, address_width, stream_width):
        self.config = config
        self.address_width = address_width
        self.stream_width = stream_width
        if stream_width // 8 + 3 > PAYLOAD_LIMIT:
            raise ValueError(f"Stream width must be at most {(PAYLOAD_LIMIT - 3) * 8} for a UART, not {stream_width}")
        packets = stream.Signature(packet_layout(stream_width))
        super().__init__(
            {
                "rx": In(1, init=1),
                "tx": Out(1, init=1),
                "control": Out(AxiLiteSignature(address_width)),
                "stream_in": Out(packets),
                "stream_out": In(packets),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.receiver = receiver = UartReceiver(self.config)
        m.submodules.transmitter = transmitter = UartTransmitter(self.config)
        m.submodules.requests = requests = FrameReceiver(self.config)
        m.submodules.replies = replies = FrameTransmitter()
        m.d.comb += [receiver.rx.eq(self.rx), self.tx.eq(transmitter.tx)]
        wiring.connect(m, receiver.o, requests.i)
        wiring.connect(m, replies.o, transmitter.i)

        layout = packet_layout(self.stream_width)
        config = StreamBufferConfig(depth=BUFFER_ROWS)
        incoming, outgoing = StreamBuffer(layout, config), StreamBuffer(layout, config)
        forget = Signal()
        m.submodules.incoming = ResetInserter(forget)(incoming)
        m.submodules.outgoing = ResetInserter(forget)(outgoing)
        wiring.connect(m, incoming.o, wiring.flipped(self.stream_in))
        wiring.connect(m, wiring.flipped(self.stream_out), outgoing.i)

        control, payload = self.control, requests.payload
        row_bytes = self.stream_width // 8
        frame = Signal.like(requests.frames.payload)
        status = Signal(Status)
        left = Signal(16)
        index = Signal(range(max(row_bytes, 4) + 1))
        ends = Signal()
        rows = Signal(8)
        address = Signal(32)
        word = Signal(32)
        row = Signal(self.stream_width)
        previous = Signal(16)
        has_previous = Signal()
        repeated = Signal()
        m.d.comb += [
            repeated.eq(has_previous & (previous == Cat(frame.kind, frame.tag))),
            control.write_address.payload.eq(address[: self.address_width]),
            control.write_data.payload.data.eq(word),
            control.write_data.payload.strobe.eq(0b1111),
            control.read_address.payload.eq(address[: self.address_width]),
            incoming.i.payload.data.eq(row),
            incoming.i.payload.last.eq(ends & (left == 0)),
            replies.frames.payload.kind.eq(frame.kind | REPLY),
            replies.frames.payload.tag.eq(frame.tag),
        ]
        taken = Signal()
        m.d.comb += taken.eq(payload.valid & payload.ready)
        with m.If(taken):
            m.d.sync += left.eq(left - 1)

        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += requests.frames.ready.eq(1)
                m.d.sync += [
                    frame.eq(requests.frames.payload),
                    left.eq(requests.frames.payload.length),
                    index.eq(0),
                ]
                with m.If(requests.frames.valid):
                    m.next = "DISPATCH"
            with m.State("DISPATCH"):
                m.d.sync += [status.eq(Status.UNKNOWN)]
                m.next = "DRAIN"
                with m.If(~frame.intact):
                    m.d.sync += status.eq(Status.CORRUPT)
                with m.Else():
                    m.d.sync += [previous.eq(Cat(frame.kind, frame.tag)), has_previous.eq(1)]
                    with m.If(repeated & (frame.kind != Kind.READ) & (frame.kind != Kind.RECEIVE)):
                        m.d.sync += status.eq(status)
                    with m.Else():
                        with m.Switch(frame.kind):
                            with m.Case(Kind.READ), m.If(frame.length == 4):
                                m.next = "ADDRESS"
                            with m.Case(Kind.WRITE), m.If((frame.length >= 8) & (frame.length[:2] == 0)):
                                m.next = "ADDRESS"
                            with m.Case(Kind.SEND), m.If(frame.length >= 2):
                                m.next = "ENDS"
                            with m.Case(Kind.RECEIVE), m.If(frame.length == 1):
                                m.next = "ROWS"
                            with m.Case(Kind.FORGET), m.If(frame.length == 0):
                                m.d.comb += forget.eq(1)
                                m.d.sync += status.eq(Status.OK)
            with m.State("DRAIN"):
                # What is left of a payload that is not to be executed.
                m.d.comb += payload.ready.eq(1)
                with m.If(left == 0):
                    m.next = "MEASURE"

            with m.State("ADDRESS"):
                m.d.comb += payload.ready.eq(1)
                m.d.sync += status.eq(Status.OK)
                with m.If(taken):
                    m.d.sync += [address.eq(Cat(address[8:], payload.payload)), index.eq(index + 1)]
                    with m.If(index == 3):
                        m.d.sync += index.eq(0)
                        m.next = "CHECK ADDRESS"
            with m.State("CHECK ADDRESS"):
                m.next = "WORD"
                with m.If(frame.kind == Kind.READ):
                    m.next = "READ ADDRESS"
                # Past the bits that the bus has, nothing is reached.
                with m.If(address[self.address_width :].any()):
                    m.d.sync += status.eq(Status.REFUSED)
                    m.next = "DRAIN"
            with m.State("WORD"):
                m.d.comb += payload.ready.eq(1)
                with m.If(taken):
                    m.d.sync += [word.eq(Cat(word[8:], payload.payload)), index.eq(index + 1)]
                    with m.If(index == 3):
                        m.d.sync += index.eq(0)
                        m.next = "WRITE ADDRESS"
            with m.State("WRITE ADDRESS"):
                m.d.comb += control.write_address.valid.eq(1)
                with m.If(control.write_address.ready):
                    m.next = "WRITE DATA"
            with m.State("WRITE DATA"):
                m.d.comb += control.write_data.valid.eq(1)
                with m.If(control.write_data.ready):
                    m.next = "WRITE RESPONSE"
            with m.State("WRITE RESPONSE"):
                m.d.comb += control.write_response.ready.eq(1)
                with m.If(control.write_response.valid):
                    m.d.sync += address.eq(address + 4)
                    with m.If(control.write_response.payload != Response.OKAY):
                        m.d.sync += status.eq(Status.REFUSED)
                    m.next = "CHECK ADDRESS"
                    with m.If(left == 0):
                        m.next = "MEASURE"
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
                    m.next = "MEASURE"

            with m.State("ENDS"):
                m.d.comb += payload.ready.eq(1)
                with m.If(taken):
                    m.d.sync += ends.eq(payload.payload[0])
                    m.next = "ROWS"
            with m.State("ROWS"):
                m.d.comb += payload.ready.eq(1)
                with m.If(taken):
                    m.d.sync += rows.eq(payload.payload)
                    m.next = "CHECK ROWS"
            with m.State("CHECK ROWS"):
                m.d.sync += status.eq(Status.OK)
                with m.If(frame.kind == Kind.RECEIVE):
                    limit = rows_per_frame(row_bytes)
                    with m.If(rows > limit):
                        m.d.sync += rows.eq(limit)
                    m.next = "COUNT ROWS"
                with m.Elif((rows == 0) | (frame.length != rows * row_bytes + 2)):
                    m.d.sync += status.eq(Status.UNKNOWN)
                    m.next = "DRAIN"
                with m.Elif(rows > BUFFER_ROWS - incoming.level):
                    # Nothing was executed: the repetition must be.
                    m.d.sync += [status.eq(Status.BUSY), has_previous.eq(0)]
                    m.next = "DRAIN"
                with m.Else():
                    m.next = "ROW IN"
            with m.State("ROW IN"):
                m.d.comb += payload.ready.eq(1)
                with m.If(taken):
                    m.d.sync += [row.eq(Cat(row[8:], payload.payload)), index.eq(index + 1)]
                    with m.If(index == row_bytes - 1):
                        m.d.sync += index.eq(0)
                        m.next = "PUSH ROW"
            with m.State("PUSH ROW"):
                m.d.comb += incoming.i.valid.eq(1)
                with m.If(incoming.i.ready):
                    m.next = "ROW IN"
                    with m.If(left == 0):
                        m.next = "MEASURE"
            with m.State("COUNT ROWS"):
                with m.If(rows > outgoing.level):
                    m.d.sync += rows.eq(outgoing.level)
                m.next = "MEASURE"

            with m.State("MEASURE"):
                m.d.sync += [left.eq(0), index.eq(0)]
                with m.If(frame.intact & (status <= Status.REFUSED)):
                    with m.If(frame.kind == Kind.READ):
                        m.d.sync += left.eq(4)
                    with m.Elif(frame.kind == Kind.RECEIVE):
                        m.d.sync += left.eq(rows * (row_bytes + 1))
                m.next = "REPLY"
            with m.State("REPLY"):
                m.d.comb += [replies.frames.valid.eq(1), replies.frames.payload.length.eq(left + 1)]
                with m.If(replies.frames.ready):
                    m.next = "STATUS OUT"
            with m.State("STATUS OUT"):
                m.d.comb += [replies.payload.valid.eq(1), replies.payload.payload.eq(status)]
                with m.If(replies.payload.ready):
                    m.next = "IDLE"
                    with m.If(left != 0):
                        m.next = "WORD OUT"
                        with m.If(frame.kind == Kind.RECEIVE):
                            m.next = "LAST OUT"
            with m.State("WORD OUT"):
                m.d.comb += [replies.payload.valid.eq(1), replies.payload.payload.eq(word[:8])]
                with m.If(replies.payload.ready):
                    m.d.sync += [word.eq(word[8:]), index.eq(index + 1)]
                    with m.If(index == 3):
                        m.next = "IDLE"
            with m.State("LAST OUT"):
                # The rows counted are there: this waits for the wire alone.
                m.d.comb += [
                    replies.payload.valid.eq(outgoing.o.valid),
                    replies.payload.payload.eq(outgoing.o.payload.last),
                ]
                with m.If(replies.payload.valid & replies.payload.ready):
                    m.d.comb += outgoing.o.ready.eq(1)
                    m.d.sync += [row.eq(outgoing.o.payload.data), rows.eq(rows - 1), index.eq(0)]
                    m.next = "ROW OUT"
            with m.State("ROW OUT"):
                m.d.comb += [replies.payload.valid.eq(1), replies.payload.payload.eq(row[:8])]
                with m.If(replies.payload.ready):
                    m.d.sync += [row.eq(row[8:]), index.eq(index + 1)]
                    with m.If(index == row_bytes - 1):
                        m.next = "LAST OUT"
                        with m.If(rows == 0):
                            m.next = "IDLE"
        return m


class UartTop(wiring.Component):
    """A system behind a UART, for boards: two wires, and ``clk`` and ``rst`` of the ``sync`` domain.

    Parameters
    ----------
    system : component
        With the ports of ``system_signature``.
    config : UartConfig

    Members
    -------
    rx : :py:`In(1)`, tx : :py:`Out(1)`
        The wires.
    interrupt : :py:`Out(1)`
        1 while the state is done or error.
    """

    rx: In(1, init=1)
    tx: Out(1, init=1)
    interrupt: Out(1)

    def __init__(self, system, config):
        self.system = system
        self.config = config
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.system = system = self.system
        m.submodules.bridge = bridge = UartBridge(
            self.config,
            address_width=system.control.signature.address_width,
            stream_width=len(system.stream_in.payload.data),
        )
        wiring.connect(m, bridge.control, system.control)
        wiring.connect(m, bridge.stream_in, system.stream_in)
        wiring.connect(m, system.stream_out, bridge.stream_out)
        m.d.comb += [bridge.rx.eq(self.rx), self.tx.eq(bridge.tx), self.interrupt.eq(system.interrupt)]
        return m
