"""Writes, late writes and reads at random, against a list of commands."""

from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.tree.command_queue import CommandQueue
from rewardware.hw.cores.tree.stage_layouts import CommandKind
from rewardware.sim.cocotb import StreamSink, clock_and_reset, compare, compare_all, parameters, rng

from ..side_by_side import Ports
from ..stimulus import noise

MOST = 32
# How often in a cycle: a command is given, it is a read, a write is late, the oldest mean that is due comes; and how
# often the interconnect does not take a command.
PHASES = (
    (0.7, 0.5, 0.5, 0.5, 0.3),
    (1.0, 0.5, 0.5, 1.0, 0.0),
    (1.0, 0.3, 0.7, 0.05, 0.3),
    (1.0, 0.5, 0.3, 0.5, 0.9),
    (1.0, 0.0, 1.0, 1.0, 0.0),
    (1.0, 0.0, 1.0, 1.0, 0.95),
    (0.3, 0.1, 1.0, 0.2, 0.5),
)
CYCLES = 250


class PlainQueue:
    """Commands that are held, the oldest first, and the means that have come for the late ones among them.

    A command comes in the cycle after that in which it was given, and is held from the next cycle on.
    """

    def __init__(self):
        self.coming, self.held, self.without_mean = deque(), deque(), deque()

    def give(self, command, *, is_late):
        self.coming.append({"command": command, "is_late": is_late, "mean": None})
        if is_late:
            self.without_mean.append(self.coming[-1])

    def enter(self):
        """The command that comes is held."""
        self.held.extend(self.coming)
        self.coming.clear()

    def outputs(self):
        head = self.held[0] if self.held else None
        leaves = head is not None and (not head["is_late"] or head["mean"] is not None)
        return {"room": len(self.held) <= MOST - 3, "idle": not self.held and not self.coming, "valid": leaves}

    def take(self):
        """The oldest one."""
        head = self.held.popleft()
        command, body = head["command"], head["command"]["body"]
        if head["is_late"]:
            body = body | {"edge": body["edge"] | head["mean"]}
        return counts({"bank": command["bank"], "body": body})


def counts(command):
    """The fields of a command that mean something."""
    body = command["body"]
    names = {
        CommandKind.WRITE.value: [name for name in body if name != "slot"],
        CommandKind.CLEAR.value: ["kind", "row", "node", "edge"],
        CommandKind.READ.value: ["kind", "row", "slot"],
    }[body["kind"]]
    return {"bank": command["bank"], "body": {name: body[name] for name in names}}


class Stimulus:
    """Commands and means, as a stage may give them."""

    def __init__(self, codecs, random, plain):
        self.codecs, self.random, self.plain = codecs, random, plain
        self.had_room = False

    def cycle(self, gives, reads, lates, comes):
        random, plain = self.random, self.plain
        commands = {port: noise(self.codecs[port], random) for port in ("write", "read", "mean")}
        commands["write"]["body"]["kind"] = CommandKind.WRITE.value
        commands["read"]["body"]["kind"] = int(random.choice([CommandKind.READ.value, CommandKind.CLEAR.value]))
        # There is room now, or there was a cycle ago.
        room = plain.outputs()["room"]
        is_given, is_read = (room or self.had_room) and random.random() < gives, random.random() < reads
        self.had_room = room
        return commands | {
            "send_write": int(is_given and not is_read),
            "send_read": int(is_given and is_read),
            "is_late": int(random.random() < lates),
            "send_mean": int(len(plain.without_mean) > 0 and random.random() < comes),
        }


@cocotb.test()
async def keeps_the_order(dut):
    config = parameters()["config"]
    ports, plain = Ports(dut, CommandQueue(config)), PlainQueue()
    blank, first = ports.codecs["write"].unpack(0)["body"], (1 << 16) // config.fanout
    new = {"node": blank["node"], "edge": blank["edge"] | {"prior": first, "factor": first}}
    stimulus, sink = Stimulus(ports.codecs, rng("commands"), plain), StreamSink(dut, "commands")
    await clock_and_reset(dut)
    cycle = fullest = most_means = 0
    expected = []
    for *rates, stall in PHASES:
        sink.stall = stall
        for _ in range(CYCLES):
            inputs = stimulus.cycle(*rates)
            ports.set(**inputs)
            got = await ports.outputs() | {"valid": int(dut.commands__valid.value)}
            compare(plain.outputs(), got, "outputs of cycle", cycle)
            leaves = got["valid"] and int(dut.commands__ready.value)
            await RisingEdge(dut.clk)
            if leaves:
                expected.append(plain.take())
            plain.enter()
            if inputs["send_mean"]:
                plain.without_mean.popleft()["mean"] = inputs["mean"]
            if inputs["send_write"]:
                plain.give(inputs["write"], is_late=inputs["is_late"])
            elif inputs["send_read"]:
                plain.give(inputs["read"] | {"body": inputs["read"]["body"] | new}, is_late=False)
            fullest = max(fullest, len(plain.held) + len(plain.coming))
            most_means = max(most_means, sum(held["mean"] is not None for held in plain.held))
            cycle += 1
    got = await sink.receive_all(len(expected))
    compare_all(expected, [counts(command) for command in got], "commands")
    assert (fullest, most_means) == (MOST, MOST), f"No more than {fullest} commands, {most_means} means were held"
