"""Requests and passes that take and release slots at random, against a table of slots."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.tree.score_pass import most_passes
from rewardware.hw.cores.tree.slot_table import OUTSIDE_QUEUE, SlotTable
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng

from ..side_by_side import Ports

# How often in a cycle: a request comes, one leaves, a node comes, a backup begins, a pass ends; and how many nodes
# there are for each slot.
RATES = (
    (1.0, 1.0, 1.0, 0.5, 1.0, 2.0),
    (1.0, 0.1, 1.0, 0.5, 0.1, 0.5),
    (0.5, 0.5, 0.1, 0.3, 0.3, 1.5),
    (0.9, 0.8, 0.3, 0.3, 0.3, 5.0),
    (0.2, 0.9, 0.9, 1.0, 0.9, 1.0),
)
CYCLES = 300


class Slot:
    """A slot: its node, who needs it, and whether it was hit since the hand came by."""

    def __init__(self):
        self.node, self.uses, self.passes = None, 0, 0
        self.is_recent, self.has_come, self.scored = False, False, False

    @property
    def is_needed(self):
        return self.uses > 0 or self.passes > 0


class PlainTable:
    """Slots in a circle with a hand."""

    def __init__(self, count):
        self.slots, self.hand = [Slot() for _ in range(count)], 0

    def find(self, node):
        return next((number for number, slot in enumerate(self.slots) if slot.node == node), None)

    @property
    def is_free(self):
        return not (self.slots[self.hand].is_needed or self.slots[self.hand].is_recent)

    def outputs(self, inputs):
        found, front = self.find(inputs["node"]), self.slots[inputs["front"]]
        expected = {
            "hit": found is not None,
            "slot": self.hand if found is None else found,
            "free": self.is_free,
            "idle": not any(slot.is_needed for slot in self.slots),
            "front_settled": front.passes == 0,
        }
        if front.node is not None:
            expected["front_filled"] = front.has_come
        if inputs["fill"]:
            expected["scored"] = self.slots[inputs["filled"]].scored
        return expected

    def step(self, inputs):
        """All strobes of a cycle."""
        slots, found = self.slots, self.find(inputs["node"])
        passed = slots[self.hand]
        takes = inputs["acquire"] and found is None
        # The hand goes on, and what it passes counts as long ago.
        moves = takes or not self.is_free
        passed.is_recent = False
        if inputs["fill"]:
            slots[inputs["filled"]].has_come = True
        if inputs["begin_pass"]:
            slots[inputs["front"]].passes += 1
        if inputs["end_pass"]:
            slots[inputs["ended"]].passes -= 1
        if inputs["release"]:
            slots[inputs["released"]].uses -= 1
        if takes:
            passed.node, passed.has_come, passed.scored = inputs["node"], False, bool(inputs["scored_when_filled"])
            passed.passes += passed.scored
            passed.uses += 1
        elif inputs["acquire"]:
            slots[found].uses += 1
            slots[found].is_recent = True
        if moves:
            self.hand = (self.hand + 1) % len(slots)
        if inputs["clear"]:
            for slot in slots:
                slot.node = None


class Stimulus:
    """What a stage may do in a cycle."""

    def __init__(self, config, random, plain):
        self.config, self.random, self.plain = config, random, plain
        self.most_uses, self.most_passes = config.slots + OUTSIDE_QUEUE, most_passes(config)

    def number(self, bound):
        return int(self.random.integers(bound))

    def pick(self, rate, condition):
        """Whether to do something, and to which of the slots that allow it."""
        slots = [number for number, slot in enumerate(self.plain.slots) if condition(slot)]
        if slots and self.random.random() < rate:
            return 1, int(self.random.choice(slots))
        return 0, self.number(self.config.slots)

    def cycle(self, rates):
        requests, releases, fills, begins, ends, nodes = rates
        plain, slots = self.plain, self.plain.slots
        # Names that differ in the bank alone, or in the row alone.
        node = self.number(max(2, int(nodes * self.config.slots)))
        node = {"bank": node % 3, "row": node // 3}
        found = plain.find(node)
        is_there = found is not None
        can = slots[found].uses < self.most_uses if is_there else plain.is_free
        fill, filled = self.pick(fills, lambda slot: slot.uses and not slot.has_come)
        # A pass of a node that is to be scored when it has come ends after it has.
        end_pass, ended = self.pick(ends, lambda slot: slot.passes > 0 and slot.has_come)
        begin_pass, front = self.pick(begins, lambda slot: slot.uses and slot.has_come and self._has_room(slot))
        release, released = self.pick(releases, lambda slot: slot.uses and slot.has_come)
        return {
            "node": node,
            "acquire": int(can and self.random.random() < requests),
            "scored_when_filled": self.number(2),
            "release": release,
            "released": released,
            "fill": fill,
            "filled": filled,
            "begin_pass": begin_pass,
            "end_pass": end_pass,
            "ended": ended,
            "front": front,
            "clear": 0,
        }

    def _has_room(self, slot):
        return slot.passes < self.most_passes


async def step(dut, ports, plain, inputs, message, cycle):
    ports.set(**inputs)
    got = await ports.outputs()
    expected = plain.outputs(inputs)
    compare(expected, {port: got[port] for port in expected}, f"{message}, outputs of cycle", cycle)
    plain.step(inputs)
    await RisingEdge(dut.clk)


async def follow(dut, name, config):
    """Trees one after another; returns how often slots were taken, hit and as full as they can be."""
    ports, random, plain = Ports(dut, SlotTable(config), name), rng(name), PlainTable(config.slots)
    stimulus, cycle = Stimulus(config, random, plain), 0
    seen = {"taken": 0, "hit": 0, "most uses": 0, "most passes": 0}
    for rates in RATES:
        for _ in range(CYCLES):
            inputs = stimulus.cycle(rates)
            hit = plain.find(inputs["node"]) is not None
            await step(dut, ports, plain, inputs, name, cycle)
            cycle += 1
            seen["taken"] += inputs["acquire"] and not hit
            seen["hit"] += inputs["acquire"] and hit
            seen["most uses"] += any(slot.uses == stimulus.most_uses for slot in plain.slots)
            seen["most passes"] += any(slot.passes == stimulus.most_passes for slot in plain.slots)
        while any(slot.is_needed for slot in plain.slots):
            await step(dut, ports, plain, stimulus.cycle((0.0, 1.0, 1.0, 0.0, 1.0, 1.0)), name, cycle)
            cycle += 1
        await step(dut, ports, plain, stimulus.cycle((0.0,) * 5 + (1.0,)) | {"clear": 1}, name, cycle)
        cycle += 1
    assert min(seen.values()) > 10, f"{name}: {seen}"


@cocotb.test()
async def knows_who_needs_a_slot(dut):
    await clock_and_reset(dut)
    for name, config in parameters()["shapes"].items():
        await follow(dut, name, config)
