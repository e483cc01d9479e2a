"""Commands in a random order, against a bank in plain Python."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.tree.records import edge_record, node_record
from rewardware.hw.cores.tree.stage_layouts import CommandKind
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng

from .values import values


class PlainBank:
    """Rows of nodes and edges, one command after the other."""

    def __init__(self, config):
        self.config = config
        # The memory starts as zeros.
        self.nodes = [dict.fromkeys((field.name for field in node_record(config).fields), 0)] * config.rows
        edge = dict.fromkeys((field.name for field in edge_record(config).fields), 0)
        self.edges = [[edge] * config.fanout for _ in range(config.rows)]

    def apply(self, command):
        """Apply a command; the answer of a read, flit by flit: the node and as many edges as there are."""
        row = command["row"]
        if command["kind"] == CommandKind.CLEAR:
            self.nodes[row], self.edges[row] = command["node"], [command["edge"]] * self.config.fanout
        elif command["kind"] == CommandKind.WRITE:
            if command["write_node"]:
                self.nodes[row] = command["node"]
            if command["write_edge"]:
                self.edges[row][command["action"]] = command["edge"]
        else:
            count = self.config.lanes
            firsts = range(0, count * self.config.flits, count)
            return [(self.nodes[row], self.edges[row][first : first + count]) for first in firsts]
        return []


@cocotb.test()
async def follows_a_plain_bank(dut):
    config = parameters()["config"]
    source, sink = StreamSource(dut, "commands"), StreamSink(dut, "responses")
    await clock_and_reset(dut)
    random, plain = rng("commands"), PlainBank(config)
    kinds = [CommandKind.READ] * 4 + [CommandKind.WRITE] * 7 + [CommandKind.CLEAR]
    number = 0
    for stall_in, stall_out in ((0.3, 0.3), (0.0, 0.0), (0.0, 0.7), (0.7, 0.0)):
        source.stall, sink.stall = stall_in, stall_out
        expected = []
        for index in range(400):
            # Mostly two rows, so that commands meet.
            row = int(random.integers(config.rows if index % 40 < 10 else 2))
            action, slot, stage = (
                int(random.integers(bound)) for bound in (config.fanout, config.slots, config.levels)
            )
            command = {
                "kind": kinds[random.integers(len(kinds))],
                "row": row,
                "slot": slot,
                "write_node": int(random.integers(2)),
                "write_edge": int(random.integers(2)),
                "action": action,
                "node": values(node_record(config), random),
                "edge": values(edge_record(config), random),
            }
            source.put({"stage": stage, "body": command})
            for flit, (node, edges) in enumerate(plain.apply(command)):
                expected.append((stage, slot, flit, node, edges))
        for stage, slot, flit, node, edges in expected:
            got = await sink.receive()
            body = got["body"]
            seen = (got["stage"], body["slot"], body["flit"], body["node"], body["edges"][: len(edges)])
            compare((stage, slot, flit, node, edges), seen, "responses", number)
            number += 1


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    config = parameters()["config"]
    source, sink = StreamSource(dut, "commands", stall=0), StreamSink(dut, "responses", stall=0)
    await clock_and_reset(dut)
    common = {"row": 1, "slot": 0, "write_node": 1, "write_edge": 1, "action": 0}
    common |= {"node": values(node_record(config), rng()), "edge": values(edge_record(config), rng())}
    for kind, cycles in (
        (CommandKind.WRITE, 1),
        (CommandKind.CLEAR, config.flits),
        (CommandKind.READ, config.flits),
    ):
        before = source.count
        for _ in range(30):
            source.put({"stage": 0, "body": {"kind": kind, **common}})
        for _ in range(10 * cycles + 2):
            await RisingEdge(dut.clk)
        assert source.count - before in (10, 11, 12), f"{kind}: {source.count - before} in {10 * cycles + 2} cycles"
        while source.count - before < 30:
            await RisingEdge(dut.clk)
    await sink.receive_all(30 * config.flits)
