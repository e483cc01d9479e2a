"""Masters of cocotbext-axi on a package's top, by what its JSON says of it.

Every channel holds back at random. BENCH_SEED chooses other stalls and rows (default 1).
"""

import json
import logging
import os
import random
from pathlib import Path

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

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
# Rows of a packet that is longer than the buffers before the engines, and cycles in which nothing moves any more.
LONG_PACKET, LONG_CYCLES = 200, 400


def interface(**kind):
    """The one interface that has these entries in the JSON."""
    (found,) = (one for one in ABOUT["interfaces"] if kind.items() <= one.items())
    return found


def stalls(seed):
    """For each cycle whether a channel holds back."""
    chance = random.Random(seed)
    while True:
        yield chance.random() < STALL


class Host:
    """A master on the registers of the system.

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
        self.control = AxiLiteMaster(*self.on(AxiLiteBus, protocol="axi4lite"), reset_active_level=False)
        write, read = self.control.write_if, self.control.read_if
        self.stall(write, write.aw_channel, write.w_channel, write.b_channel)
        self.stall(read, read.ar_channel, read.r_channel)

    def on(self, bus, **kind):
        """Bus, clock and reset of an interface."""
        one = interface(**kind)
        return bus.from_prefix(self.dut, one["name"]), getattr(self.dut, one["clock"]), getattr(self.dut, one["reset"])

    def stall(self, part, *channels):
        """Let the channels of a part of cocotbext-axi hold back, and the part be silent but for warnings."""
        part.log.setLevel(logging.WARNING)
        for channel in channels:
            channel.set_pause_generator(stalls(self.random.random()))

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
