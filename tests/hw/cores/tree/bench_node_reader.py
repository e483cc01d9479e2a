"""Reads from outside among a stage's own commands, with banks in plain Python."""

from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.tree.node_reader import NodeReader
from rewardware.hw.cores.tree.records import edge_record, node_record
from rewardware.hw.cores.tree.stage_layouts import CommandKind
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng

from ..side_by_side import Ports
from ..stimulus import noise
from .values import values

# Stalls of all streams; how often in a cycle a stage that rests begins to work.
PHASES = ((0.0, 0.02), (0.3, 0.1), (0.6, 0.3), (0.2, 0.0))
READS, LIMIT = 40, 20_000
KINDS = [kind.value for kind in CommandKind]


class Bench:
    """A reader between a stage, banks, and who reads."""

    def __init__(self, dut, config):
        self.dut, self.config, self.random = dut, config, rng("reader")
        self.ports = Ports(dut, NodeReader(config))
        sources = ("reads", "stage_commands", "bank_nodes")
        self.sources = {name: StreamSource(dut, name) for name in sources}
        self.sinks = {name: StreamSink(dut, name) for name in ("nodes", "stage_nodes", "bank_commands")}
        # Commands in the order in which they were let in, None in place of a read from outside; flits to come.
        self.let_in, self.expected = deque(), {"nodes": deque(), "stage_nodes": deque()}
        # Commands that the stage has not said yet, cycles until it does, and how many that it said are not let in.
        self.to_say, self.delay, self.said = deque(), 0, 0
        self.was_resting, self.reading, self.waited = False, None, 0

    def rests(self):
        """Nothing of the stage is on its way."""
        waits = [self.to_say, self.said, self.let_in, self.expected["stage_nodes"], len(self.sinks["stage_nodes"])]
        return not any(waits)

    def begin(self):
        """The stage begins to work; it says nothing for two cycles, or more."""
        for _ in range(int(self.random.integers(1, 5))):
            command = noise(self.sources["stage_commands"].codec, self.random)
            command["body"]["kind"] = int(self.random.choice(KINDS))
            self.to_say.append(command)
        self.delay = int(self.random.integers(2, 6))

    def transfers(self, name):
        return int(getattr(self.dut, f"{name}__valid").value) and int(getattr(self.dut, f"{name}__ready").value)

    def look(self):
        """Check the read that is let in or ends in this cycle."""
        reading = self.reading
        compare(reading is None, self.ports.get("idle"), "idle", self.sinks["bank_commands"].count)
        if self.transfers("reads"):
            assert reading is None and self.was_resting, "A read begins while something is under way"
            self.reading = self.sources["reads"].codec.unpack(int(self.dut.reads__payload.value))
            self.let_in.append((self.reading, None))
        if self.transfers("stage_commands"):
            assert reading is None, "The stage says something during a read"
            command = self.sources["stage_commands"].codec.unpack(int(self.dut.stage_commands__payload.value))
            self.let_in.append((None, command))
            self.said -= 1
        self.waited += reading is not None and int(self.dut.stage_commands__valid.value)
        if self.transfers("nodes") and not self.expected["nodes"]:
            raise AssertionError("A flit for who reads, which nobody has asked for")
        if self.transfers("nodes") and self.expected["nodes"][0]["flit"] == self.config.flits - 1:
            self.reading = None

    async def serve(self):
        """The banks."""
        while len(sink := self.sinks["bank_commands"]):
            got = await sink.receive()
            assert self.let_in, f"A command that nobody has given: {got}"
            place, command = self.let_in.popleft()
            if place is not None:
                read = {"bank": got["bank"], "row": got["body"]["row"], "kind": got["body"]["kind"]}
                compare(place | {"kind": CommandKind.READ.value}, read, "bank_commands", sink.count)
            else:
                compare(command, got, "bank_commands of the stage", sink.count)
            if got["body"]["kind"] == CommandKind.READ.value:
                self.answer(got["body"]["slot"], "stage_nodes" if place is None else "nodes")

    def answer(self, slot, name):
        node = values(node_record(self.config), self.random)
        for flit in range(self.config.flits):
            edges = [values(edge_record(self.config), self.random) for _ in range(self.config.lanes)]
            part = {"slot": slot, "flit": flit, "node": node, "edges": edges}
            self.sources["bank_nodes"].put(part)
            self.expected[name].append(part)

    async def receive(self, name):
        """Flits that have arrived."""
        while len(sink := self.sinks[name]):
            assert self.expected[name], f"{name}: a flit that nobody has asked for"
            compare(self.expected[name].popleft(), await sink.receive(), name, sink.count)

    async def step(self, chance):
        """A cycle. That the stage rests is known one cycle late."""
        if self.delay:
            self.delay -= 1
        elif self.to_say:
            self.sources["stage_commands"].put(self.to_say.popleft())
            self.said += 1
        elif self.rests() and self.random.random() < chance:
            self.begin()
        self.ports.set(empty=int(self.was_resting))
        await FallingEdge(self.dut.clk)
        self.look()
        self.was_resting = self.rests()
        await RisingEdge(self.dut.clk)
        await self.serve()
        for name in self.expected:
            await self.receive(name)


@cocotb.test()
async def reads_beside_a_stage(dut):
    config = parameters()["config"]
    bench = Bench(dut, config)
    await clock_and_reset(dut)
    for stall, chance in PHASES:
        for stream in (*bench.sources.values(), *bench.sinks.values()):
            stream.stall = stall
        asked = [
            bench.sources["reads"].put({"bank": int(bank), "row": int(row)})
            for bank, row in zip(
                bench.random.integers(0, config.banks, READS), bench.random.integers(0, config.rows, READS), strict=True
            )
        ]
        for _ in range(LIMIT):
            await bench.step(chance)
            if asked[-1].is_set() and bench.reading is None and bench.rests():
                break
        else:
            raise AssertionError(f"Read {sum(event.is_set() for event in asked)} does not end")
    assert bench.waited > 20, f"The stage has waited for {bench.waited} cycles"
