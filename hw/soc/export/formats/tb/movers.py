"""The bench of a kernel, whose movers take rows from the global memory and write rows to it."""

import cocotb
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiRamRead, AxiRamWrite, AxiReadBus, AxiWriteBus

from .host import (
    ABOUT,
    DONE,
    IDLE,
    LONG_CYCLES,
    LONG_PACKET,
    OPCODES,
    POLLS,
    REGISTERS,
    SOFT_RESET,
    host_of,
    interface,
)

# Each mover: name of its place, bit of its status and interrupt, bit that starts it.
READER, WRITER = ("source", 1, "start_read"), ("destination", 2, "start_write")
PLACE, OUTSIDE = 0x4_0000_0000, 0x5_0000_0000
SIZE = 1 << 20
ROW_BYTES = interface(name="m_axi_gmem0")["row_bytes"]


def bit(register, name):
    """The value of a field of one bit."""
    (found,) = (field["offset"] for field in REGISTERS[register]["fields"] if field["name"] == name)
    return 1 << found


class ReadMemory(AxiRamRead):
    """Memory from ``PLACE`` on, which notes what is read; other addresses are answered with an error."""

    reads: tuple[int, ...] = ()

    async def _read(self, address, length):
        self.reads = (*self.reads, address)
        return self.read(address - PLACE, length)


class WriteMemory(AxiRamWrite):
    """Memory into which nothing must be written."""

    async def _write(self, address, data):
        raise AssertionError(f"write to {address:#x}")


class Movers:
    """The global memory of a kernel, and its movers.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host):
        self.host = host
        self.source = source = ReadMemory(*host.on(AxiReadBus, name="m_axi_gmem0"), reset_active_level=False, size=SIZE)
        sink = WriteMemory(*host.on(AxiWriteBus, name="m_axi_gmem1"), reset_active_level=False, size=SIZE)
        host.stall(source, source.ar_channel, source.r_channel)
        host.stall(sink, sink.aw_channel, sink.w_channel, sink.b_channel)

    async def start(self, mover, address, rows):
        """Start a mover; whether it was taken."""
        place, _, command = mover
        values = {"address_low": address & 0xFFFF_FFFF, "address_high": address >> 32, "rows": rows}
        for name, value in values.items():
            assert await self.host.write(f"{place}_{name}", value)
        return await self.host.write("movers_control", bit("movers_control", command))

    async def busy(self, mover):
        """Whether it is at work."""
        return bool(await self.host.read("movers_status") & mover[1])

    async def end(self, mover):
        """Wait until it is idle; its interrupt has come, and is cleared."""
        for _ in range(POLLS):
            if not await self.busy(mover):
                break
        else:
            raise AssertionError(f"the mover of the {mover[0]} is still at work")
        assert await self.host.read("movers_interrupt_status") == mover[1]
        assert getattr(self.host.dut, ABOUT["interrupts"][0]["port"]).value == 1
        assert await self.host.write("movers_interrupt_status", mover[1])
        assert await self.host.read("movers_interrupt_status") == 0


async def movers_of(dut):
    """Movers of a kernel that comes from its reset, with their interrupts enabled."""
    movers = Movers(await host_of(dut))
    assert await movers.host.write("movers_interrupt_enable", READER[1] | WRITER[1])
    return movers


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_soft_reset_discards_the_rows_that_a_read_brings(dut):
    """Nobody takes rows without a program: the read waits, refuses another, and ends when a soft reset takes them."""
    movers = await movers_of(dut)
    host = movers.host
    for _ in range(2):
        movers.source.reads = ()
        assert await movers.start(READER, PLACE, LONG_PACKET)
        await ClockCycles(host.clocks[0], LONG_CYCLES)
        assert await movers.busy(READER)
        assert not await host.write("movers_control", bit("movers_control", READER[2]))
        assert await host.write("control", SOFT_RESET)
        await movers.end(READER)
        places = range(PLACE, PLACE + LONG_PACKET * ROW_BYTES, movers.source.byte_lanes)
        assert list(movers.source.reads) == list(places)
    assert await host.read("movers_errors") == 0
    assert await host.read("status") == IDLE and await host.read("errors") == 0
    await host.load([OPCODES["halt"]])
    assert await host.run() == DONE


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def a_write_waits_for_rows_until_it_is_stopped(dut):
    """The device gives none: nothing is written."""
    movers = await movers_of(dut)
    host = movers.host
    assert await movers.start(WRITER, PLACE, LONG_PACKET)
    await ClockCycles(host.clocks[0], LONG_CYCLES)
    assert await movers.busy(WRITER)
    assert not await host.write("movers_control", bit("movers_control", WRITER[2]))
    assert await host.write("movers_control", bit("movers_control", "stop_write"))
    await movers.end(WRITER)
    assert await host.read("rows_written") == 0 and await host.read("movers_errors") == 0


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def what_cannot_be_moved_is_told(dut):
    """Addresses inside of a row, no rows, and a memory that answers with an error."""
    movers = await movers_of(dut)
    host = movers.host
    for mover, flag in ((READER, "read_unaligned"), (WRITER, "write_unaligned")):
        assert await movers.start(mover, PLACE + 1, 1)
        await movers.end(mover)
        assert await host.read("movers_errors") == bit("movers_errors", flag)
        assert await host.write("movers_errors", bit("movers_errors", flag))
        assert await movers.start(mover, PLACE, 0)
        await movers.end(mover)
        assert await host.read("movers_errors") == 0
    assert not movers.source.reads
    assert await movers.start(READER, OUTSIDE, 1)
    assert await host.write("control", SOFT_RESET)
    await movers.end(READER)
    assert await host.read("movers_errors") == bit("movers_errors", "read_slave_error")
