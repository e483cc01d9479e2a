"""Reads and writes of registers behind a UART: every word and address, refusals, and a bus that stalls."""

import numpy as np

from rewardware.hw.soc.bus.axi_lite import Response
from rewardware.hw.soc.bus.uart_config import PAYLOAD_LIMIT, Status
from rewardware.hw.soc.bus.uart_registers import RegisterRequests
from tests.hw.simulation import run

ADDRESS_WIDTH = 11
REQUESTS = 60


class Bus:
    """A memory behind AXI4-Lite that refuses some words, and whatever came on its channels."""

    def __init__(self, control, random):
        self.control, self.random = control, random
        self.words, self.refused, self.writes = {}, set(), []

    async def serve(self, ctx):
        """One transaction after the other, each channel ready or valid when it likes."""
        control = self.control
        while True:
            ready = {name: int(self.random.random() < 0.5) for name in ("write_address", "read_address")}
            for name, value in ready.items():
                ctx.set(getattr(control, name).ready, value)
            _, _, writes, reads, address, read_address = await ctx.tick().sample(
                control.write_address.valid,
                control.read_address.valid,
                control.write_address.payload,
                control.read_address.payload,
            )
            for name in ready:
                ctx.set(getattr(control, name).ready, 0)
            assert not (writes and reads)
            if writes and ready["write_address"]:
                data = await self.take(ctx, control.write_data)
                assert data.strobe == 0b1111
                self.writes.append((address, data.data))
                await self.give(ctx, control.write_response, self.answer(address))
            elif reads and ready["read_address"]:
                data = self.words.setdefault(read_address, int(self.random.integers(1 << 32)))
                await self.give(ctx, control.read_data, {"data": data, "response": self.answer(read_address)})

    def answer(self, address):
        return Response.SLAVE_ERROR if address in self.refused else Response.OKAY

    async def take(self, ctx, channel):
        while True:
            ready = int(self.random.random() < 0.5)
            ctx.set(channel.ready, ready)
            _, _, valid, payload = await ctx.tick().sample(channel.valid, channel.payload)
            if valid and ready:
                ctx.set(channel.ready, 0)
                return payload

    async def give(self, ctx, channel, payload):
        while self.random.random() < 0.5:
            await ctx.tick()
        ctx.set(channel.valid, 1)
        ctx.set(channel.payload, payload)
        await ctx.tick().until(channel.ready)
        ctx.set(channel.valid, 0)


async def execute(ctx, unit, random, payload, writes):
    """The status of a request and its answer."""
    requests, taken, answer = unit.requests, 0, bytearray()
    ctx.set(unit.writes, writes)
    ctx.set(requests.length, len(payload))
    ctx.set(requests.begin, 1)
    await ctx.tick()
    ctx.set(requests.begin, 0)
    for _ in range(60 * len(payload) + 200):
        valid, done = taken < len(payload) and random.random() < 0.8, random.random() < 0.5
        ctx.set(requests.payload.valid, valid)
        ctx.set(requests.payload.payload, payload[taken] if valid else int(random.integers(256)))
        ctx.set(requests.results.ready, done)
        _, _, ready, ended, result = await ctx.tick().sample(
            requests.payload.ready, requests.results.valid, requests.results.payload
        )
        taken += valid and ready
        if done and ended:
            break
    else:
        raise AssertionError("no result")
    ctx.set(requests.payload.valid, 0)
    ctx.set(requests.results.ready, 0)
    while len(answer) < result.length:
        ready = random.random() < 0.5
        ctx.set(requests.answer.ready, ready)
        _, _, valid, byte = await ctx.tick().sample(requests.answer.valid, requests.answer.payload)
        assert valid
        if ready:
            answer.append(byte)
    ctx.set(requests.answer.ready, 0)
    return Status(result.status), bytes(answer), taken


def word(value):
    return value.to_bytes(4, "little")


def test_reads_and_writes_at_random():
    unit, random = RegisterRequests(ADDRESS_WIDTH), np.random.default_rng(1)
    bus = Bus(unit.control, random)
    end = 1 << ADDRESS_WIDTH

    async def bench(ctx):
        for number in range(REQUESTS):
            address = 4 * int(random.integers(end // 4))
            bus.writes.clear()
            bus.refused = {4 * place for place in random.integers(end // 4, size=end // 64).tolist()}
            if random.random() < 0.5:
                bus.refused |= {address} if random.random() < 0.3 else set()
                status, answer, taken = await execute(ctx, unit, random, word(address), 0)
                expected = Status.REFUSED if address in bus.refused else Status.OK
                assert (status, answer, taken) == (expected, word(bus.words[address]), 4), number
                continue
            count = int(random.choice([1, 1, 2, 5]))
            # As far as the bus has addresses, and past them.
            places = [address + 4 * index for index in range(count)]
            inside = [place for place in places if place < end]
            data = random.integers(1 << 32, size=count).tolist()
            status, answer, _ = await execute(ctx, unit, random, word(address) + b"".join(map(word, data)), 1)
            expected = Status.REFUSED if bus.refused & set(inside) or inside != places else Status.OK
            assert (status, answer) == (expected, b""), number
            assert bus.writes == list(zip(inside, data, strict=False)), number

    run(unit, bench, bus.serve)


def test_addresses_past_the_bus_are_refused():
    unit, random = RegisterRequests(ADDRESS_WIDTH), np.random.default_rng(2)
    bus = Bus(unit.control, random)

    async def bench(ctx):
        for bit in range(ADDRESS_WIDTH, 32):
            address = 1 << bit | 8
            assert await execute(ctx, unit, random, word(address), 0) == (Status.REFUSED, word(0), 4), bit
            status, answer, _ = await execute(ctx, unit, random, word(address) + word(1), 1)
            assert (status, answer, bus.writes, bus.words) == (Status.REFUSED, b"", [], {}), bit

    run(unit, bench, bus.serve)


def test_as_many_words_as_a_frame_has():
    unit, random = RegisterRequests(ADDRESS_WIDTH), np.random.default_rng(3)
    bus = Bus(unit.control, random)
    data = random.integers(1 << 32, size=PAYLOAD_LIMIT // 4 - 1).tolist()

    async def bench(ctx):
        answer = await execute(ctx, unit, random, word(64) + b"".join(map(word, data)), 1)
        assert answer == (Status.OK, b"", PAYLOAD_LIMIT)
        assert bus.writes == [(64 + 4 * index, value) for index, value in enumerate(data)]

    run(unit, bench, bus.serve)
