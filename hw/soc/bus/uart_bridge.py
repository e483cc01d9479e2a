"""A host behind a UART: registers and streams of a system in frames."""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...cores.stream.buffer import StreamBuffer
from ...cores.stream.buffer_config import StreamBufferConfig
from ...cores.stream.packet import packet_signature
from ...cores.stream.packet_buffer import PacketIntake, PacketOutlet
from .axi_lite import AxiLiteSignature
from .uart import UartReceiver, UartTransmitter
from .uart_config import BUFFER_ROWS, PAYLOAD_LIMIT
from .uart_dispatcher import RequestDispatcher
from .uart_frame import FrameReceiver, FrameTransmitter
from .uart_registers import RegisterRequests
from .uart_rows import RowsToHost, RowsToSystem

__all__ = ["UartBridge", "UartTop"]


class UartBridge(wiring.Component):
    """Executes the requests of a host (``uart_config`` has them) and replies to each.

    No request waits for the system's streams: rows for which there is no room are answered ``BUSY``, and rows asked for
    are those that are there.

    ::

        rx -> UartReceiver -> FrameReceiver -> RequestDispatcher -> FrameTransmitter -> UartTransmitter -> tx
                                                       |
                             +-------------------------+-------------------------+
                             |                         |                         |
                      RegisterRequests           RowsToSystem               RowsToHost
                             |                         |                         |
                             |                    PacketOutlet              PacketIntake
                             v                         v                         ^
                          control                  stream_in                stream_out

    Latency and throughput are the wire's.

    Parameters
    ----------
    config : UartConfig
    address_width : int
        Bits of an address of the system's registers.
    stream_width : int
        Bits of its rows.

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
        packets = packet_signature(stream_width)
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
        m.submodules.frame_receiver = frames = FrameReceiver(self.config)
        m.submodules.frame_transmitter = replies = FrameTransmitter()
        m.submodules.dispatcher = dispatcher = RequestDispatcher()
        m.d.comb += [receiver.rx.eq(self.rx), self.tx.eq(transmitter.tx)]
        wiring.connect(m, receiver.o, frames.i)
        wiring.connect(m, frames.frames, dispatcher.frames)
        wiring.connect(m, dispatcher.replies, replies.frames)
        # They end the paths of valid and ready between frames and units.
        for name, source, sink in (
            ("payload", frames.payload, dispatcher.payload),
            ("answer", dispatcher.answer, replies.payload),
        ):
            m.submodules[f"{name}_buffer"] = buffer = StreamBuffer(8, StreamBufferConfig(depth=2, latency=1))
            wiring.connect(m, source, buffer.i)
            wiring.connect(m, buffer.o, sink)
        wiring.connect(m, replies.o, transmitter.i)

        m.submodules.registers = registers = RegisterRequests(self.address_width)
        wiring.connect(m, dispatcher.units.registers, registers.requests)
        wiring.connect(m, registers.control, wiring.flipped(self.control))
        m.d.comb += registers.writes.eq(dispatcher.writes)

        config = StreamBufferConfig(depth=BUFFER_ROWS)
        m.submodules.rows_in = rows_in = RowsToSystem(self.stream_width)
        m.submodules.outlet = outlet = PacketOutlet(self.stream_width, config)
        wiring.connect(m, dispatcher.units.rows_in, rows_in.requests)
        wiring.connect(m, rows_in.o, outlet.i)
        wiring.connect(m, outlet.o, wiring.flipped(self.stream_in))

        m.submodules.intake = intake = PacketIntake(self.stream_width, config)
        m.submodules.rows_out = rows_out = RowsToHost(self.stream_width)
        wiring.connect(m, wiring.flipped(self.stream_out), intake.i)
        wiring.connect(m, intake.o, rows_out.i)
        wiring.connect(m, dispatcher.units.rows_out, rows_out.requests)
        m.d.comb += [
            outlet.clear.eq(dispatcher.forget),
            intake.clear.eq(dispatcher.forget),
            rows_in.room.eq(Mux(outlet.ending, 0, BUFFER_ROWS - outlet.level)),
            rows_out.level.eq(intake.level),
        ]
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
        The system's.
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
