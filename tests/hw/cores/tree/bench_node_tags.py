"""Requests and passes that take and release slots at random, against a list of slots."""

from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.tree.node_tags import OUTSIDE_QUEUE, NodeTags
from rewardware.hw.cores.tree.score_pass import most_passes
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
    """A slot: its node, who needs it, and whether it was referenced since the hand came by."""

    def __init__(self):
        self.node, self.uses, self.backups = None, 0, 0
        # It will be scored when it comes, or is being scored since.
        self.is_unscored = False
        self.is_referenced, self.has_come = False, False

    @property
    def is_needed(self):
        return self.uses > 0 or not self.is_settled

    @property
    def is_settled(self):
        return self.backups == 0 and not self.is_unscored


class PlainTags:
    """Slots with CLOCK replacement: a circle with a hand."""

    def __init__(self, count):
        self.slots, self.hand = [Slot() for _ in range(count)], 0
        # Slots of requests and of backups, the oldest first.
        self.users, self.backups = deque(), deque()
        # The node of the cycle before, unless the tags have changed in it; whether the candidate was free, None before
        # the first cycle.
        self.looked_up, self.was_free = None, None

    def find(self, node):
        return next((number for number, slot in enumerate(self.slots) if slot.node == node), None)

    @property
    def is_free(self):
        return not (self.slots[self.hand].is_needed or self.slots[self.hand].is_referenced)

    def outputs(self, inputs):
        front = self.slots[inputs["front__front"]]
        expected = {
            "idle": not any(slot.is_needed for slot in self.slots),
            "front__settled": front.is_settled,
        }
        if self.was_free is not None:
            expected["free"] = self.was_free
        if inputs["node"] == self.looked_up:
            found = self.find(inputs["node"])
            expected |= {"hit": found is not None, "slot": self.hand if found is None else found}
        if front.node is not None:
            expected["front__filled"] = front.has_come
        if inputs["fill"]:
            expected["scored"] = self.slots[inputs["filled"]].is_unscored
        return expected

    def step(self, inputs):
        """All strobes of a cycle."""
        slots, found = self.slots, self.find(inputs["node"])
        self.looked_up = None if inputs["acquire"] or inputs["clear"] else inputs["node"]
        passed = slots[self.hand]
        takes = inputs["acquire"] and found is None
        # The hand goes on, and what it passes counts as long ago.
        moves = takes or not self.is_free
        self.was_free = not moves
        passed.is_referenced = False
        if inputs["fill"]:
            slots[inputs["filled"]].has_come = True
        if inputs["front__begin_pass"]:
            slots[inputs["front__front"]].backups += 1
            self.backups.append(inputs["front__front"])
        if inputs["end_pass"] and slots[inputs["ended"]].is_unscored:
            slots[inputs["ended"]].is_unscored = False
        elif inputs["end_pass"]:
            slots[self.backups.popleft()].backups -= 1
        if inputs["release"]:
            slots[self.users.popleft()].uses -= 1
        if takes:
            passed.node, passed.has_come, passed.is_unscored = inputs["node"], False, bool(inputs["scored_when_filled"])
            passed.uses += 1
            self.users.append(self.hand)
        elif inputs["acquire"]:
            slots[found].uses += 1
            slots[found].is_referenced = True
            self.users.append(found)
        if moves:
            self.hand = (self.hand + 1) % len(slots)
        if inputs["clear"]:
            for slot in slots:
                slot.node = None


class Stimulus:
    """Actions that a stage may take in a cycle."""

    def __init__(self, config, random, plain):
        self.config, self.random, self.plain = config, random, plain
        self.most_uses, self.most_passes = config.slots + OUTSIDE_QUEUE, most_passes(config)
        # The last ones have the uppermost bits.
        self.banks, self.rows = (
            [count - 1, *random.permutation(count - 1).tolist()] for count in (config.banks, config.rows)
        )

        # A node is looked up in every other cycle and stays for one more, in which it may be acquired.
        self.looks_up, self.node = False, None

    def number(self, bound):
        return int(self.random.integers(bound))

    def pick(self, rate, condition):
        """Whether to do something, and to which of the slots that allow it."""
        slots = [number for number, slot in enumerate(self.plain.slots) if condition(number, slot)]
        if slots and self.random.random() < rate:
            return 1, int(self.random.choice(slots))
        return 0, self.number(self.config.slots)

    def cycle(self, rates):
        requests, releases, fills, begins, ends, nodes = rates
        plain = self.plain
        self.looks_up = not self.looks_up
        if self.looks_up:
            # Places that differ in the bank alone, or in the row alone.
            node = self.number(max(2, int(nodes * self.config.slots)))
            self.node = {"bank": self.banks[node % 3], "row": self.rows[node // 3]}
        is_there = plain.find(self.node) is not None
        is_looked_up = plain.looked_up == self.node
        can = is_looked_up and (is_there or plain.was_free) and len(plain.users) < self.most_uses
        fill, filled = self.pick(fills, lambda _, slot: slot.uses and not slot.has_come)
        end_pass, ended = self.pick(ends, self._can_end)
        has_room = len(plain.backups) < self.most_passes
        begin_pass, front = self.pick(begins, lambda _, slot: slot.uses and slot.has_come and has_room)
        release, released = self.pick(
            releases, lambda number, slot: plain.users and number == plain.users[0] and slot.has_come
        )
        return {
            "node": self.node,
            "acquire": int(can and self.random.random() < requests),
            "scored_when_filled": self.number(2),
            "release": release,
            "released": released,
            "fill": fill,
            "filled": filled,
            "front__begin_pass": begin_pass,
            "end_pass": end_pass,
            "ended": ended,
            "front__front": front,
            "clear": 0,
        }

    def _can_end(self, number, slot):
        """Whether a pass of a slot may end: the one when its node has come, or the oldest of all backups."""
        return slot.has_come if slot.is_unscored else bool(self.plain.backups) and number == self.plain.backups[0]


async def step(dut, ports, plain, inputs, message, cycle):
    ports.set(**inputs)
    got = await ports.outputs()
    expected = plain.outputs(inputs)
    compare(expected, {port: got[port] for port in expected}, f"{message}, outputs of cycle", cycle)
    plain.step(inputs)
    await RisingEdge(dut.clk)


async def follow(dut, name, config):
    """Trees one after another; returns how often slots were taken, hit and as full as they can be."""
    ports, random, plain = (
        Ports(dut, NodeTags(config), name, opened=("lookup",)),
        rng(name),
        PlainTags(config.slots),
    )
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
            seen["most uses"] += len(plain.users) == stimulus.most_uses
            seen["most passes"] += len(plain.backups) == stimulus.most_passes
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
