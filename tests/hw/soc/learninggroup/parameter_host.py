"""What the host does with a memory of parameters in a bench: every word in, every word out."""

import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import compare
from rewardware.sim.cocotb.codec import codec_of

NAMES = ("numbers", "squares")


class ParameterHost:
    """Port ``host`` and the outputs ``numbers`` and ``squares`` of a component with a ParameterMemory.

    Parameters
    ----------
    dut : handle
    word_layout : shape-like
        Of a word.
    """

    def __init__(self, dut, word_layout):
        self.dut, self.codec = dut, codec_of(word_layout)
        for name in NAMES:
            getattr(dut, f"host__read_{name}").value = getattr(dut, f"host__write_{name}").value = 0

    async def write(self, memories):
        """Numbers and mean squares, each an array (rows, ``weight_banks``)."""
        for name, memory in zip(NAMES, memories, strict=True):
            enable = getattr(self.dut, f"host__write_{name}")
            enable.value = 1
            for address, word in enumerate(memory):
                self.dut.host__address.value = address
                self.dut.host__word.value = self.codec.pack(word)
                await RisingEdge(self.dut.clk)
            enable.value = 0

    async def check(self, expected, what):
        """Read all words; raises where one is not as expected."""
        for name, memory in zip(NAMES, expected, strict=True):
            enable = getattr(self.dut, f"host__read_{name}")
            enable.value = 1
            for address, word in enumerate(memory):
                self.dut.host__address.value = address
                await RisingEdge(self.dut.clk)
                await ReadOnly()
                got = self.codec.unpack(int(getattr(self.dut, name).value))
                if not np.array_equal(word, got):
                    compare([int(number) for number in word], got, f"{name} after {what}", address)
                await RisingEdge(self.dut.clk)
            enable.value = 0
