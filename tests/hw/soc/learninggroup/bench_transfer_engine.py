"""Loads, stores and copies at random against a dictionary, with stalls; what is refused; cycles."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.soc.learninggroup.instructions import COPY, INSTRUCTION_SET, LOAD, STORE, Memory
from rewardware.hw.soc.learninggroup.transfer_engine import READ_LATENCY
from rewardware.hw.soc.sequencer.instructions import HEADER_WIDTH
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng

LIMIT = 2000
FLAGS = ("address_out_of_range", "stream_underflow", "stream_overflow")
# Cycles from the one in which a command is taken.
STORE_LATENCY = 6
COPY_LATENCY = 4


class Bench:
    """The engine with memories that are a dictionary: noise until they are written."""

    def __init__(self, dut):
        run = parameters()
        self.dut, self.width, self.rows = dut, run["width"], run["rows"]
        self.blocks, self.aggregate_rows = run["blocks"], run["aggregate_rows"]
        self.random = rng()
        self.memory, self.writes, self.reads, self.copies, self.beats = {}, [], [], [], []
        self.completed, self.flags, self.cycle, self.taken = 0, set(), 0, 0

    async def start(self):
        self.commands = StreamSource(self.dut, "commands")
        self.source = StreamSource(self.dut, "packets_in")
        self.sink = StreamSink(self.dut, "packets_out")
        self.dut.completions__ready.value = 1
        await clock_and_reset(self.dut)
        cocotb.start_soon(self.watch())

    def word(self):
        return int.from_bytes(self.random.bytes(self.width // 8))

    def stored(self, memory, core, row):
        return self.memory.setdefault((memory, core, row), self.word())

    async def watch(self):
        """Memories that answer after the engine's latency; everything that happens, with its cycle."""
        dut, late = self.dut, [None] * (READ_LATENCY - 1)
        while True:
            await ReadOnly()
            place = tuple(int(port.value) for port in (dut.memory, dut.core, dut.row))
            if int(dut.write.value):
                self.memory[place] = int(dut.write_data.value)
                self.writes.append((self.cycle, *place))
            reads = int(dut.read.value)
            if reads:
                self.reads.append((self.cycle, *place))
            if int(dut.copy_write.value):
                self.copies.append((self.cycle, int(dut.copy_address.value)))
            if int(dut.commands__valid.value) and int(dut.commands__ready.value):
                self.taken = self.cycle
            if int(dut.packets_out__valid.value) and int(dut.packets_out__ready.value):
                self.beats.append(self.cycle)
            self.completed += int(dut.completions__valid.value)
            self.flags |= {flag for bit, flag in enumerate(FLAGS) if int(dut.errors.value) >> bit & 1}
            late.append(self.stored(*place) if reads else None)
            await RisingEdge(dut.clk)
            self.cycle += 1
            answer = late.pop(0)
            dut.read_data.value = self.word() if answer is None else answer

    async def command(self, entry, **fields):
        bits = INSTRUCTION_SET.encode(entry.name, **fields) >> HEADER_WIDTH
        await self.commands.send({"opcode": entry.opcode, "arguments": bits})

    async def complete(self):
        for _ in range(LIMIT):
            if self.completed:
                break
            await RisingEdge(self.dut.clk)
        else:
            raise TimeoutError(f"Nothing complete after {LIMIT} cycles")
        await RisingEdge(self.dut.clk)
        compare(1, self.completed, "completions", self.cycle)
        self.completed = 0

    def place(self, count, memory=None):
        """A memory, a core, and where so many rows may begin; often at the end."""
        random = self.random
        if memory is None:
            memory = Memory(random.choice([one for one in Memory if self.rows[one] >= count]))
        last = self.rows[memory] - count
        return memory, int(random.integers(3)), last if random.random() < 0.3 else int(random.integers(last + 1))

    async def load(self, count, packet=None, **changes):
        """A load with a packet of ``packet`` rows; the rows."""
        memory, core, base = self.place(count)
        rows = [self.word() for _ in range(count if packet is None else packet)]
        for index, row in enumerate(rows):
            self.source.put({"data": row, "last": int(index == len(rows) - 1)})
        fields = {"memory": memory, "core": core, "base": base, "count": count} | changes
        await self.command(LOAD, **fields)
        await self.complete()
        return fields, rows


@cocotb.test()
async def rows_and_words_move(dut):
    bench = Bench(dut)
    await bench.start()
    for turn in range(120):
        kind = bench.random.integers(3)
        count = int(bench.random.choice([1, 2, bench.random.integers(3, 20)]))
        bench.reads.clear()
        bench.writes.clear()
        bench.copies.clear()
        for stream in (bench.source, bench.sink):
            stream.stall = bench.random.choice([0, 0.3, 0.8])
        if kind == 0:
            fields, rows = await bench.load(count)
            places = [(fields["memory"], fields["core"], fields["base"] + index) for index in range(count)]
            compare(places, [write[1:] for write in bench.writes], "writes", turn)
            compare(rows, [bench.memory[place] for place in places], "rows", turn)
        elif kind == 1:
            memory, core, base = bench.place(count)
            expected = [bench.stored(memory, core, base + index) for index in range(count)]
            await bench.command(STORE, memory=memory, core=core, base=base, count=count)
            beats = await bench.sink.receive_all(count)
            compare(expected, [beat["data"] for beat in beats], "packets_out", turn)
            compare([0] * (count - 1) + [1], [beat["last"] for beat in beats], "last", turn)
            await bench.complete()
        else:
            memory, core, row = bench.place(count * bench.blocks)
            base, target = row // bench.blocks, int(bench.random.integers(bench.aggregate_rows - count + 1))
            await bench.command(COPY, memory=memory, core=core, base=base, target=target, words=count)
            await bench.complete()
            rows = [(memory, core, (base + index) * bench.blocks) for index in range(count)]
            compare(rows, [read[1:] for read in bench.reads], "reads", turn)
            expected = [(read[0] + READ_LATENCY, target + index) for index, read in enumerate(bench.reads)]
            compare(expected, bench.copies, "copies", turn)
        assert not bench.flags, bench.flags


@cocotb.test()
async def what_does_not_fit_is_refused(dut):
    bench = Bench(dut)
    await bench.start()
    memories = np.array(list(Memory))
    for memory in memories:
        end = bench.rows[memory]
        for base, count in ((end, 1), (end - 2, 3), ((1 << 20) - 1, 5)):
            bench.flags.clear()
            bench.writes.clear()
            await bench.load(count, memory=memory, base=base)
            compare({"address_out_of_range"}, bench.flags, "errors", base)
            assert not bench.writes
            bench.flags.clear()
            await bench.command(STORE, memory=memory, core=0, base=base, count=count)
            await bench.complete()
            compare({"address_out_of_range"}, bench.flags, "errors", base)
    for fields in ({"base": 0, "target": bench.aggregate_rows - 1}, {"base": 60_000, "target": 0}):
        bench.flags.clear()
        await bench.command(COPY, memory=Memory.STATE_0, core=1, words=2, **fields)
        await bench.complete()
        compare({"address_out_of_range"}, bench.flags, "errors", fields["target"])
    assert not bench.reads and not bench.copies and not len(bench.sink)


@cocotb.test()
async def packets_of_another_length_are_flagged(dut):
    bench = Bench(dut)
    await bench.start()
    for count, packet, flag in ((5, 3, "stream_underflow"), (1, 4, "stream_overflow"), (6, 7, "stream_overflow")):
        bench.flags.clear()
        fields, rows = await bench.load(count, packet)
        compare({flag}, bench.flags, "errors", count)
        present = rows[: min(count, packet)]
        places = [(fields["memory"], fields["core"], fields["base"] + index) for index in range(len(present))]
        compare(present, [bench.memory[place] for place in places], "rows", count)
        # The next packet is whole.
        bench.flags.clear()
        await bench.load(4)
        assert not bench.flags


@cocotb.test()
async def cycles_are_counted(dut):
    bench = Bench(dut)
    await bench.start()
    for stream in (bench.commands, bench.source, bench.sink):
        stream.stall = 0
    count = 30
    await bench.command(STORE, memory=Memory.STATE_0, core=0, base=0, count=count)
    await bench.complete()
    expected = [bench.taken + STORE_LATENCY + index for index in range(count)]
    compare(expected, bench.beats, "cycles of a store", 0)
    await bench.command(COPY, memory=Memory.STATE_0, core=0, base=0, target=0, words=count)
    await bench.complete()
    expected = [bench.taken + COPY_LATENCY + index for index in range(count)]
    compare(expected, [cycle for cycle, _ in bench.copies], "cycles of a copy", 0)


@cocotb.test()
async def a_reset_forgets_what_is_under_way(dut):
    """In any cycle of a store; the next ones are as if nothing had been."""
    bench = Bench(dut)
    await bench.start()
    for stream in (bench.commands, bench.sink):
        stream.stall = 0
    for cycles in range(14):
        await bench.command(STORE, memory=Memory.STATE_0, core=0, base=0, count=20)
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        dut.rst.value = 0
        for _ in range(8):
            await RisingEdge(dut.clk)
        await bench.sink.receive_all(len(bench.sink))
        await bench.command(STORE, memory=Memory.STATE_0, core=0, base=2, count=3)
        expected = [bench.stored(Memory.STATE_0, 0, 2 + index) for index in range(3)]
        compare(expected, [beat["data"] for beat in await bench.sink.receive_all(3)], "packets_out", cycles)
        await bench.complete()
