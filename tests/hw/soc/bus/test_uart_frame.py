"""Frames found in bytes and made of payloads, one by one."""

import zlib

import numpy as np
import pytest

from rewardware.hw.soc.bus.uart_config import PAYLOAD_LIMIT, START, UartConfig
from rewardware.hw.soc.bus.uart_frame import FrameReceiver, FrameTransmitter
from rewardware.sw.device.uart import pack_frame
from tests.hw.simulation import run


async def wait(ctx, cycles):
    for _ in range(cycles):
        await ctx.tick()


class Frames:
    """A frame receiver that is given bytes, and what it made of them."""

    def __init__(self, timeout_bits=20):
        self.config = UartConfig(divisor=4, timeout_bits=timeout_bits)
        self.receiver = FrameReceiver(self.config)
        self.got = []

    def feed(self, parts, gap=9):
        """``parts``: bytes, with ``gap`` silent cycles after each, or a number of silent cycles."""
        receiver = self.receiver

        async def send(ctx):
            for part in parts:
                if isinstance(part, int):
                    await wait(ctx, part)
                    continue
                for byte in part:
                    ctx.set(receiver.i.valid, 1)
                    ctx.set(receiver.i.payload, byte)
                    await ctx.tick()
                    ctx.set(receiver.i.valid, 0)
                    await wait(ctx, gap)
            await wait(ctx, 200)

        async def take(ctx):
            random = np.random.default_rng(0)
            while True:
                ready = int(random.random() < 0.8)
                ctx.set(receiver.frames.ready, ready)
                _, _, valid, frame = await ctx.tick().sample(receiver.frames.valid, receiver.frames.payload)
                if not (valid and ready):
                    continue
                ctx.set(receiver.frames.ready, 0)
                payload = bytearray()
                while len(payload) < frame.length:
                    ready = int(random.random() < 0.8)
                    ctx.set(receiver.payload.ready, ready)
                    _, _, valid, byte = await ctx.tick().sample(receiver.payload.valid, receiver.payload.payload)
                    if valid and ready:
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
    assert Frames().feed([bad, frame]) == [(3, 7, b"x", True)]


def test_any_header_and_the_longest_payload():
    random = np.random.default_rng(4)
    frames, parts = [], []
    for length in (0, 1, 2, 255, 256, 511, 512, PAYLOAD_LIMIT - 1, PAYLOAD_LIMIT):
        kind, tag = random.integers(256, size=2).tolist()
        frames.append((kind, tag, random.bytes(length), True))
        # Meanwhile a payload is taken, two cycles a byte and the stalls.
        parts += [pack_frame(*frames[-1][:3]), 3 * length + 60]
    assert Frames().feed(parts, gap=0) == frames


def test_silence_is_counted_in_bits():
    """Silence of as many cycles as the time-out has, between any two bytes, and of one more."""
    frames = Frames(timeout_bits=25)
    limit = frames.config.divisor * frames.config.timeout_bits
    # Long enough that its payload also waits for its reader.
    frame = pack_frame(3, 7, b"abcdefghi")
    assert frames.feed([frame], gap=limit) == [(3, 7, b"abcdefghi", True)]
    assert Frames(timeout_bits=25).feed([frame], gap=limit + 1) == []


def test_what_comes_during_a_payload_is_dropped():
    frame, other = pack_frame(3, 7, bytes(range(40))), pack_frame(5, 9, b"lost")
    got = Frames().feed([frame, other, 200, pack_frame(4, 8, b"found")], gap=0)
    assert [entry[:3] for entry in got] == [(3, 7, bytes(range(40))), (4, 8, b"found")]


class Made:
    """The bytes that a transmitter makes of frames, one after the other, with stalls of all its streams."""

    def __init__(self, frames, length, seed, hesitates=False):
        self.transmitter, self.random, self.made = FrameTransmitter(), np.random.default_rng(seed), bytearray()
        self.hesitates = hesitates
        self.frames, self.payload, self.length = list(frames), b"".join(payload for *_, payload in frames), length
        run(self.transmitter, self.make)

    async def make(self, ctx):
        transmitter, frames, rest = self.transmitter, self.frames, list(self.payload)
        offered = seen = False
        for _ in range(40 + 8 * self.length):
            if len(self.made) == self.length:
                return
            # Once valid, a value stays until it is taken.
            offered = bool(rest) and (offered or bool(self.random.integers(2)))
            # Some readers take a byte only once they have seen it.
            ready = int((seen or not self.hesitates) and self.random.random() < 0.7)
            ctx.set(transmitter.o.ready, ready)
            ctx.set(transmitter.payload.valid, offered)
            ctx.set(transmitter.payload.payload, rest[0] if offered else int(self.random.integers(256)))
            ctx.set(transmitter.frames.valid, bool(frames))
            if frames:
                kind, tag, payload = frames[0]
                ctx.set(transmitter.frames.payload, {"kind": kind, "tag": tag, "length": len(payload), "intact": 0})
            _, _, valid, byte, taken, started = await ctx.tick().sample(
                transmitter.o.valid, transmitter.o.payload, transmitter.payload.ready, transmitter.frames.ready
            )
            if started and frames:
                frames.pop(0)
            if valid and ready:
                self.made.append(byte)
            seen = valid and not ready
            if taken and offered:
                rest.pop(0)
                offered = False


@pytest.mark.parametrize("payload", [b"", b"\x00", b"123456789"])
def test_transmitter_makes_the_frames_of_the_driver(payload):
    expected = pack_frame(9, 200, payload)
    assert zlib.crc32(expected[1:-4]).to_bytes(4, "little") == expected[-4:]
    assert Made([(9, 200, payload)], len(expected), seed=len(payload)).made == expected


def test_transmitter_makes_frame_behind_frame():
    random = np.random.default_rng(5)
    frames = [(*random.integers(256, size=2).tolist(), random.bytes(length)) for length in (3, 0, 1, 300, 0, 7)]
    expected = b"".join(pack_frame(*frame) for frame in frames)
    assert Made(frames, len(expected), seed=6).made == expected


def test_transmitter_waits_for_no_ready():
    expected = pack_frame(9, 200, b"12345")
    assert Made([(9, 200, b"12345")], len(expected), seed=7, hesitates=True).made == expected


def test_transmitter_follows_a_long_frame_to_its_end():
    """Longer than what a receiver takes: the transmitter has no limit but the header's."""
    payload = np.random.default_rng(8).bytes(PAYLOAD_LIMIT + 300)
    header = bytes([START, 9, 200]) + len(payload).to_bytes(2, "little")
    expected = header + payload + zlib.crc32(header[1:] + payload).to_bytes(4, "little")
    made = Made([(9, 200, payload), (9, 201, b"")], len(expected) + 9, seed=9).made
    assert made == expected + pack_frame(9, 201, b"")


def test_transmitter_sends_any_length():
    for length in (0x0400, 0x5A3C, 0xA5C3):
        header = bytes([START, 9, 200, length & 0xFF, length >> 8])
        assert Made([(9, 200, bytes(length))], len(header) + 20, seed=length).made == header + bytes(20)
