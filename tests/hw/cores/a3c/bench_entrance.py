"""Requests, right and wrong, against what agents may ask for, cycle by cycle.

Parameters: ``config``.
"""

from collections import Counter, deque
from dataclasses import dataclass, field

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.a3c.records import REQUEST, REWARD_PLACE
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, compare_all, parameters, rng
from tests.hw.cores.transfer_cycles import TransferCycles

FLAGS = ("address_out_of_range", "stream_underflow", "stream_overflow")
JOBS = ("inferences", "trainings")


@dataclass(kw_only=True)
class Request:
    """A request that its agent may make, and what comes of it.

    Parameters
    ----------
    agent, steps : int
        Steps of the rollout, with that of the request.
    trains : bool
    rows : list of int
        The packet.
    written : list of (agent, address, data)
        The observation in the rows of the agent's activations.
    transitions, inferences, trainings : list of dict
        One or none of each.
    """

    agent: int
    steps: int
    trains: bool
    rows: list
    written: list
    transitions: list = field(default_factory=list)
    inferences: list = field(default_factory=list)
    trainings: list = field(default_factory=list)


class Agents:
    """Makes requests that agents may make."""

    def __init__(self, config, random):
        self.config, self.random = config, random
        self.steps, self.observed = [0] * config.agents, [False] * config.agents

    def draw(self):
        """Any request of any agent."""
        random = self.random
        agent = int(random.integers(self.config.agents))
        restarts = bool(random.random() < (0.15 if self.observed[agent] else 0.5))
        acts = self.observed[agent] and not restarts
        full = self.steps[agent] == self.config.steps - 1
        trains = acts and (full or bool(random.random() < 0.3))
        return self.request(agent, restarts, acts, not trains or bool(random.random() < 0.5), trains)

    def request(self, agent, restarts, acts, observes, trains):
        """A request; it must be allowed."""
        config, random = self.config, self.random
        before = 0 if restarts else self.steps[agent]
        action, reward = int(random.integers(config.actions)), int(random.integers(1 << 32))
        flags = {"restarts": restarts, "acts": acts, "observes": observes, "trains": trains}
        rows = [int.from_bytes(random.bytes(4 * config.width)) for _ in range(config.layers[0].blocks * observes)]
        request = Request(
            agent=agent,
            steps=before + acts,
            trains=trains,
            rows=[_header(reward, agent=agent, action=action, **flags), *rows],
            written=self._written(agent, before + acts, rows),
        )
        if acts:
            place = {"agent": agent, "slot": before}
            request.transitions.append({"place": place, "action": action, "reward": reward})
        if observes:
            request.inferences.append({"agent": agent, "slot": request.steps})
        else:
            request.trainings.append({"agent": agent, "steps": request.steps, "follows": 0})
        self.steps[agent], self.observed[agent] = (0, False) if trains else (request.steps, True)
        return request

    def _written(self, agent, slot, rows):
        """Rows of an observation as they are stored: places after the last number hold +0."""
        layer, first = self.config.layers[0], slot * self.config.activation_rows
        numbers = layer.inputs - (layer.blocks - 1) * layer.width
        stored = [*rows[:-1], *(row & (1 << 32 * numbers) - 1 for row in rows[-1:])]
        return [(agent, first + block, row) for block, row in enumerate(stored)]


class Bench:
    """The entrance, and whoever works behind it and answers."""

    def __init__(self, dut, stall=0.3):
        self.dut, self.config = dut, parameters()["config"]
        self.random = rng("answers")
        self.packets = StreamSource(dut, "packets", stall=stall)
        self.sinks = {name: StreamSink(dut, name, stall=stall) for name in ("transitions", *JOBS)}
        # Probability that an agent is not answered in a cycle.
        self.hesitation = stall
        # Requests that have to be issued, and agents that have to be answered, each with whether it is then trained.
        self.coming, self.unanswered = deque(), []
        self.flags, self.ended, self.written = Counter(), 0, []
        self.state = {"busy": 0, "ends": 0, "steps": [0] * self.config.agents}
        for name in ("answered", "trained"):
            getattr(dut, name).value = 0
        dut.serving.value = 1

    async def begin(self):
        """Reset."""
        await clock_and_reset(self.dut)
        cocotb.start_soon(self._watch())
        cocotb.start_soon(self._answer())

    async def _watch(self):
        """Outputs that are no streams, in the middle of each cycle."""
        dut, cycle = self.dut, 0
        while True:
            await FallingEdge(dut.clk)
            compare(int(not self.state["busy"]), int(dut.idle.value), "idle", cycle)
            compare(self.state["ends"], int(dut.ends.value), "ends", cycle)
            steps = [int(getattr(dut, f"steps__{agent}").value) for agent in range(self.config.agents)]
            compare(self.state["steps"], steps, "steps", cycle)
            errors = int(dut.errors.value)
            self.flags.update(name for bit, name in enumerate(FLAGS) if errors >> bit & 1)
            self.ended += int(dut.ended.value)
            if int(dut.activations__enable.value):
                row = (int(getattr(dut, f"activations__{name}").value) for name in ("agent", "address", "data"))
                self.written.append(tuple(row))
            self._follow()
            cycle += 1

    def _follow(self):
        """Follow the agents' state through the cycle."""
        state, answered, trained = self.state, int(self.dut.answered.value), int(self.dut.trained.value)
        state["busy"] &= ~answered
        state["steps"] = [0 if trained >> agent & 1 else steps for agent, steps in enumerate(state["steps"])]
        ports = [(getattr(self.dut, f"{name}__valid"), getattr(self.dut, f"{name}__ready")) for name in JOBS]
        if any(int(valid.value) and int(ready.value) for valid, ready in ports):
            request = self.coming.popleft()
            bit = 1 << request.agent
            state["busy"] |= bit
            state["ends"] = state["ends"] & ~bit | bit * request.trains
            state["steps"][request.agent] = request.steps
            self.unanswered.append((request.agent, request.trains))

    async def _answer(self):
        """Agents are answered in any order, several in a cycle."""
        while True:
            await RisingEdge(self.dut.clk)
            now = [answer for answer in self.unanswered if self.random.random() >= self.hesitation]
            self.unanswered = [answer for answer in self.unanswered if answer not in now]
            self.dut.answered.value = sum(1 << agent for agent, _ in now)
            self.dut.trained.value = sum(1 << agent for agent, trains in now if trains)

    def send(self, rows):
        """Queue a packet."""
        for index, row in enumerate(rows):
            self.packets.put({"data": row, "last": int(index == len(rows) - 1)})

    async def check(self, *requests):
        """Queue requests and wait for what comes of them."""
        for request in requests:
            self.coming.append(request)
            self.send(request.rows)
        for number, request in enumerate(requests):
            for name, sink in self.sinks.items():
                for wanted in getattr(request, name):
                    compare(wanted, await sink.receive(), f"{name} of request", number)
        compare_all([row for request in requests for row in request.written], self.written, "activations")
        self.written.clear()
        assert not any(map(len, self.sinks.values()))

    async def settle(self):
        """Until everybody has been answered."""
        for _ in range(100):
            await RisingEdge(self.dut.clk)
            if not self.unanswered and not self.state["busy"]:
                return
        raise AssertionError(f"Agents of {self.unanswered} are not answered within 100 cycles")

    async def pass_cycles(self, count):
        """Some cycles."""
        for _ in range(count):
            await RisingEdge(self.dut.clk)


def _header(reward=0, **fields):
    values = {field.name: 0 for field in REQUEST.fields} | {name: int(value) for name, value in fields.items()}
    return REQUEST.pack(values) | reward << REWARD_PLACE


@cocotb.test()
async def requests_go_where_they_belong(dut):
    bench = Bench(dut)
    agents = Agents(bench.config, rng("requests"))
    await bench.begin()
    for stall_in, stall_out, bench.hesitation in ((0.3, 0.3, 0.8), (0.9, 0, 0), (0, 0.9, 0), (0, 0, 0.95), (0, 0, 0)):
        bench.packets.stall = stall_in
        for sink in bench.sinks.values():
            sink.stall = stall_out
        await bench.check(*(agents.draw() for _ in range(60)))
    await bench.settle()
    assert not bench.flags and not bench.ended


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut, stall=0)
    agents = Agents(bench.config, rng("requests"))
    await bench.begin()
    seen = TransferCycles(dut, "packets", *bench.sinks)
    bench.send([_header(ends=1)])
    requests = [agents.draw() for _ in range(60)]
    await bench.check(*requests)
    lengths = [len(request.rows) for request in requests]
    end, *headers = [seen.taken["packets"][index] for index in np.cumsum([0, 1, *lengths[:-1]])]
    compare(end + 1, headers[0], "cycle of the request after the end of the service", 0)
    compare([length + 2 for length in lengths[:-1]], np.diff(headers), "cycles of requests", 0)
    wanted = {name: [] for name in bench.sinks}
    for request, header in zip(requests, headers, strict=True):
        wanted["transitions"] += [header + 1 for _ in request.transitions]
        # A row a cycle, after the check.
        wanted["inferences"] += [header + 1 + len(request.written) + 1 for _ in request.inferences]
        wanted["trainings"] += [header + 2 for _ in request.trainings]
    assert all(wanted.values())
    for name, cycles in wanted.items():
        compare(cycles, seen.offered[name], f"cycles of {name}", 0)


@cocotb.test()
async def a_request_waits_for_the_answer_to_the_one_before(dut):
    bench = Bench(dut)
    agents = Agents(bench.config, rng("requests"))
    await bench.begin()
    bench.hesitation = 1
    await bench.check(agents.request(0, restarts=False, acts=False, observes=True, trains=False))
    taken = bench.packets.count
    waiting = agents.request(0, restarts=False, acts=True, observes=True, trains=False)
    checked = cocotb.start_soon(bench.check(waiting))
    await bench.pass_cycles(50)
    compare(taken + 1, bench.packets.count, "rows taken", 0)
    bench.hesitation = 0
    await checked


def wrong_requests(config, words, right):
    """Flags, fields and rows of requests that agents may not make: at first, and after an observation of agent 0."""
    at_first = [
        ("address_out_of_range", {"agent": config.agents, "observes": 1}, words),
        ("address_out_of_range", {"agent": 255, "acts": 1, "trains": 1}, []),
        ("address_out_of_range", {"restarts": 1, "acts": 1, "observes": 1}, words),
        ("address_out_of_range", {"restarts": 1, "acts": 1, "trains": 1}, []),
        ("address_out_of_range", {"restarts": 1, "trains": 1, "observes": 1}, words),
        ("address_out_of_range", {"restarts": 1, "trains": 1}, []),
        ("address_out_of_range", {}, []),
        ("stream_underflow", right, words[:-1]),
        ("stream_overflow", right, [*words, 1, 2, 3]),
        ("stream_overflow", {"ends": 1}, [1, 2]),
    ]
    # Another observation, an action that is none, one that nothing comes of.
    behind = [
        ("address_out_of_range", {"observes": 1}, words),
        ("address_out_of_range", {"acts": 1, "observes": 1, "action": config.actions}, words),
        ("address_out_of_range", {"acts": 1}, []),
        ("stream_underflow", {"acts": 1, "observes": 1}, []),
        ("stream_overflow", {"acts": 1, "trains": 1}, [1, 2]),
        ("stream_overflow", {"ends": 1}, [1, 2]),
    ]
    return at_first, behind


@cocotb.test()
async def wrong_requests_are_told_and_dropped(dut):
    bench = Bench(dut)
    config, agents = bench.config, Agents(bench.config, rng("requests"))
    await bench.begin()
    words = list(range(1, config.layers[0].blocks + 1))

    async def refuse(flag, fields, rows):
        bench.flags.clear()
        bench.send([_header(**fields), *rows])
        taken = bench.packets.count + 1 + len(rows)
        while bench.packets.count < taken:
            await RisingEdge(dut.clk)
        await bench.pass_cycles(4)
        compare({flag: 1}, dict(bench.flags), f"flags of {fields} with {len(rows)} rows", 0)

    at_first, behind = wrong_requests(config, words, {"observes": 1, "restarts": 1})
    for wrong in at_first:
        await refuse(*wrong)
    # Rows that came before the packet turned out to be wrong.
    bench.written.clear()
    await bench.check(agents.request(0, restarts=True, acts=False, observes=True, trains=False))
    await bench.settle()
    for wrong in behind:
        await refuse(*wrong)
    # None of them has changed what the agent may do, or has been passed on.
    await bench.check(agents.request(0, restarts=False, acts=True, observes=False, trains=True))
    await bench.settle()
    # A rollout that is as long as it may be.
    await bench.check(agents.request(0, restarts=True, acts=False, observes=True, trains=False))
    for _ in range(config.steps):
        await bench.check(agents.request(0, restarts=False, acts=True, observes=True, trains=False))
    await bench.settle()
    await refuse("address_out_of_range", {"acts": 1, "trains": 1}, [])
    await refuse("address_out_of_range", {"acts": 1, "observes": 1}, words)
    assert not bench.ended


@cocotb.test()
async def a_wrong_request_of_an_agent_waits_for_its_answer(dut):
    """The next request of an agent is checked when the one before has been answered."""
    bench = Bench(dut)
    agents = Agents(bench.config, rng("requests"))
    await bench.begin()
    bench.hesitation = 1
    await bench.check(agents.request(0, restarts=False, acts=False, observes=True, trains=False))
    words = range(bench.config.layers[0].blocks)
    # An agent that there is not is told at once, though the lowest bits of its number are those of the one that waits.
    bench.send([_header(agent=128, observes=1), *words])
    await bench.pass_cycles(50)
    compare({"address_out_of_range": 1}, dict(bench.flags), "flags", 0)
    bench.flags.clear()
    bench.send([_header(observes=1), *words])
    await bench.pass_cycles(50)
    compare({}, dict(bench.flags), "flags", 1)
    bench.hesitation = 0
    await bench.settle()
    await bench.pass_cycles(50)
    compare({"address_out_of_range": 1}, dict(bench.flags), "flags", 2)


@cocotb.test()
async def it_takes_nothing_unless_it_serves(dut):
    bench = Bench(dut)
    dut.serving.value = 0
    await bench.begin()
    bench.send([_header(ends=1)])
    await bench.pass_cycles(30)
    assert not bench.packets.count and not bench.ended
    dut.serving.value = 1
    await bench.pass_cycles(30)
    assert bench.packets.count == bench.ended == 1 and not bench.flags
    # And it serves again.
    await bench.check(Agents(bench.config, rng("requests")).request(0, False, False, True, False))
