"""Clears and advances between an assigner, banks and stages in plain Python."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.tree.bank_assigner import AssignerCommand
from rewardware.hw.cores.tree.records import edge_record, node_record
from rewardware.hw.cores.tree.tree_manager import TreeManager
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng

from ..side_by_side import Ports
from .values import values

TASKS = 80
LIMIT = 2000


class PlainManager:
    """Where the root is, and what a task does; nodes are made up when they are read."""

    def __init__(self, config, random):
        self.config, self.random = config, random
        self.root, self.stage, self.turns = None, 0, 0

    def place(self):
        """Place of a node: rows from the first to the last."""
        row = int(self.random.choice([0, self.config.rows - 1, int(self.random.integers(self.config.rows))]))
        return {"bank": int(self.random.integers(self.config.banks)), "row": row}

    def clear(self):
        """Effects of a clear, in order."""
        self.root, self.stage = self.place() | {"row": 0}, 0
        orders = [("assign", {"command": command.value, "stage": 0})
                  for command in (AssignerCommand.CLEAR, AssignerCommand.ASSIGN)]  # fmt: skip
        return [("clear", {}), *orders, ("done", {"found": None})]

    def advance(self, action):
        """Effects of an advance, in order; of a read, with the node that it finds."""
        config, random = self.config, self.random
        if action >= config.fanout:
            return [("done", {"found": 0})]
        node = values(node_record(config), random)
        edges = [values(edge_record(config), random) for _ in range(config.fanout)]
        edges[action] |= {"child": int(random.random() < 0.8), **self.place()}
        effects = [("read", {"place": self.root, "node": node, "edges": edges})]
        if edges[action]["child"]:
            child = {"bank": edges[action]["bank"], "row": edges[action]["row"]}
            # The other edges of root and child say something else.
            state = {"evaluated": int(random.random() < 0.8), "terminal": int(random.random() < 0.2)}
            node = values(node_record(config), random) | state
            edges = [values(edge_record(config), random) for _ in range(config.fanout)]
            effects.append(("read", {"place": child, "node": node, "edges": edges}))
            if state["evaluated"] and not state["terminal"]:
                effects.append(("assign", {"command": AssignerCommand.RELEASE.value, "stage": self.stage}))
                effects.append(("turn", {}))
                self.root, self.stage = child, (self.stage + 1) % config.levels
                self.turns += 1
                return [*effects, ("done", {"found": 1})]
        return [*effects, ("done", {"found": 0})]


class Bench:
    """A manager, and all that it is to do."""

    def __init__(self, dut, name, config):
        self.dut, self.name, self.config, self.random = dut, name, config, rng(name)
        self.plain = PlainManager(config, self.random)
        self.ports = Ports(dut, TreeManager(config), name)
        self.tasks = StreamSource(dut, f"{name}__management")
        self.assignments, self.reads = (StreamSink(dut, f"{name}__{part}") for part in ("assignments", "reads"))
        self.blocks, self.nodes = (StreamSource(dut, f"{name}__{part}", stall=0) for part in ("blocks", "nodes"))
        self.seen, self.task, self.is_quiet = [], 0, True

    def handle(self, stream, part):
        return int(getattr(self.dut, f"{self.name}__{stream}__{part}").value)

    async def cycle(self):
        """Check a cycle, in the middle of it; while something is under way nothing else may happen."""
        await FallingEdge(self.dut.clk)
        got, name = self.ports.all(), self.name
        is_done = self.handle("management", "valid") and self.handle("management", "ready")
        reads = self.handle("reads", "valid")
        acts = is_done or reads or self.handle("assignments", "valid") or got["clear"] or got["turn"]
        assert self.is_quiet or not acts, f"{name}: task {self.task} does something while others are under way"
        assert got["active"] or not reads, f"{name}: it reads without being active"
        self.seen += [(strobe, {}) for strobe in ("clear", "turn") if got[strobe]]
        if is_done:
            self.seen.append(("done", {"found": got["found"]}))
        await RisingEdge(self.dut.clk)
        return got

    async def settle(self):
        """From the request on: what was there before may be said to be over for two cycles, then it is not."""
        has_come = False
        while not has_come:
            await FallingEdge(self.dut.clk)
            has_come = self.handle("management", "valid")
            await RisingEdge(self.dut.clk)
        self.ports.set(empty=int(self.random.integers(2)))
        await self.cycle()
        self.ports.set(empty=0)
        self.is_quiet = False
        for _ in range(int(self.random.integers(4))):
            await self.cycle()
        self.is_quiet = True
        self.ports.set(empty=1)

    async def answer(self, effects):
        """Serve the assigner's and the banks' side until the task is done."""
        waiting = [effect for effect in effects if effect[0] in ("assign", "read")]
        for _ in range(LIMIT):
            if self.seen and self.seen[-1][0] == "done":
                return
            if len(self.assignments):
                request = await self.assignments.receive()
                self.seen.append(("assign", request))
                if request["command"] == AssignerCommand.ASSIGN.value:
                    await self.pause(12)
                    root = self.plain.root
                    self.blocks.put({"given": 1, "node": root["bank"] * self.config.rows + root["row"]})
            elif len(self.reads):
                place = await self.reads.receive()
                reads = [effect for kind, effect in waiting if kind == "read"]
                index = sum(kind == "read" for kind, _ in self.seen)
                assert index < len(reads), f"{self.name}: task {self.task} reads {place}"
                self.seen.append(("read", reads[index] | {"place": place}))
                await self.send(reads[index])
            else:
                await self.cycle()
        raise AssertionError(f"{self.name}: task {self.task} is not done")

    async def pause(self, most):
        for _ in range(int(self.random.integers(most))):
            await self.cycle()

    async def send(self, found):
        """A node, flit by flit, with noise where there is no edge."""
        config, lanes = self.config, self.config.lanes
        beyond = [values(edge_record(config), self.random) for _ in range(lanes * config.flits - config.fanout)]
        edges = [*found["edges"], *beyond]
        for flit in range(config.flits):
            for _ in range(int(self.random.integers(6))):
                got = await self.cycle()
                assert got["active"], f"{self.name}: a node comes and is not waited for"
            part = {"flit": flit, "node": found["node"], "edges": edges[flit * lanes : (flit + 1) * lanes]}
            accepted = self.nodes.put({"slot": int(self.random.integers(config.slots)), **part})
            while not accepted.is_set():
                await self.cycle()

    async def do(self, advances, action, effects, root, stage):
        """A task, and what has come of it."""
        self.seen.clear()
        self.tasks.put({"advance": int(advances), "action": action})
        await self.settle()
        await self.answer(effects)
        if not advances:
            # Whether anything was found is not asked.
            self.seen[-1] = ("done", {"found": None})
        compare([kind for kind, _ in effects], [kind for kind, _ in self.seen], f"{self.name}, effects", self.task)
        for (kind, expected), (_, got) in zip(effects, self.seen, strict=True):
            compare(expected, got, f"{self.name}, {kind}", self.task)
        got = await self.cycle()
        compare(root, got["root"], f"{self.name}, root", self.task)
        compare(stage, got["root_stage"], f"{self.name}, root_stage", self.task)
        self.task += 1


async def follow(dut, name, config):
    bench = Bench(dut, name, config)
    random, plain = bench.random, bench.plain
    for task in range(TASKS):
        advances = task > 0 and random.random() < 0.85
        action = int(random.integers(32)) if random.random() < 0.2 else int(random.integers(config.fanout))
        effects = plain.advance(action) if advances else plain.clear()
        await bench.do(advances, action, effects, plain.root, plain.stage)
    assert plain.turns > config.levels, f"{name}: {plain.turns} turns"


@cocotb.test()
async def does_what_is_to_be_done(dut):
    await clock_and_reset(dut)
    for name, config in parameters()["shapes"].items():
        await follow(dut, name, config)
