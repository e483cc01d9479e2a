"""The bench of a package: masters of cocotbext-axi hold the system to what the package's JSON says of it.

Every channel holds back at random. BENCH_SEED chooses other stalls and rows (default 1).
"""

import json
import logging
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)

(ABOUT_FILE,) = Path(__file__).parents[1].glob("*.json")
ABOUT = json.loads(ABOUT_FILE.read_text(encoding="utf-8"))
REGISTERS = {register["name"]: register for register in ABOUT["registers"]}
WINDOWS = {window["name"]: window for window in ABOUT["windows"]}
OPCODES = {entry["name"]: entry["opcode"] for entry in ABOUT["instruction_set"]["formats"]}
SEED = int(os.environ.get("BENCH_SEED", "1"))
STALL = 0.3
POLLS = 1000

IDLE, RUNNING, DONE, ERROR = (ABOUT["enumerations"]["State"][name] for name in ("IDLE", "RUNNING", "DONE", "ERROR"))
START, SOFT_RESET = 1, 2
BAD_INSTRUCTION = 1
# Rows of a packet that is longer than the buffers behind the streams, and cycles in which nothing moves any more.
LONG_PACKET, LONG_CYCLES = 200, 400


def interface(protocol, mode):
    """The interface of a kind, of which a system has one."""
    (found,) = (one for one in ABOUT["interfaces"] if (one["protocol"], one["mode"]) == (protocol, mode))
    return found


class Host:
    """Masters on all interfaces of the system.

    Parameters
    ----------
    dut : handle
        The top.
    """

    def __init__(self, dut):
        self.dut, self.random = dut, random.Random(SEED)
        self.resets = [(getattr(dut, one["port"]), int(one["active_low"])) for one in ABOUT["resets"]]
        # Before the first edge of a clock: what is unknown then may stay so in a simulator that knows unknown bits.
        for port in ABOUT["ports"]:
            if port["direction"] == "in":
                getattr(dut, port["name"]).value = 0
        for port, active_low in self.resets:
            port.value = 1 - active_low
        self.clocks = [getattr(dut, clock["port"]) for clock in ABOUT["clocks"]]
        for index, clock in enumerate(self.clocks):
            Clock(clock, 10 + 2 * index, unit="ns").start(start_high=False)
        self.control = AxiLiteMaster(*self.on(AxiLiteBus, "axi4lite", "slave"), reset_active_level=False)
        self.row_bytes = interface("axi4stream", "slave")["data_width"] // 8
        self.source = AxiStreamSource(*self.on(AxiStreamBus, "axi4stream", "slave"), reset_active_level=False)
        self.sink = AxiStreamSink(*self.on(AxiStreamBus, "axi4stream", "master"), reset_active_level=False)
        for part in (self.control.write_if, self.control.read_if, self.source, self.sink):
            part.log.setLevel(logging.WARNING)
        write, read = self.control.write_if, self.control.read_if
        channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)
        for channel in (*channels, self.source, self.sink):
            channel.set_pause_generator(self.stalls(self.random.random()))

    def on(self, bus, protocol, mode):
        """Bus, clock and reset of an interface."""
        one = interface(protocol, mode)
        return bus.from_prefix(self.dut, one["name"]), getattr(self.dut, one["clock"]), getattr(self.dut, one["reset"])

    @staticmethod
    def stalls(seed):
        """For each cycle whether a channel holds back."""
        chance = random.Random(seed)
        while True:
            yield chance.random() < STALL

    async def reset(self):
        """Hold every reset for some cycles more."""
        await ClockCycles(self.clocks[-1], 8)
        for port, active_low in self.resets:
            port.value = active_low
        await ClockCycles(self.clocks[-1], 4)

    async def read(self, name):
        """A register, whole."""
        answer = await self.control.read(REGISTERS[name]["address"], REGISTERS[name]["size"])
        assert answer.resp == AxiResp.OKAY, f"read of {name}: {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def write(self, name, value):
        """Write a register; whether it is taken."""
        answer = await self.control.write(REGISTERS[name]["address"], value.to_bytes(4, "little"))
        return answer.resp == AxiResp.OKAY

    async def load(self, instructions, place=0):
        """Write a program from instruction ``place`` on, the lowest word of each first."""
        size = ABOUT["instruction_set"]["width"] // 8
        data = b"".join(instruction.to_bytes(size, "little") for instruction in instructions)
        answer = await self.control.write(WINDOWS["program"]["address"] + place * size, data)
        assert answer.resp == AxiResp.OKAY

    async def run(self, start=0):
        """Start a program; the state in which it ends."""
        assert await self.write("start_address", start)
        assert await self.write("control", START)
        return await self.until_stopped()

    async def until_stopped(self):
        """The state, when it is no longer running."""
        for _ in range(POLLS):
            state = await self.read("status") & 3
            if state != RUNNING:
                return state
        raise AssertionError("still running")


async def host_of(dut):
    """Masters on a system that comes from its reset."""
    host = Host(dut)
    await host.reset()
    return host


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


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_soft_reset_discards_the_packet_that_arrives(dut):
    """Nobody takes rows without a program: they wait, and a soft reset takes and forgets the whole packet."""
    host = await host_of(dut)
    for _ in range(2):
        await host.source.send(AxiStreamFrame(host.random.randbytes(LONG_PACKET * host.row_bytes)))
        await ClockCycles(host.clocks[0], LONG_CYCLES)
        assert not host.source.idle()
        assert await host.write("control", SOFT_RESET)
        for _ in range(4 * LONG_PACKET):
            await RisingEdge(host.clocks[0])
            if host.source.idle():
                break
        assert host.source.idle()
    assert await host.read("status") == IDLE and await host.read("errors") == 0
    assert host.sink.empty()
    await host.load([OPCODES["halt"]])
    assert await host.run() == DONE
