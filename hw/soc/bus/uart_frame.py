"""Frames with length and CRC over a stream of bytes."""

from amaranth.hdl import Cat, Module, Signal, unsigned
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.crc.catalog import CRC32_ISO_HDLC
from amaranth.lib.wiring import In, Out

from .uart_config import PAYLOAD_LIMIT, START

__all__ = ["FrameReceiver", "FrameTransmitter", "frame_layout"]

CRC_BYTES = 4
frame_layout = data.StructLayout({"kind": 8, "tag": 8, "length": 16, "intact": 1})


class FrameReceiver(wiring.Component):
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

    i: In(stream.Signature(8, always_ready=True))
    frames: Out(stream.Signature(frame_layout))
    payload: Out(stream.Signature(8))

    def __init__(self, config):
        self.config = config
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = crc = CRC32_ISO_HDLC().create()
        m.submodules.memory = held = memory.Memory(shape=unsigned(8), depth=PAYLOAD_LIMIT, init=[])
        write, read = held.write_port(), held.read_port()
        silence_limit = self.config.divisor * self.config.timeout_bits
        silence = Signal(range(silence_limit + 1))
        index = Signal(range(PAYLOAD_LIMIT + 1))
        frame = self.frames.payload
        byte, arrived = self.i.payload, self.i.valid
        m.d.comb += [
            crc.data.eq(byte),
            write.addr.eq(index[: len(write.addr)]),
            write.data.eq(byte),
            read.addr.eq(index[: len(read.addr)]),
            self.payload.payload.eq(read.data),
        ]
        with m.If(arrived):
            m.d.sync += silence.eq(0)
        with m.Elif(silence != silence_limit):
            m.d.sync += silence.eq(silence + 1)
        given_up = Signal()
        m.d.comb += given_up.eq(silence == silence_limit)

        def receiving(following):
            """A state that ends with a byte of the frame, or with silence."""
            with m.If(arrived):
                m.d.comb += crc.valid.eq(1)
                m.next = following
            with m.Elif(given_up):
                m.next = "HUNT"

        with m.FSM():
            with m.State("HUNT"):
                m.d.comb += crc.start.eq(1)
                m.d.sync += index.eq(0)
                with m.If(arrived & (byte == START)):
                    m.next = "KIND"
            with m.State("KIND"):
                receiving("TAG")
                m.d.sync += frame.kind.eq(byte)
            with m.State("TAG"):
                receiving("LENGTH LOW")
                m.d.sync += frame.tag.eq(byte)
            with m.State("LENGTH LOW"):
                receiving("LENGTH HIGH")
                m.d.sync += frame.length[:8].eq(byte)
            with m.State("LENGTH HIGH"):
                receiving("PAYLOAD")
                m.d.sync += frame.length[8:].eq(byte)
                length = Signal(16)
                m.d.comb += length.eq(Cat(frame.length[:8], byte))
                with m.If(arrived & (length == 0)):
                    m.next = "CRC"
                with m.If(arrived & (length > PAYLOAD_LIMIT)):
                    m.next = "HUNT"
            with m.State("PAYLOAD"):
                with m.If(arrived):
                    m.d.comb += [crc.valid.eq(1), write.en.eq(1)]
                    m.d.sync += index.eq(index + 1)
                    with m.If(index + 1 == frame.length):
                        m.d.sync += index.eq(0)
                        m.next = "CRC"
                with m.Elif(given_up):
                    m.next = "HUNT"
            with m.State("CRC"):
                with m.If(arrived):
                    m.d.comb += crc.valid.eq(1)
                    m.d.sync += index.eq(index + 1)
                    with m.If(index == CRC_BYTES - 1):
                        m.next = "CHECK"
                with m.Elif(given_up):
                    m.next = "HUNT"
            with m.State("CHECK"):
                m.d.sync += [frame.intact.eq(crc.match_detected), index.eq(0)]
                m.next = "OFFER"
            with m.State("OFFER"):
                m.d.comb += self.frames.valid.eq(1)
                with m.If(self.frames.ready):
                    m.next = "FETCH"
            with m.State("FETCH"):
                m.d.comb += read.en.eq(1)
                m.next = "REPLAY"
                with m.If(index == frame.length):
                    m.next = "HUNT"
            with m.State("REPLAY"):
                m.d.comb += self.payload.valid.eq(1)
                with m.If(self.payload.ready):
                    m.d.sync += index.eq(index + 1)
                    m.next = "FETCH"
        return m


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
                    m.d.sync += [
                        header.eq(Cat(frame.kind, frame.tag, frame.length)),
                        left.eq(frame.length),
                        index.eq(0),
                    ]
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
