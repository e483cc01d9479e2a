"""The writer before a memory of cocotbext-axi."""

import cocotb
from cocotb.triggers import ClockCycles

from rewardware.hw.soc.bus.axi_writer import AxiWriter
from rewardware.sim.cocotb import StreamSink, StreamSource, rng
from tests.hw.soc.bus.mover_host import FAULTS, MoverHost, Watch, memory_of, random_rows, words_stay

NO_ERROR = {"unaligned": 0, "slave_error": 0, "decode_error": 0, "overflow": 0}


class Host(MoverHost):
    prefix = "write"

    def __init__(self, dut):
        super().__init__(dut)
        self.rows = StreamSource(dut, "write_i")
        dut.write_stop.value = 0
        for channel in ("aw", "w"):
            cocotb.start_soon(words_stay(dut, f"m_axi_{channel}"))

    def put(self, rows, last=1):
        """Offers a packet, or the beginning of one."""
        for index, row in enumerate(rows):
            self.rows.put({"data": row, "last": int(last and index == len(rows) - 1)})

    async def command(self, address, rows, packet=1):
        """Clears the memory around the place, and gives the command."""
        self.memory.write(address - 64, b"\xee" * (64 + rows * self.config.row_bytes + 64))
        await self.commands.send({"address": address, "rows": rows, "packet": packet})

    async def holds(self, address, rows, **flags):
        """The transfer ends, and the memory has these rows there, and nothing beside them."""
        assert await self.completions.receive() == {"rows": len(rows)} | NO_ERROR | flags
        self.compare(address, rows)

    def compare(self, address, rows):
        expected = b"\xee" * 64 + memory_of(self.config, rows) + b"\xee" * 64
        assert self.memory.read(address - 64, len(expected)) == expected, f"{len(rows)} rows at {address:#x}"

    async def stop(self, cycles=1):
        self.dut.write_stop.value = 1
        await ClockCycles(self.dut.clk, cycles)
        self.dut.write_stop.value = 0


@cocotb.test()
async def rows_of_any_number_at_any_place(dut):
    host = await Host.start(dut)
    config, random = host.config, rng("places")
    burst = config.burst_beats * config.rows_per_beat
    places = [(4096 - config.row_bytes, 2), (8192 - 3 * config.row_bytes, 2 * burst + 5), (4096, 1)]
    for stall, count in ((0.0, 3), (0.5, 12)):
        host.stall(stall)
        for _ in range(count):
            place = 64 + int(random.integers(0, 8192 // config.row_bytes)) * config.row_bytes
            places.append((place // config.row_bytes * config.row_bytes, int(random.integers(1, 3 * burst))))
        for address, number in places:
            rows = random_rows(config, random, number)
            host.put(rows)
            # There may also be room for more rows than the packet has.
            await host.command(address, number + int(random.integers(0, 3)))
            await host.holds(address, rows)
    # A high address, whose bits all leave, and one whose carry goes into the upper half.
    rows = random_rows(config, random, 2 * burst)
    high = (1 << config.address_width) - 8192
    for address in (high, (1 << 32) - config.row_bytes):
        host.put(rows)
        await host.command(address, len(rows))
        await host.holds(address, rows)
    assert {high, 1 << 32} <= {address for address, _ in host.memory.bursts["aw"]}
    assert max(beats for _, beats in host.memory.bursts["aw"]) == config.burst_beats


@cocotb.test()
async def a_beat_or_a_row_each_cycle(dut):
    host = await Host.start(dut)
    config, count = host.config, 320
    rows = Watch(dut, dut.write_i__valid, dut.write_i__ready)
    beats = Watch(dut, dut.m_axi_wvalid, dut.m_axi_wready)
    sent = random_rows(config, rng("sent"), count)
    host.put(sent)
    await host.command(4096, count)
    await host.holds(4096, sent)
    assert len(rows.cycles) == count
    assert rows.cycles[-1] - rows.cycles[0] == (count - 1) * config.beats_per_row
    number = count * config.beats_per_row // config.rows_per_beat
    assert len(beats.cycles) == number
    if config.rows_per_beat == 1:
        assert beats.cycles[-1] - beats.cycles[0] == number - 1


@cocotb.test()
async def first_address_in_the_second_cycle(dut):
    host = await Host.start(dut)
    rows = Watch(dut, dut.write_i__valid, dut.write_i__ready)
    addresses = Watch(dut, dut.m_axi_awvalid, dut.m_axi_awready)
    beats = Watch(dut, dut.m_axi_wvalid, dut.m_axi_wready)
    sent = random_rows(host.config, rng("sent"), host.config.burst_beats * host.config.rows_per_beat)
    host.put(sent)
    await host.command(4096, len(sent) + 1)
    await host.holds(4096, sent)
    whole = host.config.burst_beats * host.config.rows_per_beat // host.config.beats_per_row
    assert addresses.cycles[0] - rows.cycles[whole - 1] == AxiWriter(host.config).latency == 2
    assert beats.cycles[0] - rows.cycles[whole - 1] == 3


@cocotb.test()
async def bursts_wait_for_their_rows_and_data_for_no_address(dut):
    host = await Host.start(dut)
    config, random = host.config, rng("waits")
    rows = random_rows(config, random, 2 * config.burst_beats * config.rows_per_beat)
    few = config.burst_beats * config.rows_per_beat // config.beats_per_row - 1
    host.put(rows[:few], last=0)
    await host.command(4096, len(rows))
    await ClockCycles(dut.clk, 100)
    assert not host.memory.bursts["aw"] and not dut.m_axi_wvalid.value
    host.memory.channels[0].pause = True
    await ClockCycles(dut.clk, 2)
    moved = Watch(dut, dut.m_axi_wvalid, dut.m_axi_wready)
    host.put(rows[few:])
    await ClockCycles(dut.clk, 300)
    # The memory may wait for data before it takes an address.
    assert moved.cycles
    host.memory.channels[0].pause = False
    await host.holds(4096, rows)


@cocotb.test()
async def completion_waits_for_all_responses(dut):
    host = await Host.start(dut)
    config = host.config
    rows = random_rows(
        config,
        rng("sent"),
        config.burst_beats * (config.outstanding + 2) * config.rows_per_beat // config.beats_per_row,
    )
    addresses = Watch(dut, dut.m_axi_awvalid, dut.m_axi_awready)
    host.memory.channels[2].pause = True
    host.put(rows)
    await host.command(4096, len(rows))
    await ClockCycles(dut.clk, 3 * len(rows) * config.beats_per_row + 100)
    assert len(host.completions) == 0 and 1 < len(addresses.cycles) <= config.outstanding
    host.memory.channels[2].pause = False
    await host.holds(4096, rows)


@cocotb.test()
async def packets_and_rows_end_a_transfer(dut):
    host = await Host.start(dut, stall=0.2)
    config, random = host.config, rng("ends")
    # A packet that is too long: its rest is dropped, and the next packet is whole.
    for stall in (0.2, 0.0):
        host.rows.stall = stall
        first, second = random_rows(config, random, 23), random_rows(config, random, 5)
        host.put(first)
        host.put(second)
        await host.command(4096, 11)
        await host.holds(4096, first[:11], overflow=1)
        await host.command(4096, 11)
        await host.holds(4096, second)
        # Rows of any packets.
        host.put(first)
        host.put(second)
        await host.command(4096, 7, packet=0)
        await host.holds(4096, first[:7])
        await host.command(4096, 21, packet=0)
        await host.holds(4096, first[7:] + second)


@cocotb.test()
async def a_transfer_is_stopped(dut):
    host = await Host.start(dut, stall=0.2)
    config, random = host.config, rng("stops")
    for count in (0, 1, 2, 3, 9, 2 * config.burst_beats * config.rows_per_beat + 1):
        rows = random_rows(config, random, count)
        host.put(rows, last=0)
        await host.command(4096, count + 5)
        await ClockCycles(dut.clk, 20 * config.beats_per_row * (count + 1))
        assert len(host.completions) == 0
        await host.stop()
        await host.holds(4096, rows)
    # While the rest of a packet is dropped; and without a transfer, nothing.
    rows = random_rows(config, random, 5)
    host.put(rows, last=0)
    await host.command(4096, 3)
    await ClockCycles(dut.clk, 60 * config.beats_per_row)
    await host.stop()
    await host.holds(4096, rows[:3], overflow=1)
    await host.stop(3)
    host.put(rows)
    await host.command(4096, 5)
    await host.holds(4096, rows)


@cocotb.test()
async def a_stop_amid_traffic_cuts_between_rows(dut):
    host = await Host.start(dut, stall=0.2)
    config, random = host.config, rng("cuts")
    host.rows.stall = 0.0
    ends = set()
    for cycles in range(6, 30):
        rows = random_rows(config, random, 40)
        host.put(rows)
        await host.command(4096, 40)
        await ClockCycles(dut.clk, cycles)
        await host.stop()
        answer = await host.completions.receive()
        count = answer["rows"]
        assert answer == {"rows": count} | NO_ERROR
        host.compare(4096, rows[:count])
        ends.add(count)
        # The rest of the packet is a transfer of its own.
        await host.command(4096, 40)
        await host.holds(4096, rows[count:])
    assert len(ends) > 3 and max(ends) < 40


@cocotb.test()
async def errors_are_told_and_the_transfer_ends(dut):
    host = await Host.start(dut, stall=0.2)
    config = host.config
    rows = random_rows(config, rng("sent"), 40)
    for error, flag in FAULTS:
        host.memory.faults = {4096 + 5 * config.row_bytes: error}
        host.put(rows)
        await host.command(4096, 40)
        await host.holds(4096, rows, **{flag: 1})
        host.memory.faults = {}
        host.put(rows)
        await host.command(4096, 40)
        await host.holds(4096, rows)


@cocotb.test()
async def what_cannot_be_moved_is_refused(dut):
    host = await Host.start(dut)
    for offset in (1, 2, host.config.row_bytes // 2, host.config.row_bytes - 1):
        await host.commands.send({"address": offset, "rows": 3, "packet": 1})
        assert await host.completions.receive() == NO_ERROR | {"rows": 0, "unaligned": 1}
    await host.commands.send({"address": 0, "rows": 0, "packet": 1})
    assert await host.completions.receive() == NO_ERROR | {"rows": 0}
    await ClockCycles(dut.clk, 50)
    assert not host.memory.bursts["aw"]


@cocotb.test()
async def reader_and_writer_at_once(dut):
    host = await Host.start(dut, stall=0.3)
    config = host.config
    commands = StreamSource(dut, "read_commands")
    results, taken = StreamSink(dut, "read_completions"), StreamSink(dut, "read_o", stall=0.3)
    rows, written = random_rows(config, rng("read"), 90), random_rows(config, rng("written"), 77)
    host.memory.write(1 << 15, memory_of(config, rows))
    commands.put({"address": 1 << 15, "rows": 90, "last": 1})
    host.put(written)
    await host.command(4096, 100)
    await host.holds(4096, written)
    assert not any((await results.receive()).values())
    assert [row["data"] for row in await taken.receive_all(90)] == rows
