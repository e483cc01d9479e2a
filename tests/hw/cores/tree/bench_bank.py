"""Commands in a random order, against a bank in plain Python."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.tree.bank import CommandKind, edges_in_flit
from rewardware.hw.cores.tree.records import edge_record, node_record
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng


def words(record, random):
    """A value of a record: corners of its fields among random ones."""
    return {
        field.name: int(random.choice([*field.range, int(random.integers(*field.range, endpoint=True))]))
        for field in record.fields
    }


class PlainBank:
    """Rows of words, one command after the other."""

    def __init__(self, config):
        self.config = config
        self.nodes = [0] * config.rows
        self.edges = [[0] * config.fanout for _ in range(config.rows)]

    def apply(self, kind, row, edge, word):
        """What a read answers, flit by flit: the node's word and those of edges."""
        if kind == CommandKind.CLEAR:
            self.nodes[row], self.edges[row] = 0, [0] * self.config.fanout
        elif kind == CommandKind.WRITE_NODE:
            self.nodes[row] = word
        elif kind == CommandKind.WRITE_EDGE:
            self.edges[row][edge] = word
        else:
            count = edges_in_flit(self.config)
            padded = self.edges[row] + [0] * (count * self.config.flits - self.config.fanout)
            return [(self.nodes[row], padded[first : first + count]) for first in range(0, len(padded), count)]
        return []


@cocotb.test()
async def follows_a_plain_bank(dut):
    config = parameters()["config"]
    source, sink = StreamSource(dut, "commands"), StreamSink(dut, "responses")
    records = {CommandKind.WRITE_NODE: node_record(config), CommandKind.WRITE_EDGE: edge_record(config)}
    await clock_and_reset(dut)
    random, plain = rng("commands"), PlainBank(config)
    kinds = [CommandKind.READ] * 4 + [CommandKind.WRITE_EDGE] * 5 + [CommandKind.WRITE_NODE] * 2 + [CommandKind.CLEAR]
    number = 0
    for stall_in, stall_out in ((0.3, 0.3), (0.0, 0.0), (0.0, 0.7), (0.7, 0.0)):
        source.stall, sink.stall = stall_in, stall_out
        expected = []
        for index in range(400):
            # Mostly two rows, so that commands meet.
            row = int(random.integers(config.rows if index % 40 < 10 else 2))
            kind = kinds[random.integers(len(kinds))]
            edge, slot, stage = (int(random.integers(bound)) for bound in (config.fanout, config.slots, config.levels))
            word = (
                records[kind].pack(words(records[kind], random)) if kind in records else int(random.integers(1 << 20))
            )
            source.put({"stage": stage, "body": {"kind": kind, "row": row, "slot": slot, "edge": edge, "record": word}})
            for flit, (node, edges) in enumerate(plain.apply(kind, row, edge, word)):
                expected.append((stage, slot, flit, node, edges))
        for stage, slot, flit, node, edges in expected:
            got = await sink.receive()
            body = got["body"]
            packed = [edge_record(config).pack(edge) for edge in body["edges"]]
            seen = (got["stage"], body["slot"], body["flit"], node_record(config).pack(body["node"]), packed)
            compare((stage, slot, flit, node, edges), seen, "responses", number)
            number += 1


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    config = parameters()["config"]
    source, sink = StreamSource(dut, "commands", stall=0), StreamSink(dut, "responses", stall=0)
    await clock_and_reset(dut)
    common = {"row": 1, "slot": 0, "edge": 0, "record": 0}
    for kind, cycles in (
        (CommandKind.WRITE_EDGE, 1),
        (CommandKind.WRITE_NODE, 1),
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
