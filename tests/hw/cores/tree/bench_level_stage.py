"""A chain of stages with banks, entrance and exit in Python, against the reference of the whole tree."""

from collections import deque

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from rewardware.hw.cores.tree.records import REGISTERS, edge_record, node_record, request_arguments
from rewardware.hw.cores.tree.requests import RequestKind, Status
from rewardware.hw.cores.tree.stage_layouts import (
    CommandKind,
    grant_layout,
    selection_layout,
)
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.tree.bank_assignment import BankAssignmentReference
from rewardware.sw.reference.tree.scores import ScoresReference
from rewardware.sw.reference.tree.search_tree import SearchTreeReference

LIMIT_CYCLES = 400_000


class Banks:
    """Memory of all banks, with a random latency for each command; flits of different banks overtake each other."""

    def __init__(self, dut, config, stall):
        self.config, self.random = config, rng("banks")
        prior = (1 << 16) // config.fanout
        self.new_node = {field.name: 0 for field in node_record(config).fields}
        self.new_edge = {field.name: 0 for field in edge_record(config).fields}
        self.new_edge["factor"] = ScoresReference(config).factor(prior, 0)
        if config.policy != "uct":
            self.new_edge["prior"] = prior
        self.rows = {}
        self.slowness = 12 if stall else 0
        self.pending = [0] * config.levels
        for level in range(config.levels):
            sink = StreamSink(dut, f"commands__{level}", stall=stall)
            source = StreamSource(dut, f"nodes__{level}", stall=stall)
            cocotb.start_soon(self._serve(dut.clk, level, sink, source))

    def clear_row(self, place, **node):
        self.rows[place] = (self.new_node | node, [dict(self.new_edge) for _ in range(self.config.fanout)])

    async def _serve(self, clock, level, sink, source):
        queues = {}
        while True:
            self.pending[level] += 1
            command = await sink.receive()
            queue = queues.get(command["bank"])
            if queue is None:
                queue = queues[command["bank"]] = deque()
                cocotb.start_soon(self._bank(clock, level, queue, source))
            queue.append(command)

    async def _bank(self, clock, level, queue, source):
        while True:
            while not queue:
                await RisingEdge(clock)
            command = queue.popleft()
            for _ in range(int(self.random.integers(0, self.slowness + 1))):
                await RisingEdge(clock)
            body = command["body"]
            place = command["bank"], body["row"]
            if body["kind"] == CommandKind.CLEAR.value:
                self.clear_row(place)
            elif body["kind"] == CommandKind.WRITE.value:
                node, edges = self.rows[place]
                if body["write_node"]:
                    node.update(body["node"])
                if body["write_edge"]:
                    edges[body["action"]] = dict(body["edge"])
            else:
                assert body["kind"] == CommandKind.READ.value, f"Stage {level} sent command {body['kind']}"
                await self._send(body["slot"], *self.rows[place], source)

    async def _send(self, slot, node, edges, source):
        # The node as it is now, whatever is written while it is on its way.
        count = self.config.lanes
        empty = dict.fromkeys(self.new_edge, 0)
        padded = [dict(edge) for edge in edges] + [empty] * (count * self.config.flits - len(edges))
        flits = [
            {"slot": slot, "flit": flit, "node": dict(node), "edges": padded[flit * count : (flit + 1) * count]}
            for flit in range(self.config.flits)
        ]
        for flit in flits:
            if self.slowness:
                await source.send(flit)
            else:
                source.put(flit)


class Exit:
    """Takes what comes out of the last stage, compares it with what was expected, and grants blocks of rows."""

    def __init__(self, dut, config, stall):
        self.dut, self.config, self.random = dut, config, rng("exit")
        self.assignment = BankAssignmentReference(config)
        self.sink = StreamSink(dut, "forward", stall=stall)
        self.slowness = 8 if stall else 0
        self.selection = codec_of(selection_layout(config))
        self.grant_codec = codec_of(grant_layout(config))
        self.expected = deque()
        self.answered = []
        self.inserted = 0
        self.count = 0
        self.grants = deque()
        self.cycles = []
        cocotb.start_soon(self._take())
        cocotb.start_soon(self._grant())

    def assign(self, level, *, reserve):
        """A block for a level, whose rows the stage above takes."""
        block = self.assignment.assign(level)
        self.grants.append((level - 1, reserve, block))

    async def _grant(self):
        while True:
            while not self.grants:
                await RisingEdge(self.dut.clk)
            for _ in range(int(self.random.integers(0, self.slowness + 1))):
                await RisingEdge(self.dut.clk)
            stage, reserve, block = self.grants.popleft()
            port = getattr(self.dut, f"grants__{stage}")
            bank, row = divmod(block or 0, self.config.rows)
            port.value = self.grant_codec.pack(
                {"valid": 1, "reserve": reserve, "given": block is not None, "node": {"bank": bank, "row": row}}
            )
            await RisingEdge(self.dut.clk)
            port.value = 0

    async def _take(self):
        while True:
            response = await self.sink.receive()
            answer, passed_on = self.expected.popleft()
            if passed_on is not None:
                compare(passed_on, response["body"], "body that is only passed on", self.count)
            got = {"kind": response["kind"], "worker": response["worker"], "status": response["status"]}
            if answer.kind == RequestKind.SELECT:
                selection = self.selection.unpack(response["body"] & (1 << self.selection.width) - 1)
                for name in ("node", "parent"):
                    got[name] = selection[name]["bank"] * self.config.rows + selection[name]["row"]
                got |= {"level": selection["level"], "action": selection["action"]}
                if answer.status == Status.INSERTED:
                    self.inserted += 1
                    level = selection["level"]
                    if selection["is_first"] and level + 1 < self.config.levels:
                        self.assign(level + 1, reserve=0)
                    if selection["asks"]:
                        self.assign(level, reserve=1)
            compare({name: int(getattr(answer, name)) for name in got}, got, "forward", self.count)
            self.count += 1
            self.answered.append(answer)


class Search:
    """The entrance: requests to both, one after another."""

    def __init__(self, dut, stall):
        given = parameters()
        self.dut, self.config, self.random = dut, given["config"], rng("requests")
        self.registers = given["registers"][stall > 0]
        self.stall = stall
        self.reference = SearchTreeReference(self.config, **self.registers)
        self.arguments = request_arguments(self.config)

    async def start(self):
        dut, config = self.dut, self.config
        dut.registers.value = REGISTERS.pack({name: int(value) for name, value in self.registers.items()})
        dut.clear.value = 0
        for level in range(config.levels):
            getattr(dut, f"grants__{level}").value = 0
        self.source = StreamSource(dut, "requests", stall=self.stall)
        self.banks = Banks(dut, config, self.stall)
        self.exit = Exit(dut, config, self.stall)
        self.selection = codec_of(selection_layout(config))
        await clock_and_reset(dut)
        cocotb.start_soon(self._watch_idle())

    async def _watch_idle(self):
        """No stage says that it is idle with a command or an answer to give, nor do all while a request is inside.

        A stage that is idle stays so until a request comes.
        """
        dut, inside, before = self.dut, 0, 0
        commands = [getattr(dut, f"commands__{level}__valid") for level in range(self.config.levels)]
        while True:
            await FallingEdge(dut.clk)
            idles = int(dut.idles.value)
            left = before & ~idles
            if left & 1:
                assert int(dut.requests__valid.value), "The first stage was idle, and no request has come"
            assert not left & before << 1, f"Stages left idle ({left:b}) after idle ones ({before:b})"
            before = idles
            for level, valid in enumerate(commands):
                assert not (idles >> level & 1 and int(valid.value)), f"Stage {level} is idle with a command to give"
            assert not (idles >> (self.config.levels - 1) and int(dut.forward__valid.value)), "Idle with an answer"
            assert not (int(dut.idle.value) and inside), f"All stages are idle with {inside} requests inside"
            inside += int(dut.requests__valid.value) and int(dut.requests__ready.value)
            inside -= int(dut.forward__valid.value) and int(dut.forward__ready.value)

    async def clear(self, legal, visited=False):
        """A new tree in both; ``visited`` has a root whose edges were visited, by nodes that are forgotten."""
        dut, exits = self.dut, self.exit
        await self.idle()
        dut.clear.value = 1
        await RisingEdge(dut.clk)
        dut.clear.value = 0
        exits.assignment.clear()
        self.banks.rows.clear()
        answer = self.reference.clear(legal=legal)
        self.root = divmod(exits.assignment.assign(0), self.config.rows)
        assert answer.node == self.root[0] * self.config.rows + self.root[1]
        self.banks.clear_row(self.root, evaluated=1, legal=legal)
        if visited:
            self._visit_root()
        exits.assign(1, reserve=0)
        exits.inserted = 1
        self.selecting = 0

    def _visit_root(self):
        """The first stage reads the root once, when it is new: only so are there numbers in its flits.

        Most edges differ by the least bits of their values: which is greater decides where selections go.
        """
        root, (node, edges) = self.reference._root, self.banks.rows[self.root]
        scores, random = ScoresReference(self.config), self.random
        alike = int(random.integers(20, 40)), int(random.integers(-1 << 17, 1 << 17)), int(random.integers(0, 1 << 16))
        for action, edge in enumerate(edges):
            visits, total, prior = alike
            if random.random() < 0.8:
                total += int(random.integers(-3, 4))
            else:
                visits, prior = int(random.integers(0, 40)), int(random.integers(0, 1 << 16))
                total = int(random.integers(-visits << 15, (visits << 15) + 1))
            value, factor = scores.value(total, visits) if visits else 0, scores.factor(prior, visits)
            edge |= {"visits": visits, "total": total, "value": value, "factor": factor}
            root.edge_visits[action], root.total[action] = visits, total
            root.value[action], root.factor[action] = value, factor
            if self.config.policy != "uct":
                edge["prior"] = root.prior[action] = prior
        node["visits"] = root.visits = sum(root.edge_visits)

    async def idle(self):
        for _ in range(LIMIT_CYCLES):
            await RisingEdge(self.dut.clk)
            if int(self.dut.idle.value) and not self.exit.expected and not self.exit.grants:
                break
        else:
            raise AssertionError("The stages were never idle")
        for _ in range(100):
            await RisingEdge(self.dut.clk)

    def send(self, answer, body, accepted=1):
        self.exit.expected.append((answer, None if accepted else body))
        return self.source.put(
            {
                "kind": answer.kind,
                "worker": answer.worker,
                "status": 0 if answer.kind == RequestKind.SELECT and accepted else answer.status,
                "accepted": accepted,
                "answered": 1,
                "body": body,
            }
        )

    def select(self, worker):
        """None if it has to wait: selections under way could take the last nodes."""
        config = self.config
        known = self.exit.inserted + self.selecting
        if self.exit.inserted < config.nodes <= known:
            return None
        self.selecting += 1
        bank, row = self.root
        zero = {"bank": 0, "row": 0}
        body = self.selection.pack(
            {
                "node": {"bank": bank, "row": row},
                "descends": 1,
                "inserted": 0,
                "may_insert": self.exit.inserted < config.nodes,
                "is_first": 0,
                "asks": 0,
                "level": 0,
                "action": 0,
                "parent": zero,
            }
        )
        return self.send(self.reference.select(worker), body)

    def backup(self, worker, **arguments):
        body = self.arguments[RequestKind.BACKUP].pack(arguments)
        return self.send(self.reference.backup(worker, **arguments), body)

    def prior(self, worker, **arguments):
        body = self.arguments[RequestKind.PRIOR].pack(arguments)
        return self.send(self.reference.prior(worker, **arguments), body)

    def error(self, worker):
        """A request that the entrance refused, of any content."""
        kind = int(self.random.integers(0, 8))
        answer = SearchTreeReference(self.config).select(worker)
        answer = type(answer)(kind=kind, worker=worker, status=answer.status)
        if kind != RequestKind.SELECT:
            width = self.source.codec.fields[-1][2].width
            self.send(answer, int(self.random.integers(0, 1 << width)), accepted=0)

    def check_memory(self):
        memory = self.reference.memory()
        rows = self.banks.rows
        assert sorted(rows) == list(map(tuple, np.argwhere(memory.used).tolist())), "Other rows are used"
        for index, place in enumerate(sorted(rows)):
            node, edges = rows[place]
            compare({name: array[place] for name, array in memory.nodes.items()}, node, f"node {place}", index)
            for action, edge in enumerate(edges):
                shown = dict(edge) if edge["child"] else edge | {"bank": 0, "row": 0}
                expected = {name: array[place][action] for name, array in memory.edges.items()}
                compare(expected, shown, f"edge {action} of node {place}", index)


def random_legal(random, fanout):
    """All actions, some, or so few that requests come back to a node before the others have been tried."""
    kind = random.random()
    if kind < 0.3:
        return (1 << fanout) - 1
    if kind < 0.6:
        return int(random.integers(1, 1 << fanout))
    return sum(1 << int(action) for action in set(random.integers(fanout, size=3)))


async def play(search, count, *, batch, reward_limit):
    """Random requests of random workers; the order of the reference is that in which they are sent.

    Where rewards are small, exploration makes visits equal and the least difference of values decides.
    """
    config, random, exits = search.config, search.random, search.exit
    idle, selected, sent, seen = list(range(config.workers)), [], 0, len(exits.answered)
    for _ in range(LIMIT_CYCLES):
        for answer in exits.answered[seen:]:
            seen += 1
            if answer.kind == RequestKind.SELECT:
                search.selecting -= 1
                selected.append(answer.worker)
        if sent >= count:
            if not exits.expected and not selected:
                break
            idle.clear()
        action = random.random()
        accepted = None
        if idle and action < 0.5:
            worker = idle[int(random.integers(len(idle)))]
            accepted = search.select(worker)
            if accepted is not None:
                idle.remove(worker)
        elif selected and action < 0.97:
            worker = selected[int(random.integers(len(selected)))]
            if config.policy != "uct" and random.random() < 0.4:
                group = int(random.integers(0, 16))
                low, high = random.integers(0, 1 << 16, 2)
                group = group if random.random() < 0.2 else int(random.integers(0, (config.fanout + 1) // 2))
                accepted = search.prior(worker, group=group, even_prior=int(low), odd_prior=int(high))
            else:
                extremes = [-reward_limit, reward_limit - 1, 0, reward_limit // 8]
                some = random.integers(-reward_limit, reward_limit)
                reward = int(random.choice(extremes) if random.random() < 0.3 else some)
                terminal = int(random.random() < 0.1)
                legal = 0 if terminal else random_legal(random, config.fanout)
                accepted = search.backup(worker, reward=reward, terminal=terminal, legal=legal)
                selected.remove(worker)
                idle.append(worker)
        elif action > 0.97:
            search.error(config.workers + int(random.integers(0, 256 - config.workers)))
        sent += accepted is not None
        if accepted is None or len(search.source._queue) > batch:
            await RisingEdge(search.dut.clk)
    else:
        raise AssertionError("Requests were not answered")


async def one_by_one(search):
    """Each request alone in the stages: what it keeps busy is not idle. Bad rewards, so that edges take turns."""
    search.error(255)
    await search.idle()
    for _ in range(search.config.fanout + 3):
        search.select(0)
        await search.idle()
        search.selecting -= 1
        search.backup(0, reward=-int(search.random.integers(1 << 12, 1 << 15)), terminal=0, legal=1)
        await search.idle()


async def compare_trees(dut, stall):
    search = Search(dut, stall)
    await search.start()
    count, fanout = parameters()["count"], search.config.fanout
    every = (1 << fanout) - 1
    for legal, visited, requests, reward_limit in (
        (every, False, count, 1 << 15),
        (random_legal(search.random, fanout), False, count, 1 << 6),
        (every, True, fanout, 1 << 6),
    ):
        await search.clear(legal, visited=visited)
        if visited:
            await one_by_one(search)
        await play(search, requests, batch=4, reward_limit=reward_limit)
        await search.idle()
        search.check_memory()


@cocotb.test()
async def equals_the_reference(dut):
    await compare_trees(dut, 0.0)


@cocotb.test()
async def equals_the_reference_with_stalls(dut):
    await compare_trees(dut, 0.4)


@cocotb.test()
async def selects_every_two_cycles(dut):
    """Selections of one node follow each other two cycles apart."""
    search = Search(dut, 0)
    await search.start()
    await search.clear((1 << search.config.fanout) - 1)
    leaving = []

    async def watch():
        cycle = 0
        while True:
            await ReadOnly()
            if int(dut.forward__valid.value) and int(dut.forward__ready.value):
                leaving.append(cycle)
            await RisingEdge(dut.clk)
            cycle += 1

    cocotb.start_soon(watch())
    # No more than children, so that each selection ends in a new node and nothing else is read.
    workers = range(min(search.config.workers, search.config.fanout))
    for worker in workers:
        search.select(worker)
    await search.idle()
    intervals = [after - before for before, after in zip(leaving, leaving[1:], strict=False)]
    assert intervals == [2] * (len(workers) - 1), f"Intervals of selections: {intervals}"
    search.check_memory()
