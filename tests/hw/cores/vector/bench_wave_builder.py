"""Work items at random, waves and descriptors taken when the bench likes; these against a packing by hand."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.vector.matrix_config import COLUMN_BLOCK, SLOTS, Product
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of

from ..stimulus import noise
from .fields import only

LIMIT_CYCLES = 20_000


def random_commands(config, random, count):
    """For each command its work items, the end last. Corner cases first: nothing, one, all of one slot, none of one."""
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
    run = parameters()
    slot, error = (noise(codec_of(run[f"{name}_layout"]), random) for name in ("slot", "error_slot"))
    steps = random.choice([0, 1, config.features, random.integers(config.features + 1), slot["count"]])
    return {
        "end": 0,
        "product": int(product),
        "blocks": blocks,
        "new_slot": int(new_slot),
        "slot": slot | {"count": int(steps)},
        "weight": int(random.integers(config.weight_banks)),
        "new_column": int(random.random() < 0.3),
        "column": int(random.integers(COLUMN_BLOCK)),
        "error": error,
        "target": int(random.integers(1 << 4)),
    }


class Packing:
    """The waves, descriptors and ends of work items."""

    def __init__(self, config):
        self.config, self.waves, self.descriptors, self.ends = config, [], [], []
        self._open(0)

    def _open(self, offset):
        self.offset, self.items, self.assignments, self.slots, self.errors, self.columns = offset, [], [], [], [], {}

    def add(self, item):
        if item["end"]:
            self.ends.append((len(self.waves) + bool(self.assignments)) % 256)
            return
        blocks, block = 1 << item["blocks"], 0
        while block < blocks:
            if not self._fits(item):
                self.close(0)
                continue
            # The rest of a work item that the wave before could not hold.
            block = max(block, self.offset if not self.assignments else 0)
            self._place(item, block)
            placed = min(blocks - block, self.config.clusters - len(self.assignments))
            gradient = item["product"] == Product.GRADIENT
            error = {"error": self.columns[item["column"]]} if gradient else {}
            for number in range(block, block + placed):
                self.assignments.append(
                    {"slot": len(self.slots) - 1, "block": number, "weight": item["weight"]} | error
                )
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
        if not self.assignments:
            return True
        slot, column = self._needs(item)
        return (
            len(self.assignments) < self.config.clusters
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
        """The wave as it is, and its descriptors; the next one begins with block ``offset`` of its first work item."""
        blocks, assigned = 1 << self.items[0]["blocks"], len(self.assignments)
        gradient = self.items[0]["product"] == Product.GRADIENT
        self.waves.append(
            {
                "product": self.items[0]["product"],
                "steps": max(1, *(slot["count"] for slot in self.slots)),
                "drain_cycles": assigned if gradient else -(-assigned // blocks),
                "operand_slots": self.slots + [{"count": 0}] * (SLOTS - len(self.slots)),
                "error_slots": self.errors + [{"count": 0}] * (self.config.error_slots - len(self.errors)),
                "assignments": self.assignments,
            }
        )
        for place, first in enumerate(range(0, assigned, blocks)):
            count = min(blocks, assigned - first)
            descriptor = {
                "product": self.items[0]["product"], "blocks": self.items[0]["blocks"], "offset": self.offset,
                "first": self.items[place]["target"], "count": count, "last": int(first + blocks >= assigned),
            }  # fmt: skip
            if self.offset + count > blocks:
                descriptor["second"] = self.items[place + 1]["target"]
            self.descriptors.append(descriptor)
        self._open(offset)


@cocotb.test()
async def waves_are_packed(dut):
    config, random, run = parameters()["config"], rng("commands"), parameters()
    source, ends, descriptors = (
        StreamSource(dut, "work_items"), StreamSink(dut, "ends"), StreamSink(dut, "descriptors"),
    )  # fmt: skip
    codec = codec_of(run["wave_layout"])
    dut.flush.value = dut.waves__ready.value = 0
    await clock_and_reset(dut)
    packing = Packing(config)
    sent = []
    for number, items in enumerate(random_commands(config, random, run["commands"])):
        for item in items:
            packing.add(item)
            sent.append(source.put(item))
        if number == 0:
            # A command without work items, before any wave.
            compare([0], packing.ends, "ends", 0)
    if packing.assignments:
        packing.close(0)
    waves, kept = [], []
    for _ in range(LIMIT_CYCLES):
        ready = int(random.random() < 0.3)
        dut.waves__ready.value = ready
        # The wave that no work item will close is closed when all have come.
        dut.flush.value = int(all(event.is_set() for event in sent))
        await ReadOnly()
        bits = int(dut.waves__payload.value)
        # Stable for two cycles after the transfer.
        for before, age in kept:
            assert bits == before, f"wave {len(waves) - 1} changed {age + 1} cycles after it was taken"
        kept = [(before, age + 1) for before, age in kept if age < 1]
        if ready and int(dut.waves__valid.value):
            waves.append(codec.unpack(bits))
            kept.append((bits, 0))
        elif int(dut.idle.value) and len(waves) == len(packing.waves) and int(dut.flush.value):
            break
        await RisingEdge(dut.clk)
    compare(len(packing.waves), len(waves), "waves", 0)
    for number, (expected, got) in enumerate(zip(packing.waves, waves, strict=True)):
        compare(expected, only(expected, got), "wave", number)
    for number, expected in enumerate(packing.descriptors):
        compare(expected, only(expected, await descriptors.receive()), "descriptor", number)
    compare(len(packing.waves) % 256, int(dut.closed.value), "closed", 0)
    compare(packing.ends, [await ends.receive() for _ in packing.ends], "ends", 0)
    assert not len(descriptors), "a descriptor too many"
