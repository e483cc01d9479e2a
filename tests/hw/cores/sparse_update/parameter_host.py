"""A host of memories of weights and mean squares in a bench: every row in, every row out."""

import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import compare

NAMES = ("weights", "squares")


class ParameterHost:
    """The ports ``read_weights``, ``write_weights``, ``read_squares`` and ``write_squares`` of a component.

    Parameters
    ----------
    dut : handle
    width : int
        Bits of a number.
    """

    def __init__(self, dut, width):
        self.dut, self.width = dut, width
        for name in NAMES:
            getattr(dut, f"read_{name}__enable").value = getattr(dut, f"write_{name}__enable").value = 0

    def pack(self, row):
        return sum(int(number) << self.width * lane for lane, number in enumerate(row))

    def unpack(self, bits, lanes):
        return [int(bits) >> self.width * lane & (1 << self.width) - 1 for lane in range(lanes)]

    def port(self, name):
        return (getattr(self.dut, f"{name}__{part}") for part in ("enable", "address", "data"))

    async def write(self, memories):
        """Weights and mean squares, each an array (rows, lanes)."""
        for name, memory in zip(NAMES, memories, strict=True):
            enable, address, data = self.port(f"write_{name}")
            enable.value = 1
            for place, row in enumerate(memory):
                address.value, data.value = place, self.pack(row)
                await RisingEdge(self.dut.clk)
            enable.value = 0

    async def check(self, expected, what):
        """Reads all rows; raises where one is not as expected."""
        for name, memory in zip(NAMES, expected, strict=True):
            enable, address, data = self.port(f"read_{name}")
            enable.value = 1
            for place, row in enumerate(memory):
                address.value = place
                await RisingEdge(self.dut.clk)
                await ReadOnly()
                got = self.unpack(data.value, len(row))
                if not np.array_equal(row, got):
                    compare([int(number) for number in row], got, f"{name} after {what}", place)
                await RisingEdge(self.dut.clk)
            enable.value = 0
