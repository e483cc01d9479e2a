"""Which requests are executed, which are answered without, and what becomes of their payloads."""

import pytest

from rewardware.hw.soc.bus.uart_config import REPLY, Kind, Status
from rewardware.hw.soc.bus.uart_dispatcher import UNITS, RequestDispatcher
from tests.hw.simulation import run

LIMIT_CYCLES = 200


class Requests:
    """Sends requests to a dispatcher whose units give the results that the test says."""

    def __init__(self):
        self.dispatcher = RequestDispatcher()

    def run(self, bench):
        async def whole(ctx):
            self.ctx = ctx
            await bench(self)

        run(self.dispatcher, whole)

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
        units = [getattr(dispatcher.units, name) for name in UNITS]
        begun = [unit for unit in units if ctx.get(unit.begin)]
        await ctx.tick()
        ctx.set(dispatcher.payload.valid, size > 0)
        taken = None
        if begun:
            (unit,) = begun
            assert ctx.get(unit.length) == size
            taken = size if takes is None else takes
            ctx.set(unit.payload.ready, 1)
            for _ in range(taken):
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
        ctx.set(dispatcher.answer.ready, 1)
        for unit in begun:
            ctx.set(unit.answer.valid, 1)
        while len(got) < reply.length:
            for unit in begun:
                ctx.set(unit.answer.payload, rest[0] if rest else 0)
            _, _, valid, byte, *ready = await ctx.tick().sample(
                dispatcher.answer.valid, dispatcher.answer.payload, *(unit.answer.ready for unit in begun)
            )
            if valid:
                got.append(byte)
            if any(ready):
                rest.pop(0)
        ctx.set(dispatcher.answer.ready, 0)
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
        # What reads is done again, and so is what found no room.
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
