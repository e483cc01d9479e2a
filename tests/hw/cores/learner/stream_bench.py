"""Parts that the benches of cores between the networks of a learner share."""

import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, compare, parameters, rng
from rewardware.sw.reference.float import host
from tests.hw.cores.float.operands import extremes
from tests.hw.cores.layer.stimulus import numbers

STALLS = ((0.0, 0.0), (0.0, 0.8), (0.8, 0.0), (0.2, 0.2))


class StreamBench:
    """The streams of a core, and tables of values that go through them.

    Parameters
    ----------
    dut : handle
    arithmetic : FloatLaneConfig
    sources, sinks : iterable of str
        Names of streams.
    """

    def __init__(self, dut, arithmetic, sources, sinks):
        self.dut, self.config, self.format = dut, parameters()["config"], arithmetic.format
        self.sources = {name: StreamSource(dut, name) for name in sources}
        self.sinks = {name: StreamSink(dut, name) for name in sinks}
        self.random = rng("numbers")

    def stall(self, coming, leaving):
        """Set the stalls of all streams."""
        for parts, probability in ((self.sources, coming), (self.sinks, leaving)):
            for part in parts.values():
                part.stall = probability

    def numbers(self, *shape, corners=0.0):
        """Values about 1, and a share of corner values."""
        table = numbers(self.random, self.format, *shape)
        places = self.random.random(shape) < corners
        table[places] = host.from_bits(self.format, self.random.choice(extremes(self.format), places.sum()))
        return table

    def bits(self, values):
        """Bit patterns of numbers in their order; truth values stay."""
        return np.ravel(values if values.dtype == bool else host.to_bits(self.format, values)).tolist()

    def put(self, **tables):
        """Queue the values of streams; of a payload with fields, a table of each in a dictionary."""
        for name, table in tables.items():
            for value in self._payloads(table):
                self.sources[name].put(value)

    async def check(self, **tables):
        """Compare the outputs with the expected ones."""
        for name, table in tables.items():
            for index, value in enumerate(self._payloads(table)):
                compare(value, await self.sinks[name].receive(), name, index)

    async def wait(self, cycles):
        """So many cycles."""
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)

    def _payloads(self, table):
        if not isinstance(table, dict):
            return self.bits(table)
        rows = zip(*map(self.bits, table.values()), strict=True)
        return [dict(zip(table, map(int, row), strict=True)) for row in rows]
