"""Passes that begin when they can, over edges that are others in each cycle, against the reference by integers."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.tree.config import VISIT_WIDTH
from rewardware.hw.cores.tree.records import REGISTERS
from rewardware.hw.cores.tree.score_pass import ScorePass
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.tree.scores import ScoresReference

from ..side_by_side import Ports
from ..stimulus import noise
from .unit_scores import unit_scores
from .values import values

# How often a pass begins that can.
PHASES = (1.0, 0.3, 0.8)
PASSES = 120
# Cycles from the start of a pass to value and factor, to the edges that are read, and to their scores.
MEAN_CYCLES, READ_CYCLES, SCORE_CYCLES = 12, 13, 16
GIVEN = ("place", "has_edge", "node_visits", "legal", "visits", "total", "prior")


class Passes:
    """Passes under way, each with its first cycle and what it was given."""

    def __init__(self, config, registers):
        self.config, self.registers = config, registers
        self.reference = ScoresReference(config)
        self.explorations = self.reference.explorations(registers["exploration"])
        self.under_way, self.scores = [], {}

    def add(self, cycle, given):
        self.under_way = [
            (begun, of) for begun, of in self.under_way if begun + SCORE_CYCLES + self.config.flits > cycle
        ]
        self.under_way.append((cycle, given))

    def can_begin(self, cycle):
        """Whether all flits of the last pass are held no longer."""
        return not self.under_way or cycle >= self.under_way[-1][0] + self.config.flits

    def at(self, cycle, latency):
        """Pass that has a flit so many cycles after its start, and the flit; None without one."""
        for begun, given in self.under_way:
            if 0 <= cycle - begun - latency < self.config.flits:
                return given, cycle - begun - latency
        return None

    def mean(self, cycle):
        """Value and factor that are written in a cycle, with their place; None without any."""
        for begun, given in self.under_way:
            if begun + MEAN_CYCLES == cycle and given["has_edge"]:
                value = self.reference.value(given["total"], given["visits"])
                factor = self.reference.factor(given.get("prior"), given["visits"])
                return {"valid": 1, "place": given["place"], "value": value, "factor": factor}
        return None

    def read(self, cycle, edges):
        """Scores of the edges that are read in a cycle, with the places of those without an edge as not legal."""
        given, flit = self.at(cycle, READ_CYCLES)
        actions = range(flit * self.config.lanes, (flit + 1) * self.config.lanes)
        legal = [given["legal"] >> action & 1 for action in actions]
        self.scores[cycle + SCORE_CYCLES - READ_CYCLES] = unit_scores(
            self.reference,
            [edge | {"legal": is_legal} for edge, is_legal in zip(edges, legal, strict=True)],
            exploration=self.explorations[given["node_visits"]],
            loss=self.registers["loss"],
            first_value=self.registers["first_value"],
        )


def random_pass(codecs, random):
    given = {name: noise(codecs[name], random) for name in GIVEN if name in codecs}
    visits = int(random.integers(1, 1 << VISIT_WIDTH) >> random.integers(VISIT_WIDTH)) or 1
    limit = visits << 15
    total = int(random.choice([-limit, limit, int(random.integers(-limit, limit, endpoint=True))]))
    node_visits = min(int(random.integers(1 << VISIT_WIDTH) >> random.integers(VISIT_WIDTH)), (1 << VISIT_WIDTH) - 2)
    return given | {"visits": visits, "total": total, "node_visits": node_visits}


def random_edges(config, codecs, random):
    edges = noise(codecs["edges"], random)
    for edge in edges:
        edge["in_flight"] *= int(random.integers(2))
        edge["factor"] = min(edge["factor"], 1 << 16)
        if config.policy == "uct" and not edge["visited"]:
            # It is that of an edge without visits.
            edge["factor"] = 1 << 16
    return edges


class Bench:
    """One unit: what it is given, and what it has to give in each cycle."""

    def __init__(self, dut, name, config):
        self.dut, self.name, self.config, self.random = dut, name, config, rng(name)
        self.ports = Ports(dut, ScorePass(config), name, opened=("buffer",))
        self.cycle = 0

    async def phase(self, rate):
        random, ports = self.random, self.ports
        registers = values(REGISTERS, random)
        ports.set(registers=registers)
        passes, begun = Passes(self.config, registers), 0
        while begun < PASSES or self.cycle - passes.under_way[-1][0] < 30:
            ready = passes.can_begin(self.cycle)
            start = int(begun < PASSES and ready and random.random() < rate)
            given = random_pass(ports.codecs, random)
            ports.set(start=start, **given)
            if start:
                passes.add(self.cycle, given)
                begun += 1
            await self.check(passes, ready, start)
            await RisingEdge(self.dut.clk)
            self.cycle += 1

    async def check(self, passes, ready, start):
        ports, cycle, config = self.ports, self.cycle, self.config
        got = await ports.outputs()
        expected = {"ready": int(ready), "mean_next": int(passes.mean(cycle + 1) is not None)}
        if not start:
            expected["ready_next"] = int(passes.can_begin(cycle + 1))
        self.compare(expected, {name: got[name] for name in expected}, "outputs")
        mean = passes.mean(cycle)
        self.compare(mean or {"valid": 0}, got["mean"] if mean else {"valid": got["mean"]["valid"]}, "mean")
        edges = random_edges(config, ports.codecs, self.random)
        ports.set(edges=edges)
        if reading := passes.at(cycle, READ_CYCLES):
            given, flit = reading
            self.compare({"slot": given["place"]["slot"], "flit": flit}, got["read"], "read")
            passes.read(cycle, edges)
        written = {"valid": 0}
        if writing := passes.at(cycle, SCORE_CYCLES):
            given, flit = writing
            place = {"slot": given["place"]["slot"], "flit": flit, "last": int(flit == config.flits - 1)}
            written = {"valid": 1, **place, "scores": passes.scores.pop(cycle)}
        self.compare(written, {name: got["written"][name] for name in written}, "written")

    def compare(self, expected, got, what):
        compare(expected, got, f"{self.name}, {what} in cycle", self.cycle)


@cocotb.test()
async def scores_follow(dut):
    await clock_and_reset(dut)
    for name, config in parameters()["shapes"].items():
        bench = Bench(dut, name, config)
        for rate in PHASES:
            await bench.phase(rate)
