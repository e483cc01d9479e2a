"""The wires' ends, one by one. The whole bridge is tested with its driver in tests/sw/device."""

import numpy as np
import pytest
from amaranth.hdl import Module

from rewardware.hw.soc.bus.uart import UartReceiver, UartTransmitter
from rewardware.hw.soc.bus.uart_bridge import UartBridge
from rewardware.hw.soc.bus.uart_config import BUFFER_ROWS, UartConfig, rows_per_frame
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
    got, edges, wire = [], [], []

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
            wire.append(tx)
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
    # Every bit has its length, and the next byte begins a cycle after the last of them; the last byte is not over yet.
    frames = ((0, *(byte >> index & 1 for index in range(8)), 1) for byte in sent)
    levels = [level for bits in frames for level in (*np.repeat(bits, divisor), 1)]
    assert wire[edges[0] - 1 :] == levels[: len(wire) + 1 - edges[0]]


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


def test_limits_are_stated():
    with pytest.raises(ValueError, match="Divisor must be at least 4, not 3"):
        UartConfig(divisor=3)
    with pytest.raises(TypeError, match="Divisor must be an integer, not 4.5"):
        UartConfig(divisor=4.5)
    with pytest.raises(ValueError, match="Stream width must be at most 8168 for a UART, not 8192"):
        UartBridge(UartConfig(divisor=4), address_width=8, stream_width=8192)
    assert rows_per_frame(4) == BUFFER_ROWS
    assert rows_per_frame(8168 // 8) == 1
