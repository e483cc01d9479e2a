"""Packets of requests and of nodes, with a shell and a tree in plain Python."""

from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.tree.records import ROW_WIDTH, edge_record, node_record
from rewardware.hw.cores.tree.search_engine import SearchEngine
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, compare_all, parameters, rng

from ..side_by_side import Ports
from .values import values

# Stalls of the shell's streams and of the tree's; cycles from a request to its answer, at most.
PHASES = ((0.0, 0.0, 1), (0.3, 0.3, 20), (0.0, 0.6, 3), (0.6, 0.0, 60))
COMMANDS = 14


class Bench:
    """An engine between shell and tree."""

    def __init__(self, dut, name, config):
        self.dut, self.name, self.config, self.random = dut, name, config, rng(name)
        self.ports = Ports(dut, SearchEngine(config), name)
        self.shell = self.streams(sources=("commands", "packets_in"), sinks=("completions", "packets_out"))
        self.tree = self.streams(sources=("answers", "nodes"), sinks=("requests", "reads"))
        self.delay = 1
        # Expected beats, requests and places; errors that each command raises; cycles with an error, so far.
        self.beats, self.rows, self.places, self.errors, self.raised = [], [], [], [], 0
        self.to_answer = deque()

    def streams(self, sources, sinks):
        made = {name: StreamSource(self.dut, f"{self.name}__{name}") for name in sources}
        return made | {name: StreamSink(self.dut, f"{self.name}__{name}") for name in sinks}

    def word(self):
        return int(self.random.integers(1 << ROW_WIDTH, dtype="uint64"))

    def serve(self, count):
        """A packet of requests, and one of as many answers, which have nothing to do with the requests here."""
        noise = self.word() % (1 << 33)
        self.shell["commands"].put({"reads": 0, "base": noise % (1 << 16), "count": noise >> 16})
        self.errors.append(0)
        for number in range(count):
            is_last, row, answer = int(number + 1 == count), self.word(), self.word()
            self.shell["packets_in"].put({"data": row, "last": is_last})
            self.rows.append((row, answer))
            self.beats.append({"data": answer, "last": is_last})

    def read(self, base, count):
        """Nodes from ``base`` on; none, and an error, if they are none or end past the last bank."""
        config = self.config
        self.shell["commands"].put({"reads": 1, "base": base, "count": count})
        is_right = count > 0 and base + count <= config.banks * config.rows
        self.errors.append(int(not is_right))
        for number in range(base, base + count) if is_right else ():
            node = values(node_record(config), self.random)
            edges = [values(edge_record(config), self.random) for _ in range(config.lanes * config.flits)]
            flits = [edges[first : first + config.lanes] for first in range(0, len(edges), config.lanes)]
            self.places.append((number, node, flits))
            rows = [row for flit in flits for row in self.rows_of(node, flit)]
            is_end = number + 1 == base + count
            self.beats += [
                {"data": row, "last": int(is_end and index + 1 == len(rows))} for index, row in enumerate(rows)
            ]

    def rows_of(self, node, edges):
        """A flit as rows: the node's record, and each edge's above it."""
        word, width = node_record(self.config).pack(node), node_record(self.config).width
        for edge in edges:
            word |= edge_record(self.config).pack(edge) << width
            width += edge_record(self.config).width
        return [word >> first & (1 << ROW_WIDTH) - 1 for first in range(0, width, ROW_WIDTH)]

    async def run(self, index, shell_stall, tree_stall, self_delay):
        """Some commands, until all are complete."""
        for streams, stall in ((self.shell, shell_stall), (self.tree, tree_stall)):
            for stream in streams.values():
                stream.stall = stall
        self.delay = self_delay
        total, random = self.config.banks * self.config.rows, self.random
        if index == 0:
            # A packet of one, all nodes, the last one; and what is wrong.
            self.serve(1)
            for base, count in ((0, total), (total - 1, 1), (0, 0), (0, total + 1), (total, 1), (65535, (1 << 17) - 1)):
                self.read(base, count)
        for _ in range(COMMANDS):
            if random.random() < 0.5:
                self.serve(int(random.choice([1, 2, int(random.integers(1, 40))])))
            else:
                base = int(random.integers(total))
                self.read(base, int(random.integers(0, min(5, total - base) + 2)))
        accepted, completed, complete = self.shell["commands"], self.shell["completions"], 0
        while complete < len(self.errors):
            await FallingEdge(self.dut.clk)
            compare(accepted.count - completed.count > 0, self.ports.get("busy"), f"{self.name}, busy", complete)
            self.raised += self.ports.get("errors")["address_out_of_range"]
            await RisingEdge(self.dut.clk)
            while len(completed):
                await completed.receive()
                complete += 1
                compare(sum(self.errors[:complete]), self.raised, f"{self.name}, errors of command", complete)
            await self.answer()
        await self.check()
        self.errors.clear()
        self.raised = 0

    async def answer(self):
        """The tree: answers in order, some time later, and nodes."""
        while len(self.tree["requests"]):
            row, answer = self.rows.pop(0)
            compare(row, await self.tree["requests"].receive(), f"{self.name}, requests", self.tree["requests"].count)
            self.to_answer.append([int(self.random.integers(self.delay)), answer])
        if self.to_answer and self.to_answer[0][0] <= 0:
            self.tree["answers"].put(self.to_answer.popleft()[1])
        elif self.to_answer:
            self.to_answer[0][0] -= 1
        while len(self.tree["reads"]):
            number, node, flits = self.places.pop(0)
            bank, row = divmod(number, self.config.rows)
            got = await self.tree["reads"].receive()
            compare({"bank": bank, "row": row}, got, f"{self.name}, reads", self.tree["reads"].count)
            for flit, edges in enumerate(flits):
                slot = int(self.random.integers(self.config.slots))
                self.tree["nodes"].put({"slot": slot, "flit": flit, "node": node, "edges": edges})

    async def check(self):
        """All beats, and nothing else."""
        beats = await self.shell["packets_out"].receive_all(len(self.beats))
        compare_all(self.beats, beats, f"{self.name}, packets_out")
        assert not (self.rows or self.places or self.to_answer), f"{self.name}: something was not asked for"
        for _ in range(20):
            await RisingEdge(self.dut.clk)
        assert not any(len(sink) for sink in (self.shell["packets_out"], self.tree["requests"], self.tree["reads"]))
        self.beats.clear()


@cocotb.test()
async def executes_in_order(dut):
    benches = [Bench(dut, name, config) for name, config in parameters()["shapes"].items()]
    await clock_and_reset(dut)
    for bench in benches:
        for index, phase in enumerate(PHASES):
            await bench.run(index, *phase)
