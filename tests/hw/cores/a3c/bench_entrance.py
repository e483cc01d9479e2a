"""Requests, right and wrong, against what agents may ask for."""

from collections import Counter

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.a3c.records import REQUEST, REWARD_PLACE
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng

FLAGS = ("address_out_of_range", "stream_underflow", "stream_overflow")


class Agents:
    """Makes requests that agents may make, and says what comes of them."""

    def __init__(self, config, random):
        self.config, self.random = config, random
        self.steps, self.observed = [0] * config.agents, [False] * config.agents
        self.transitions, self.inferences, self.trainings, self.ends = [], [], [], []

    def request(self, agent):
        """Rows of a request of an agent, and whether it trains."""
        config, random = self.config, self.random
        steps, observed = self.steps[agent], self.observed[agent]
        fields = {"agent": agent}
        if observed and random.random() < 0.15:
            steps, observed, fields["restarts"] = 0, False, 1
        reward = 0
        if observed:
            action, reward = int(random.integers(config.actions)), int(random.integers(1 << 32))
            self.transitions.append({"place": {"agent": agent, "slot": steps}, "action": action, "reward": reward})
            fields |= {"acts": 1, "action": action}
            steps += 1
            if steps == config.steps or random.random() < 0.3:
                fields["trains"] = 1
        trains, rows = "trains" in fields, []
        if not trains or random.random() < 0.5:
            rows = [int.from_bytes(random.bytes(4 * config.width)) for _ in range(config.layers[0].blocks)]
            fields["observes"] = 1
            self.inferences.append(({"agent": agent, "slot": steps}, rows))
            self.ends.append(trains)
        else:
            self.trainings.append({"agent": agent, "steps": steps, "follows": 0})
        self.steps[agent], self.observed[agent] = (0, False) if trains else (steps, True)
        return [_header(reward, **fields), *rows], trains


class Bench:
    """The entrance, and whoever works behind it."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.packets = StreamSource(dut, "packets")
        self.sinks = {name: StreamSink(dut, name) for name in ("transitions", "inferences", "trainings")}
        self.flags, self.memory = Counter(), {}
        for name in ("answered", "trained"):
            getattr(dut, name).value = 0
        dut.serving.value = 1
        cocotb.start_soon(self._watch())

    async def _watch(self):
        while True:
            await FallingEdge(self.dut.clk)
            if self.dut.rst.value == 1:
                continue
            errors = int(self.dut.errors.value)
            self.flags.update(name for bit, name in enumerate(FLAGS) if errors >> bit & 1)
            if self.dut.activations__enable.value == 1:
                agent = int(self.dut.activations__agent.value)
                self.memory[agent, int(self.dut.activations__address.value)] = int(self.dut.activations__data.value)

    def send(self, rows, ends=True):
        """Queue a packet."""
        for index, row in enumerate(rows):
            self.packets.put({"data": row, "last": int(ends and index == len(rows) - 1)})

    async def answer(self, agent, trained):
        """An agent has its answer."""
        self.dut.answered.value, self.dut.trained.value = 1 << agent, trained << agent
        await RisingEdge(self.dut.clk)
        self.dut.answered.value = self.dut.trained.value = 0

    def observation(self, place):
        """What is in the rows of an agent's slot."""
        config = self.config
        first = place["slot"] * config.activation_rows
        return [self.memory[place["agent"], first + block] for block in range(config.layers[0].blocks)]

    def stored(self, rows):
        """Rows of an observation as they are to be stored: places that are no numbers hold +0."""
        layer = self.config.layers[0]
        numbers = layer.inputs - (layer.blocks - 1) * layer.width
        return [*rows[:-1], rows[-1] & (1 << 32 * numbers) - 1]


def _header(reward=0, **fields):
    return REQUEST.pack({field.name: 0 for field in REQUEST.fields} | fields) | reward << REWARD_PLACE


@cocotb.test()
async def requests_go_where_they_belong(dut):
    bench = Bench(dut)
    config, agents = bench.config, Agents(bench.config, rng("requests"))
    await clock_and_reset(dut)
    for number in range(200):
        agent = int(agents.random.integers(config.agents))
        rows, trains = agents.request(agent)
        bench.send(rows)
        if agents.transitions:
            compare(agents.transitions.pop(), await bench.sinks["transitions"].receive(), "transitions", number)
        if agents.inferences:
            place, words = agents.inferences.pop()
            compare(place, await bench.sinks["inferences"].receive(), "inferences", number)
            compare(bench.stored(words), bench.observation(place), "activations", number)
        else:
            compare(agents.trainings.pop(), await bench.sinks["trainings"].receive(), "trainings", number)
        await RisingEdge(dut.clk)
        assert not int(dut.idle.value)
        if agents.ends:
            assert int(dut.ends.value) >> agent & 1 == agents.ends.pop()
        await bench.answer(agent, trains)
    await RisingEdge(dut.clk)
    assert not bench.flags and int(dut.idle.value)


@cocotb.test()
async def a_request_waits_for_the_answer_to_the_one_before(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    words = list(range(bench.config.layers[0].blocks))
    bench.send([_header(observes=1), *words])
    await bench.sinks["inferences"].receive()
    bench.send([_header(5, acts=1, observes=1), *words])
    for _ in range(50):
        await RisingEdge(dut.clk)
    compare(len(words) + 2, bench.packets.count, "rows taken", 0)
    await bench.answer(0, False)
    compare({"agent": 0, "slot": 1}, await bench.sinks["inferences"].receive(), "inferences", 1)


@cocotb.test()
async def wrong_requests_are_told_and_dropped(dut):
    bench = Bench(dut)
    config = bench.config
    await clock_and_reset(dut)
    words = list(range(config.layers[0].blocks))
    right = {"observes": 1, "restarts": 1}
    wrong = [
        ("address_out_of_range", {"agent": config.agents, "observes": 1}, words),
        ("address_out_of_range", {"agent": 255, "acts": 1, "trains": 1}, []),
        ("address_out_of_range", {"restarts": 1, "acts": 1, "observes": 1}, words),
        ("address_out_of_range", {"restarts": 1, "acts": 1, "trains": 1}, []),
        ("address_out_of_range", {"restarts": 1, "trains": 1, "observes": 1}, words),
        ("address_out_of_range", {"restarts": 1, "trains": 1}, []),
        ("address_out_of_range", {}, []),
        ("stream_underflow", right, words[:-1]),
        ("stream_overflow", right, [*words, 1, 2, 3]),
        # Behind an observation: another one, an action that is none, one that nothing comes of.
        ("address_out_of_range", {"observes": 1}, words),
        ("address_out_of_range", {"acts": 1, "observes": 1, "action": config.actions}, words),
        ("address_out_of_range", {"acts": 1}, []),
        ("stream_underflow", {"acts": 1, "observes": 1}, []),
        ("stream_overflow", {"acts": 1, "trains": 1}, [1, 2]),
        ("stream_overflow", {"ends": 1}, [1, 2]),
    ]
    for number, (flag, fields, rows) in enumerate(wrong):
        if number == 9:
            bench.send([_header(**right), *words])
            await bench.sinks["inferences"].receive()
            await bench.answer(0, False)
        bench.flags.clear()
        bench.send([_header(**fields), *rows])
        taken = bench.packets.count + 1 + len(rows)
        while bench.packets.count < taken:
            await RisingEdge(dut.clk)
        for _ in range(4):
            await RisingEdge(dut.clk)
        compare({flag: 1}, dict(bench.flags), "flags", number)
    # None of them has changed what the agent may do, or is still there.
    bench.send([_header(9, acts=1, trains=1)])
    compare({"agent": 0, "steps": 1, "follows": 0}, await bench.sinks["trainings"].receive(), "trainings", 0)
    assert not len(bench.sinks["inferences"])
    # A rollout that is as long as it may be.
    await bench.answer(0, True)
    bench.send([_header(**right), *words])
    for _ in range(config.steps):
        await bench.sinks["inferences"].receive()
        await bench.answer(0, False)
        bench.send([_header(1, acts=1, observes=1), *words])
    await bench.sinks["inferences"].receive()
    await bench.answer(0, False)
    bench.flags.clear()
    bench.send([_header(1, acts=1, trains=1)])
    for _ in range(50):
        await RisingEdge(dut.clk)
    compare({"address_out_of_range": 1}, dict(bench.flags), "flags", len(wrong))


@cocotb.test()
async def it_takes_nothing_unless_it_serves(dut):
    bench = Bench(dut)
    dut.serving.value = 0
    await clock_and_reset(dut)
    bench.send([_header(ends=1)])
    for _ in range(30):
        await RisingEdge(dut.clk)
        assert not bench.packets.count and not int(dut.ended.value)
    dut.serving.value = 1
    for _ in range(30):
        await FallingEdge(dut.clk)
        if int(dut.ended.value):
            break
    assert int(dut.ended.value) and not bench.flags
