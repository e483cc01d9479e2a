"""The row memory behind its AXI ports, driven by cocotbext-axi with stalls on every channel."""

import logging

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
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
        cocotb.start_soon(Clock(dut.aclk, 10, unit="ns").start(start_high=False))
        self.control = AxiLiteMaster(
            AxiLiteBus.from_prefix(dut, "s_axi_ctrl"), dut.aclk, dut.aresetn, reset_active_level=False
        )
        stream = {
            "clock": dut.aclk,
            "reset": dut.aresetn,
            "reset_active_level": False,
            "byte_lanes": 4 * self.config.lanes,
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
        await ClockCycles(self.dut.aclk, 4)
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


async def host_of(dut):
    host = Host(dut)
    await host.reset()
    return host


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
        good = address >= program.address or (item is not None and item.access is not Access.READ_ONLY)
        assert (answer.resp == AxiResp.OKAY) == good, f"write to {address:#x}: {answer.resp!r}"


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
        assert dut.interrupt.value == 1
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
    await host.write("control", 1)
    assert await host.until_stopped() == 3
    assert await host.read("retired") == 0
    await host.write("errors", 1)
    assert await host.until_stopped() == 0
    assert await host.read("errors") == 0


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
