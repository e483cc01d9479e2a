"""Memories of a bench: data come a fixed time after the address and stay until the next, or are gone a cycle later."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge


class ReadPort:
    """Serves a read port of the component.

    Parameters
    ----------
    dut : handle
    name : str
        The interface's.
    contents : mapping or sequence
        Content of each address: the bits of a word.
    latency : int
        Cycles from an address to its data.
    stays : bool
        Data stay until the next read; otherwise zeros follow, so that nobody relies on them.
    """

    def __init__(self, dut, name, contents, latency=1, *, stays=True):
        self.contents, self.reads = contents, 0
        self._enable, self._address, self._data = (
            getattr(dut, f"{name}__{part}") for part in ("enable", "address", "data")
        )
        self._data.value = 0
        cocotb.start_soon(self._run(dut.clk, latency, stays))

    async def _run(self, clock, latency, stays):
        under_way = [None] * (latency - 1)
        while True:
            await ReadOnly()
            word = None if stays else 0
            if int(self._enable.value):
                self.reads += 1
                word = int(self.contents[int(self._address.value)])
            under_way.append(word)
            await RisingEdge(clock)
            arrived = under_way.pop(0)
            if arrived is not None:
                self._data.value = arrived


class Words:
    """Words of indexes in a memory: what a read port sees of an array that a bench fills.

    Parameters
    ----------
    words : array of int (addresses, lanes)
    width : int
        Bits of an index.
    """

    def __init__(self, words, width):
        self._words, self._width = words, width

    def __getitem__(self, address):
        return sum(int(index) << self._width * lane for lane, index in enumerate(self._words[address]))


class WritePort:
    """Takes what the component writes: ``take`` gives ``(address, word)`` of this cycle, or nothing, in its read-only
    phase.

    Parameters
    ----------
    dut : handle
    name : str
        The interface's.
    """

    def __init__(self, dut, name):
        self._ports = [getattr(dut, f"{name}__{part}") for part in ("enable", "address", "data")]

    def take(self):
        enable, address, data = self._ports
        return (int(address.value), int(data.value)) if int(enable.value) else None


async def write(dut, name, words):
    """Writes words to consecutive addresses of a write port of the component, from 0 on."""
    enable, address, data = (getattr(dut, f"{name}__{part}") for part in ("enable", "address", "data"))
    for place, word in enumerate(words):
        enable.value, address.value, data.value = 1, place, int(word)
        await RisingEdge(dut.clk)
    enable.value = 0
