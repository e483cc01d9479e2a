"""Loads, stores and copies at random against the reference of the host's map; what is refused; cycles."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.soc.shell.transfer_config import TransferKind
from rewardware.hw.soc.shell.transfer_engine import transfer_command
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.memory.host_map import HostMapReference

LIMIT = 3000
FLAGS = ("address_out_of_range", "stream_underflow", "stream_overflow")


class Bench:
    """The engine with its memories, which are busy now and then, and the reference of them."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.host, self.random = self.config.host, rng("transfers")
        self.reference = HostMapReference(self.host)
        self.fields = [name for name, _ in transfer_command(self.config)]
        self.access = codec_of(parameters()["access"])
        self.busy_share = 0.0
        self.accesses, self.copies, self.beats = [], [], []
        self.completed, self.flags, self.cycle, self.taken, self.ended = 0, set(), 0, 0, 0
        self.busy, self.options = False, 0

    async def start(self):
        self.commands = StreamSource(self.dut, "commands")
        self.source = StreamSource(self.dut, "packets_in")
        self.sink = StreamSink(self.dut, "packets_out")
        self.completions = StreamSink(self.dut, "completions")
        self.dut.others.value = 0
        await clock_and_reset(self.dut)
        cocotb.start_soon(self.watch())

    async def watch(self):
        """Everything that happens, with its cycle; who else has a memory."""
        dut = self.dut
        while True:
            await ReadOnly()
            compare(int(self.busy), int(dut.busy.value), "busy", self.cycle)
            if int(dut.accesses.value):
                if self.config.option_width:
                    compare(self.options, int(dut.options.value), "options", self.cycle)
                self.accesses.append((self.cycle, self.access.unpack(int(dut.access.value))))
            if self.config.copy_rows and int(dut.copies__enable.value):
                self.copies.append((self.cycle, int(dut.copies__address.value), int(dut.copies__data.value)))
            if int(dut.commands__valid.value) and int(dut.commands__ready.value):
                self.taken, self.busy = self.cycle, True
            if int(dut.packets_out__valid.value) and int(dut.packets_out__ready.value):
                self.beats.append(self.cycle)
            if int(dut.completions__valid.value) and int(dut.completions__ready.value):
                self.completed, self.ended, self.busy = self.completed + 1, self.cycle, False
            self.busy &= not int(dut.rst.value)
            self.flags |= {flag for bit, flag in enumerate(FLAGS) if int(dut.errors.value) >> bit & 1}
            await RisingEdge(dut.clk)
            self.cycle += 1
            dut.others.value = sum(
                int(self.random.random() < self.busy_share) << memory for memory in range(len(dut.others))
            )

    async def run(self, **fields):
        """A command until it is complete."""
        self.accesses, self.copies, self.beats, self.flags = [], [], [], set()
        self.options = fields.get("options", 0)
        await self.commands.send({name: int(fields.get(name, 0)) for name in self.fields})
        for _ in range(LIMIT):
            if self.completed:
                break
            await RisingEdge(self.dut.clk)
        else:
            raise TimeoutError(f"Nothing complete after {LIMIT} cycles")
        await RisingEdge(self.dut.clk)
        compare(1, self.completed, "completions", self.cycle)
        self.completed = 0

    def place(self, kind, most=14):
        """A transfer of a region's rows, often at its end."""
        random, host = self.random, self.host
        regions = [region for region in host.regions if kind != TransferKind.COPY or region.parts == host.parts]
        region = regions[random.integers(len(regions))]
        step = region.parts if kind == TransferKind.COPY else 1
        count = int(random.integers(1, min(most, region.rows // step, self.config.copy_rows or most) + 1))
        last = region.rows - count * step
        base = last if random.random() < 0.3 else int(random.integers(last + 1))
        # Skewed memories are filled from a base that is a multiple of the modulus.
        step = max(step, host.modulus * region.parts if host.modulus > 1 else 1)
        core = host.every_core if kind == TransferKind.LOAD and random.random() < 0.2 else random.integers(region.cores)
        return region, {
            "kind": kind,
            "memory": region.number,
            "core": int(core),
            "base": base - base % step,
            "count": count,
            "options": int(random.integers(8)),
        }

    def packet(self, rows, width):
        """A packet of random rows; the rows."""
        data = [int.from_bytes(self.random.bytes(width // 8 + 1)) & (1 << width) - 1 for _ in range(rows)]
        for index, row in enumerate(data):
            self.source.put({"data": row, "last": int(index == rows - 1)})
        return data

    def stored(self, fields, step=1):
        """The reference's contents of a transfer's rows; host's rows and whole rows."""
        rows = range(fields["base"], fields["base"] + fields["count"] * step, step)
        return [self.reference.read(fields["memory"], fields["core"], row) for row in rows]

    async def fill(self):
        """Every row of every memory of every core."""
        for region in self.host.regions:
            for core in range(region.cores):
                rows = self.packet(region.rows, self.config.width)
                for row, word in enumerate(rows):
                    self.reference.write(region.number, core, row, word)
                await self.run(kind=TransferKind.LOAD, memory=region.number, core=core, base=0, count=region.rows)


async def load(bench, turn):
    region, fields = bench.place(TransferKind.LOAD)
    rows = bench.packet(fields["count"], bench.config.width)
    for row, word in enumerate(rows, fields["base"]):
        bench.reference.write(region.number, fields["core"], row, word)
    await bench.run(**fields)
    first = fields["base"]
    compare(list(range(first, first + fields["count"])), [access["row"] for _, access in bench.accesses], "rows", turn)
    if bench.host.modulus > 1:
        indexes = [row // region.parts % bench.host.modulus for row in range(first, first + fields["count"])]
        compare(indexes, [access["index"] for _, access in bench.accesses], "indexes", turn)


async def store(bench, turn):
    _, fields = bench.place(TransferKind.STORE)
    beats = cocotb.start_soon(bench.sink.receive_all(fields["count"]))
    await bench.run(**fields)
    beats = await beats
    compare([row for row, _ in bench.stored(fields)], [beat["data"] for beat in beats], "packets_out", turn)
    compare([0] * (fields["count"] - 1) + [1], [beat["last"] for beat in beats], "last", turn)


async def copy(bench, turn):
    region, fields = bench.place(TransferKind.COPY)
    target = int(bench.random.integers(bench.config.copy_rows - fields["count"] + 1))
    await bench.run(**fields, target=target)
    expected = [(target + index, row) for index, (_, row) in enumerate(bench.stored(fields, region.parts))]
    compare(expected, [place[1:] for place in bench.copies], "copies", turn)


@cocotb.test()
async def rows_move(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.fill()
    kinds = [load, store, copy] if bench.config.copy_rows else [load, store]
    for turn in range(100):
        for stream in (bench.source, bench.sink, bench.completions):
            stream.stall = bench.random.choice([0, 0.3, 0.8])
        bench.busy_share = bench.random.choice([0, 0.3, 0.9])
        await kinds[bench.random.integers(len(kinds))](bench, turn)
        assert not bench.flags, bench.flags


@cocotb.test()
async def what_does_not_fit_is_refused(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.fill()
    unknown = next(number for number in range(1 << bench.host.number_width) if number not in bench.reference.rows)
    wrong = [(region.number, base, count) for region in bench.host.regions
             for base, count in ((region.rows, 1), (region.rows - 2, 3), (0, 0))]  # fmt: skip
    wrong += [(unknown, 0, 1), (bench.host.regions[0].number, (1 << bench.config.address_width) - 1, 5)]
    for memory, base, count in wrong:
        for kind in TransferKind:
            if kind == TransferKind.LOAD and count:
                bench.packet(count, bench.config.width)
            await bench.run(kind=kind, memory=memory, base=base, count=count)
            compare({"address_out_of_range"}, bench.flags, "errors", (memory, base, count))
            assert not bench.accesses and not bench.copies and not len(bench.sink)
    if bench.config.copy_rows:
        parts = next(region for region in bench.host.regions if region.parts == bench.host.parts)
        await bench.run(kind=TransferKind.COPY, memory=parts.number, count=2, target=bench.config.copy_rows - 1)
        compare({"address_out_of_range"}, bench.flags, "errors", "copy past the end")
        assert not bench.accesses and not bench.copies
    # The next packet is whole.
    await load(bench, 0)
    assert not bench.flags


@cocotb.test()
async def packets_of_another_length_are_flagged(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.fill()
    region = bench.host.regions[0]
    for count, packet, flag in ((5, 3, "stream_underflow"), (1, 4, "stream_overflow"), (6, 7, "stream_overflow")):
        rows = bench.packet(packet, bench.config.width)
        for row, word in enumerate(rows[:count]):
            bench.reference.write(region.number, 0, row, word)
        await bench.run(kind=TransferKind.LOAD, memory=region.number, count=count)
        compare({flag}, bench.flags, "errors", count)
        beats = cocotb.start_soon(bench.sink.receive_all(region.rows))
        await bench.run(kind=TransferKind.STORE, memory=region.number, count=region.rows)
        expected = [bench.reference.read(region.number, 0, row)[0] for row in range(region.rows)]
        compare(expected, [beat["data"] for beat in await beats], "rows", count)
        assert not bench.flags


@cocotb.test()
async def cycles_are_counted(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.fill()
    for stream in (bench.commands, bench.source, bench.sink, bench.completions):
        stream.stall = 0
    region = max(bench.host.regions, key=lambda region: (region.parts, region.rows))
    fields = {"memory": region.number, "count": region.rows}
    await bench.run(kind=TransferKind.STORE, **fields)
    first = bench.taken + bench.host.latency + 4
    compare([first + row for row in range(region.rows)], bench.beats, "cycles of a store", 0)
    bench.packet(region.rows, bench.config.width)
    await bench.run(kind=TransferKind.LOAD, **fields)
    first = bench.taken + 2
    compare([first + row for row in range(region.rows)], [cycle for cycle, _ in bench.accesses], "cycles of a load", 0)
    settled = region.settle - 1 + bench.host.registered
    compare(bench.accesses[-1][0] + 3 + settled, bench.ended, "cycle of a load's completion", 0)
    if bench.config.copy_rows:
        count = min(region.rows // region.parts, bench.config.copy_rows)
        await bench.run(kind=TransferKind.COPY, memory=region.number, count=count)
        first = bench.taken + bench.host.latency + 2
        compare([first + row for row in range(count)], [copied[0] for copied in bench.copies], "cycles of a copy", 0)


@cocotb.test()
async def a_reset_forgets_what_is_under_way(dut):
    """In any cycle of a store; the next ones are as if nothing had been."""
    bench = Bench(dut)
    await bench.start()
    await bench.fill()
    for stream in (bench.commands, bench.sink, bench.completions):
        stream.stall = 0
    region = max(bench.host.regions, key=lambda region: region.rows)
    for cycles in range(14):
        await bench.commands.send(dict.fromkeys(bench.fields, 0) | {
            "kind": TransferKind.STORE, "memory": region.number, "count": region.rows,
        })  # fmt: skip
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        dut.rst.value = 0
        for _ in range(8):
            await RisingEdge(dut.clk)
        bench.completed = 0
        await bench.sink.receive_all(len(bench.sink))
        beats = cocotb.start_soon(bench.sink.receive_all(3))
        await bench.run(kind=TransferKind.STORE, memory=region.number, base=2, count=3)
        expected = [bench.reference.read(region.number, 0, row)[0] for row in (2, 3, 4)]
        compare(expected, [beat["data"] for beat in await beats], "packets_out", cycles)
