"""The row memory on a clock of its own: what a second clock adds to the bench of one."""

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamFrame

from rewardware.hw.soc.bus.clock_crossing import STREAM_DEPTH
from rewardware.sim.cocotb import rng
from tests.hw.soc.shell.bench_axi import Host, host_of
from tests.hw.soc.shell.row_memory import INSTRUCTION_SET


def all_ready(dut):
    channels = ("s_axis_t", "s_axi_ctrl_aw", "s_axi_ctrl_w", "s_axi_ctrl_ar")
    return [int(getattr(dut, f"{channel}ready").value) for channel in channels]


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def nothing_is_taken_until_both_resets_have_ended(dut):
    host = Host(dut)
    ratio = 1 + int(host.core_period / host.period)
    for length in (4 * ratio, 30 * ratio):
        dut.aresetn.value = 0
        await ClockCycles(dut.aclk, 3)
        for _ in range(length):
            assert all_ready(dut) == [0] * 4
            await RisingEdge(dut.aclk)
        dut.aresetn.value = 1
        # Two cycles of the core end its reset, two of the host's clock tell of it.
        for _ in range(3):
            await ClockCycles(dut.aclk, 1)
            assert all_ready(dut) == [0] * 4
        await ClockCycles(dut.aclk, 6 + 3 * ratio)
        assert all_ready(dut) == [1] * 4
        assert await host.read("status") == 0


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def a_reset_amid_traffic_leaves_nothing(dut):
    host = await host_of(dut)
    random = rng("resets")
    row_bytes = 4 * host.config.lanes
    for cycles in (3, 17, 40, 41):
        await host.load([INSTRUCTION_SET.encode("store", base=0, count=40), INSTRUCTION_SET.encode("halt")])
        host.hold_rows(True)
        await host.write("control", 1)
        await host.source.send(AxiStreamFrame(random.bytes(60 * row_bytes)))
        await ClockCycles(dut.aclk, cycles)
        await host.reset()
        await ClockCycles(dut.aclk, 20)
        host.hold_rows(False)
        assert not dut.m_axis_tvalid.value
        rows = random.bytes(7 * row_bytes)
        await host.fill(rows)
        await host.store(7)
        assert bytes((await host.sink.recv()).tdata) == rows
        assert await host.read("errors") == 0
    assert host.sink.empty()


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def interrupts_cross(dut):
    host = await host_of(dut)
    await host.write("interrupt_enable", 1)
    for _ in range(2):
        await host.store(3)
        assert len((await host.sink.recv()).tdata) == 3 * 4 * host.config.lanes
        assert await host.until_stopped() == 2
        while not dut.interrupt.value:
            await RisingEdge(dut.aclk)
        assert await host.read("interrupt_status") == 1
        await host.write("interrupt_status", 1)
        assert dut.interrupt.value == 0
        await ClockCycles(dut.aclk, 20)
        assert dut.interrupt.value == 0


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def rows_flow_at_the_slower_clock(dut):
    host = await host_of(dut)
    count, row_bytes = 90, 4 * host.config.lanes
    await host.load([INSTRUCTION_SET.encode("load", base=0, count=count), INSTRUCTION_SET.encode("halt")])
    await host.write("control", 1)
    await host.source.send(AxiStreamFrame(rng("flow").bytes(count * row_bytes)))
    taken = cycles = 0
    while taken < count:
        await RisingEdge(dut.aclk)
        moved = bool(dut.s_axis_tvalid.value and dut.s_axis_tready.value)
        taken += moved
        cycles += bool(taken)
    slower = max(host.core_period / host.period, 1)
    assert cycles <= count * slower + 10
    assert await host.until_stopped() == 2


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def soft_reset_leaves_rows_in_the_fifos(dut):
    host = await host_of(dut)
    row_bytes = 4 * host.config.lanes
    random = rng("soft reset")
    # A whole packet that no program took: what is in the device's buffer is gone, what is in the FIFO comes next.
    packet = random.bytes((host.config.shell.stream_depth + STREAM_DEPTH) * row_bytes)
    rest = packet[host.config.shell.stream_depth * row_bytes :]
    assert len(rest) == STREAM_DEPTH * row_bytes
    await host.source.send(AxiStreamFrame(packet))
    await ClockCycles(dut.aclk, 200)
    await host.write("control", 2)
    # The packet was cut: its rest is discarded, wherever it is.
    rows = random.bytes(7 * row_bytes)
    await host.fill(rows)
    # Rows to the host: those in the FIFO have left the device.
    host.hold_rows(True)
    await host.store(7)
    assert await host.until_stopped() == 2
    await ClockCycles(dut.aclk, 100)
    await host.write("control", 2)
    host.hold_rows(False)
    assert bytes((await host.sink.recv()).tdata) == rows
    assert await host.until_stopped() == 0
    assert await host.read("errors") == 0


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def partial_rows_cross(dut):
    host = await host_of(dut)
    row_bytes = 4 * host.config.lanes
    await host.fill(rng("whole").bytes(3 * row_bytes))
    assert await host.read("errors") == 0
    # The row that waits first in the FIFO, before a full buffer, is not told of until it is taken.
    count = host.config.shell.stream_depth + 1
    await host.source.send(AxiStreamFrame(rng("partial").bytes(count * row_bytes - 1)))
    await ClockCycles(dut.aclk, 400)
    assert await host.read("errors") == 0
    await host.load([INSTRUCTION_SET.encode("load", base=0, count=count), INSTRUCTION_SET.encode("halt")])
    await host.write("control", 1)
    while not await host.read("errors"):
        await ClockCycles(dut.aclk, 10)
    assert await host.read("errors") == 4


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def a_partial_row_is_told_of_once(dut):
    host = await host_of(dut)
    row_bytes = 4 * host.config.lanes
    # As many as the FIFO has places, each of which then keeps one.
    for _ in range(STREAM_DEPTH + 1):
        await host.load([INSTRUCTION_SET.encode("load", base=0, count=1), INSTRUCTION_SET.encode("halt")])
        await host.write("control", 1)
        await host.source.send(AxiStreamFrame(rng("partial").bytes(row_bytes - 1)))
        assert await host.until_stopped() == 3
        await host.write("control", 2)
        await host.write("errors", 4)
        await ClockCycles(dut.aclk, 20)
        assert await host.read("errors") == 0
