"""The example of docs/shell.md over AXI, by masters of cocotbext-axi."""

import logging

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from tests.docs.shell_page import steps


@cocotb.test(timeout_time=200, timeout_unit="us")
async def the_example_over_axi(dut):
    cocotb.start_soon(Clock(dut.aclk, 10, unit="ns").start(start_high=False))
    on = {"clock": dut.aclk, "reset": dut.aresetn, "reset_active_level": False}
    control = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi_ctrl"), **on)
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), **on)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), **on)
    for part in (control.write_if, control.read_if, source, sink):
        part.log.setLevel(logging.WARNING)
    dut.aresetn.value = 0
    await ClockCycles(dut.aclk, 4)
    dut.aresetn.value = 1
    sent, taken, done = b"", b"", []
    for verb, numbers, last in steps():
        match verb:
            case "read":
                answer = await control.read(numbers[0], 4)
                assert not answer.resp and answer.data == numbers[1].to_bytes(4, "little"), f"{numbers[0]:#x}"
            case "write":
                answer = await control.write(numbers[0], numbers[1].to_bytes(4, "little"))
                assert not answer.resp, f"{numbers[0]:#x}"
            case "send":
                sent += numbers[0].to_bytes(8, "little")
                if last:
                    await source.send(AxiStreamFrame(sent))
            case "take":
                taken += numbers[0].to_bytes(8, "little")
                if last:
                    assert bytes((await sink.recv()).tdata) == taken
            case "interrupt":
                await ClockCycles(dut.aclk, 50)
                assert dut.interrupt.value == 1
        done.append(verb)
    assert dut.interrupt.value == 0
    assert set(done) == {"read", "write", "send", "take", "interrupt"} and sink.empty()
