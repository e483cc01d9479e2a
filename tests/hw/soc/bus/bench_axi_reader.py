"""The reader before a memory of cocotbext-axi."""

import cocotb
from cocotb.triggers import ClockCycles

from rewardware.hw.soc.bus.axi_reader import AxiReader
from rewardware.sim.cocotb import StreamSink, rng
from tests.hw.soc.bus.mover_host import FAULTS, MoverHost, Watch, memory_of, random_rows

NO_ERROR = {"unaligned": 0, "slave_error": 0, "decode_error": 0}


class Host(MoverHost):
    prefix = "read"

    def __init__(self, dut):
        super().__init__(dut)
        self.rows = StreamSink(dut, "read_o")

    async def reads(self, address, count, last=1):
        """Moves rows and compares them."""
        config = self.config
        expected = random_rows(config, rng(f"rows at {address}"), count)
        self.memory.write(address, memory_of(config, expected))
        await self.commands.send({"address": address, "rows": count, "last": last})
        assert await self.completions.receive() == NO_ERROR
        got = await self.rows.receive_all(count)
        assert [row["data"] for row in got] == expected, f"{count} rows at {address:#x}"
        assert [row["last"] for row in got] == [0] * (count - 1) + [last]


@cocotb.test()
async def rows_of_any_number_at_any_place(dut):
    host = await Host.start(dut)
    config, random = host.config, rng("places")
    burst = config.burst_beats * config.rows_per_beat
    for stall, count in ((0.0, 3), (0.5, 12)):
        host.stall(stall)
        await host.reads(4096 - config.row_bytes, 2)
        await host.reads(2 * 4096 - 3 * config.row_bytes, 2 * burst + 5, last=0)
        for _ in range(count):
            rows = int(random.integers(1, 3 * burst))
            await host.reads(int(random.integers(0, 8192 // config.row_bytes)) * config.row_bytes, rows)
    # Into the upper half of the address.
    await host.reads((1 << 32) - config.row_bytes, 2 * burst)
    assert 1 << 32 in [address for address, _ in host.memory.bursts["ar"]]
    # A high address, whose bits all arrive.
    high = (1 << config.address_width) - 8192
    await host.reads(high, 3 * burst)
    following = high + config.burst_beats * config.data_width // 8
    assert {high, following} <= {address for address, _ in host.memory.bursts["ar"]}
    assert max(beats for _, beats in host.memory.bursts["ar"]) == config.burst_beats


@cocotb.test()
async def a_beat_or_a_row_each_cycle(dut):
    host = await Host.start(dut)
    config, count = host.config, 300
    beats = Watch(dut, dut.m_axi_rvalid, dut.m_axi_rready)
    rows = Watch(dut, dut.read_o__valid, dut.read_o__ready)
    await host.reads(0, count)
    assert len(rows.cycles) == count
    assert rows.cycles[-1] - rows.cycles[0] == (count - 1) * config.beats_per_row
    assert len(beats.cycles) == count * config.beats_per_row // config.rows_per_beat
    # A row leaves two cycles after its last beat came.
    assert rows.cycles[0] - beats.cycles[config.beats_per_row - 1] == 2


@cocotb.test()
async def first_address_in_the_third_cycle(dut):
    host = await Host.start(dut)
    commands = Watch(dut, dut.read_commands__valid, dut.read_commands__ready)
    addresses = Watch(dut, dut.m_axi_arvalid, dut.m_axi_arready)
    await host.reads(0, 1)
    assert addresses.cycles[0] - commands.cycles[0] == AxiReader(host.config).latency == 3


@cocotb.test()
async def bursts_under_way_have_room(dut):
    host = await Host.start(dut)
    config = host.config
    host.rows.stall = 1.0
    rows = config.burst_beats * (config.outstanding + 2) * config.rows_per_beat // config.beats_per_row
    await host.commands.send({"address": 0, "rows": rows, "last": 1})
    for _ in range(rows * config.beats_per_row + 200):
        await ClockCycles(dut.clk, 1)
        assert dut.m_axi_rready.value or not dut.m_axi_rvalid.value, "the memory waits for the stream"
    assert len(host.memory.bursts["ar"]) == config.outstanding
    host.rows.stall = 0.0
    assert await host.completions.receive() == NO_ERROR
    assert len(await host.rows.receive_all(rows)) == rows


@cocotb.test()
async def errors_are_told_and_the_transfer_ends(dut):
    host = await Host.start(dut, stall=0.2)
    config = host.config
    for error, flag in FAULTS:
        host.memory.faults = {5 * config.row_bytes: error}
        await host.commands.send({"address": 0, "rows": 40, "last": 1})
        assert await host.completions.receive() == NO_ERROR | {flag: 1}
        assert len(await host.rows.receive_all(40)) == 40
        host.memory.faults = {}
        await host.reads(0, 7)


@cocotb.test()
async def what_cannot_be_moved_is_refused(dut):
    host = await Host.start(dut)
    for offset in (1, 2, host.config.row_bytes // 2, host.config.row_bytes - 1):
        await host.commands.send({"address": offset, "rows": 3, "last": 1})
        assert await host.completions.receive() == NO_ERROR | {"unaligned": 1}
    await host.commands.send({"address": 0, "rows": 0, "last": 1})
    assert await host.completions.receive() == NO_ERROR
    await ClockCycles(dut.clk, 50)
    assert len(host.rows) == 0 and not host.memory.bursts["ar"]
    await host.reads(0, 3)
