"""Updates of the central parameters by several agents, against the reference, and the cycles that they take.

Parameters: ``config``; ``latency``, from a word of gradients to the updated one.
"""

from collections import deque

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.a3c.host_regions import central_regions
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float.conversion import from_numbers
from rewardware.sw.reference.float.host import to_bits
from rewardware.sw.reference.optimizer.rms_prop import rms_prop
from tests.hw.cores.float.operands import extremes
from tests.hw.cores.layer.stimulus import numbers
from tests.hw.cores.transfer_cycles import TransferCycles

from .words import numbers_of, value_of

RATES = {"decay": 0.99, "one_minus_decay": 0.01, "learning_rate": 0.05, "epsilon": 0.01}
MEMORIES = ("parameters", "squares")
# Cycles in which the host's access must have been granted.
LIMIT = 1000


class Bench:
    """The unit, the host's ports, and what its memories have to hold."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.arithmetic.format
        self.shape = self.config.words, self.config.width
        self.random = rng("numbers")
        self.gradients, self.done = StreamSource(dut, "gradients"), StreamSink(dut, "done")
        for name in MEMORIES:
            getattr(dut, f"{name}__read__enable").value = getattr(dut, f"{name}__write__enable").value = 0
        self.rates = {name: from_numbers(self.format, rate).item() for name, rate in RATES.items()}
        dut.rates.value = sum(bits << self.format.width * place for place, bits in enumerate(self.rates.values()))
        # Words that must be written to copies, in order, and how many had a number that is infinite or NaN.
        self.updates, self.nonfinite = deque(), 0

    async def watch(self):
        """Watch the words that go to the agents' copies, and the flag."""
        dut, index = self.dut, 0
        while True:
            await RisingEdge(dut.clk)
            flag = int(dut.nonfinite.value)
            if not int(dut.updated__enable.value):
                assert not flag, "A number is said to be infinite or NaN though no word is written"
                continue
            got = {
                "agent": int(dut.updated__agent.value),
                "address": int(dut.updated__address.value),
                "word": numbers_of(self.config, int(dut.updated__data.value)),
                "nonfinite": flag,
            }
            assert self.updates, f"Word {got} was not expected"
            expected = self.updates.popleft()
            if "agent" not in expected:
                del got["agent"]
            compare(int("agent" not in expected), int(dut.updated__broadcast.value), "updated.broadcast", index)
            compare(expected, got, "updated", index)
            index += 1

    async def access(self, name, address, word=None):
        """The host reads a word, or writes it."""
        kind, dut = "read" if word is None else "write", self.dut
        getattr(dut, f"{name}__{kind}__enable").value = 1
        getattr(dut, f"{name}__{kind}__address").value = address
        if word is not None:
            getattr(dut, f"{name}__write__data").value = value_of(self.config, word)
        for _ in range(LIMIT):
            await ReadOnly()
            granted = int(getattr(dut, f"{name}__{kind}_granted").value)
            await RisingEdge(dut.clk)
            if granted:
                break
        assert granted, f"The host's {kind} of {name} was not granted within {LIMIT} cycles"
        getattr(dut, f"{name}__{kind}__enable").value = 0
        if word is None:
            await RisingEdge(dut.clk)
            await ReadOnly()
            word = numbers_of(self.config, int(getattr(dut, f"{name}__read__data").value))
            await RisingEdge(dut.clk)
        return word

    async def load(self):
        """Random parameters, and mean squares that are not negative."""
        shape = self.shape
        self.weights = to_bits(self.format, numbers(self.random, self.format, *shape))
        self.squares = to_bits(self.format, np.abs(numbers(self.random, self.format, *shape)))
        for name, values in zip(MEMORIES, (self.weights, self.squares), strict=True):
            for address, word in enumerate(values.tolist()):
                if name == "parameters":
                    self.updates.append({"address": address, "word": word, "nonfinite": 0})
                await self.access(name, address, word)
        await self.settle()

    async def settle(self):
        """Wait as long as the host's map says."""
        for _ in range(max(region.settle for region in central_regions(self.config))):
            await RisingEdge(self.dut.clk)

    async def check(self):
        """Compare the words that the host reads."""
        await self.settle()
        assert not self.updates, f"{len(self.updates)} words were not written"
        for name, values in zip(MEMORIES, (self.weights, self.squares), strict=True):
            for address, word in enumerate(values.tolist()):
                compare(word, await self.access(name, address), name, address)

    def put(self, agent, share=0.0):
        """An agent's gradients, in any order."""
        slopes = to_bits(self.format, numbers(self.random, self.format, *self.shape))
        corners = self.random.choice(extremes(self.format), self.shape)
        slopes = np.where(self.random.random(self.shape) < share, corners, slopes)
        self.weights, self.squares = rms_prop(self.format, self.weights, self.squares, slopes, **self.rates)
        infinity = self.format.infinity
        order = self.random.permutation(len(slopes)).tolist()
        for address in order:
            self.gradients.put(
                {
                    "agent": agent,
                    "address": address,
                    "last": int(address == order[-1]),
                    "word": slopes[address].tolist(),
                }
            )
            kept = np.array([self.weights[address], self.squares[address]])
            self.updates.append(
                {
                    "agent": agent,
                    "address": address,
                    "word": self.weights[address].tolist(),
                    "nonfinite": int((kept & infinity == infinity).any()),
                }
            )


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    cocotb.start_soon(bench.watch())
    for share in (0.0, 0.02, 0.3):
        await bench.load()
        for stall_in, stall_out in ((0.0, 0.0), (0.9, 0.0), (0.2, 0.9)):
            bench.gradients.stall, bench.done.stall = stall_in, stall_out
            agents = bench.random.integers(0, bench.config.agents, 4).tolist()
            for agent in agents:
                bench.put(agent, share)
            # The host reads in between, and disturbs nobody.
            for address in range(min(20, bench.config.words)):
                await bench.access("parameters", address)
            for index, agent in enumerate(agents):
                compare(agent, await bench.done.receive(), "done", index)
            await bench.check()


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    cocotb.start_soon(bench.watch())
    await bench.load()
    bench.gradients.stall, bench.done.stall = 0, 1
    for _ in range(4):
        bench.put(bench.config.agents - 1)
    for _ in range(4 * (bench.config.words * bench.config.interval + parameters()["latency"] + 10)):
        await RisingEdge(dut.clk)
    assert bench.gradients.count == 3 * bench.config.words - 1, "Words were taken whose end has no room"
    bench.done.stall = 0
    for index in range(4):
        compare(bench.config.agents - 1, await bench.done.receive(), "done", index)
    await bench.check()


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    cocotb.start_soon(bench.watch())
    await bench.load()
    bench.gradients.stall = bench.done.stall = 0
    seen = TransferCycles(dut, "gradients", "done")
    for agent in (0, bench.config.agents - 1):
        bench.put(agent)
    for _ in range(2):
        await bench.done.receive()
    words, interval, latency = bench.config.words, bench.config.interval, parameters()["latency"]
    taken = seen.taken["gradients"]
    between = [interval] * (words - 1)
    compare([*between, latency + 1, *between], np.diff(taken), "cycles between words", 0)
    ends = np.subtract(seen.offered["done"], taken[words - 1 :: words])
    compare([latency + 1] * 2, ends, "cycles from a last word to the end", 0)
