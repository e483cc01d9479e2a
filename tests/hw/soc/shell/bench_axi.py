"""The row memory behind its AXI ports, driven by cocotbext-axi with stalls on every channel."""

import logging

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)

from rewardware.hw.soc.bus.registers import Access
from rewardware.sim.cocotb import parameters, rng
from tests.hw.soc.shell.row_memory import INSTRUCTION_SET

LIMIT_POLLS = 2000


class Host:
    def __init__(self, dut):
        self.dut = dut
        given = parameters()
        self.config, stall = given["config"], given["stall"]
        self.map = self.config.shell.address_map
        self.period, self.core_period = given.get("periods", (10, None))
        cocotb.start_soon(Clock(dut.aclk, self.period, unit="ns").start(start_high=False))
        if self.core_period:
            cocotb.start_soon(Clock(dut.core_clk, self.core_period, unit="ns").start(start_high=False))
        self.control = AxiLiteMaster(
            AxiLiteBus.from_prefix(dut, "s_axi_ctrl"), dut.aclk, dut.aresetn, reset_active_level=False
        )
        stream = {
            "clock": dut.aclk,
            "reset": dut.aresetn,
            "reset_active_level": False,
        }
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), **stream)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), **stream)
        for part in (self.control.write_if, self.control.read_if, self.source, self.sink):
            part.log.setLevel(logging.WARNING)
        if stall:
            write, read = self.control.write_if, self.control.read_if
            channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)
            for index, channel in enumerate((*channels, self.source, self.sink)):
                channel.set_pause_generator(self.stalls(index, stall))

    @staticmethod
    def stalls(index, stall):
        random = rng(f"channel {index}")
        while True:
            yield bool(random.random() < stall)

    async def reset(self):
        self.dut.aresetn.value = 0
        # Four cycles of the slower clock.
        await ClockCycles(self.dut.aclk, 4 * max(1, -(-(self.core_period or 0) // self.period)))
        self.dut.aresetn.value = 1
        await ClockCycles(self.dut.aclk, 2)

    async def read(self, name):
        placed = self.map[name]
        answer = await self.control.read(placed.address, placed.item.size)
        assert answer.resp == AxiResp.OKAY, f"read of {name}: {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def write(self, name, value):
        answer = await self.control.write(self.map[name].address, value.to_bytes(4, "little"))
        assert answer.resp == AxiResp.OKAY, f"write to {name}: {answer.resp!r}"

    async def load(self, program):
        place = self.map["program"].address
        words = b"".join(word.to_bytes(8, "little") for word in program)
        answer = await self.control.write(place, words)
        assert answer.resp == AxiResp.OKAY

    async def until_stopped(self):
        for _ in range(LIMIT_POLLS):
            state = await self.read("status") & 3
            if state != 1:
                return state
        raise AssertionError("still running")

    async def store(self, count, base=0):
        """Starts a program that sends rows."""
        await self.load([INSTRUCTION_SET.encode("store", base=base, count=count), INSTRUCTION_SET.encode("halt")])
        await self.write("control", 1)

    async def fill(self, rows):
        """Loads rows to the memory's beginning."""
        count = len(rows) // (4 * self.config.lanes)
        await self.load([INSTRUCTION_SET.encode("load", base=0, count=count), INSTRUCTION_SET.encode("halt")])
        await self.source.send(AxiStreamFrame(rows))
        await self.write("control", 1)
        assert await self.until_stopped() == 2

    async def refuses(self, value):
        answer = await self.control.write(self.map["control"].address, value.to_bytes(4, "little"))
        return answer.resp == AxiResp.SLVERR

    def hold_rows(self, held):
        """Whether the host takes no rows."""
        self.sink.clear_pause_generator()
        self.sink.pause = held


async def host_of(dut):
    host = Host(dut)
    await host.reset()
    cocotb.start_soon(rows_stay_until_they_are_taken(dut))
    return host


async def rows_stay_until_they_are_taken(dut):
    waiting = None
    while True:
        await RisingEdge(dut.aclk)
        row = (int(dut.m_axis_tdata.value), int(dut.m_axis_tlast.value)) if dut.m_axis_tvalid.value else None
        assert waiting in (None, row), f"the row {waiting} that waited became {row}"
        waiting = None if not dut.aresetn.value or dut.m_axis_tready.value else row


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def every_address_answers_as_the_map_says(dut):
    host = await host_of(dut)
    inside = {}
    for placed in host.map.registers:
        for address in range(placed.address, placed.end, 4):
            inside[address] = placed.item
    program = host.map["program"]
    for address in range(0, 1 << host.map.address_width, 4):
        if address >= 0x180 and address < program.address:
            continue
        answer = await host.control.read(address, 4)
        assert (answer.resp == AxiResp.OKAY) == (address in inside), f"read of {address:#x}: {answer.resp!r}"
        item = inside.get(address)
        if item is not None and item.access is Access.STROBE:
            continue
        answer = await host.control.write(address, bytes(4))
        read_only = item is not None and item.access in (Access.CONSTANT, Access.READ_ONLY)
        good = address >= program.address or (item is not None and not read_only)
        assert (answer.resp == AxiResp.OKAY) == good, f"write to {address:#x}: {answer.resp!r}"


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def registers_begin_as_the_map_says(dut):
    host = await host_of(dut)
    for placed in host.map.registers:
        if placed.item.access is not Access.STROBE:
            assert await host.read(placed.item.name) == placed.item.reset, placed.item.name
    assert host.map["identification"].item.reset == int.from_bytes(b"RWDW", "little")
    assert host.map["configuration_hash"].item.reset == host.config.shell.configuration_hash != 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def nothing_is_taken_while_reset(dut):
    host = await host_of(dut)
    dut.aresetn.value = 0
    await ClockCycles(dut.aclk, 3)
    readys = [dut.s_axis_tready, dut.s_axi_ctrl_awready, dut.s_axi_ctrl_wready, dut.s_axi_ctrl_arready]
    assert [int(ready.value) for ready in readys] == [0] * 4
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 1)
    # The register: the reset's end comes a cycle later.
    await FallingEdge(dut.aclk)
    assert [int(ready.value) for ready in readys] == [1] * 4
    assert await host.read("status") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def bytes_are_written_one_by_one(dut):
    host = await host_of(dut)
    random = rng("bytes")
    assert await host.read("offset") == 7
    expected = bytearray((7).to_bytes(4, "little"))
    for _ in range(60):
        first = int(random.integers(0, 4))
        data = random.bytes(int(random.integers(1, 5 - first)))
        await host.control.write(host.map["offset"].address + first, data)
        expected[first : first + len(data)] = data
        assert await host.read("offset") == int.from_bytes(expected, "little")
    answer = await host.control.write(host.map["program"].address + 1, b"x")
    assert answer.resp == AxiResp.SLVERR


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def programs_move_rows(dut):
    host = await host_of(dut)
    random = rng("rows")
    await host.load([INSTRUCTION_SET.encode("halt")] * 3)
    for count in (1, 7, 40):
        rows = random.bytes(count * 4 * host.config.lanes)
        program = [
            INSTRUCTION_SET.encode("load", base=3, count=count),
            INSTRUCTION_SET.encode("store", wait="all", base=3, count=count),
            INSTRUCTION_SET.encode("halt"),
        ]
        await host.load(program)
        await host.source.send(AxiStreamFrame(rows))
        await host.write("control", 1)
        assert await host.until_stopped() == 2
        frame = await host.sink.recv()
        assert bytes(frame.tdata) == rows
    assert host.sink.empty() and host.source.empty()
    assert await host.read("rows_loaded") == 48
    assert await host.read("retired") == 3
    assert await host.read("seen") == 1
    await host.write("seen", 1)
    assert await host.read("seen") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def flags_are_sticky_until_ones_are_written(dut):
    host = await host_of(dut)
    await host.load([0])
    await host.write("control", 1)
    assert await host.until_stopped() == 3
    assert await host.read("errors") == 1
    await host.write("errors", 0b10)
    assert await host.read("errors") == 1
    await host.write("control", 2)
    assert await host.until_stopped() == 3
    assert await host.read("retired") == 0
    await host.write("errors", 1)
    assert await host.until_stopped() == 0
    assert await host.read("errors") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def starts_that_would_be_lost_are_refused(dut):
    host = await host_of(dut)
    await host.load([0])
    # Together with a soft reset neither happens.
    assert await host.refuses(3)
    assert await host.read("status") == 0
    assert not await host.refuses(1)
    assert await host.until_stopped() == 3
    assert await host.refuses(1)
    await host.write("errors", 1)
    # A program that runs for ever: its packet does not come.
    await host.load([INSTRUCTION_SET.encode("load", base=0, count=1), INSTRUCTION_SET.encode("wait", wait="load")])
    assert not await host.refuses(1)
    assert await host.refuses(1)
    assert await host.refuses(3)
    assert await host.read("status") & 3 == 1
    assert not await host.refuses(2)
    assert await host.until_stopped() == 0


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def interrupts_are_enabled_and_acknowledged(dut):
    host = await host_of(dut)
    for round_ in range(2):
        host.hold_rows(True)
        await host.store(3)
        assert await host.until_stopped() == 2
        # The rows are still in the buffer.
        assert await host.read("interrupt_status") == 0
        host.hold_rows(False)
        assert len((await host.sink.recv()).tdata) == 3 * 4 * host.config.lanes
        assert await host.read("interrupt_status") == 1
        assert dut.interrupt.value == round_
        await host.write("interrupt_enable", 2)
        assert dut.interrupt.value == 0
        await host.write("interrupt_enable", 1)
        assert dut.interrupt.value == 1
        await host.write("interrupt_status", 2)
        assert dut.interrupt.value == 1
        await host.write("interrupt_status", 1)
        assert dut.interrupt.value == 0 and await host.read("interrupt_status") == 0
    await host.load([0])
    await host.write("control", 1)
    assert await host.until_stopped() == 3
    assert await host.read("interrupt_status") == 2 and dut.interrupt.value == 0
    await host.write("interrupt_enable", 3)
    assert dut.interrupt.value == 1
    await host.write("interrupt_status", 3)
    assert dut.interrupt.value == 0


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def soft_reset_ends_the_packet_that_leaves(dut):
    host = await host_of(dut)
    row_bytes = 4 * host.config.lanes
    rows = rng("leaving").bytes(40 * row_bytes)
    await host.fill(rows)
    for taken in (0, 1, 7):
        host.hold_rows(True)
        await host.store(40)
        while not dut.m_axis_tvalid.value:
            await RisingEdge(dut.aclk)
        if taken:
            host.hold_rows(False)
            await ClockCycles(dut.aclk, 2 * taken)
            host.hold_rows(True)
        await ClockCycles(dut.aclk, 20)
        await host.write("control", 2)
        assert await host.until_stopped() == 0
        assert dut.m_axis_tvalid.value == 1
        # Rows of the next program wait for the end of that packet.
        await host.store(3, base=5)
        await ClockCycles(dut.aclk, 30)
        host.hold_rows(False)
        cut, whole = bytes((await host.sink.recv()).tdata), bytes((await host.sink.recv()).tdata)
        assert 2 * row_bytes <= len(cut) < 30 * row_bytes
        assert cut[:-row_bytes] == rows[: len(cut) - row_bytes]
        assert whole == rows[5 * row_bytes : 8 * row_bytes]
        assert await host.until_stopped() == 2
    assert host.sink.empty()


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def soft_reset_discards_the_packet_that_arrives(dut):
    host = await host_of(dut)
    row_bytes = 4 * host.config.lanes
    random = rng("arriving")
    for cycles in (40, 60, 61):
        await host.source.send(AxiStreamFrame(random.bytes(40 * row_bytes)))
        await ClockCycles(dut.aclk, cycles)
        await host.write("control", 2)
        rows = random.bytes(7 * row_bytes)
        await host.fill(rows)
        await host.store(7)
        assert bytes((await host.sink.recv()).tdata) == rows
        assert await host.until_stopped() == 2
        assert await host.read("errors") == 0
    assert host.sink.empty() and host.source.empty()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def wide_counters_are_read_whole(dut):
    host = await host_of(dut)
    await host.load([INSTRUCTION_SET.encode("load", base=0, count=1), INSTRUCTION_SET.encode("halt")])
    await host.write("control", 1)
    before = 0
    for _ in range(20):
        cycles = await host.read("cycles")
        assert before < cycles < 2**20
        before = cycles
    await host.write("control", 2)
    assert await host.until_stopped() == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_row_that_lacks_bytes_is_told(dut):
    host = await host_of(dut)
    row_bytes = 4 * host.config.lanes
    for count in (1, 3):
        whole, partial = rng("whole").bytes(count * row_bytes), rng("partial").bytes(count * row_bytes - 1)
        await host.fill(whole)
        assert await host.read("errors") == 0
        await host.load([INSTRUCTION_SET.encode("load", base=0, count=count), INSTRUCTION_SET.encode("halt")])
        await host.write("control", 1)
        await host.source.send(AxiStreamFrame(partial))
        assert await host.until_stopped() == 3
        assert await host.read("errors") == 4
        await host.write("control", 2)
        await host.write("errors", 4)
        assert await host.until_stopped() == 0
