"""Commands in a random order, with a sum tree in plain Python behind the engine: requests, packets, errors, clears."""

import random
from collections import deque

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.replay.config import DRAW_WIDTH
from rewardware.hw.cores.replay.records import ROW_WIDTH, ReplayCommand
from rewardware.hw.cores.replay.requests import RequestKind
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, compare_all, parameters, rng
from rewardware.sw.device.replay_rows import pack_beats
from rewardware.sw.reference.replay.draws import DrawReference
from rewardware.sw.reference.replay.requests import Request
from rewardware.sw.reference.replay.sum_tree import SumTreeReference
from tests.hw.cores.replay.rows import answer_rows, noisy_rows
from tests.sw.reference.replay.stimulus import random_requests

# Stalls of the host's streams and of the tree's.
PHASES = ((0.0, 0.0), (0.3, 0.3), (0.0, 0.6), (0.6, 0.0))
COMMANDS = 24
COUNT_WIDTH = 16


class Bench:
    """An engine between host and tree."""

    def __init__(self, dut, config):
        self.dut, self.config = dut, config
        self.random = random.Random(int(rng("commands").integers(1 << 32)))
        self.commands, self.packets_in = StreamSource(dut, "commands"), StreamSource(dut, "packets_in")
        self.completions, self.packets_out = StreamSink(dut, "completions"), StreamSink(dut, "packets_out")
        self.requests, self.answers = StreamSink(dut, "requests"), StreamSource(dut, "answers")
        self.tree, self.draws = SumTreeReference(config), DrawReference()
        # What the tree gets and gives; the beats of packets; errors and clears after each command.
        self.to_ask, self.beats, self.behind = deque(), [], []
        self.clears = self.clearing = self.raised = self.done = 0

    def words(self, rows):
        """Rows as beats."""
        beats = pack_beats(np.array(rows, np.uint64), self.config.lanes)
        return [sum(row << ROW_WIDTH * lane for lane, row in enumerate(beat)) for beat in beats.tolist()]

    def expect(self, requests, noise=None):
        """A packet of requests, and one of their answers; the requests' beats."""
        # Places that are left ask for the total.
        requests = [*requests, *[Request(kind=RequestKind.TOTAL)] * (-len(requests) % self.config.lanes)]
        rows = noisy_rows(requests, noise)
        asked, answered = self.words(rows), self.words(answer_rows(self.tree.apply(requests)))
        self.to_ask.extend(zip(asked, answered, strict=True))
        self.beats += [{"data": beat, "last": int(index + 1 == len(asked))} for index, beat in enumerate(answered)]
        return asked

    def command(self, kind, argument=None):
        """Gives a command, with a count of samples or a seed unless they are random, and says what it will do."""
        made, arguments, error = self.random, self.random.getrandbits(64), 0
        if kind == ReplayCommand.SERVE:
            requests = random_requests(self.config, made, made.choice([1, 2, made.randrange(1, 60)]))
            beats = self.expect(requests, made)
            for index, beat in enumerate(beats):
                self.packets_in.put({"data": beat, "last": int(index + 1 == len(beats))})
        elif kind == ReplayCommand.SAMPLE:
            count = made.choice([0, 1, 2, 3, made.randrange(1, 40)]) if argument is None else argument
            segment = made.choice([0, (1 << DRAW_WIDTH) // max(count, 2)])
            arguments, error = count | segment << COUNT_WIDTH, int(count == 0)
            if count:
                draws = self.draws.draws(count, segment).tolist()
                samples = [Request(kind=RequestKind.SAMPLE, draw=draw) for draw in draws]
                self.expect([*samples, Request(kind=RequestKind.TOTAL)])
        elif kind == ReplayCommand.SEED:
            arguments = made.choice([0, arguments | 1]) if argument is None else argument
            error = int(arguments == 0)
            if arguments:
                self.draws = DrawReference(arguments)
        else:
            self.tree.clear()
        errors, clears = self.behind[-1] if self.behind else (0, 0)
        self.behind.append((errors + error, clears + (kind == ReplayCommand.CLEAR)))
        self.commands.put({"kind": kind, "arguments": arguments})

    async def cycle(self):
        """A cycle of the tree: it clears for some cycles, and answers in order."""
        await FallingEdge(self.dut.clk)
        busy = self.commands.count > self.completions.count
        compare(int(busy), int(self.dut.busy.value), "busy", self.commands.count)
        self.raised += int(self.dut.errors.value)
        assert not (self.clearing and int(self.dut.completions__valid.value)), "completed before the tree was clear"
        if int(self.dut.clear.value):
            self.clears, self.clearing = self.clears + 1, self.random.randrange(1, 20)
        elif self.clearing:
            self.clearing -= 1
        self.dut.idle.value = int(not self.clearing)
        await RisingEdge(self.dut.clk)
        while len(self.requests):
            asked, answer = self.to_ask.popleft()
            compare(asked, await self.requests.receive(), "requests", self.requests.count)
            self.answers.put(answer)

    async def run(self, stall, tree_stall):
        """Commands of all kinds, each at least once."""
        for stream in (self.commands, self.packets_in, self.completions, self.packets_out):
            stream.stall = stall
        self.requests.stall = self.answers.stall = tree_stall
        for kind in [*ReplayCommand, *self.random.choices(list(ReplayCommand), [6, 6, 1, 1], k=COMMANDS)]:
            self.command(kind)
        await self.complete()

    async def complete(self):
        """All commands that were given."""
        while self.done < len(self.behind):
            await self.cycle()
            while len(self.completions):
                await self.completions.receive()
                compare(self.behind[self.done], (self.raised, self.clears), "errors and clears of command", self.done)
                self.done += 1
        compare_all(self.beats, await self.packets_out.receive_all(len(self.beats)), "packets_out")
        assert not self.to_ask, "requests are missing"
        self.beats.clear()


@cocotb.test()
async def executes_in_order(dut):
    dut.idle.value = 1
    bench = Bench(dut, parameters()["config"])
    await clock_and_reset(dut)
    for phase in PHASES:
        await bench.run(*phase)
    for _ in range(20):
        await bench.cycle()
    assert not (len(bench.packets_out) or len(bench.requests) or len(bench.completions))


@cocotb.test()
async def seed_zero_leaves_the_generator_as_it_is(dut):
    """At first, and after another seed: the draws go on where they were."""
    dut.idle.value = 1
    bench = Bench(dut, parameters()["config"])
    await clock_and_reset(dut)
    for seed in (0, 1 << 40 | 1, 0, 0):
        bench.command(ReplayCommand.SEED, seed)
        bench.command(ReplayCommand.SAMPLE, 5)
        await bench.complete()
