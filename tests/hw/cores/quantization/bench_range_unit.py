"""Random monitoring, freezing and host access against the reference."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.quantization.parameters import recorded_range, slot_parameters
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.quantization.ranges import RangeReference

ROUNDS = 16


class Bench:
    """The unit, its reference and what goes into both."""

    def __init__(self, dut):
        run = parameters()
        self.dut, self.config, self.monitor_latency = dut, run["config"], run["monitor_latency"]
        self.random = rng()
        self.reference = RangeReference(self.config.slots)

    async def start(self):
        for name in ("monitor__valid", "control__clear", "control__freeze", "write__enable", "read__enable"):
            getattr(self.dut, name).value = 0
        await clock_and_reset(self.dut)

    async def monitor(self, rows, smallest=1, largest=31):
        """Rows of values below a power of two between two others, one a cycle with gaps."""
        config = self.config
        for _ in range(rows):
            valid, slot = self.random.random() < 0.8, int(self.random.integers(config.slots))
            magnitude = int(self.random.integers(smallest, largest + 1))
            values = self.random.integers(-(1 << magnitude), 1 << magnitude, (config.cores, config.lanes))
            await self.row(slot, values, self.random.random((config.cores, config.lanes)) < 0.7, valid)
        self.dut.monitor__valid.value = 0

    async def row(self, slot, values, mask, valid=True):
        self.dut.monitor__valid.value = int(valid)
        self.dut.monitor__slot.value = slot
        self.dut.monitor__mask.value = sum(int(bit) << number for number, bit in enumerate(mask.flat))
        self.dut.monitor__values.value = int.from_bytes(values.astype("<i4").tobytes(), "little")
        if valid:
            self.reference.monitor(slot, values[mask])
        await RisingEdge(self.dut.clk)

    async def extremes(self):
        """Monitor a least and a greatest value near the ends of the words in every slot."""
        shape = self.config.cores, self.config.lanes
        for slot in range(self.config.slots):
            for least in (-(1 << 31), 1 << 30):
                values = self.random.integers(least, least + (1 << 30), shape)
                await self.row(slot, values, np.ones(shape, bool))
        self.dut.monitor__valid.value = 0

    async def check_ranges(self):
        for slot in range(self.config.slots):
            self.dut.read__address.value, self.dut.read__enable.value = slot, 1
            await RisingEdge(self.dut.clk)
            # Data that were read stay, whatever is on the address.
            self.dut.read__address.value, self.dut.read__enable.value = (slot + 1) % self.config.slots, 0
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            read = codec_of(recorded_range).unpack(int(self.dut.read__data.value))
            got = [read["minimum"], read["maximum"]]
            compare([self.reference.minima[slot], self.reference.maxima[slot]], got, "read", slot)
            await RisingEdge(self.dut.clk)

    async def pulse(self, name):
        getattr(self.dut, name).value = 1
        await RisingEdge(self.dut.clk)
        getattr(self.dut, name).value = 0

    async def freeze(self, bits):
        """Right after the last row."""
        self.dut.control__bits.value = bits
        await self.pulse("control__freeze")
        self.dut.monitor__valid.value = 0
        cycles, done = 0, 0
        while not done:
            await ReadOnly()
            done = int(self.dut.control__done.value)
            await RisingEdge(self.dut.clk)
            cycles += 1
            if cycles > 200 * self.config.slots:
                raise TimeoutError("freeze: not done within 200 cycles a slot")
        self.reference.freeze(bits)
        # After the rows on their way 137 cycles a slot, and one for each bit of its scale.
        slots = range(self.config.slots)
        scales = [max(1, self.reference.maxima[slot] - self.reference.minima[slot]) for slot in slots]
        expected = self.monitor_latency + 1 + sum(137 + int(scale).bit_length() for scale in scales)
        compare(expected, cycles, "cycles of a freeze", bits)

    async def check_lookups(self):
        """A random slot in each port, every cycle."""
        codec = codec_of(slot_parameters)
        asked = None
        for cycle in range(3 * self.config.slots):
            slots = self.random.integers(0, self.config.slots, self.config.lookups).tolist()
            for port, slot in enumerate(slots):
                getattr(self.dut, f"lookups__{port}__slot").value = slot
            await ReadOnly()
            for port, slot in enumerate(asked or []):
                frozen = self.reference.parameters[slot]
                expected = {name: getattr(frozen, name) for name, _ in slot_parameters}
                got = codec.unpack(int(getattr(self.dut, f"lookups__{port}__parameters").value))
                compare(expected, got, f"lookup_parameters[{port}] of slot {slot}", cycle)
            await RisingEdge(self.dut.clk)
            asked = slots


@cocotb.test()
async def ranges_freeze_into_parameters(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.check_lookups()
    for bits in (16, 8, 11):
        await bench.monitor(40)
        await bench.freeze(bits)
        await bench.check_ranges()
        await bench.check_lookups()


@cocotb.test()
async def a_row_is_recorded_after_its_latency(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.monitor(30)
    for _ in range(bench.monitor_latency - 1):
        await RisingEdge(dut.clk)
    await bench.check_ranges()


@cocotb.test()
async def a_freeze_waits_for_the_rows_on_their_way(dut):
    """A row that grows the range of the first slot, in the cycle of the freeze and in every one before."""
    bench = Bench(dut)
    await bench.start()
    count = bench.config.cores * bench.config.lanes
    for before in range(bench.monitor_latency + 1):
        value = 1000 * (before + 1)
        dut.monitor__slot.value, dut.monitor__mask.value = 0, 1 << count - 1
        dut.monitor__values.value = value << 32 * (count - 1)
        dut.monitor__valid.value = 1
        bench.reference.monitor(0, np.array([value]))
        for _ in range(before):
            await RisingEdge(dut.clk)
            dut.monitor__valid.value = 0
        await bench.freeze(16)
        await bench.check_lookups()


@cocotb.test()
async def host_writes_and_clears(dut):
    bench = Bench(dut)
    await bench.start()
    corners = [(-(1 << 31), (1 << 31) - 1), (0, 0), (-1, 0), (5, -5), (0, 1)]
    for slot in range(bench.config.slots):
        minimum, maximum = corners[slot % len(corners)]
        dut.write__address.value = slot
        dut.write__data.value = codec_of(recorded_range).pack({"minimum": minimum, "maximum": maximum})
        await bench.pulse("write__enable")
        bench.reference.write(slot, minimum, maximum)
    await bench.check_ranges()
    await bench.freeze(16)
    await bench.pulse("control__clear")
    bench.reference.clear()
    await bench.check_ranges()
    await bench.check_lookups()
    await bench.monitor(10)
    await bench.freeze(9)
    await bench.check_lookups()


@cocotb.test()
async def any_range_is_written_monitored_and_frozen(dut):
    """Ranges of every magnitude in every slot, grown by values of every magnitude."""
    bench = Bench(dut)
    await bench.start()
    await bench.check_ranges()
    codec = codec_of(recorded_range)
    for number in range(ROUNDS):
        for slot in bench.random.permutation(bench.config.slots).tolist():
            words, cuts = bench.random.integers(-1 << 31, 1 << 31, size=2), bench.random.integers(32, size=2)
            minimum, maximum = (words >> cuts).tolist()
            dut.write__address.value = slot
            dut.write__data.value = codec.pack({"minimum": minimum, "maximum": maximum})
            await bench.pulse("write__enable")
            bench.reference.write(slot, minimum, maximum)
        # The write's other inputs mean nothing without its enable.
        dut.write__data.value = codec.pack({"minimum": 1 << 30, "maximum": -1})
        await bench.check_ranges()
        await bench.freeze(int(bench.random.integers(8, 17)))
        await bench.check_lookups()
        await bench.pulse("control__clear")
        bench.reference.clear()
        await bench.monitor(4 * bench.config.slots, smallest=max(1, 2 * number - 1), largest=1 + 2 * number)
        if number == ROUNDS - 1:
            await bench.extremes()
        await bench.freeze(int(bench.random.integers(8, 17)))
        await bench.check_ranges()
        await bench.check_lookups()
