"""The bench of a system that takes and gives rows by streams."""

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from .host import DONE, IDLE, LONG_CYCLES, LONG_PACKET, OPCODES, SOFT_RESET, host_of, interface

ROWS_IN = {"protocol": "axi4stream", "mode": "slave"}
ROWS_OUT = {"protocol": "axi4stream", "mode": "master"}


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_soft_reset_discards_the_packet_that_arrives(dut):
    """Nobody takes rows without a program: they wait, and a soft reset takes and forgets the whole packet."""
    host = await host_of(dut)
    source = AxiStreamSource(*host.on(AxiStreamBus, **ROWS_IN), reset_active_level=False)
    sink = AxiStreamSink(*host.on(AxiStreamBus, **ROWS_OUT), reset_active_level=False)
    for end in (source, sink):
        host.stall(end, end)
    for _ in range(2):
        data = host.random.randbytes(LONG_PACKET * interface(**ROWS_IN)["data_width"] // 8)
        await source.send(AxiStreamFrame(data))
        await ClockCycles(host.clocks[0], LONG_CYCLES)
        assert not source.idle()
        assert await host.write("control", SOFT_RESET)
        for _ in range(4 * LONG_PACKET):
            await RisingEdge(host.clocks[0])
            if source.idle():
                break
        assert source.idle()
    assert await host.read("status") == IDLE and await host.read("errors") == 0
    assert sink.empty()
    await host.load([OPCODES["halt"]])
    assert await host.run() == DONE
