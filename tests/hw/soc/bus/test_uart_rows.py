"""Rows for a host behind a UART: as many as are wanted, are there and fit a frame; all of a request, or none."""

import numpy as np
import pytest

from rewardware.hw.soc.bus.uart_config import BUFFER_ROWS, PAYLOAD_LIMIT, Status, rows_per_frame
from rewardware.hw.soc.bus.uart_rows import RowsToHost, RowsToSystem
from tests.hw.simulation import run

LIMIT_CYCLES = 20_000


async def execute(ctx, unit, random, payload, each_cycle):
    """A request; its status, the length of its answer, and how many bytes of its payload were taken.

    ``each_cycle`` is called between what goes in and the clock, and gives what it makes of a cycle.
    """
    requests, taken, passed = unit.requests, 0, []
    # Bytes that come before a request begins belong to others.
    for _ in range(int(random.integers(3))):
        ctx.set(requests.payload.valid, 1)
        ctx.set(requests.payload.payload, int(random.integers(256)))
        assert not ctx.get(requests.payload.ready)
        await ctx.tick()
    ctx.set(requests.payload.valid, 0)
    ctx.set(requests.length, len(payload))
    ctx.set(requests.begin, 1)
    await ctx.tick()
    ctx.set(requests.begin, 0)
    for _ in range(LIMIT_CYCLES):
        valid = taken < len(payload) and random.random() < 0.8
        ctx.set(requests.payload.valid, valid)
        ctx.set(requests.payload.payload, payload[taken] if valid else int(random.integers(256)))
        taken += ctx.get(requests.payload.valid & requests.payload.ready)
        passed += each_cycle()
        done, result = ctx.get(requests.results.valid), ctx.get(requests.results.payload)
        done = done and random.random() < 0.5
        ctx.set(requests.results.ready, done)
        await ctx.tick()
        if done:
            ctx.set(requests.results.ready, 0)
            return Status(result.status), result.length, taken, passed
    raise AssertionError("no result")


# A frame carries the whole buffer, and less than that.
@pytest.mark.parametrize("row_bytes", [4, 100])
def test_no_more_rows_are_received_than_wanted_there_and_fit(row_bytes):
    unit, random = RowsToHost(8 * row_bytes), np.random.default_rng(row_bytes)
    limit = rows_per_frame(row_bytes)
    assert (limit < BUFFER_ROWS) == (row_bytes == 100)

    async def bench(ctx):
        for wanted in (0, 1, limit - 1, limit, limit + 1, BUFFER_ROWS, BUFFER_ROWS + 1, 255):
            for level in (0, 1, limit - 1, limit, BUFFER_ROWS):
                rows = [(random.bytes(row_bytes), int(random.integers(2))) for _ in range(level)]
                there = b"".join(bytes([last]) + row for row, last in rows)
                ctx.set(unit.level, level)
                status, length, _, _ = await execute(ctx, unit, random, bytes([wanted]), lambda: ())
                count = min(wanted, level, limit)
                assert (status, length) == (Status.OK, count * (row_bytes + 1)), (wanted, level)
                answer = bytearray()
                while len(answer) < length:
                    # The rows come late, now and then, and the wire waits.
                    here, ready = (random.random(2) < 0.85).tolist()
                    ctx.set(unit.requests.answer.ready, ready)
                    ctx.set(unit.i.valid, here)
                    ctx.set(unit.i.payload, {"data": int.from_bytes(rows[0][0], "little"), "last": rows[0][1]})
                    _, _, valid, byte, taken = await ctx.tick().sample(
                        unit.requests.answer.valid, unit.requests.answer.payload, unit.i.ready
                    )
                    assert valid == here
                    if valid and ready:
                        answer.append(byte)
                    if valid and taken:
                        rows.pop(0)
                ctx.set(unit.i.valid, 0)
                ctx.set(unit.requests.answer.ready, 0)
                assert len(rows) == level - count, (wanted, level)
                assert answer == there[:length], (wanted, level)

    run(unit, bench)


@pytest.mark.parametrize("row_bytes", [4, 12])
def test_rows_are_sent_all_or_none(row_bytes):
    unit, random = RowsToSystem(8 * row_bytes), np.random.default_rng(row_bytes)

    async def bench(ctx):
        for ends in (0, 1):
            for rows in (1, 2, BUFFER_ROWS):
                data = [random.bytes(row_bytes) for _ in range(rows)]
                payload = bytes([ends, rows]) + b"".join(data)
                assert len(payload) <= PAYLOAD_LIMIT

                def passing():
                    ctx.set(unit.o.ready, random.random() < 0.7)
                    if ctx.get(unit.o.valid & unit.o.ready):
                        row = ctx.get(unit.o.payload)
                        yield row.data.to_bytes(row_bytes, "little"), row.last

                ctx.set(unit.room, rows - 1)
                assert await execute(ctx, unit, random, payload, passing) == (Status.BUSY, 0, 2, [])
                # A length that is not that of so many rows, and no rows.
                ctx.set(unit.room, BUFFER_ROWS)
                for wrong in (payload[:-1], payload + b"x", payload[:2], bytes([ends, 0]) + payload[2:]):
                    assert await execute(ctx, unit, random, wrong, passing) == (Status.UNKNOWN, 0, 2, [])
                ctx.set(unit.room, rows)
                expected = [(row, int(ends and number == rows - 1)) for number, row in enumerate(data)]
                assert await execute(ctx, unit, random, payload, passing) == (Status.OK, 0, len(payload), expected)

    run(unit, bench)


@pytest.mark.parametrize("row_bytes", [4, 12])
@pytest.mark.parametrize("rows", [1, 3])
def test_rows_are_sent_at_the_stated_rate(row_bytes, rows):
    unit = RowsToSystem(8 * row_bytes)

    async def bench(ctx):
        ctx.set(unit.room, rows)
        ctx.set(unit.o.ready, 1)
        ctx.set(unit.requests.length, 2 + rows * row_bytes)
        ctx.set(unit.requests.payload.valid, 1)
        ctx.set(unit.requests.payload.payload, rows)
        ctx.set(unit.requests.begin, 1)
        await ctx.tick()
        ctx.set(unit.requests.begin, 0)
        cycles = 0
        while not ctx.get(unit.requests.results.valid):
            await ctx.tick()
            cycles += 1
        # Both numbers, and the check; then the rows.
        assert cycles == 3 + rows * (row_bytes + 1)

    run(unit, bench)
