"""Memories of a bench: data come a fixed time after the address and stay until the next."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge


class ReadPort:
    """Serves a read port of the component: ``<name>_read_enable``, ``<name>_read_address`` and a port for the data.

    Parameters
    ----------
    dut : handle
    name : str
        With the underscore, or empty.
    data : str
        Port of the data.
    contents : mapping or sequence
        What is at each address: the bits of a word.
    latency : int
        Cycles from an address to its data.
    """

    def __init__(self, dut, name, data, contents, latency=1):
        self.contents, self.reads = contents, 0
        self._enable, self._address = getattr(dut, f"{name}read_enable"), getattr(dut, f"{name}read_address")
        self._data = getattr(dut, data)
        self._data.value = 0
        cocotb.start_soon(self._run(dut.clk, latency))

    async def _run(self, clock, latency):
        under_way = [None] * (latency - 1)
        while True:
            await ReadOnly()
            word = None
            if int(self._enable.value):
                self.reads += 1
                word = int(self.contents[int(self._address.value)])
            under_way.append(word)
            await RisingEdge(clock)
            arrived = under_way.pop(0)
            if arrived is not None:
                self._data.value = arrived
