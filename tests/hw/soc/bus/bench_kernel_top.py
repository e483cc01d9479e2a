"""The row memory as a kernel: registers, movers and interrupt."""

import cocotb
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiResp

from rewardware.hw.soc.bus.registers import Access
from rewardware.sim.cocotb import rng
from tests.hw.soc.bus.kernel_host import (
    ACROSS,
    DESTINATION,
    KEEP_OPEN,
    READ,
    SOURCE,
    STOP,
    WRITE,
    KernelHost,
)
from tests.hw.soc.bus.mover_host import memory_of, random_rows
from tests.hw.soc.shell.row_memory import INSTRUCTION_SET

HALT = INSTRUCTION_SET.encode("halt")


def transfer(name, count, base=0):
    return INSTRUCTION_SET.encode(name, wait="all", base=base, count=count)


async def host_of(dut):
    host = KernelHost(dut)
    await host.reset()
    return host


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def every_address_answers_as_the_map_says(dut):
    host = await host_of(dut)
    inside = {address: entry.item for entry in host.map.registers for address in range(entry.address, entry.end, 4)}
    program = host.map["program"]
    for address in range(0, 1 << host.map.address_width, 4):
        item = inside.get(address)
        answer = await host.control.read(address, 4)
        assert (answer.resp == AxiResp.OKAY) == (item is not None), f"read of {address:#x}: {answer.resp!r}"
        if item is not None and item.access is not Access.STROBE and item.size == 4:
            assert int.from_bytes(answer.data, "little") == item.reset, item.name
        answer = await host.control.write(address, bytes(4))
        read_only = item is not None and item.access in (Access.CONSTANT, Access.READ_ONLY)
        good = address >= program.address or (item is not None and not read_only)
        assert (answer.resp == AxiResp.OKAY) == good, f"write to {address:#x}: {answer.resp!r}"


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def rows_go_through_the_device(dut):
    host = await host_of(dut)
    random, stride = rng("rows"), host.rows.row_bytes
    await host.set("movers_interrupt_enable", 2)
    for count, place in ((1, 0), (7, 5), (90, 250)):
        rows = random_rows(host.rows, random, count)
        host.source.write(SOURCE + place * stride, memory_of(host.rows, rows))
        host.destination.write(DESTINATION, b"\xee" * (count + 1) * stride)
        await host.load([transfer("load", count), transfer("store", count), HALT])
        # Both movers one after the other, or by one word.
        assert await host.begin("source", SOURCE + place * stride, count, READ if place else 0)
        assert await host.begin("destination", DESTINATION, 1000, WRITE if place else READ | WRITE)
        assert not dut.interrupt.value
        await host.set("control", 1)
        while not dut.interrupt.value:
            await ClockCycles(dut.ap_clk, 1)
        assert await host.read("movers_status") == 0
        assert await host.read("movers_interrupt_status") == 3
        await host.set("movers_interrupt_status", 2)
        assert not dut.interrupt.value
        await host.set("movers_interrupt_status", 1)
        assert await host.read("rows_written") == count
        expected = memory_of(host.rows, rows) + b"\xee" * stride
        assert host.destination.read(DESTINATION, len(expected)) == expected
        assert await host.until_stopped() == 2
        # The system's own interrupt is joined to it.
        await host.set("interrupt_enable", 1)
        await ClockCycles(dut.ap_clk, 20)
        assert dut.interrupt.value
        await host.set("interrupt_status", 1)
        await host.set("interrupt_enable", 0)
        await ClockCycles(dut.ap_clk, 20)
        assert not dut.interrupt.value
    assert await host.read("movers_errors") == 0


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def packets_are_joined_and_cut(dut):
    host = await host_of(dut)
    random, stride = rng("packets"), host.rows.row_bytes
    rows = random_rows(host.rows, random, 20)
    host.source.write(SOURCE, memory_of(host.rows, rows))
    host.destination.write(DESTINATION, b"\xee" * 20 * stride)
    # One packet from two places in the memory, and two packets to one place.
    await host.load([transfer("load", 20), transfer("store", 8), transfer("store", 12, base=8), HALT])
    assert await host.begin("destination", DESTINATION, 20, WRITE | ACROSS)
    assert await host.begin("source", SOURCE, 13, READ | KEEP_OPEN)
    await host.set("control", 1)
    await host.end(1)
    assert await host.begin("source", SOURCE + 13 * stride, 7, READ)
    await host.end(2)
    assert await host.until_stopped() == 2
    assert host.destination.read(DESTINATION, 20 * stride) == memory_of(host.rows, rows)
    # A packet that is too long is cut, and told.
    await host.load([transfer("store", 12), HALT])
    assert await host.begin("destination", DESTINATION, 5, WRITE)
    await host.set("control", 1)
    await host.end(2)
    assert await host.read("movers_errors") == 1 << 6
    await host.set("movers_errors", 1 << 6)
    assert await host.read("movers_errors") == 0 and await host.read("rows_written") == 5


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def starts_that_would_be_lost_are_refused(dut):
    host = await host_of(dut)
    assert await host.begin("destination", DESTINATION, 5, WRITE)
    assert not await host.write("movers_control", WRITE)
    # Each mover by itself; a word that starts both is refused whole.
    rows = random_rows(host.rows, rng("rows"), 60)
    host.source.write(SOURCE, memory_of(host.rows, rows))
    await host.set("source_rows", 60)
    assert not await host.write("movers_control", READ | WRITE)
    assert await host.read("movers_status") == 2
    assert await host.begin("source", SOURCE, 60, READ)
    assert not await host.write("movers_control", READ)
    assert await host.read("movers_status") == 3
    await host.set("movers_control", STOP)
    await host.end(2)
    assert await host.read("rows_written") == 0
    # A soft reset has the system take the rest of the packet that has begun.
    await host.set("control", 2)
    await host.end(1)
    assert await host.read("movers_errors") == 0


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def errors_of_the_memory_are_told(dut):
    host = await host_of(dut)
    stride = host.rows.row_bytes
    host.source.faults = {SOURCE + stride: AxiResp.SLVERR}
    await host.load([transfer("load", 3), transfer("store", 3), HALT])
    host.destination.faults = {DESTINATION + stride: AxiResp.DECERR}
    assert await host.begin("source", SOURCE, 3, READ)
    assert await host.begin("destination", DESTINATION, 3, WRITE)
    await host.set("control", 1)
    await host.end(3)
    assert await host.read("movers_errors") == 1 << 1 | 1 << 5
    for place, command, flag in (("source", READ, 0), ("destination", WRITE, 3)):
        await host.set("movers_errors", 0x7F)
        assert await host.begin(place, 1, 3, command)
        await host.end(3)
        assert await host.read("movers_errors") == 1 << flag
