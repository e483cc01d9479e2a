"""A stand-in for the package pynq: the few calls that the transport makes, with the simulator as the fabric.

Time passes with each access to a register. An access that the bus refuses ends the test, as it would end the program on
a board; so does memory that is given back while the DMA has it.
"""

import numpy as np

from rewardware.sim.harness.axi import AxiSimulation

# Rows that the DMA has fetched from memory before the device takes them.
AHEAD = 6
CYCLES_AN_ACCESS = 20
HALTED, IDLE, INTERNAL_ERROR, DECODE_ERROR = 0x01, 0x02, 0x10, 0x40
RESET, RUN = 0x04, 0x01
RESET_ACCESSES = 3


class Buffer(np.ndarray):
    """Contiguous memory behind a cache: what a processor writes is there when it is flushed, what a DMA writes when it
    is invalidated."""

    def __array_finalize__(self, original):
        self.memory = self.dma = None
        self.freed = False

    def flush(self):
        self.memory[:] = self

    def invalidate(self):
        self[:] = self.memory

    def freebuffer(self):
        assert not self.freed and all(channel.buffer is not self for channel in self.dma.channels)
        self.freed = True


class Channel:
    """A channel of the DMA: its status register, and what is transferred."""

    def __init__(self, dma, offset):
        self.dma, self.offset = dma, offset
        self.status, self.buffer, self.place, self.length, self.transferred = HALTED, None, 0, 0, 0
        self.start()

    @property
    def running(self):
        self.dma.work()
        return not self.status & HALTED

    @property
    def idle(self):
        self.dma.work()
        return bool(self.status & IDLE)

    @property
    def error(self):
        self.dma.work()
        return bool(self.status & 0x70)

    def start(self):
        self.status &= ~HALTED

    def transfer(self, array, start=0, nbytes=0):
        assert self.running and self.buffer is None and isinstance(array, Buffer) and not start
        nbytes = nbytes or array.nbytes
        assert nbytes <= self.dma.buffer_max_size
        if not self.offset:
            array.flush()
        self.status &= ~IDLE
        self.buffer, self.place, self.length = array, 0, nbytes // (4 * array.shape[1])

    def wait(self):
        assert self.running and self.idle, "this wait has no end"
        self.finished.invalidate()
        self.transferred = self.place * 4 * self.finished.shape[1]

    def end(self, status):
        self.finished, self.buffer = self.buffer, None
        self.status |= status


class Dma:
    """An AXI DMA in direct register mode."""

    def __init__(self, simulation, length_bits):
        self.simulation, self.buffer_max_size = simulation, (1 << length_bits) - 1
        self.resetting, self.dead = 0, False
        self.arrived = []
        self.channels = self.sendchannel, self.recvchannel = Channel(self, 0), Channel(self, 0x30)

    def read(self, offset):
        self.work()
        if offset == 0x34:
            return self.recvchannel.status
        assert offset == 0
        if self.resetting and not self.dead:
            self.resetting -= 1
        return RESET if self.resetting else RUN

    def write(self, offset, value):
        """A reset: a packet to the device is cut off where it is, and one from it is forgotten."""
        assert (offset, value) == (0, RESET)
        self.resetting = RESET_ACCESSES
        self.arrived.clear()
        for channel in self.channels:
            channel.buffer, channel.status = None, HALTED

    def work(self):
        self.simulation.run(CYCLES_AN_ACCESS)
        self._send(self.sendchannel)
        self.arrived += zip(*self.simulation.receive(), strict=True)
        self._receive(self.recvchannel)

    def _send(self, channel):
        if channel.buffer is None:
            return
        unsent = self.simulation.unsent
        end = min(channel.place + max(AHEAD - unsent, 0), channel.length)
        if end > channel.place:
            self.simulation.send(channel.buffer.memory[channel.place : end], last=end == channel.length)
            channel.place = end
        elif channel.place == channel.length and not unsent:
            channel.end(IDLE)

    def _receive(self, channel):
        while channel.buffer is not None and self.arrived:
            if channel.place == channel.length:
                channel.end(INTERNAL_ERROR | HALTED)
                return
            row, last = self.arrived.pop(0)
            channel.buffer.memory[channel.place] = row
            channel.place += 1
            if last:
                channel.end(IDLE)


class Registers:
    """The system's registers as an IP of the overlay."""

    def __init__(self, simulation):
        self.simulation = simulation

    def read(self, offset):
        value, response = self.simulation.read(offset)
        assert response == 0, f"a fault of the bus: read of {offset:#x}"
        return value

    def write(self, offset, value):
        assert self.simulation.write(offset, value) == 0, f"a fault of the bus: write to {offset:#x}"


class FakePynq:
    """The package, for one board whose fabric has one system.

    Parameters
    ----------
    config : object
    length_bits : int
        Width of the DMA's length registers.
    stall, seed
        Stall and seed of the simulation's streams.
    """

    def __init__(self, config, *, length_bits=14, stall=0.0, seed=0):
        self.length_bits, self.buffers, self.contiguous = length_bits, [], 128 << 20
        self.simulation = AxiSimulation(config, stall=stall, seed=seed)
        self.dma = Dma(self.simulation, length_bits)

    def Overlay(self, bitfile, download=True):
        if not bitfile.endswith(".bit"):
            raise OSError(f"Bitstream file {bitfile} does not exist.")
        overlay = type("Overlay", (), {})()
        overlay.ip_dict = {"rewardware_0": {}, "axi_dma_0": {}, "axi_gpio_0": {}}
        overlay.rewardware_0, overlay.axi_dma_0, overlay.axi_gpio_0 = Registers(self.simulation), self.dma, object()
        return overlay

    def allocate(self, shape, dtype):
        buffer = np.zeros(shape, dtype).view(Buffer)
        if buffer.nbytes > self.contiguous:
            raise RuntimeError("Failed to allocate Memory!")
        buffer.memory, buffer.dma = np.zeros(shape, dtype), self.dma
        self.buffers.append(buffer)
        return buffer

    def close(self):
        self.simulation.close()
