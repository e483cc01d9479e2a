"""Requests between levels, exit and manager in plain Python: what is sent, and what it waits for.

What becomes of a request the reference of the whole tree tells.
"""

import random
from collections import deque
from dataclasses import dataclass
from itertools import chain

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.tree.entrance import Entrance
from rewardware.hw.cores.tree.records import request_arguments
from rewardware.hw.cores.tree.requests import RequestKind, Status
from rewardware.hw.cores.tree.stage_layouts import selection_layout
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.tree.requests import Request
from rewardware.sw.reference.tree.search_tree import SearchTreeReference
from tests.sw.reference.tree.stimulus import RandomRequests

from ..side_by_side import Ports
from ..stimulus import noise
from .noisy_rows import noisy_row

# Stalls of requests and of what is sent; how often in a cycle a selection ends, and the manager is done.
PHASES = ((0.0, 0.0, 1.0, 1.0), (0.3, 0.5, 0.3, 0.1), (0.0, 0.0, 0.05, 0.5), (0.8, 0.2, 0.5, 0.3))
REQUESTS = 250
LIMIT = 100_000
# So many cycles without a request mean that it waits.
QUIET = 8


def first_requests():
    """Without a tree; then a worker selects and backs up at once in the tree that it has cleared."""
    yield Request(kind=RequestKind.SELECT)
    yield Request(kind=RequestKind.BACKUP, reward=1, legal=1)
    yield Request(kind=RequestKind.ADVANCE)
    for legal in (0, 1, 0):
        yield Request(kind=RequestKind.CLEAR, worker=2, legal=legal)
        for _ in range(3):
            yield Request(kind=RequestKind.SELECT, worker=2)
            yield Request(kind=RequestKind.BACKUP, worker=2, reward=1, legal=1)


class Sent:
    """Requests to be sent for a request, in order, and the manager's tasks before them."""

    def __init__(self, config, selection):
        self.config, self.selection = config, selection
        self.codec = codec_of(selection)

    def place(self, number):
        bank, row = divmod(number, self.config.rows)
        return {"bank": bank, "row": row}

    def select(self, worker, root, **fields):
        body = self.codec.unpack(0) | {"descends": 1, "node": self.place(root)} | fields
        return {"kind": RequestKind.SELECT, "worker": worker, "accepted": 1, "answered": 1, "selection": body}

    def error(self, answer):
        return {"kind": answer.kind, "worker": answer.worker, "accepted": 0, "answered": 1, "status": answer.status,
                "selection": self.codec.unpack(0) | {"node": self.place(answer.node)}}  # fmt: skip

    def __call__(self, arguments, answer, root, nodes):
        """Requests for a request with its arguments and answer; root and number of nodes as they were before it."""
        kind, worker = answer.kind, answer.worker
        if kind == RequestKind.SELECT and answer.status <= Status.FULL:
            return [self.select(worker, root, may_insert=int(nodes < self.config.nodes))]
        if kind in (RequestKind.BACKUP, RequestKind.PRIOR) and answer.status == Status.DONE:
            return [{"kind": kind, "worker": worker, "accepted": 1, "answered": 1, "status": Status.DONE,
                     "arguments": arguments}]  # fmt: skip
        sent = [self.error(answer)]
        if kind == RequestKind.CLEAR and answer.status == Status.DONE:
            # A selection that has inserted the root, a backup that evaluates it.
            made = {"may_insert": 1, "inserted": 1, "is_first": 1}
            plant = self.select(worker, answer.node, **made) | {"answered": 0, "status": Status.INSERTED}
            evaluate = {"kind": RequestKind.BACKUP, "worker": worker, "accepted": 1, "answered": 0,
                        "arguments": {"reward": 0, **arguments}}  # fmt: skip
            sent = [plant, *([evaluate] if any(arguments.values()) else []), *sent]
        return sent


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task of the manager, and its result."""

    advances: int
    action: int = 0
    found: int = 0
    root: int


class Bench:
    """An entrance, and all that stands around it."""

    def __init__(self, dut, name, config, most_selections):
        self.dut, self.name, self.config, self.random = dut, name, config, rng(name)
        self.ports = Ports(dut, Entrance(config, most_selections), name)
        self.source, self.sink = (StreamSource(dut, f"{name}__requests"), StreamSink(dut, f"{name}__forward"))
        self.management = [getattr(dut, f"{name}__management__{part}") for part in ("valid", "payload", "ready")]
        self.management[2].value = 0
        self.arguments, self.sent = request_arguments(config), Sent(config, selection_layout(config))
        self.reference = SearchTreeReference(config, exploration=5793, loss=3000, most_selections=most_selections)
        seed = int(rng(f"requests of {name}").integers(1 << 32))
        requests = RandomRequests(config, random.Random(seed), restart=0.03, clears=0.4)
        self.requests, self.noise = chain(first_requests(), requests), random.Random(seed)
        # Requests that have to be sent, each with whether it inserts, and tasks that the manager has to do.
        self.expected, self.managed = deque(), deque()
        # Selections on their way; nodes since the clear; requests that have been answered.
        self.travelling, self.nodes, self.answered, self.index = deque(), 0, 0, 0
        self.quiet, self.cycle, self.root, self.waits, self.statuses = 0, 0, 0, {}, set()

    def put(self):
        """One more request."""
        root, nodes, request = self.reference.root or 0, self.reference.nodes, next(self.requests)
        answer = self.reference.answer(request)
        self.statuses.add(answer.status)
        record = self.arguments.get(answer.kind)
        arguments = {field.name: int(getattr(request, field.name)) for field in record.fields} if record else {}
        inserts = answer.status == Status.INSERTED
        if answer.kind == RequestKind.CLEAR and answer.status == Status.DONE:
            self.managed.append(Task(advances=0, root=answer.node))
            inserts = True
        elif answer.kind == RequestKind.ADVANCE and answer.status in (Status.DONE, Status.NO_CHILD):
            found = answer.status == Status.DONE
            task = Task(advances=1, action=arguments["action"], found=int(found), root=answer.node if found else root)
            self.managed.append(task)
        self.expected.extend((sent, inserts) for sent in self.sent(arguments, answer, root, nodes))
        self.source.put(noisy_row(self.config, request, self.noise))

    async def run(self, stalls, ends, done):
        """Some requests, until all are answered."""
        self.source.stall, self.sink.stall = stalls
        for _ in range(REQUESTS):
            self.put()
        limit = self.cycle + LIMIT
        while self.expected or self.travelling:
            await self.step(ends, done)
            assert self.cycle < limit, f"{self.name}: request {self.answered} is not answered"
        for _ in range(5):
            await self.step(ends, done)

    async def step(self, ends, done):
        """A cycle; the arguments are chances."""
        random, ports = self.random, self.ports
        await FallingEdge(self.dut.clk)
        ended = None
        # Now and then the oldest selection ends only when nothing else can go on.
        if self.travelling and (self.quiet >= QUIET if self.cycle // 300 % 2 else random.random() < ends):
            ended = self.travelling[0]
        finished = {"valid": 1, **ended} if ended else noise(ports.codecs["finished"], random) | {"valid": 0}
        task = self.take_task() if random.random() < done else None
        self.management[2].value = int(task is not None)
        found = int(random.integers(2)) if task is None else task.found
        ports.set(finished=finished, root=self.sent.place(self.root), found=found)
        self.check()
        await RisingEdge(self.dut.clk)
        if ended is not None:
            self.travelling.popleft()
            self.nodes += ended["inserted"]
            self.quiet = 0
        if task is not None:
            self.root = task.root
            self.nodes = self.nodes if task.advances else 0
        self.cycle += 1

    def take_task(self):
        """Take the task that the manager has done in this cycle, None if there is none."""
        valid, payload, _ = self.management
        if not int(valid.value):
            return None
        task, bits = self.managed.popleft(), int(payload.value)
        compare(task.advances, bits & 1, f"{self.name}, management.advance", self.cycle)
        if task.advances:
            compare(task.action, bits >> 1, f"{self.name}, management.action", self.cycle)
        return task

    def check(self):
        """Check the request that is being sent, and the waiting ones."""
        dut, name = self.dut, self.name
        valid, ready = (int(getattr(dut, f"{name}__forward__{part}").value) for part in ("valid", "ready"))
        got = self.sink.codec.unpack(int(getattr(dut, f"{name}__forward__payload").value))
        taken = self.source.count
        compare(taken == self.answered, self.ports.get("idle"), f"{name}, idle in cycle", self.cycle)
        waiting = taken - self.answered - (valid and got["answered"])
        compare(waiting == 0, self.ports.get("starved"), f"{name}, starved in cycle", self.cycle)
        if not valid:
            # The next request is on its way to the entrance, or the manager takes its time.
            others = (self.expected and not waiting) or int(self.management[0].value)
            self.quiet = 0 if others else self.quiet + 1
            if self.quiet == QUIET and waiting:
                self.check_wait(self.expected[0][0])
            return
        self.quiet = 0
        expected, inserts = self.expected[0]
        self.compare(expected, got)
        on_its_way = [selection["worker"] for selection in self.travelling]
        early = expected["accepted"] and expected["worker"] in on_its_way
        assert not early, f"{name}: {expected} is sent too early"
        if ready:
            self.expected.popleft()
            self.answered += expected["answered"]
            self.index += 1
            if expected["kind"] == RequestKind.SELECT and expected["accepted"]:
                may_insert = expected["selection"]["may_insert"]
                ended = {"worker": expected["worker"], "may_insert": may_insert, "inserted": int(inserts)}
                self.travelling.append(ended)

    def check_wait(self, expected):
        """There is nothing to wait for but the ends of selections."""
        assert expected["accepted"], f"{self.name}: an error waits: {expected}"
        holds = expected["worker"] in [selection["worker"] for selection in self.travelling]
        if expected["kind"] == RequestKind.SELECT:
            undecided = sum(selection["may_insert"] for selection in self.travelling)
            holds |= self.nodes < self.config.nodes <= self.nodes + undecided
        assert holds, f"{self.name}: {expected} waits in cycle {self.cycle}"
        self.waits[expected["kind"]] = self.waits.get(expected["kind"], 0) + 1

    def compare(self, expected, got):
        body = got.pop("body")
        if "selection" in expected:
            codec = self.sent.codec
            got["selection"] = codec.unpack(body & (1 << codec.width) - 1)
        else:
            got["arguments"] = self.arguments[expected["kind"]].unpack(body)
        if "status" not in expected:
            # The status of a selection is not decided yet, and nobody hears of that of the root's backup.
            del got["status"]
        compare(expected, got, f"{self.name}, forward", self.index)


@cocotb.test()
async def sends_what_is_right(dut):
    benches = []
    for name, (config, most_selections) in parameters()["shapes"].items():
        benches.append(Bench(dut, name, config, most_selections))
    await clock_and_reset(dut)
    for bench in benches:
        for *stalls, ends, done in PHASES:
            await bench.run(stalls, ends, done)
        assert min(bench.waits.get(kind, 0) for kind in (RequestKind.SELECT, RequestKind.BACKUP)) > 0, bench.waits
        assert Status.VISIT_LIMIT in bench.statuses, f"{bench.name}: no tree came to the end of its selections"


@cocotb.test()
async def takes_a_request_in_two_cycles(dut):
    """Without a tree each is an error at once."""
    name = next(iter(parameters()["shapes"]))
    source, sink = StreamSource(dut, f"{name}__requests", stall=0), StreamSink(dut, f"{name}__forward", stall=0)
    await clock_and_reset(dut)
    for _ in range(20):
        source.put(RequestKind.SELECT)
    counts = []
    for _ in range(15):
        await FallingEdge(dut.clk)
        counts.append((source.count, sink.count))
        await RisingEdge(dut.clk)
    first = counts.index((1, 0))
    expected = [(1 + cycle // 2, max(cycle - 1, 0) // 2) for cycle in range(len(counts) - first)]
    assert counts[first:] == expected, counts
    await sink.receive_all(20)
