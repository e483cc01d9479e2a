"""Any system's bench: its registers and programs are what the package's JSON says of them."""

import cocotb
from cocotbext.axi import AxiResp

from .host import ABOUT, BAD_INSTRUCTION, DONE, ERROR, IDLE, OPCODES, REGISTERS, SOFT_RESET, START, WINDOWS, host_of


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def it_is_the_design_that_the_package_describes(dut):
    """Identification, version, system and configuration."""
    host = await host_of(dut)
    assert (await host.read("identification")).to_bytes(4, "little") == b"RWDW"
    for name in ("version", "system"):
        assert await host.read(name) == REGISTERS[name]["reset"], name
    assert await host.read("configuration_hash") == ABOUT["configuration_hash"]


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def registers_begin_and_are_accessed_as_the_map_says(dut):
    """Reset values; what is read-only stays; what is read-write holds its bits; nothing outside the map answers."""
    host = await host_of(dut)
    for name, register in REGISTERS.items():
        expected = 0 if register["access"] == "strobe" else register["reset"]
        assert await host.read(name) == expected, f"{name} after reset"
    for name, register in REGISTERS.items():
        ones = (1 << min(register["width"], 32)) - 1
        if register["access"] in ("constant", "read-only"):
            assert not await host.write(name, ones), f"{name} is {register['access']} and took a write"
        elif register["access"] == "read-write":
            for value in (ones, 0x5555_5555 & ones, register["reset"]):
                assert await host.write(name, value) and await host.read(name) == value, f"{name}: {value:#x}"
        elif register["access"] == "write-1-to-clear":
            assert await host.write(name, ones) and await host.read(name) == 0, name
    for name, window in WINDOWS.items():
        answer = await host.control.read(window["address"], 4)
        assert answer.resp == AxiResp.SLVERR, f"read of {name}"
        answer = await host.control.write(window["address"] + 1, b"x")
        assert answer.resp == AxiResp.SLVERR, f"a write of one byte to {name}"
    behind = max(one["address"] + one["size"] for one in REGISTERS.values())
    if behind < min(window["address"] for window in WINDOWS.values()):
        assert (await host.control.read(behind, 4)).resp == AxiResp.SLVERR, f"read of {behind:#x}"
        assert (await host.control.write(behind, bytes(4))).resp == AxiResp.SLVERR, f"write to {behind:#x}"


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def programs_run_to_their_halt(dut):
    """Waits and a halt; the counters and the interrupt; a second run."""
    host = await host_of(dut)
    every_engine = (1 << len(ABOUT["instruction_set"]["engines"])) - 1
    wait = OPCODES["wait"] | every_engine << ABOUT["instruction_set"]["wait"]["offset"]
    await host.load([wait, wait, wait, OPCODES["halt"]], place=3)
    interrupt = getattr(dut, ABOUT["interrupts"][0]["port"])
    assert await host.write("interrupt_enable", 3)
    for start, retired in ((3, 4), (6, 1)):
        assert await host.run(start) == DONE
        assert await host.read("retired") == retired
        assert await host.read("cycles") >= retired
        assert await host.read("errors") == 0
        assert interrupt.value == 1 and await host.read("interrupt_status") == 1
        assert await host.write("interrupt_status", 1)
        assert interrupt.value == 0


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def an_unknown_instruction_stops_until_the_error_is_cleared(dut):
    """The state error, starts that are refused in it, and the way back to idle."""
    host = await host_of(dut)
    await host.load([0])
    assert await host.run() == ERROR
    assert await host.read("errors") == BAD_INSTRUCTION
    assert not await host.write("control", START)
    assert not await host.write("control", START | SOFT_RESET)
    assert await host.write("control", SOFT_RESET)
    assert await host.read("status") & 3 == ERROR
    assert await host.write("errors", BAD_INSTRUCTION)
    assert await host.read("status") == IDLE and await host.read("errors") == 0
    await host.load([OPCODES["halt"]])
    assert await host.run() == DONE
