"""The whole search tree against its reference: answers, and the memory at the end."""

import random
from collections import Counter
from itertools import chain, islice

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.layouts import record_layout
from rewardware.hw.cores.tree.records import ANSWER, COUNTERS, REGISTERS
from rewardware.hw.cores.tree.requests import RequestKind, Status
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.device.search_tree_rows import unpack_answer
from rewardware.sw.reference.tree.requests import Request
from rewardware.sw.reference.tree.search_tree import SearchTreeReference
from tests.hw.cores.tree.noisy_rows import noisy_row
from tests.sw.reference.tree.stimulus import RandomRequests

# Requests on their way to the tree, at most.
AHEAD = 64


async def start(dut, registers, stall):
    dut.registers.value = codec_of(record_layout(REGISTERS)).pack(registers)
    streams = (
        StreamSource(dut, "requests", stall=stall[0]),
        StreamSink(dut, "answers", stall=stall[1]),
        StreamSource(dut, "reads", stall=0),
        StreamSink(dut, "nodes", stall=stall[1]),
    )
    await clock_and_reset(dut)
    return streams


async def check_memory(config, reference, reads, nodes):
    """Every node that is in the tree."""
    memory = reference.memory()
    for index, (bank, row) in enumerate(zip(*(part.tolist() for part in memory.used.nonzero()), strict=True)):
        reads.put({"bank": bank, "row": row})
        flits = await nodes.receive_all(config.flits)
        compare(list(range(config.flits)), [flit["flit"] for flit in flits], "nodes.flit", index)
        for flit in flits:
            node = {name: int(values[bank, row]) for name, values in memory.nodes.items()}
            compare(node, flit["node"], f"node {row} of bank {bank}", index)
        edges = [edge for flit in flits for edge in flit["edges"]]
        for action in range(config.fanout):
            edge = {name: int(values[bank, row, action]) for name, values in memory.edges.items()}
            got = edges[action] if edges[action]["child"] else edges[action] | {"bank": 0, "row": 0}
            compare(edge, got, f"edge {action} of node {row} of bank {bank}", index)


@cocotb.test()
async def equals_the_reference(dut):
    given = parameters()
    config = given["config"]
    statuses = Counter()
    for round_number, (registers, stall) in enumerate(given["rounds"]):
        requests, answers, reads, nodes = await start(dut, registers, stall)
        reference = SearchTreeReference(config, **registers)
        seed = int(rng(f"requests {round_number}").integers(1 << 32))
        early = [
            Request(kind=RequestKind.SELECT),
            Request(kind=RequestKind.BACKUP, reward=1, legal=1),
            Request(kind=RequestKind.ADVANCE),
        ]
        # The tree is small: it is full before long.
        made = chain(early, RandomRequests(config, random.Random(seed), restart=0.03, clears=0.4))
        expected, ends, noise = [], Counter(), random.Random(seed)
        for index, request in enumerate(islice(made, given["count"])):
            answer = reference.answer(request)
            ends[answer.kind, answer.status] += 1
            requests.put(noisy_row(config, request, noise))
            expected.append((index, answer))
            if len(expected) == AHEAD or index == given["count"] - 1:
                for number, answer in expected:
                    got = await answers.receive()
                    known = answer.kind in list(RequestKind)
                    text = f"{RequestKind(answer.kind).name if known else answer.kind}: answers"
                    compare(vars(answer), vars(unpack_answer(got)), text, number)
                    compare(0, got >> ANSWER.width, f"{text}, bits above", number)
                expected.clear()
        await check_memory(config, reference, reads, nodes)
        for _ in range(3):
            await RisingEdge(dut.clk)
        assert not int(dut.busy.value), "Busy although there is no request"
        statuses += ends
        selections = sum(
            count for (kind, status), count in ends.items() if kind == RequestKind.SELECT and status <= Status.FULL
        )
        counters = codec_of(record_layout(COUNTERS)).unpack(int(dut.counters.value))
        compare(selections, counters["selections"], "counters.selections", round_number)
        for kind in ("", "backup_"):
            assert 2 * counters[f"{kind}intervals"] <= counters[f"{kind}interval_cycles"]
        assert counters["backup_intervals"]
    cocotb.log.info(
        "statuses %s", {f"{kind} {Status(status).name}": n for (kind, status), n in sorted(statuses.items())}
    )
    for kind, status in given["happens"]:
        assert statuses[kind, status], f"{kind.name} {status.name} did not happen"
