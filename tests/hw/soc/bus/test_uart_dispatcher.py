"""Requests that are executed or answered without, and their payloads."""

import numpy as np
import pytest

from rewardware.hw.soc.bus.uart_config import PAYLOAD_LIMIT, REPLY, Kind, Status
from rewardware.hw.soc.bus.uart_dispatcher import UNITS, RequestDispatcher
from tests.hw.simulation import run

LIMIT_CYCLES = 200


class Requests:
    """Sends requests to a dispatcher whose units give the results that the test says."""

    def __init__(self):
        self.dispatcher = RequestDispatcher()
        self.random = np.random.default_rng(0)
        self.forgotten = 0

    def run(self, bench):
        async def whole(ctx):
            self.ctx = ctx
            await bench(self)

        async def listen(ctx):
            replies, answer, due = self.dispatcher.replies, self.dispatcher.answer, 0
            units = [getattr(self.dispatcher.units, name) for name in UNITS]
            executing = [0] * len(units)
            async for _, _, forget, replied, length, valid, taken, *signals in ctx.tick().sample(
                self.dispatcher.forget,
                replies.valid & replies.ready,
                replies.payload.length,
                answer.valid,
                answer.valid & answer.ready,
                *(unit.begin for unit in units),
                *(unit.payload.valid | unit.results.ready for unit in units),
                *(unit.results.valid & unit.results.ready for unit in units),
                *(unit.answer.ready for unit in units),
            ):
                self.forgotten += forget
                assert due or not valid, "A byte before its reply, or after an answer's end"
                begun, served, ended, answering = (signals[place : place + 3] for place in range(0, 12, 3))
                assert served == executing, "A payload or a result of a unit that executes nothing"
                assert due or not any(answering), "A byte of an answer before its reply, or after its end"
                executing = [begin or now and not end for begin, now, end in zip(begun, executing, ended, strict=True)]
                due = length if replied else due - taken

        async def read(ctx):
            """Whoever sends the answers on is ready at any time, also before there is one."""
            random = np.random.default_rng(1)
            async for _ in ctx.tick():
                ctx.set(self.dispatcher.answer.ready, int(random.random() < 0.8))

        run(self.dispatcher, whole, listen, read)

    async def until(self, *conditions):
        """Cycles until all are true at an edge."""
        for _ in range(LIMIT_CYCLES):
            *_, values = (await self.ctx.tick().sample(*conditions),)
            if all(values[2:]):
                return
        raise AssertionError("never")

    async def send(self, kind, tag, size, *, result=Status.OK, takes=None, answer=b"", intact=1):
        """The status, the answer, and what the unit took of the payload; None where no unit executed the request."""
        ctx, dispatcher = self.ctx, self.dispatcher
        header = {"kind": kind, "tag": tag, "length": size, "intact": intact}
        ctx.set(dispatcher.frames.payload, header)
        ctx.set(dispatcher.frames.valid, 1)
        await self.until(dispatcher.frames.ready)
        ctx.set(dispatcher.frames.valid, 0)
        # The cycle in which the frame is compared.
        await ctx.tick()
        units = [getattr(dispatcher.units, name) for name in UNITS]
        begun = [unit for unit in units if ctx.get(unit.begin)]
        await ctx.tick()
        ctx.set(dispatcher.payload.valid, size > 0)
        taken = None
        if begun:
            (unit,) = begun
            assert (ctx.get(unit.length), ctx.get(dispatcher.writes)) == (size, kind == Kind.WRITE)
            taken = size if takes is None else takes
            ctx.set(unit.payload.ready, 1)
            for _ in range(taken):
                byte = int(self.random.integers(256))
                ctx.set(dispatcher.payload.payload, byte)
                assert [ctx.get(getattr(dispatcher.units, name).payload.valid) for name in UNITS] == [
                    getattr(dispatcher.units, name) is unit for name in UNITS
                ]
                assert ctx.get(unit.payload.payload) == byte
                await self.until(dispatcher.payload.ready)
            ctx.set(unit.payload.ready, 0)
            ctx.set(dispatcher.payload.valid, size > taken)
            ctx.set(unit.results.payload, {"status": result, "length": len(answer)})
            ctx.set(unit.results.valid, 1)
            await self.until(unit.results.ready)
            ctx.set(unit.results.valid, 0)
        for left in range(size - (taken or 0), 0, -1):
            await self.until(dispatcher.payload.ready)
            ctx.set(dispatcher.payload.valid, left > 1)
        return *await self.receive(kind, tag, begun, answer), taken

    async def receive(self, kind, tag, begun, answer):
        """The status and the answer."""
        ctx, dispatcher = self.ctx, self.dispatcher
        while not ctx.get(dispatcher.replies.valid):
            await ctx.tick()
        reply = ctx.get(dispatcher.replies.payload)
        assert (reply.kind, reply.tag) == (kind | REPLY, tag)
        ctx.set(dispatcher.replies.ready, 1)
        await ctx.tick()
        ctx.set(dispatcher.replies.ready, 0)
        got, rest = [], list(answer)
        for unit in begun:
            ctx.set(unit.answer.valid, 1)
        while len(got) < reply.length:
            for unit in begun:
                ctx.set(unit.answer.payload, rest[0] if rest else 0)
            _, _, taken, byte, *ready = await ctx.tick().sample(
                dispatcher.answer.valid & dispatcher.answer.ready,
                dispatcher.answer.payload,
                *(unit.answer.ready for unit in begun),
            )
            if taken:
                got.append(byte)
            if any(ready):
                rest.pop(0)
        return Status(got[0]), bytes(got[1:])


def test_executed_requests_are_answered_by_their_unit():
    async def bench(requests):
        assert await requests.send(Kind.READ, 1, 4, answer=b"word") == (Status.OK, b"word", 4)
        assert await requests.send(Kind.WRITE, 2, 12, result=Status.REFUSED, takes=5) == (Status.REFUSED, b"", 5)
        assert await requests.send(Kind.SEND, 3, 26) == (Status.OK, b"", 26)
        assert await requests.send(Kind.RECEIVE, 4, 1, answer=bytes(13)) == (Status.OK, bytes(13), 1)
        assert await requests.send(Kind.FORGET, 5, 0) == (Status.OK, b"", None)

    Requests().run(bench)


def test_repetitions_are_answered_as_before():
    async def bench(requests):
        for kind, size in ((Kind.SEND, 14), (Kind.WRITE, 8)):
            for result in (Status.OK, Status.REFUSED, Status.UNKNOWN):
                assert await requests.send(kind, 7, size, result=result) == (result, b"", size)
                assert await requests.send(kind, 7, size, intact=0) == (Status.CORRUPT, b"", None)
                assert await requests.send(kind, 7, size) == (result, b"", None)
                await requests.send(kind, 8, size)
        # Requests that read are done again, and so are those that found no room.
        for _ in range(2):
            assert await requests.send(Kind.READ, 7, 4, answer=b"1234") == (Status.OK, b"1234", 4)
        for _ in range(2):
            assert await requests.send(Kind.SEND, 7, 14, result=Status.BUSY) == (Status.BUSY, b"", 14)
        assert await requests.send(Kind.SEND, 7, 14) == (Status.OK, b"", 14)

    Requests().run(bench)


@pytest.mark.parametrize(
    "kind, size",
    [(Kind.READ, 3), (Kind.READ, 8), (Kind.WRITE, 4), (Kind.WRITE, 6), (Kind.WRITE, 9), (Kind.SEND, 1)]
    + [(Kind.RECEIVE, 0), (Kind.RECEIVE, 2), (Kind.FORGET, 1), (0, 0), (99, 5)],
)
def test_lengths_that_a_kind_cannot_have_are_unknown(kind, size):
    async def bench(requests):
        assert await requests.send(kind, 7, size) == (Status.UNKNOWN, b"", None)
        assert await requests.send(Kind.WRITE, 8, 8) == (Status.OK, b"", 8)

    Requests().run(bench)


# Payloads that a kind may have.
SIZES = {
    Kind.READ: (4,),
    Kind.WRITE: (8, 12, 64, 256, PAYLOAD_LIMIT),
    Kind.SEND: (2, 3, 17, 128, 512, PAYLOAD_LIMIT),
    Kind.RECEIVE: (1,),
    Kind.FORGET: (0,),
}


def test_requests_at_random():
    """Requests of all kinds and none, broken ones and repetitions, against the rules in the dispatcher's docstring."""
    requests, random = Requests(), np.random.default_rng(1)

    async def bench(requests):
        previous, forgotten = None, 0
        for number in range(200):
            kind = int(random.choice([*Kind, int(random.integers(256))]))
            sizes = SIZES.get(kind, ())
            size = int(random.choice(sizes)) if sizes and random.random() < 0.9 else int(random.integers(20))
            tag, intact = int(random.choice([7, random.integers(256)])), int(random.random() < 0.9)
            if previous and random.random() < 0.3:
                # A repetition, or nearly one.
                kind, tag = previous[0] ^ int(random.random() < 0.1), previous[1] ^ int(random.random() < 0.2) << 5
            result = Status(int(random.choice([Status.OK, Status.REFUSED, Status.BUSY, Status.UNKNOWN])))
            takes = int(random.integers(size + 1))
            answer = random.bytes(int(random.choice([0, 1, *random.integers(2, 400, 4)])))
            possible = {
                Kind.READ: size == 4,
                Kind.WRITE: size >= 8 and size % 4 == 0,
                Kind.SEND: size >= 2,
                Kind.RECEIVE: size == 1,
                Kind.FORGET: size == 0,
            }.get(kind, False)
            repeats = previous and (kind, tag) == previous[:2] and kind not in (Kind.READ, Kind.RECEIVE)
            if not intact:
                expected = Status.CORRUPT, b"", None
            elif repeats:
                expected = previous[2], b"", None
            elif possible and kind != Kind.FORGET:
                expected = result, answer, takes
                previous = None if result == Status.BUSY else (kind, tag, result)
            else:
                expected = Status.OK if possible else Status.UNKNOWN, b"", None
                previous = kind, tag, expected[0]
                forgotten += possible
            got = await requests.send(kind, tag, size, result=result, takes=takes, answer=answer, intact=intact)
            assert (*got, requests.forgotten) == (*expected, forgotten), (number, kind, size)

    requests.run(bench)
