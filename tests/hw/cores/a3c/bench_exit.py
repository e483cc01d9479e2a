"""Answers to agents, cycle by cycle: which one goes first, its rows, and when an agent is answered.

Parameters: ``config``.
"""

from collections import deque

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.a3c.records import ANSWER, REWARD_PLACE, answer_rows, row_width
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from tests.hw.cores.transfer_cycles import TransferCycles


class Bench:
    """The exit, and what has to leave it."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.random = rng("answers")
        self.policies, self.updated = StreamSource(dut, "policies"), StreamSource(dut, "updated")
        self.packets = StreamSink(dut, "packets")
        self.rows, self.width = answer_rows(self.config), row_width(self.config)
        # Policies and agents whose answers have not been complete, and answers by their kind.
        self.waiting = {"policies": deque(), "updated": deque()}
        self.answers = dict.fromkeys(self.waiting, 0)

    def put(self, policies, updates):
        """Queue random policies, and agents that are trained."""
        config, words = self.config, (1 << self.config.arithmetic.format.width) - 1
        for _ in range(policies):
            *probabilities, value = self.random.integers(0, words, config.outputs, endpoint=True).tolist()
            agent, slot = (int(self.random.integers(count)) for count in (config.agents, config.slots))
            place = {"agent": agent, "slot": slot}
            self.policies.put({"place": place, "probabilities": probabilities, "value": value})
            numbers = [*probabilities, value]
            bits = sum(number << config.arithmetic.format.width * lane for lane, number in enumerate(numbers))
            self.waiting["policies"].append((agent, ANSWER.pack({"agent": agent, "trained": 0}) | bits << REWARD_PLACE))
        for agent in self.random.integers(0, config.agents, updates).tolist():
            self.updated.put(agent)
            self.waiting["updated"].append((agent, ANSWER.pack({"agent": agent, "trained": 1})))

    async def watch(self):
        """Each cycle is what the docstring says."""
        dut, kind, row, cycle = self.dut, None, 0, 0
        while True:
            await FallingEdge(dut.clk)
            offered = [name for name in ("updated", "policies") if int(getattr(dut, f"{name}__valid").value)]
            # A packet that has been offered stays.
            kind = kind or next(iter(offered), None)
            compare(int(kind is not None), int(dut.packets__valid.value), "packets.valid", cycle)
            answered = trained = 0
            taken = dict.fromkeys(self.waiting, 0)
            if kind is not None:
                agent, answer = self.waiting[kind][0]
                part, last = answer >> row * self.width & (1 << self.width) - 1, row == self.rows - 1
                compare(part | last << self.width, int(dut.packets__payload.value), f"packets of {kind}", cycle)
                if int(dut.packets__ready.value):
                    row += 1
                    if last:
                        answered, trained = 1 << agent, (kind == "updated") << agent
                        taken[kind] = 1
                        self.answers[kind] += 1
                        self.waiting[kind].popleft()
                        kind, row = None, 0
            compare(answered, int(dut.answered.value), "answered", cycle)
            compare(trained, int(dut.trained.value), "trained", cycle)
            for name, moves in taken.items():
                compare(moves, int(getattr(dut, f"{name}__ready").value), f"{name}.ready", cycle)
            cycle += 1

    async def check(self):
        """Everything that was queued leaves."""
        count = sum(map(len, self.waiting.values()))
        await self.packets.receive_all(count * self.rows)
        assert not any(self.waiting.values()) and not len(self.packets)


@cocotb.test()
async def answers_in_their_order(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    cocotb.start_soon(bench.watch())
    for stalls in ((0.3, 0.3, 0.3), (0.9, 0.5, 0.0), (0.0, 0.9, 0.3), (0.0, 0.0, 0.9), (0.5, 0.5, 0.0)):
        bench.policies.stall, bench.updated.stall, bench.packets.stall = stalls
        bench.put(40, 40)
        await bench.check()
    compare({"policies": 200, "updated": 200}, bench.answers, "answers", 0)


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    bench.policies.stall, bench.packets.stall = 0, 1
    cocotb.start_soon(bench.watch())
    bench.put(2, 0)
    for _ in range(20):
        await RisingEdge(dut.clk)
    # It does not give way to one that is trained.
    bench.put(0, 2)
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert not bench.policies.count and not bench.updated.count
    bench.packets.stall = 0
    await bench.check()


@cocotb.test()
async def a_row_a_cycle_and_no_latency(dut):
    bench = Bench(dut)
    bench.policies.stall = bench.updated.stall = bench.packets.stall = 0
    await clock_and_reset(dut)
    cocotb.start_soon(bench.watch())
    seen = TransferCycles(dut, "policies", "updated", "packets")
    bench.put(5, 3)
    await bench.check()
    rows = seen.taken["packets"]
    compare([1] * (8 * bench.rows - 1), np.diff(rows), "cycles between rows", 0)
    compare(seen.offered["updated"][0], seen.offered["packets"][0], "cycle of the first row", 0)
    compare(rows[bench.rows - 1 :: bench.rows], seen.taken["updated"] + seen.taken["policies"], "cycles of ends", 0)
