"""The host of a kernel: registers over AXI4-Lite, rows over the global memory. Also as a transport of the drivers."""

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.task import resume
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiResp

from rewardware.hw.soc.bus.data_mover_config import DataMoverConfig
from rewardware.hw.soc.bus.kernel_registers import kernel_address_map
from rewardware.sim.cocotb import parameters
from tests.hw.soc.bus.mover_host import Memory, log_warnings_alone, stalls

SOURCE, DESTINATION = 0x10_0000_0000, 0x20_0000_8000
# Each has half of the 64 KiB, to whose multiples the addresses are cut.
AREA = 1 << 15
READ, KEEP_OPEN, WRITE, ACROSS, STOP = (1 << bit for bit in range(5))


class KernelHost:
    def __init__(self, dut):
        log_warnings_alone()
        self.dut, given = dut, parameters()
        self.config = given["config"]
        self.map = kernel_address_map(self.config.shell.address_map)
        self.rows = DataMoverConfig.of_rows(self.config.shell.stream_width)
        period, core_period = given.get("periods", (10, None))
        cocotb.start_soon(Clock(dut.ap_clk, period, unit="ns").start(start_high=False))
        if core_period:
            cocotb.start_soon(Clock(dut.ap_clk_2, core_period, unit="ns").start(start_high=False))
        self.control = AxiLiteMaster(
            AxiLiteBus.from_prefix(dut, "s_axi_control"), dut.ap_clk, dut.ap_rst_n, reset_active_level=False
        )
        ends = (dut.ap_clk, dut.ap_rst_n)
        self.source = Memory(AxiBus.from_prefix(dut, "m_axi_gmem0"), *ends, active_level=False)
        self.destination = Memory(AxiBus.from_prefix(dut, "m_axi_gmem1"), *ends, active_level=False, beside=self.source)
        self.stall(given["stall"])

    def stall(self, probability):
        write, read = self.control.write_if, self.control.read_if
        channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)
        if probability:
            for index, channel in enumerate(channels):
                channel.set_pause_generator(stalls(f"control {index}", probability))
        self.source.stall(probability)
        self.destination.stall(probability)

    async def reset(self):
        self.dut.ap_rst_n.value = 0
        await ClockCycles(self.dut.ap_clk, 12)
        self.dut.ap_rst_n.value = 1
        await ClockCycles(self.dut.ap_clk, 2)

    async def read(self, name):
        placed = self.map[name]
        answer = await self.control.read(placed.address, placed.item.size)
        assert answer.resp == AxiResp.OKAY, f"read of {name}: {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def write(self, name, value):
        answer = await self.control.write(self.map[name].address, value.to_bytes(4, "little"))
        return answer.resp == AxiResp.OKAY

    async def set(self, name, value):
        assert await self.write(name, value), f"write to {name} was refused"

    async def begin(self, place, address, rows, command):
        """Starts a mover; whether it was taken."""
        await self.set(f"{place}_address_low", address & 0xFFFF_FFFF)
        await self.set(f"{place}_address_high", address >> 32)
        await self.set(f"{place}_rows", rows)
        return await self.write("movers_control", command)

    async def end(self, bit):
        """Waits until a mover, by its bit of ``movers_status``, is idle."""
        for _ in range(2000):
            if not await self.read("movers_status") & bit:
                return
        raise AssertionError("the mover is still at work")

    async def load(self, instructions):
        width = self.config.shell.instruction_set.width // 8
        words = b"".join(word.to_bytes(width, "little") for word in instructions)
        answer = await self.control.write(self.map["program"].address, words)
        assert answer.resp == AxiResp.OKAY

    async def until_stopped(self):
        for _ in range(2000):
            state = await self.read("status") & 3
            if state != 1:
                return state
        raise AssertionError("still running")


class KernelTransport:
    """A :class:`rewardware.sw.device.transport.Transport` to the kernel, for a driver in a thread of cocotb."""

    name = "The simulated kernel"

    def __init__(self, host):
        self.host = host
        self.queue, self.arrived = [], []
        self.writing = False
        for method in ("read", "write", "write_words", "advance"):
            setattr(self, method, resume(getattr(self, f"_{method}")))

    async def _read(self, address):
        answer = await self.host.control.read(address, 4)
        assert answer.resp == AxiResp.OKAY
        return int.from_bytes(answer.data, "little")

    async def _write(self, address, value):
        await self._write_words(address, [value])

    async def _write_words(self, address, values):
        answer = await self.host.control.write(address, b"".join(int(word).to_bytes(4, "little") for word in values))
        assert answer.resp == AxiResp.OKAY

    def send(self, rows):
        assert len(rows) * self.host.rows.row_bytes <= AREA
        self.queue.append(rows)

    def receive(self):
        rows, self.arrived = self.arrived, []
        lanes = self.host.config.shell.stream_lanes
        return np.array([row for row, _ in rows], np.uint32).reshape(-1, lanes), np.array(
            [end for _, end in rows], bool
        )

    async def _advance(self, cycles, *, until_done=False, rows=0):
        host = self.host
        while cycles > 0 and not (rows and len(self.arrived) >= rows):
            await self._move()
            if until_done and await host.read("interrupt_status"):
                await host.set("interrupt_status", 3)
                return
            await ClockCycles(host.dut.ap_clk, 20)
            cycles -= 20

    async def _move(self):
        """A packet to the device where one waits, and the one that came from it."""
        host, stride = self.host, self.host.rows.row_bytes
        status = await host.read("movers_status")
        if self.queue and not status & 1:
            words = np.zeros((len(self.queue[0]), stride // 4), np.uint32)
            words[:, : host.config.shell.stream_lanes] = self.queue.pop(0)
            host.source.write(SOURCE, words.tobytes())
            assert await host.begin("source", SOURCE, len(words), READ)
        if not status & 2:
            if self.writing:
                count = await host.read("rows_written")
                data = np.frombuffer(host.destination.read(DESTINATION, count * stride), np.uint32)
                found = data.reshape(count, -1)[:, : host.config.shell.stream_lanes]
                self.arrived += [(row, index == count - 1) for index, row in enumerate(found)]
            assert await host.begin("destination", DESTINATION, AREA // stride, WRITE)
            self.writing = True

    def forget(self):
        raise AssertionError("no test of this transport forgets")

    def close(self):
        pass
