"""The exit with an assigner in plain Python: answers, and grants in the order of the requests."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.tree.bank_assigner import AssignerCommand
from rewardware.hw.cores.tree.exit import finished_layout, level_grant_layout
from rewardware.hw.cores.tree.requests import ACTION_WIDTH, RequestKind, Status
from rewardware.hw.cores.tree.stage_layouts import selection_layout
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.device.search_tree_rows import unpack_answer
from rewardware.sw.reference.tree.bank_assignment import BankAssignmentReference
from rewardware.sw.reference.tree.requests import Answer


class Expected:
    """Answers and grants of a list of requests."""

    def __init__(self, config):
        self.config = config
        self.assignment = BankAssignmentReference(config)
        self.answers, self.grants, self.finished = [], [], []
        self.deepest = self.root_stage = 0

    def _grant(self, level, reserve):
        node = self.assignment.assign((level + self.root_stage) % self.config.levels)
        self.grants.append((level - 1, reserve, node))

    def take(self, request, selection):
        kind, status = request["kind"], request["status"]
        if request["answered"]:
            shown = {} if kind in (RequestKind.BACKUP, RequestKind.PRIOR) else selection
            places = {name: divide(shown.get(name, 0), self.config) for name in ("parent", "node")}
            numbers = {name: shown.get(name, 0) for name in ("level", "action")}
            answer = Answer(kind=kind, worker=request["worker"], status=Status(status), **numbers, **places)
            self.answers.append(answer)
        if kind != RequestKind.SELECT or not request["accepted"]:
            return
        inserted = status == Status.INSERTED
        self.finished.append((request["worker"], selection["may_insert"], int(inserted)))
        if inserted and selection["is_first"]:
            self.deepest = selection["level"]
            if selection["level"] + 1 < self.config.levels:
                self._grant(selection["level"] + 1, 0)
        if inserted and selection["asks"]:
            self._grant(selection["level"], 1)

    def turn(self):
        last = self.config.levels - 1
        self.assignment.release(self.root_stage)
        self.root_stage = (self.root_stage + 1) % self.config.levels
        had_last, self.deepest = self.deepest == last, max(self.deepest - 1, 0)
        if had_last:
            self._grant(last, 0)

    def clear(self):
        self.assignment.clear()
        self.deepest = self.root_stage = 0


def divide(place, config):
    """The number of a node."""
    return place["bank"] * config.rows + place["row"] if place else 0


def random_requests(config, random, count):
    """Requests with the selections in them; levels get their first nodes from the root down."""
    deepest = -1
    for _ in range(count):
        node, parent = (
            {"row": int(random.integers(config.rows)), "bank": int(random.integers(config.banks))} for _ in range(2)
        )
        selection = {name: int(random.integers(2)) for name in ("descends", "inserted", "may_insert", "asks")}
        is_first = int(deepest < config.levels - 1 and random.random() < 0.3)
        deepest += is_first
        level = deepest if is_first else int(random.integers(max(deepest, 0) + 1))
        # The root's level has no stage above it.
        selection["asks"] &= level > 0
        selection |= {"node": node, "parent": parent, "level": level, "is_first": is_first}
        selection["action"] = int(random.integers(1 << ACTION_WIDTH))
        # Without priors their kind is unknown, and is answered all the same.
        kind = int(random.choice([0, 0, 0, 1, 2, 3, 4, 6]))
        status = Status.INSERTED if is_first or random.random() < 0.4 else Status(int(random.integers(6)))
        request = {
            "kind": RequestKind.SELECT if is_first else kind,
            "worker": int(random.integers(256)),
            "status": status,
            "accepted": 1 if is_first else int(random.random() < 0.8),
            "answered": int(random.random() < 0.9),
        }
        yield request, selection


async def assign(dut, assignment, requests, blocks, random):
    """Assign blocks as the assigner does, after any time."""
    while True:
        request = await requests.receive()
        assert request["command"] == AssignerCommand.ASSIGN.value
        for _ in range(int(random.integers(30))):
            await RisingEdge(dut.clk)
        node = assignment.assign(request["stage"])
        blocks.put({"given": node is not None, "node": node or 0})


async def watch(dut, port, codec, seen):
    while True:
        await RisingEdge(dut.clk)
        seen.append(codec.unpack(int(getattr(dut, port).value)))


async def pulse(dut, port):
    port.value = 1
    await RisingEdge(dut.clk)
    port.value = 0


@cocotb.test()
async def answers_and_grants(dut):
    config = parameters()["config"]
    source, answers = StreamSource(dut, "requests"), StreamSink(dut, "answers")
    requests, blocks = StreamSink(dut, "assignments"), StreamSource(dut, "blocks", stall=0)
    dut.clear.value = dut.turn.value = dut.root_stage.value = 0
    await clock_and_reset(dut)
    random, expected = rng("requests"), Expected(config)
    assignment = BankAssignmentReference(config)
    cocotb.start_soon(assign(dut, assignment, requests, blocks, rng("assigner")))
    grants, finished = [], []
    cocotb.start_soon(watch(dut, "grant", codec_of(level_grant_layout(config)), grants))
    cocotb.start_soon(watch(dut, "finished", codec_of(finished_layout()), finished))
    codec = codec_of(selection_layout(config))
    for tree in range(6):
        for request, selection in random_requests(config, random, 150):
            source.put(request | {"body": codec.pack(selection)})
            expected.take(request, selection)
        for index, answer in enumerate(expected.answers):
            compare(answer, unpack_answer(await answers.receive()), "answers", index)
        expected.answers.clear()
        for _ in range(20):
            await RisingEdge(dut.clk)
        while not int(dut.idle.value):
            await RisingEdge(dut.clk)
        if tree % 2:
            assignment.clear()
            expected.clear()
            await pulse(dut, dut.clear)
        else:
            assignment.release(expected.root_stage)
            expected.turn()
            await pulse(dut, dut.turn)
        dut.root_stage.value = expected.root_stage
        for _ in range(60):
            await RisingEdge(dut.clk)
    assert not len(answers), "More answers than requests"
    got = [
        (part["level"], grant["reserve"], divide(grant["node"], config) if grant["given"] else None)
        for part in grants
        if (grant := part["grant"])["valid"]
    ]
    compare(expected.grants, got, "grant", 0)
    got = [(part["worker"], part["may_insert"], part["inserted"]) for part in finished if part["valid"]]
    compare(expected.finished, got, "finished", 0)
    assert {reserve for _, reserve, _ in expected.grants} == {0, 1}
    assert {node is None for _, _, node in expected.grants} == {True, False}


@cocotb.test()
async def ready_does_not_follow_the_host(dut):
    """Two answers wait; room shows in the cycle after the one in which the host takes an answer, not in it."""
    config = parameters()["config"]
    source = StreamSource(dut, "requests", stall=0)
    dut.answers__ready.value = dut.clear.value = dut.turn.value = dut.root_stage.value = 0
    await clock_and_reset(dut)
    request, selection = next(iter(random_requests(config, rng("one request"), 1)))
    refused = {"kind": RequestKind.BACKUP, "accepted": 0, "answered": 1}
    for worker in range(3):
        source.put(request | refused | {"worker": worker, "body": codec_of(selection_layout(config)).pack(selection)})
    for _ in range(10):
        await RisingEdge(dut.clk)
    assert source.count == 2
    dut.answers__ready.value = 1
    for ready in (0, 1):
        await ReadOnly()
        assert (int(dut.answers__valid.value), int(dut.requests__ready.value)) == (1, ready)
        await RisingEdge(dut.clk)
