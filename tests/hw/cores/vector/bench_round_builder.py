"""Items at random, rounds taken and entries let through when the bench likes; these against a packing by hand."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.vector.matrix_config import SLOTS, STRIP, Product
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of

from ..stimulus import noise
from .fields import only

LIMIT_CYCLES = 20_000


def random_commands(config, random, count):
    """For each command its items, the end last; corner cases first: nothing, one item, all of one slot, none of one."""
    sizes = [0, 1, 3 * config.clusters, 3 * config.clusters]
    for number in range(count):
        product = Product(int(random.integers(len(Product))))
        blocks = int(random.integers(config.blocks.bit_length()))
        new_slot = (0.0, 1.0, 0.0, 1.0)[number] if number < 4 else random.choice([0.1, 0.5])
        size = sizes[number] if number < len(sizes) else int(random.integers(30))
        items = [random_item(config, random, product, blocks, place == 0 or random.random() < new_slot)
                 for place in range(size)]  # fmt: skip
        yield items + [random_item(config, random, product, blocks, False) | {"end": 1}]


def random_item(config, random, product, blocks, new_slot):
    steps = random.choice([0, 1, config.features, random.integers(config.features + 1)])
    run = parameters()
    slot, error = (noise(codec_of(run[f"{name}_layout"]), random) for name in ("slot", "error_slot"))
    return {
        "end": 0,
        "product": int(product),
        "blocks": blocks,
        "new_slot": int(new_slot),
        "slot": slot | {"count": int(steps)},
        "weight": int(random.integers(config.weight_banks)),
        "new_column": int(random.random() < 0.3),
        "column": int(random.integers(STRIP)),
        "error": error,
        "target": int(random.integers(1 << 4)),
    }


class Packing:
    """The rounds, entries and ends of items."""

    def __init__(self, config):
        self.config, self.rounds, self.entries, self.ends = config, [], [], []
        self._open(0)

    def _open(self, offset):
        self.offset, self.items, self.tasks, self.slots, self.errors, self.columns = offset, [], [], [], [], {}

    def add(self, item):
        if item["end"]:
            self.ends.append((len(self.rounds) + bool(self.tasks)) % 256)
            return
        blocks, block = 1 << item["blocks"], 0
        while block < blocks:
            if not self._fits(item):
                self.close(0)
                continue
            # The rest of an item that a round before could not hold.
            block = max(block, self.offset if not self.tasks else 0)
            self._place(item, block)
            placed = min(blocks - block, self.config.clusters - len(self.tasks))
            gradient = item["product"] == Product.GRADIENT
            error = {"error": self.columns[item["column"]]} if gradient else {}
            for number in range(block, block + placed):
                self.tasks.append({"slot": len(self.slots) - 1, "block": number, "weight": item["weight"]} | error)
            block += placed
            if block < blocks:
                self.close(block)

    def _needs(self, item):
        """Whether it takes an operand slot of its own, and an error slot."""
        gradient = item["product"] == Product.GRADIENT
        return item["new_slot"] or not self.slots, gradient and (
            item["new_column"] or item["column"] not in self.columns
        )

    def _fits(self, item):
        if not self.tasks:
            return True
        slot, column = self._needs(item)
        return (
            len(self.tasks) < self.config.clusters
            and all(item[name] == self.items[0][name] for name in ("product", "blocks"))
            and not (slot and len(self.slots) == SLOTS)
            and not (column and len(self.errors) == self.config.error_slots)
        )

    def _place(self, item, block):
        slot, column = self._needs(item)
        if slot:
            self.slots.append(item["slot"])
        if column:
            self.columns[item["column"]] = len(self.errors)
            self.errors.append(item["error"])
        self.items.append(item)

    def close(self, offset):
        """The round as it is, and its entries; the next one begins with block ``offset`` of its first item."""
        blocks, tasks = 1 << self.items[0]["blocks"], len(self.tasks)
        gradient = self.items[0]["product"] == Product.GRADIENT
        self.rounds.append(
            {
                "product": self.items[0]["product"],
                "steps": max(1, *(slot["count"] for slot in self.slots)),
                "drain_cycles": tasks if gradient else -(-tasks // blocks),
                "slots": self.slots,
                "errors": self.errors,
                "tasks": self.tasks,
            }
        )
        for place, first in enumerate(range(0, tasks, blocks)):
            count = min(blocks, tasks - first)
            entry = {
                "product": self.items[0]["product"], "blocks": self.items[0]["blocks"], "offset": self.offset,
                "first": self.items[place]["target"], "count": count, "last": int(first + blocks >= tasks),
            }  # fmt: skip
            if self.offset + count > blocks:
                entry["second"] = self.items[place + 1]["target"]
            self.entries.append(entry)
        self._open(offset)


@cocotb.test()
async def rounds_are_packed(dut):
    config, random, run = parameters()["config"], rng("commands"), parameters()
    rounds, entries = (codec_of(run[f"{name}_layout"]) for name in ("round", "entry"))
    source, ends = StreamSource(dut, "items"), StreamSink(dut, "ends")
    dut.flush.value = dut.take.value = dut.entry_room.value = 0
    await clock_and_reset(dut)
    packing = Packing(config)
    sent = []
    for number, items in enumerate(random_commands(config, random, run["commands"])):
        for item in items:
            packing.add(item)
            sent.append(source.put(item))
        if number == 0:
            # A command without items, before any round.
            compare([0], packing.ends, "ends", 0)
    if packing.tasks:
        packing.close(0)
    got_rounds, got_entries, kept = [], [], []
    for _ in range(LIMIT_CYCLES):
        dut.entry_room.value = int(random.random() < 0.8)
        dut.take.value = 0
        # What no item will close is closed when all have come.
        dut.flush.value = int(all(event.is_set() for event in sent))
        await ReadOnly()
        taken = int(dut.round_valid.value) and random.random() < 0.3
        bits = int(dut.round.value)
        # Stable for two cycles more.
        for before, age in kept:
            assert bits == before, f"round {len(got_rounds)} changed {age} cycles after it was taken"
        kept = [(before, age + 1) for before, age in kept if age < 1]
        if int(dut.entry_valid.value):
            assert int(dut.entry_room.value)
            got_entries.append(entries.unpack(int(dut.entry.value)))
        if int(dut.idle.value) and len(got_rounds) == len(packing.rounds) and int(dut.flush.value):
            break
        await RisingEdge(dut.clk)
        if taken:
            got_rounds.append(rounds.unpack(bits))
            kept.append((bits, 0))
            dut.take.value = 1
            dut.entry_room.value = 0
            dut.flush.value = 0
            await RisingEdge(dut.clk)
    compare(len(packing.rounds), len(got_rounds), "rounds", 0)
    for number, (expected, got) in enumerate(zip(packing.rounds, got_rounds, strict=True)):
        compare(expected, only(expected, got), "round", number)
    compare(len(packing.entries), len(got_entries), "entries", 0)
    for number, (expected, got) in enumerate(zip(packing.entries, got_entries, strict=True)):
        compare(expected, only(expected, got), "entry", number)
    compare(len(packing.rounds) % 256, int(dut.closed.value), "closed", 0)
    compare(packing.ends, [await ends.receive() for _ in packing.ends], "ends", 0)
