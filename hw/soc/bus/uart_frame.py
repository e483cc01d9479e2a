"""Frames with length and CRC over a stream of bytes."""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.crc.catalog import CRC32_ISO_HDLC
from amaranth.lib.wiring import In, Out

from ...cores.component import ConfiguredComponent
from ...cores.memory.config import MemoryConfig
from ...cores.memory.memory import Memory
from .uart_config import PAYLOAD_LIMIT, START

__all__ = ["FrameReceiver", "FrameTransmitter", "frame_layout"]

HEADER_BYTES = 4
CRC_BYTES = 4
frame_layout = data.StructLayout({"kind": 8, "tag": 8, "length": 16, "intact": 1})


class FrameReceiver(ConfiguredComponent):
    """Finds frames in a stream of bytes and holds one until it is taken.

    Bytes before a start byte are skipped. A length over the limit, or silence in mid-frame, leads back to the search
    for a start byte. A frame that is complete is offered on ``frames``, ``intact`` telling whether its CRC is right;
    when it has been taken, its payload follows on ``payload``. Bytes that arrive until the payload is through are
    dropped.

    Latency: three cycles from the last byte to ``frames``. Throughput: a byte of payload every two cycles.
    Back-pressure: none on ``i``.

    Parameters
    ----------
    config : UartConfig

    Members
    -------
    i : :py:`In(stream.Signature(8, always_ready=True))`
    frames : :py:`Out(stream.Signature(frame_layout))`
    payload : :py:`Out(stream.Signature(8))`
    """

    def __init__(self, config):
        super().__init__(
            config,
            {
                "i": In(stream.Signature(8, always_ready=True)),
                "frames": Out(stream.Signature(frame_layout)),
                "payload": Out(stream.Signature(8)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = crc = CRC32_ISO_HDLC().create()
        m.submodules.memory = memory = Memory(unsigned(8), MemoryConfig(depth=PAYLOAD_LIMIT, style="block"))
        read, write = memory.reads[0], memory.write
        index = Signal(range(PAYLOAD_LIMIT + 1))
        frame = self.frames.payload
        receiving, given_up = Signal(), self._silence(m)
        m.d.comb += [
            crc.data.eq(self.i.payload),
            crc.valid.eq(receiving & self.i.valid),
            write.address.eq(index),
            write.data.eq(self.i.payload),
            read.address.eq(index),
            self.payload.payload.eq(read.data),
        ]
        with m.FSM():
            with m.State("HUNT"):
                m.d.comb += crc.start.eq(1)
                m.d.sync += index.eq(0)
                with m.If(self.i.valid & (self.i.payload == START)):
                    m.next = "HEADER"
            self._arriving_states(m, receiving, given_up, index, write)
            with m.State("CHECK"):
                m.d.sync += [frame.intact.eq(crc.match_detected), index.eq(0)]
                m.next = "OFFER"
            with m.State("OFFER"):
                m.d.comb += self.frames.valid.eq(1)
                with m.If(self.frames.ready):
                    m.next = "FETCH"
            with m.State("FETCH"):
                m.d.comb += read.enable.eq(1)
                m.next = "REPLAY"
                with m.If(index == frame.length):
                    m.next = "HUNT"
            with m.State("REPLAY"):
                m.d.comb += self.payload.valid.eq(1)
                with m.If(self.payload.ready):
                    m.d.sync += index.eq(index + 1)
                    m.next = "FETCH"
        return m

    def _silence(self, m):
        """Whether nothing has come for so long that a frame is given up."""
        limit = self.config.divisor * self.config.timeout_bits
        silence = Signal(range(limit + 1))
        with m.If(self.i.valid):
            m.d.sync += silence.eq(0)
        with m.Elif(silence != limit):
            m.d.sync += silence.eq(silence + 1)
        given_up = Signal()
        m.d.comb += given_up.eq(silence == limit)
        return given_up

    def _arriving_states(self, m, receiving, given_up, index, write):
        """Header, payload and CRC, byte by byte: each ends with its last one, or with silence."""
        frame, byte, arrived = self.frames.payload, self.i.payload, self.i.valid
        # The header without its last byte, which is the high one of the length.
        header, length = Signal(24), Signal(16)
        m.d.comb += length.eq(Cat(header[16:], byte))

        def ends(count):
            """Counts the bytes of a part; whether this is the last one."""
            m.d.comb += receiving.eq(1)
            last = index == count - 1
            with m.If(arrived):
                m.d.sync += index.eq(Mux(last, 0, index + 1))
            with m.Elif(given_up):
                m.next = "HUNT"
            return arrived & last

        with m.State("HEADER"):
            with m.If(arrived):
                m.d.sync += header.eq(Cat(header, byte)[8:])
            with m.If(ends(HEADER_BYTES)):
                m.d.sync += [frame.kind.eq(header[:8]), frame.tag.eq(header[8:16]), frame.length.eq(length)]
                m.next = "PAYLOAD"
                with m.If(length == 0):
                    m.next = "CRC"
                with m.Elif(length > PAYLOAD_LIMIT):
                    m.next = "HUNT"
        with m.State("PAYLOAD"):
            m.d.comb += write.enable.eq(arrived)
            with m.If(ends(frame.length)):
                m.next = "CRC"
        with m.State("CRC"), m.If(ends(CRC_BYTES)):
            m.next = "CHECK"


class FrameTransmitter(wiring.Component):
    """Puts start byte, header and CRC around payloads.

    Latency: two cycles from a frame to its start byte. Throughput: a byte a cycle but for three of set-up.
    Back-pressure: waits for ``o`` and, in a frame, for its payload.

    Members
    -------
    frames : :py:`In(stream.Signature(frame_layout))`
        Header; ``intact`` means nothing.
    payload : :py:`In(stream.Signature(8))`
        As many bytes as the header says.
    o : :py:`Out(stream.Signature(8))`
    """

    frames: In(stream.Signature(frame_layout))
    payload: In(stream.Signature(8))
    o: Out(stream.Signature(8))

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = crc = CRC32_ISO_HDLC().create()
        header = Signal(32)
        # Begins anew by itself: header and CRC have four bytes each.
        index = Signal(2)
        left = Signal(16)
        sent = Signal()
        # A byte is registered on its way out, and to the CRC, which takes it in the next cycle.
        offered = Signal()
        byte = Signal(8)
        counted = Signal()
        free = Signal()
        m.d.comb += [free.eq(~self.o.valid | self.o.ready), sent.eq(offered & free), crc.data.eq(self.o.payload)]
        m.d.sync += crc.valid.eq(counted & sent)
        with m.If(free):
            m.d.sync += [self.o.valid.eq(offered), self.o.payload.eq(byte)]
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += [self.frames.ready.eq(1), crc.start.eq(1)]
                frame = self.frames.payload
                with m.If(self.frames.valid):
                    m.d.sync += [header.eq(Cat(frame.kind, frame.tag, frame.length)), left.eq(frame.length)]
                    m.next = "START"
            with m.State("START"):
                m.d.comb += [byte.eq(START), offered.eq(1)]
                with m.If(sent):
                    m.next = "HEADER"
            with m.State("HEADER"):
                m.d.comb += [byte.eq(header.word_select(index, 8)), offered.eq(1), counted.eq(1)]
                with m.If(sent):
                    m.d.sync += index.eq(index + 1)
                    with m.If(index == 3):
                        m.next = "PAYLOAD"
                        with m.If(left == 0):
                            m.next = "LAST BYTE"
            with m.State("PAYLOAD"):
                m.d.comb += [
                    byte.eq(self.payload.payload),
                    offered.eq(self.payload.valid),
                    self.payload.ready.eq(free),
                    counted.eq(1),
                ]
                with m.If(sent):
                    m.d.sync += left.eq(left - 1)
                    with m.If(left == 1):
                        m.next = "LAST BYTE"
            with m.State("LAST BYTE"):
                m.next = "CRC"
            with m.State("CRC"):
                m.d.comb += [byte.eq(crc.crc.word_select(index, 8)), offered.eq(1)]
                with m.If(sent):
                    m.d.sync += index.eq(index + 1)
                    with m.If(index == 3):
                        m.next = "IDLE"
        return m
