"""Reads and writes at random against two arrays of words; who meets another, in every pair."""

from itertools import combinations, product

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of

CYCLES = 1500
NAMES = ("numbers", "squares")


class Bench:
    """The ports, and what the memory should have."""

    def __init__(self, dut):
        run = parameters()
        self.dut, self.rows, self.readers = dut, run["rows"], run["readers"]
        self.codec, self.random = codec_of(run["word_layout"]), rng()
        self.words = {name: [self.word() for _ in range(self.rows)] for name in NAMES}
        self.reads = {
            f"reader {number}": (getattr(dut, f"reads__{number}__enable"), getattr(dut, f"reads__{number}__address"))
            for number in range(self.readers)
        } | {f"host's {name}": (getattr(dut, f"host__read_{name}"), dut.host__address) for name in NAMES}
        self.host_writes = {name: getattr(dut, f"host__write_{name}") for name in NAMES}
        self.idle()

    def word(self):
        """Lanes of every bit pattern, the outermost ones among them."""
        width = self.codec.element.width
        corners = 0, 1, 1 << width - 1, (1 << width) - 1
        return [
            corners[self.random.integers(4)] if self.random.random() < 0.2 else int(self.random.integers(1 << width))
            for _ in range(self.codec.length)
        ]

    def address(self):
        """The first and the last more often than others."""
        return int(self.random.choice([0, self.rows - 1, self.random.integers(self.rows)]))

    def idle(self):
        """Nothing is asked; addresses and words are noise."""
        for enable, address in self.reads.values():
            enable.value = 0
            address.value = self.address()
        for enable in self.host_writes.values():
            enable.value = 0
        self.dut.write_lanes.value = 0
        self.dut.write_address.value = self.address()
        for port in (self.dut.host__word, self.dut.new_numbers, self.dut.new_squares):
            port.value = self.codec.pack(self.word())

    def host_write(self, address, word, *names):
        """The host's write of this cycle."""
        self.dut.host__address.value = address
        self.dut.host__word.value = self.codec.pack(word)
        for name in names:
            self.host_writes[name].value = 1
            self.words[name][address] = word

    def lane_write(self, address, lanes):
        """An engine's write of this cycle, of both memories."""
        self.dut.write_address.value, self.dut.write_lanes.value = address, lanes
        for name in NAMES:
            new = self.word()
            getattr(self.dut, f"new_{name}").value = self.codec.pack(new)
            before = self.words[name][address]
            self.words[name][address] = [
                number if lanes >> lane & 1 else old for lane, (number, old) in enumerate(zip(new, before, strict=True))
            ]

    async def fill(self):
        """Every word, by the host, first one memory and then the other."""
        for name in NAMES:
            for address in range(self.rows):
                self.idle()
                self.host_write(address, self.words[name][address], name)
                await RisingEdge(self.dut.clk)
        self.idle()


@cocotb.test()
async def words_are_as_they_were_written(dut):
    bench = Bench(dut)
    random, all_lanes = bench.random, (1 << bench.codec.length) - 1
    await clock_and_reset(dut)
    await bench.fill()
    expected = None
    for cycle in range(CYCLES):
        bench.idle()
        host = None
        read = None
        if random.random() < 0.7:
            reader = str(random.choice(list(bench.reads)))
            enable, port = bench.reads[reader]
            read = bench.address()
            enable.value, port.value = 1, read
            host = read if reader.startswith("host") else None
        # A read does not see the write of its own cycle.
        found = expected if read is None else {name: bench.words[name][read] for name in NAMES}
        kind = random.integers(4)
        if kind == 1:
            names = [(NAMES[0],), (NAMES[1],), NAMES][random.integers(3)]
            bench.host_write(bench.address() if host is None else host, bench.word(), *names)
        elif kind > 1:
            lanes = int(random.choice([1, all_lanes, 1 << bench.codec.length - 1, random.integers(1, all_lanes)]))
            bench.lane_write(bench.address() if read is None else read, lanes)
        await ReadOnly()
        compare(0, int(dut.memory_conflict.value), "memory_conflict", cycle)
        if expected is not None:
            for name in NAMES:
                compare(expected[name], bench.codec.unpack(int(getattr(dut, name).value)), name, cycle)
        expected = found
        await RisingEdge(dut.clk)
    # Every word at the end.
    for address in range(bench.rows):
        bench.idle()
        enable, port = bench.reads["reader 0"]
        enable.value, port.value = 1, address
        await RisingEdge(dut.clk)
        await ReadOnly()
        for name in NAMES:
            got = bench.codec.unpack(int(getattr(dut, name).value))
            compare(bench.words[name][address], got, f"{name} at the end", address)
        await RisingEdge(dut.clk)


@cocotb.test()
async def who_meets_another_is_flagged(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    await RisingEdge(dut.clk)
    enables = [enable for enable, _ in bench.reads.values()]
    host_reads = set(list(bench.reads)[-2:])
    for first, second in combinations(bench.reads, 2):
        bench.idle()
        for name in (first, second):
            bench.reads[name][0].value = 1
        await ReadOnly()
        # The host's two are one read.
        compare(int({first, second} != host_reads), int(dut.memory_conflict.value), f"{first} and {second}", 0)
        await RisingEdge(dut.clk)
    for name, lanes in product(NAMES, (1, 1 << bench.codec.length - 1)):
        for engine in (0, 1):
            bench.idle()
            bench.host_writes[name].value = 1
            dut.write_lanes.value = lanes * engine
            await ReadOnly()
            compare(engine, int(dut.memory_conflict.value), f"host's write of {name}", lanes)
            await RisingEdge(dut.clk)
    for place in np.eye(len(enables), dtype=int):
        bench.idle()
        for enable, value in zip(enables, place, strict=True):
            enable.value = int(value)
        # Reads and writes do not meet.
        dut.write_lanes.value = 1
        await ReadOnly()
        compare(0, int(dut.memory_conflict.value), "one read, one write", int(place.argmax()))
        await RisingEdge(dut.clk)
