"""Requests at the head of the queue, whose nodes come late and whose scores may be blocked, one after another."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.tree.choice import Choice
from rewardware.hw.cores.tree.memoization import Part
from rewardware.hw.cores.tree.records import REGISTERS, request_arguments
from rewardware.hw.cores.tree.requests import RequestKind, Status
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng

from ..side_by_side import Ports
from ..stimulus import noise

NONE, NEW, EDGE, END = (part.value for part in (Part.NONE, Part.NEW, Part.EDGE, Part.END))
# How often in a cycle: there is a request, its node comes, its scores settle, scores are written, there is room.
PHASES = ((1.0, 1.0, 1.0, 0.0, 1.0), (0.5, 0.3, 0.5, 0.3, 0.7), (1.0, 0.5, 0.2, 0.1, 1.0), (0.9, 1.0, 1.0, 0.8, 0.3))
REQUESTS = 130


class Head:
    """A request with the node it is about, and what is to become of it.

    A score is kept as the score unit has it: the least number of an action that is not legal; of a UCT child that
    nobody has chosen, 01 above the lower bits of what its score would be.
    """

    def __init__(self, config, codecs, random, loss):
        self.config, self.random, self.loss = config, random, loss
        head = noise(codecs["head"], random)
        request = head["request"]
        kinds = [(RequestKind.SELECT, (EDGE, EDGE, EDGE, NEW, NONE)), (RequestKind.BACKUP, (EDGE, END, NONE))]
        if config.policy != "uct":
            kinds.append((RequestKind.PRIOR, (END, END, NONE)))
        kinds.append((int(random.integers(3, 8)), (NONE,)))
        kind, parts = kinds[random.integers(len(kinds))]
        head["part"] = int(random.choice(parts))
        head["slot"], head["action"] = int(random.integers(config.slots)), int(random.integers(config.fanout))
        request["kind"] = int(kind)
        self.group = int(random.integers(16)) if random.random() < 0.3 else int(random.integers(config.fanout + 1) // 2)
        if kind == RequestKind.PRIOR:
            values = {"group": self.group, "even_prior": 7, "odd_prior": int(random.integers(1 << 16))}
            request["body"] = request_arguments(config)[RequestKind.PRIOR].pack(values)
        self.value, self.kind, self.part = head, kind, head["part"]
        self.has_node = self.part in (EDGE, END)
        self.evaluated, self.terminal, self.is_last_level = (int(random.random() < p) for p in (0.8, 0.1, 0.1))
        self.keys, self.scores = self._score()
        self.winner = self.keys.index(max(self.keys))
        self.turns = 2 if kind == RequestKind.PRIOR and self.has_node else 1

    def _score(self):
        """Keys, and what the scores are when nothing is said by them."""
        config, random = self.config, self.random
        least, greatest = -(1 << 19) - 255 * 65535 + self.loss, (1 << 19) + (1 << config.exploration_width) - 1
        some = [int(random.integers(least, greatest, endpoint=True)) for _ in range(config.fanout)]
        kind = random.random()
        if kind < 0.2:
            some = [int(random.choice([least, greatest])) for _ in some]
        elif kind < 0.4:
            some = [some[0] + int(random.integers(2)) for _ in some]
        legal = random.random(config.fanout) < 0.7
        legal[random.integers(config.fanout)] = True
        unvisited = random.random(config.fanout) < (0.3 if config.unvisited_first and random.random() < 0.5 else 0)
        first = int(random.choice([-(1 << 19), greatest, int(random.integers(-(1 << 19), greatest))]))
        width = config.score_width
        keys, scores = [], []
        for score, is_legal, is_unvisited in zip(some, legal, unvisited, strict=True):
            key = (first & (1 << width - 2) - 1) + (1 << width - 2) if is_unvisited else score
            keys.append(key if is_legal else -1 << width - 1)
            scores.append(first if is_unvisited else score)
        return keys, scores

    @property
    def chooses(self):
        """Whether a selection goes on from here."""
        goes_on = self.evaluated and not self.terminal and not self.is_last_level
        return self.kind == RequestKind.SELECT and self.part == EDGE and bool(goes_on)

    def action(self, turn):
        if self.kind == RequestKind.PRIOR:
            return 2 * self.group + turn
        return self.winner if self.chooses else self.value["action"]

    def chosen(self, turn):
        """The fields of the result that mean something."""
        expected = {"queued": self.value, "chooses": self.chooses, "is_last": turn + 1 == self.turns}
        if self.kind == RequestKind.SELECT and self.part == EDGE and not self.chooses:
            why = Status.TERMINAL if self.terminal else Status.HEIGHT_LIMIT
            expected["status"] = why if self.evaluated else Status.PENDING
        action = self.action(turn)
        if self.kind == RequestKind.PRIOR and self.has_node:
            expected["exists"] = action < self.config.fanout
        if self.has_node:
            expected["place"] = {"slot": self.value["slot"]}
        has_action = self.chooses or (self.part == EDGE and self.kind == RequestKind.BACKUP) or expected.get("exists")
        if self.has_node and has_action:
            flit, lane = divmod(action, self.config.lanes)
            expected["place"] |= {"action": action, "flit": flit, "lane": lane}
        return expected


class Service:
    """When what is to happen."""

    def __init__(self, cycles):
        self.cycles = cycles
        self.since, self.turn = None, 0

    def outputs(self, head, inputs, cycle):
        """Outputs of a cycle; ``head`` is None if there is none."""
        expected = dict.fromkeys(("done", "pop", "begin_pass", "scores__choose"), 0)
        if head is None:
            return expected
        is_select = head.kind == RequestKind.SELECT
        can_begin = not head.has_node or (inputs["filled"] and (inputs["settled"] or not is_select))
        if self.since is None and can_begin:
            self.since = cycle
            expected["begin_pass"] = int(head.has_node and head.kind == RequestKind.BACKUP)
        is_blocked = head.chooses and inputs["blocked"]
        if self.since is not None and cycle >= self.since + self.cycles - 1 and inputs["room"] and not is_blocked:
            expected["done"] = 1
            expected["pop"] = int(self.turn + 1 == head.turns)
            expected["scores__choose"] = int(head.chooses)
        return expected

    def step(self, expected):
        if expected["done"]:
            self.since, self.turn = None, 0 if expected["pop"] else self.turn + 1


def check(head, turn, got, message, cycle):
    """Compare the result that leaves with `done`."""
    expected = head.chosen(turn)
    seen = {name: got["chosen"][name] for name in expected}
    if "place" in expected:
        seen["place"] = {name: seen["place"][name] for name in expected["place"]}
    compare(expected, seen, f"{message}, chosen in cycle", cycle)
    if head.chooses:
        written = {"scores__chosen_edge": 1 << head.winner, "scores__score": head.scores[head.winner] - head.loss}
        compare(written, {name: got[name] for name in written}, f"{message}, in cycle", cycle)


async def follow(dut, name, config, cycles):
    ports, random = Ports(dut, Choice(config), name, opened=("slot",)), rng(name)
    service = Service(cycles)
    cycle, ends = 0, {}
    for phase, (heads, fills, settles, blocks, rooms) in enumerate(PHASES):
        loss = (0, 65535, 3000, 1)[phase]
        registers = {field.name: int(random.integers(*field.range)) for field in REGISTERS.fields} | {"loss": loss}
        ports.set(registers=registers)
        for _ in range(REQUESTS):
            head, has_head, filled, settled, taken = Head(config, ports.codecs, random, loss), False, 0, 0, False
            while not taken:
                has_head = has_head or random.random() < heads
                filled = filled or int(has_head and random.random() < fills)
                settled = settled or int(filled and random.random() < settles)
                # Inputs that are not known yet are noise; so are keys until they have settled.
                inputs = {
                    "head": head.value if has_head else noise(ports.codecs["head"], random),
                    "has_head": int(has_head),
                    "filled": filled if head.has_node and has_head else int(random.integers(2)),
                    "settled": settled if head.has_node and has_head else int(random.integers(2)),
                    "scores__keys": head.keys if settled else noise(ports.codecs["scores__keys"], random),
                    "scores__evaluated": head.evaluated if filled else int(random.integers(2)),
                    "scores__terminal": head.terminal if filled else int(random.integers(2)),
                    "is_last_level": head.is_last_level,
                    "blocked": int(random.random() < blocks),
                    "room": int(random.random() < rooms),
                }
                ports.set(**inputs)
                expected = service.outputs(head if has_head else None, inputs, cycle)
                got = await ports.outputs()
                compare(expected, {port: got[port] for port in expected}, f"{name}, outputs of cycle", cycle)
                if expected["done"]:
                    check(head, service.turn, got, name, cycle)
                await RisingEdge(dut.clk)
                service.step(expected)
                taken = bool(expected["pop"])
                cycle += 1
            end = int(head.kind), head.part, head.chosen(0).get("status")
            ends[end] = ends.get(end, 0) + 1
    selected = [
        ends.get((RequestKind.SELECT, EDGE, status), 0)
        for status in (None, Status.PENDING, Status.TERMINAL, Status.HEIGHT_LIMIT)
    ]
    assert min(selected) > 0, f"{name}: {ends}"


@cocotb.test()
async def chooses_the_greatest(dut):
    await clock_and_reset(dut)
    for name, (config, cycles) in parameters()["shapes"].items():
        await follow(dut, name, config, cycles)
