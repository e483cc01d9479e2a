"""A memory on AXI4, by cocotbext-axi, which holds its master to the rules of bursts; stalls and errors at will."""

import logging

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiRam, AxiResp

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, parameters, rng

SIZE = 1 << 16
# The errors of a memory, and the flags that tell of them.
FAULTS = ((AxiResp.SLVERR, "slave_error"), (AxiResp.DECERR, "decode_error"))


def log_warnings_alone():
    logging.getLogger("cocotb").setLevel(logging.WARNING)


class Memory:
    """64 KiB behind a bus, each channel of which holds back with the probability ``stall``.

    ``faults`` gives addresses whose accesses are answered with an error. ``bursts`` has the addresses and beats of all
    bursts by their channel.
    """

    def __init__(self, bus, clock, reset, *, active_level=True, beside=None):
        """``beside`` is another port of the same memory."""
        self.ram = ram = AxiRam(bus, clock, reset, active_level, size=SIZE, mem=beside.ram.mem if beside else None)
        self.faults = {}
        self.bursts = {"ar": [], "aw": []}
        self.channels = [getattr(ram.write_if, f"{name}_channel") for name in ("aw", "w", "b")]
        self.channels += [getattr(ram.read_if, f"{name}_channel") for name in ("ar", "r")]
        read, write = ram.read_if, ram.write_if
        # cocotbext-axi knows SLVERR alone: an answer is changed on its way out.
        self._errors(read.r_channel, "rresp", read, "_read")
        self._errors(write.b_channel, "bresp", write, "_write")
        for name, channel in (("ar", read.ar_channel), ("aw", write.aw_channel)):
            self._note(name, channel)

    def _errors(self, channel, field, part, access):
        original, send = getattr(part, access), channel.send
        found = []

        async def accessed(address, what):
            found.extend(error for place, error in self.faults.items() if address <= place < address + part.byte_lanes)
            return await original(address, what)

        async def answered(transaction):
            if found:
                setattr(transaction, field, found[-1])
                found.clear()
            await send(transaction)

        setattr(part, access, accessed)
        channel.send = answered

    def _note(self, name, channel):
        receive = channel.recv

        async def received():
            burst = await receive()
            self.bursts[name].append((int(getattr(burst, f"{name}addr")), int(getattr(burst, f"{name}len")) + 1))
            assert int(getattr(burst, f"{name}burst")) == 1 and int(getattr(burst, f"{name}cache")) == 3
            return burst

        channel.recv = received

    def stall(self, probability):
        for index, channel in enumerate(self.channels):
            channel.clear_pause_generator()
            channel.pause = False
            if probability:
                channel.set_pause_generator(stalls(index, probability))

    def read(self, address, count):
        """Bytes; past the end comes the beginning."""
        first = address % SIZE
        head = min(count, SIZE - first)
        return bytes(self.ram.read(first, head)) + bytes(self.ram.read(0, count - head))

    def write(self, address, data):
        first = address % SIZE
        head = min(len(data), SIZE - first)
        self.ram.write(first, data[:head])
        self.ram.write(0, data[head:])


class MoverHost:
    """One of the movers of a :class:`.MoverTop`, by the prefix of its ports, before a memory."""

    prefix = ""

    def __init__(self, dut):
        log_warnings_alone()
        self.dut, self.config = dut, parameters()["config"]
        self.memory = Memory(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst)
        self.commands = StreamSource(dut, f"{self.prefix}_commands")
        self.completions = StreamSink(dut, f"{self.prefix}_completions")

    @classmethod
    async def start(cls, dut, stall=0.0):
        """A host after a reset."""
        host = cls(dut)
        host.stall(stall)
        await clock_and_reset(dut, cycles=4)
        return host

    def stall(self, probability):
        """Hold back on the memory's channels, commands and rows."""
        self.memory.stall(probability)
        self.commands.stall = self.rows.stall = probability


def stalls(name, probability):
    random = rng(f"memory channel {name}")
    while True:
        yield bool(random.random() < probability)


def memory_of(config, rows):
    """Rows, as integers, as they stand in the memory; bytes between them are 0xEE."""
    used = config.row_width // 8
    return b"".join(row.to_bytes(used, "little") + b"\xee" * (config.row_bytes - used) for row in rows)


def random_rows(config, random, count):
    return [int.from_bytes(random.bytes(config.row_width // 8), "little") for _ in range(count)]


async def words_stay(dut, prefix):
    """A word that waits on a channel stays as it is."""
    parts = [name for name in ("addr", "len", "data", "strb", "last") if hasattr(dut, f"{prefix}{name}")]
    waiting = None
    while True:
        await RisingEdge(dut.clk)
        shown = getattr(dut, f"{prefix}valid").value and [int(getattr(dut, f"{prefix}{part}").value) for part in parts]
        assert waiting in (None, shown), f"{prefix}: {waiting} that waited became {shown}"
        waiting = shown if shown and not getattr(dut, f"{prefix}ready").value and not dut.rst.value else None


class Watch:
    """Cycles in which a channel moves something."""

    def __init__(self, dut, valid, ready):
        self.cycles = []
        self._task = cocotb.start_soon(self._run(dut, valid, ready))

    async def _run(self, dut, valid, ready):
        cycle = 0
        while True:
            await RisingEdge(dut.clk)
            if valid.value and ready.value:
                self.cycles.append(cycle)
            cycle += 1
