"""Rollouts of several agents at once, in the order in which they arrive, against the reference."""

import itertools

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.a3c.records import ANSWER, REQUEST, REWARD_PLACE, answer_rows, row_width
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.a3c.agents import AgentsReference
from rewardware.sw.reference.a3c.rates import A3CRates
from rewardware.sw.reference.float import host
from tests.hw.cores.layer.stimulus import numbers

from .words import bits_of, pack_parameters, pack_rows, random_parameters, value_of

RATES = A3CRates(
    discount=0.97,
    entropy=0.02,
    value_slope=-1.5,
    decay=0.95,
    one_minus_decay=0.05,
    learning_rate=0.01,
    epsilon=0.003,
)


class Bench:
    """The engine and its reference, which begin with the same parameters."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.arithmetic.format
        self.random = rng("rollouts")
        self.packets = StreamSource(dut, "packets_in")
        self.commands = StreamSource(dut, "commands")
        self.answers = StreamSink(dut, "packets_out")
        self.completions = StreamSink(dut, "completions")
        self.reference = AgentsReference(self.config, random_parameters(self.config, self.random))
        self.order, self.under_way, self.conflicts, self.nonfinite = [], {}, 0, 0
        for name, value in vars(RATES).items():
            getattr(dut, name).value = int(
                bits_of(self.config, host.from_bits(self.format, self._bits(value))).ravel()[0]
            )
        for region in ("parameters", "squares", "copies"):
            for port in ("read", "write"):
                getattr(dut, f"{region}__{port}__enable").value = 0

    def _bits(self, number):
        return host.to_bits(self.format, np.asarray([number], np.float64))

    async def load(self, region, words):
        """Words of the central memories."""
        port = f"{region}__write"
        for address, word in enumerate(words):
            getattr(self.dut, f"{port}__enable").value = 1
            getattr(self.dut, f"{port}__address").value = address
            getattr(self.dut, f"{port}__data").value = value_of(self.config, word)
            await FallingEdge(self.dut.clk)
            assert int(getattr(self.dut, f"{region}__write_granted").value)
            await RisingEdge(self.dut.clk)
        getattr(self.dut, f"{port}__enable").value = 0

    async def stored(self, region):
        """All words of a central memory."""
        found = []
        for address in range(self.config.words):
            getattr(self.dut, f"{region}__read__enable").value = 1
            getattr(self.dut, f"{region}__read__address").value = address
            await RisingEdge(self.dut.clk)
            getattr(self.dut, f"{region}__read__enable").value = 0
            for _ in range(2):
                await RisingEdge(self.dut.clk)
            await FallingEdge(self.dut.clk)
            found.append(int(getattr(self.dut, f"{region}__read__data").value))
        return found

    async def begin(self):
        """Reset, and the same parameters on both sides."""
        await clock_and_reset(self.dut)
        await self.load("parameters", pack_parameters(self.config, self.reference.parameters))
        await self.load("squares", np.zeros((self.config.words, self.config.width), int))
        cocotb.start_soon(self._watch())
        self.commands.put(0)

    async def _watch(self):
        while True:
            await FallingEdge(self.dut.clk)
            errors = int(self.dut.errors.value)
            # In the order of the layout: range, underflow, overflow, nonfinite, conflict.
            assert not errors & 0b10111, f"Errors {errors:05b}"

    def ask(self, agent, ends=None):
        """The next request of an agent; ``ends``: whether its episode does, where that is not drawn."""
        config, random = self.config, self.random
        rollout, fields, reward = self.reference.rollouts[agent], {"agent": agent}, 0
        if rollout.inferences and ends is None and random.random() < 0.05:
            self.reference.forget(agent)
            rollout, fields["restarts"] = self.reference.rollouts[agent], 1
        if rollout.inferences:
            action = int(random.integers(config.actions))
            given = numbers(random, self.format, 1)[0]
            self.reference.act(agent, action, given)
            fields |= {"acts": 1, "action": action}
            reward = int(np.ravel(bits_of(config, given))[0])
            if len(rollout.actions) == config.steps or (random.random() < 0.2 if ends is None else ends):
                fields["trains"] = 1
        trains, rows, found = "trains" in fields, [], None
        if not trains or (ends is None and random.random() < 0.5):
            observation = numbers(random, self.format, config.sizes[0])
            fields["observes"] = 1
            rows = [value_of(config, word) for word in pack_rows(config, bits_of(config, observation))]
            found = self.reference.observe(agent, observation)
        header = REQUEST.pack({field.name: 0 for field in REQUEST.fields} | fields) | reward << REWARD_PLACE
        packet = [header, *rows]
        for index, row in enumerate(packet):
            self.packets.put({"data": row, "last": int(index == len(packet) - 1)})
        self.under_way[agent] = None if trains else found

    async def answer(self, number):
        """The next answer is what the reference says; whose it is."""
        config, value = self.config, 0
        for row in range(answer_rows(config)):
            packet = await self.answers.receive()
            value |= packet["data"] << row * row_width(config)
            assert packet["last"] == (row == answer_rows(config) - 1)
        header = ANSWER.unpack(value & (1 << ANSWER.width) - 1)
        agent = header["agent"]
        expected = self.under_way.pop(agent)
        compare(int(expected is None), header["trained"], "trained", number)
        if expected is None:
            self.reference.train(agent, RATES)
            self.order.append(agent)
            compare(0, value >> REWARD_PLACE, "rest of an answer", number)
        else:
            wanted = bits_of(config, np.append(expected.probabilities, expected.value))
            compare(value_of(config, wanted), value >> REWARD_PLACE, f"policy of agent {agent}", number)
        return agent

    async def play(self, count):
        """So many answers; agents ask again as soon as they are answered, or a while later."""
        for agent in range(self.config.agents):
            self.ask(agent)
        for number in range(count):
            agent = await self.answer(number)
            for _ in range(int(self.random.integers(30)) * (self.random.random() < 0.3)):
                await RisingEdge(self.dut.clk)
            self.ask(agent)
        for number in range(self.config.agents):
            await self.answer(count + number)

    async def end(self):
        """No more requests; the central memories are those of the reference."""
        self.packets.put(
            {"data": REQUEST.pack({field.name: int(field.name == "ends") for field in REQUEST.fields}), "last": 1}
        )
        await self.completions.receive()
        for region, layers in (("parameters", self.reference.parameters), ("squares", self.reference.squares)):
            words = [value_of(self.config, word) for word in pack_parameters(self.config, layers)]
            for address, (word, found) in enumerate(zip(words, await self.stored(region), strict=True)):
                compare(word, found, region, address)


@cocotb.test()
async def same_bits_in_the_order_of_arrival(dut):
    bench = Bench(dut)
    bench.packets.stall, bench.answers.stall = 0.3, 0.3
    await bench.begin()
    await bench.play(60)
    await bench.end()
    # Agents overtake each other.
    assert bench.config.agents == 1 or bench.order != sorted(bench.order)


@cocotb.test()
async def updates_in_every_order(dut):
    """All agents end their rollouts at once: of three agents in each of their orders, of more in some."""
    bench = Bench(dut)
    bench.packets.stall = bench.answers.stall = 0
    await bench.begin()
    agents = range(bench.config.agents)
    orders = itertools.permutations(agents)
    if len(agents) > 3:
        orders = [agents[::-1], *(bench.random.permutation(agents).tolist() for _ in range(5))]
    for order in orders:
        for agent in agents:
            bench.ask(agent, ends=False)
        for number in agents:
            await bench.answer(number)
        before = len(bench.order)
        for agent in order:
            bench.ask(agent, ends=True)
        for number in agents:
            await bench.answer(number)
        # Rollouts of one step follow each other.
        compare(list(order), bench.order[before:], "updates", before)
    await bench.end()


@cocotb.test()
async def it_serves_again_with_the_parameters_that_there_are(dut):
    bench = Bench(dut)
    bench.packets.stall, bench.answers.stall = 0, 0.9
    await bench.begin()
    for _ in range(2):
        await bench.play(10)
        await bench.end()
        bench.commands.put(0)
