"""The wires' ends, and frames, one by one. The whole bridge is tested with its driver in tests/sw/device."""

import zlib

import numpy as np
import pytest
from amaranth.hdl import Module

from rewardware.hw.soc.bus.uart import UartReceiver, UartTransmitter
from rewardware.hw.soc.bus.uart_bridge import UartBridge
from rewardware.hw.soc.bus.uart_config import BUFFER_ROWS, PAYLOAD_LIMIT, UartConfig, rows_per_frame
from rewardware.hw.soc.bus.uart_frame import FrameReceiver, FrameTransmitter
from rewardware.sw.device.uart import pack_frame
from tests.hw.simulation import run


async def levels(ctx, wire, byte, cycles, carry=0.0):
    """Drives a byte with bits of a length that need not be whole; returns what is left of the last cycle."""
    for bit in (0, *(byte >> index & 1 for index in range(8)), 1):
        ctx.set(wire, bit)
        carry += cycles
        for _ in range(int(carry)):
            await ctx.tick()
        carry -= int(carry)
    return carry


@pytest.mark.parametrize("divisor", [4, 7, 25])
def test_bytes_go_through_both_ends_without_a_gap(divisor):
    config = UartConfig(divisor=divisor)
    transmitter, receiver = UartTransmitter(config), UartReceiver(config)
    m = Module()
    m.submodules.transmitter, m.submodules.receiver = transmitter, receiver
    m.d.comb += receiver.rx.eq(transmitter.tx)
    sent = [0x00, 0xFF, 0x55, 0xA5, 0x80, 0x01, *np.random.default_rng(divisor).bytes(20)]
    got, edges = [], []

    async def send(ctx):
        for byte in sent:
            ctx.set(transmitter.i.valid, 1)
            ctx.set(transmitter.i.payload, byte)
            await ctx.tick().until(transmitter.i.ready)
        ctx.set(transmitter.i.valid, 0)

    async def listen(ctx):
        cycle, before = 0, 1
        while len(got) < len(sent):
            _, _, valid, byte, tx = await ctx.tick().sample(receiver.o.valid, receiver.o.payload, transmitter.tx)
            cycle += 1
            assert cycle < 12 * divisor * (len(sent) + 1), f"{len(got)} of {len(sent)} bytes"
            if before and not tx:
                edges.append(cycle)
            before = tx
            if valid:
                got.append(byte)
                if len(got) == 1:
                    assert cycle - edges[0] == receiver.latency

    run(m, listen, send)
    assert got == sent
    assert edges[0] == 1 + transmitter.latency


@pytest.mark.parametrize("error", [-0.03, 0.0, 0.03])
def test_receiver_bears_another_clock(error):
    config = UartConfig(divisor=20)
    receiver = UartReceiver(config)
    sent = list(np.random.default_rng(3).bytes(40))
    got = []

    async def send(ctx):
        carry = 0.0
        for byte in sent:
            carry = await levels(ctx, receiver.rx, byte, 20 * (1 + error), carry)
        for _ in range(40):
            await ctx.tick()
        assert got == sent

    async def listen(ctx):
        async for _, _, valid, byte in ctx.tick().sample(receiver.o.valid, receiver.o.payload):
            if valid:
                got.append(byte)
            if len(got) == len(sent):
                return

    run(receiver, send, listen)


def test_byte_without_stop_bit_is_dropped():
    receiver = UartReceiver(UartConfig(divisor=8))
    got = []

    async def send(ctx):
        ctx.set(receiver.rx, 0)
        await ctx.tick().repeat(8 * 14)
        ctx.set(receiver.rx, 1)
        await ctx.tick().repeat(16)
        await levels(ctx, receiver.rx, 0x5A, 8)
        await ctx.tick().repeat(16)

    async def listen(ctx):
        async for _, _, valid, byte in ctx.tick().sample(receiver.o.valid, receiver.o.payload):
            if valid:
                got.append(byte)
                return

    run(receiver, send, listen)
    assert got == [0x5A]


@pytest.mark.parametrize("cycles", [1, 9])
def test_glitch_shorter_than_half_a_bit_is_no_byte(cycles):
    receiver = UartReceiver(UartConfig(divisor=20))
    got = []

    async def send(ctx):
        ctx.set(receiver.rx, 0)
        await ctx.tick().repeat(cycles)
        ctx.set(receiver.rx, 1)
        await ctx.tick().repeat(20 * 11)
        await levels(ctx, receiver.rx, 0x5A, 20)
        await ctx.tick().repeat(40)

    async def listen(ctx):
        async for _, _, valid, byte in ctx.tick().sample(receiver.o.valid, receiver.o.payload):
            if valid:
                got.append(byte)

    run(receiver, send, listen)
    assert got == [0x5A]


class Frames:
    """A frame receiver that is given bytes, and what it made of them."""

    def __init__(self, timeout_bits=20):
        self.config = UartConfig(divisor=4, timeout_bits=timeout_bits)
        self.receiver = FrameReceiver(self.config)
        self.got = []

    def feed(self, parts):
        """``parts``: bytes, or a number of silent cycles."""
        receiver = self.receiver

        async def send(ctx):
            for part in parts:
                if isinstance(part, int):
                    await ctx.tick().repeat(part)
                    continue
                for byte in part:
                    ctx.set(receiver.i.valid, 1)
                    ctx.set(receiver.i.payload, byte)
                    await ctx.tick()
                    ctx.set(receiver.i.valid, 0)
                    await ctx.tick().repeat(9)
            await ctx.tick().repeat(200)

        async def take(ctx):
            while True:
                ctx.set(receiver.frames.ready, 1)
                _, _, valid, frame = await ctx.tick().sample(receiver.frames.valid, receiver.frames.payload)
                if not valid:
                    continue
                ctx.set(receiver.frames.ready, 0)
                payload = bytearray()
                ctx.set(receiver.payload.ready, 1)
                while len(payload) < frame.length:
                    _, _, valid, byte = await ctx.tick().sample(receiver.payload.valid, receiver.payload.payload)
                    if valid:
                        payload.append(byte)
                ctx.set(receiver.payload.ready, 0)
                self.got.append((frame.kind, frame.tag, bytes(payload), bool(frame.intact)))

        run(self.receiver, send, take)
        return self.got


def test_frames_are_found_between_garbage():
    frame = pack_frame(3, 77, b"payload")
    got = Frames().feed([b"\x00\xff\x11", frame, 50, b"\x01\x02", pack_frame(1, 2, b""), 50])
    assert got == [(3, 77, b"payload", True), (1, 2, b"", True)]


def test_every_flipped_bit_is_noticed():
    frame = pack_frame(3, 7, b"\x00\xa5")
    parts = []
    # All but the start byte and the length, which lead to another frame altogether.
    places = [*range(8, 24), *range(40, 8 * len(frame))]
    for place in places:
        spoiled = bytearray(frame)
        spoiled[place // 8] ^= 1 << place % 8
        parts += [bytes(spoiled), 100]
    got = Frames().feed([*parts, frame])
    assert [entry[3] for entry in got] == [False] * len(places) + [True]


def test_flipped_bits_of_the_length_never_pass():
    frame = pack_frame(3, 7, b"\x00\xa5")
    parts = []
    for place in range(24, 40):
        spoiled = bytearray(frame)
        spoiled[place // 8] ^= 1 << place % 8
        parts += [bytes(spoiled), 100]
    got = Frames().feed([*parts, frame])
    assert [entry for entry in got if entry[3]] == [(3, 7, b"\x00\xa5", True)]


def test_silence_ends_a_frame_at_any_place():
    frame = pack_frame(3, 7, b"ab\xa5")
    cuts = range(1, len(frame))
    got = Frames().feed([part for cut in cuts for part in (frame[:cut], 100, frame, 20)])
    assert got == [(3, 7, b"ab\xa5", True)] * len(cuts)


def test_length_over_the_limit_is_skipped_at_once():
    bad = b"\xa5\x01\x01" + (PAYLOAD_LIMIT + 1).to_bytes(2, "little")
    frame = pack_frame(3, 7, b"x")
    assert Frames(timeout_bits=100_000).feed([bad, frame]) == [(3, 7, b"x", True)]


@pytest.mark.parametrize("payload", [b"", b"\x00", b"123456789"])
def test_transmitter_makes_the_frames_of_the_driver(payload):
    m = Module()
    m.submodules.transmitter = transmitter = FrameTransmitter()
    expected = pack_frame(9, 200, payload)
    assert zlib.crc32(expected[1:-4]).to_bytes(4, "little") == expected[-4:]
    got = bytearray()
    rest = list(payload)
    random = np.random.default_rng(len(payload))

    async def bench(ctx):
        ctx.set(transmitter.frames.payload, {"kind": 9, "tag": 200, "length": len(payload), "intact": 0})
        ctx.set(transmitter.frames.valid, 1)
        for _ in range(400):
            ready = int(random.integers(0, 2))
            ctx.set(transmitter.o.ready, ready)
            ctx.set(transmitter.payload.valid, bool(rest))
            ctx.set(transmitter.payload.payload, rest[0] if rest else 0)
            _, _, valid, byte, taken, started = await ctx.tick().sample(
                transmitter.o.valid, transmitter.o.payload, transmitter.payload.ready, transmitter.frames.ready
            )
            if started:
                ctx.set(transmitter.frames.valid, 0)
            if valid and ready:
                got.append(byte)
            if taken and rest:
                rest.pop(0)

    run(m, bench)
    assert bytes(got) == expected


def test_limits_are_stated():
    with pytest.raises(ValueError, match="Divisor must be at least 4, not 3"):
        UartConfig(divisor=3)
    with pytest.raises(TypeError, match="Divisor must be an integer, not 4.5"):
        UartConfig(divisor=4.5)
    with pytest.raises(ValueError, match="Stream width must be at most 8168 for a UART, not 8192"):
        UartBridge(UartConfig(divisor=4), address_width=8, stream_width=8192)
    assert rows_per_frame(4) == BUFFER_ROWS
    assert rows_per_frame(8168 // 8) == 1
