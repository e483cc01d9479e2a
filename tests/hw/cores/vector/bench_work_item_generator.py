"""Commands at random on random groups, their work items against a walk by hand, with stalls of all kinds and none."""

from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.vector.matrix_config import COLUMN_BLOCK, Product
from rewardware.hw.cores.vector.matrix_layouts import command_layout, group_layout, work_item_layout
from rewardware.hw.cores.vector.work_item_generator import WorkItemGenerator
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of

from ..side_by_side import Ports
from ..stimulus import noise
from .fields import only

# How often commands and items wait, and how often a list may be read.
PHASES = ((0.0, 0.0, 1.0), (0.3, 0.3, 0.7), (0.0, 0.6, 1.0), (0.8, 0.0, 0.3))
COMMANDS = 40
MOST_ITEMS = 250
LIMIT_CYCLES = 60_000
# Cycles from a command to its first item.
LATENCY = 4


class Memories:
    """Group tables and lists at random; they answer a cycle later, and keep that until they are asked again."""

    def __init__(self, config, random):
        self.config, self.random = config, random
        self.contents = {
            "tables": [self._wide_group(), *(self._group() for _ in range(config.table_rows - 1))],
            **{
                name: random.integers(config.features, size=config.list_rows).tolist()
                for name in ("row_list", "column_list")
            },
        }

    def _group(self):
        config, random = self.config, self.random
        group = noise(codec_of(group_layout(config)), random)
        inner, outer = (
            [0, 1, 2, 3, 5, 9],
            [0, 1, 1, 2, 3, 4, 5, 6, 7, 9, *(times * config.weight_banks + 1 for times in (1, 2)), config.weight_banks],
        )
        for name, counts in (("inner", inner), ("outer", outer)):
            count = int(random.choice([*counts, config.features] if random.random() < 0.3 else counts))
            last = config.list_rows - max(count, 1)
            group |= {f"{name}_count": count, f"{name}_start": int(random.choice([0, last, random.integers(last + 1)]))}
        return group

    def _wide_group(self):
        """A row of nearly all features, of which one would be left over."""
        wide = (self.config.features - 1) // COLUMN_BLOCK * COLUMN_BLOCK + 1
        return self._group() | {"inner_count": 1, "inner_start": 0, "outer_count": wide, "outer_start": 0}

    def answer(self, got):
        """The answers to the reads of a cycle."""
        return {
            f"read_{name}__data": contents[got[f"read_{name}__address"]]
            for name, contents in self.contents.items()
            if got[f"read_{name}__enable"]
        }


def column_blocks(columns):
    """Widths of column blocks: four columns, three at the end rather than a single one left over."""
    while columns:
        width = min(columns, COLUMN_BLOCK - 1 if columns in (COLUMN_BLOCK + 1, COLUMN_BLOCK + 2) else COLUMN_BLOCK)
        yield width
        columns -= width


class Walk:
    """The walk of a command: for each item its fields that mean something, and the number of groups skipped before."""

    def __init__(self, config, memories, command):
        self.config, self.lists, self.command = config, memories.contents, command
        self.item_codec = work_item_layout(config)
        table, count = command["table"], command["groups"]
        groups = self.lists["tables"][table : table + count]
        self.items, self.skipped = [], []
        walk = self._pairs if command["product"] == Product.GRADIENT else self._features
        skipped = 0
        for group in reversed(groups) if command["reversed"] else groups:
            items = list(walk(group)) if self._counts(group) else []
            self.items += items
            self.skipped += [skipped + (not items)] * len(items)
            skipped += not items
        self.items.append({"end": 1})

    def _counts(self, group):
        skips = self.command["skip_empty"] or self.command["product"] == Product.GRADIENT
        return group["outer_count"] and not (skips and not group["inner_count"])

    def _wrapped(self, name, value):
        """In the bits of a field of a slot."""
        return value % (1 << self.item_codec["slot"].shape[name].width)

    def _item(self, group, **fields):
        command = self.command
        slot = {name: command[name] for name in ("owned", "ones")} | {"stride": command["operand_stride"]}
        return (
            {"end": 0, "product": command["product"], "blocks": command["blocks"]}
            | fields
            | {"slot": slot | fields["slot"]}
        )

    def _features(self, group):
        """Word by word, outer feature by outer feature; 16 of them share a slot."""
        command = self.command
        forward = command["product"] == Product.FORWARD
        features = self.lists["column_list" if forward else "row_list"]
        for word in range(max(1, command["steps"])):
            results = self._address("results", command["results"] + word * command["result_stride"])
            for index in range(group["outer_count"]):
                segment, weight = divmod(index, self.config.weight_banks)
                ahead = segment if forward else segment * self.config.weight_banks * group["pitch"]
                slot = {
                    "place": group["inner_start"],
                    "count": group["inner_count"],
                    "base": self._wrapped("base", command["operands"] + word * command["operand_stride"]),
                    "weights": self._wrapped("weights", group["weights_base"] + ahead),
                    "pitch": group["pitch"],
                }
                yield self._item(
                    group,
                    new_slot=int(weight == 0),
                    weight=weight,
                    slot=slot,
                    error={"count": 0},
                    target=results + features[group["outer_start"] + index],
                )

    def _address(self, name, value):
        return value % (1 << command_layout(self.config)[name].width)

    def _pairs(self, group):
        """Column block by column block, row by row, column by column."""
        command, base, begin = self.command, group["weights_base"], 0
        for width in column_blocks(group["outer_count"]):
            for row in range(group["inner_count"]):
                for column in range(width):
                    index = begin + column
                    word = self._wrapped("weights", base + row * group["pitch"] + index // self.config.weight_banks)
                    yield self._item(
                        group,
                        new_slot=int(column == 0),
                        slot={
                            "place": self.lists["row_list"][group["inner_start"] + row],
                            "count": command["steps"],
                            "base": command["operands"],
                        },
                        new_column=int(row == 0),
                        column=column,
                        error={
                            "count": command["steps"],
                            "feature": self.lists["column_list"][group["outer_start"] + index],
                            "base": command["errors"],
                            "stride": command["error_stride"],
                        },
                        target=word * self.config.weight_banks + (row + index) % self.config.weight_banks,
                    )
            begin += width


def random_walk(config, random, memories, number):
    """A command of any kind and its walk; the first one has no groups, the next ones begin or end with the table."""
    product = Product(number % len(Product))
    limit = config.table_rows
    while True:
        command = noise(codec_of(command_layout(config)), random)
        groups = 0 if number < 2 else int(random.choice([1, 2, random.integers(1, limit + 1)]))
        last = limit - groups
        command |= {
            "product": int(product),
            "blocks": int(random.integers(config.blocks.bit_length())),
            "groups": groups,
            "table": min(int(random.choice([0, last, random.integers(last + 1)])), limit - 1),
            "steps": int(random.choice([0, 1, 2, 3])),
            "owned": int(random.integers(1, config.features + 1)),
        }
        walk = Walk(config, memories, command)
        if len(walk.items) <= MOST_ITEMS:
            return command, walk


class Bench:
    """The generator between its streams, its memories and what lets it read."""

    def __init__(self, dut):
        self.dut, self.config, self.random = dut, parameters()["config"], rng("commands")
        self.ports = Ports(dut, WorkItemGenerator(self.config), "generator")
        self.memories = Memories(self.config, self.random)
        self.source = StreamSource(dut, "generator__commands")
        self.sink = StreamSink(dut, "generator__work_items")
        self.data = {}
        self.cycle = 0
        # Walks that are sent, accepted with the cycle of that, and whose end has been taken.
        self.sent, self.accepted, self.ended = deque(), [], 0
        self.place = 0
        # Products of the items that are still to be read from a list, and how many of those have been accepted.
        self.reads, self.due = deque(), 0

    def send(self, command, walk):
        self.source.put(command)
        self.sent.append(walk)
        # Every item but the end.
        self.reads += [item["product"] for item in walk.items[:-1]]

    async def step(self, enable, unhindered):
        """A cycle."""
        ports, dut = self.ports, self.dut
        # The end of a command needs no list: nobody lets it read one.
        ports.set(enable=int(unhindered or self.due > 0 and self.random.random() < enable), **self.data)
        got = await ports.outputs()
        compare(int(len(self.accepted) == self.ended), got["idle"], "idle of cycle", self.cycle)
        if got["waiting"]:
            compare(self.reads[0], got["product"], "product of cycle", self.cycle)
        if got["read_row_list__enable"] or got["read_column_list__enable"]:
            assert got["waiting"] and int(dut.generator__enable.value), f"cycle {self.cycle}: a list is read"
            self.reads.popleft()
            self.due -= 1
        if int(dut.generator__work_items__valid.value) and int(dut.generator__work_items__ready.value):
            self.take(unhindered)
        if int(dut.generator__commands__valid.value) and int(dut.generator__commands__ready.value):
            self.accepted.append((self.cycle, self.sent.popleft()))
            self.due += len(self.accepted[-1][1].items) - 1
        await RisingEdge(dut.clk)
        self.data = self.memories.answer(got)
        self.cycle += 1

    def take(self, unhindered):
        """An item leaves."""
        number = self.ended
        begin, walk = self.accepted[number]
        expected, got = (
            walk.items[self.place],
            self.sink.codec.unpack(int(self.dut.generator__work_items__payload.value)),
        )
        compare(expected, only(expected, got), f"item {self.place} of command", number)
        if unhindered and not expected["end"]:
            cycles = LATENCY + self.place + walk.skipped[self.place]
            compare(cycles, self.cycle - begin, f"cycles until item {self.place} of command", number)
        self.place += 1
        if expected["end"]:
            self.ended, self.place = number + 1, 0


@cocotb.test()
async def commands_become_work_items(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    number = 0
    for command_stall, item_stall, enable in PHASES:
        bench.source.stall, bench.sink.stall = command_stall, item_stall
        for _ in range(COMMANDS):
            bench.send(*random_walk(bench.config, bench.random, bench.memories, number))
            number += 1
        while bench.ended < number:
            await bench.step(enable, unhindered=item_stall == 0 and enable == 1)
            assert bench.cycle < LIMIT_CYCLES, f"command {bench.ended} does not end"
    compare(0, len(bench.reads), "items not read", 0)
