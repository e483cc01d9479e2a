"""Requests one after another on a few nodes, with everything they may have to wait for, against a table of nodes."""

from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from rewardware.hw.cores.tree.update import Update
from rewardware.sim.cocotb import StreamSink, clock_and_reset, compare, parameters, rng

from ..side_by_side import Ports
from ..stimulus import noise
from .update_requests import END, LINKS, NONE, PlainNodes, Source

# How often in a cycle: a request comes, commands have room, a pass can start, a mean comes, a block of rows comes; how
# often the next stage does not take a request.
PHASES = (
    (1.0, 1.0, 1.0, 0.0, 1.0, 0.0),
    (1.0, 0.9, 0.6, 0.3, 0.3, 0.3),
    (1.0, 0.3, 0.9, 0.1, 0.5, 0.5),
    (0.4, 1.0, 0.3, 0.5, 0.1, 0.1),
)
TABLES, REQUESTS, LIMIT = 3, 40, 20_000


class Rows:
    """Rows of the level below: for each request that asks, a row or none, which comes to be known some time later."""

    def __init__(self, random):
        self.random, self.planned, self.known = random, deque(), False

    def inputs(self, chance, codecs):
        noise_of = {name: noise(codecs[name], self.random) for name in ("row", "is_first", "asks")}
        self.known = self.known or (len(self.planned) > 0 and self.random.random() < chance)
        row = self.planned[0] if self.known else None
        inputs = {"available": int(row is not None), "waiting": int(not self.known)}
        return inputs | (
            noise_of if row is None else {"row": row["node"], "is_first": row["is_first"], "asks": row["asks"]}
        )

    def pop(self):
        self.planned.popleft()
        self.known = False


class Memory:
    """The buffer as it has been written."""

    def __init__(self, plain):
        self.nodes = [dict(node) for node in plain.nodes]
        self.edges = [[dict(edge) for edge in edges] for edges in plain.edges]
        self.statistics = plain.statistics

    def read(self, place):
        # Before the first request it may be the place of nothing.
        slot, action = place["slot"] % len(self.nodes), place["action"]
        edges = self.edges[slot]
        return {"node": self.nodes[slot], "edge": edges[action if action < len(edges) else 0]}

    def write(self, got):
        place, fields = got["new_place"], {"links": LINKS, "statistics": self.statistics, "mean": ("value", "factor")}
        for part, names in fields.items():
            if got["write"][part]:
                self.edges[place["slot"]][place["action"]] |= {name: got["new_edge"][name] for name in names}
        if got["write"]["node"]:
            self.nodes[place["slot"]] = got["new_node"]


def effects_of(got):
    """Effects of a cycle, as :class:`Source` writes them; only those that mean something."""
    effects, place = {}, got["new_place"]
    parts = sorted(part for part, is_written in got["write"].items() if is_written)
    if got["send"]:
        command, body = got["command"], got["command"]["body"]
        seen = {"kind": body["kind"], "row": body["row"]}
        if body["write_edge"]:
            names = [name for name in body["edge"] if not (got["is_late"] and name in ("value", "factor"))]
            names = [name for name in names if body["edge"]["child"] or name not in ("bank", "row")]
            seen |= {"action": body["action"], "edge": {name: body["edge"][name] for name in names}}
        if body["write_node"]:
            seen["node"] = body["node"]
        effects["command"] = {"bank": command["bank"], "body": seen, "is_late": got["is_late"]}
    if parts:
        effects |= {"write": parts, "slot": place["slot"]}
        fields = {"links": LINKS, "mean": ("value", "factor"), "node": ()}
        fields["statistics"] = [name for name in ("visits", "total", "prior") if name in got["new_edge"]]
        edge = {name: got["new_edge"][name] for part in parts for name in fields[part]}
        if edge.get("child") == 0:
            del edge["bank"], edge["row"]
        if edge:
            effects |= {"place": place, "new_edge": edge}
        if got["write"]["node"]:
            effects["new_node"] = got["new_node"]
    if got["start"]:
        effects["start"] = {"has_edge": got["has_edge"]}
    if got["take"]:
        effects["take"] = 1
    if got["release"]:
        effects |= {"release": 1, "slot": place["slot"]}
    if got["selections__enable"]:
        memory = got["selections__data"]
        names = {NONE: ["part"], END: ["part", "node"]}.get(memory["part"], ["part", "node", "action"])
        effects["remember"] = {
            "worker": got["selections__address"],
            "memory": {name: memory[name] for name in names},
        }
    return effects


def check_times(now, before, message, cycle):
    """Check that each output waits for its inputs, of this cycle and of the one before."""
    if now["send"]:
        assert now["command_room"] or before["command_room"], f"{message}: a command without room in cycle {cycle}"
    if now["start"]:
        assert before["pass_ready_next"], f"{message}: a pass begins too early in cycle {cycle}"
        assert before["claims"] and now["claims"], f"{message}: a pass without a claim in cycle {cycle}"
    if now["write"]["mean"]:
        assert not before["mean_next"], f"{message}: two means in cycle {cycle}"
    if before["claims"] and not before["start"]:
        assert now["start"] or not before["pass_ready_next"], f"{message}: an idle claim in cycle {cycle - 1}"
        # Flits wait for a claim, so a claim must not wait for other streams.
        assert before["command_room"] and before["goes_on"], f"{message}: a claim that waits in cycle {cycle - 1}"


class Bench:
    """One unit, and all that stands around it."""

    def __init__(self, dut, name, config):
        self.dut, self.name, self.config, self.random = dut, name, config, rng(name)
        self.ports = Ports(dut, Update(config), name, opened=("edges", "rows"))
        self.sink = StreamSink(dut, f"{name}__forward")
        self.cycle, self.before = 0, None
        # Requests to come, those that have come, and how many have come that go on; the cycles in which they came.
        self.coming, self.under_way, self.count, self.accepted = deque(), deque(), 0, []

    async def table(self, rates):
        """Some requests about new nodes."""
        random, ports = self.random, self.ports
        level, alternate = int(random.integers(8)), int(random.integers(2))
        ports.set(level=level, is_odd=level % 2, alternate=alternate)
        nodes = PlainNodes(self.config, random)
        self.memory, self.rows = Memory(nodes), Rows(random)
        source = Source(self.config, random, ports.codecs["chosen"], nodes, level, alternate)
        requests = [request for _ in range(REQUESTS) for request in source.next()]
        self.rows.planned.extend(request.row for request in requests if request.asks_row)
        self.coming.extend(requests)
        *rates, self.sink.stall = rates
        limit = self.cycle + LIMIT
        while self.coming or not ports.get("idle"):
            assert self.cycle < limit, f"{self.name}: {len(self.coming)} requests are not taken"
            await self.step(*rates)
        for _ in range(10):
            await self.step(*rates)
        assert not any(request.effects for request in self.under_way), f"{self.name}: a request has done nothing"
        self.under_way.clear()
        for index, request in enumerate(request for request in requests if request.chosen["is_last"]):
            expected, got = request.forward(await self.sink.receive(), source.selection)
            compare(expected, got, f"{self.name}, forward", index)
        assert not len(self.sink), f"{self.name}: more requests go on than came"

    async def step(self, comes, room, ready, mean, row):
        """A cycle; all arguments are chances."""
        random, ports, dut = self.random, self.ports, self.dut
        await FallingEdge(dut.clk)
        if not self.accepted or self.last_accepted.chosen["is_last"]:
            compare(self.sink.count == self.count, ports.get("idle"), f"{self.name}, idle", self.cycle)
        accept = bool(self.coming and ports.get("room") and random.random() < comes)
        inputs = {
            "chosen": self.coming[0].chosen if accept else noise(ports.codecs["chosen"], random),
            "accept": int(accept),
            "command_room": int(random.random() < room),
            "pass_ready_next": int(random.random() < ready),
            "mean_next": int(random.random() < mean),
            **self.memory.read(ports.get("place")),
            **self.rows.inputs(row, ports.codecs),
        }
        ports.set(**inputs)
        await ReadOnly()
        self.check(inputs | ports.all())
        await RisingEdge(dut.clk)
        if accept:
            self.last_accepted = self.coming.popleft()
            self.under_way.append(self.last_accepted)
            self.count += self.last_accepted.chosen["is_last"]
            self.accepted.append(self.cycle)
        self.cycle += 1

    def check(self, now):
        """The effects of a cycle are those of the next request that has any."""
        dut, name = self.dut, self.name
        waits = int(getattr(dut, f"{name}__forward__valid").value) and not int(
            getattr(dut, f"{name}__forward__ready").value
        )
        now["goes_on"] = not waits
        if self.before is not None:
            check_times(now, self.before, name, self.cycle)
        self.before = now
        # A prior that comes too late sends nothing, which is not known a cycle before.
        if self.cycle and (self.config.policy == "uct" or now["is_quiet"] or now["idle"]):
            assert now["is_quiet"] != now["send"], f"{name}: is_quiet is wrong in cycle {self.cycle}"
        effects = effects_of(now)
        if not effects:
            return
        while self.under_way and not self.under_way[0].effects:
            self.under_way.popleft()
        assert self.under_way, f"{name}: something happens in cycle {self.cycle} without a request: {effects}"
        request = self.under_way.popleft()
        compare(request.effects, effects, f"{name}, effects in cycle", self.cycle)
        self.memory.write(now)
        if request.asks_row:
            self.rows.pop()


@cocotb.test()
async def does_what_is_asked(dut):
    await clock_and_reset(dut)
    for name, config in parameters()["shapes"].items():
        bench = Bench(dut, name, config)
        for rates in PHASES:
            for _ in range(TABLES):
                await bench.table(rates)
                if rates is PHASES[0]:
                    # Nothing to wait for but what was there before.
                    gaps = {after - before for before, after in zip(bench.accepted, bench.accepted[1:], strict=False)}
                    assert gaps == {2}, f"{name}: cycles between requests: {gaps}"
                bench.accepted.clear()
