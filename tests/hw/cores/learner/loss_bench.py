"""Parts that the benches of MAAC's losses share."""

import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float import host
from tests.hw.cores.transfer_cycles import TransferCycles


class LossBench:
    """A loss that gives derivatives on ``errors``, and of each sample a row of numbers on another stream.

    Parameters
    ----------
    dut : handle
    """

    # Streams, and the fields of the rows.
    SOURCES: tuple[str, ...]
    ROWS: str
    FIELDS: tuple[str, ...]

    def __init__(self, dut):
        self.dut, self.config, self.count = dut, parameters()["config"], parameters()["count"]
        self.format = self.config.format
        self.sources = {name: StreamSource(dut, name) for name in self.SOURCES}
        self.sinks = {name: StreamSink(dut, name) for name in ("errors", self.ROWS)}
        self.random = rng("samples")

    def put(self, count):
        """Queue random samples; returns derivatives, and a column of each field, that have to come out."""
        raise NotImplementedError

    def bits(self, values):
        """Bit patterns of values."""
        return host.to_bits(self.format, values).tolist()

    def rounded(self, values):
        """The numbers of the format nearest to values."""
        return host.from_bits(self.format, host.to_bits(self.format, values))

    def set(self, **settings):
        """Numbers of a step; returned as the reference takes them."""
        rounded = [self.rounded(setting) for setting in settings.values()]
        for name, setting in zip(settings, rounded, strict=True):
            getattr(self.dut, name).value = self.bits(setting).pop()
        return rounded

    def put_tables(self, **tables):
        """Numbers to streams."""
        for name, table in tables.items():
            for bits in np.ravel(self.bits(table)):
                self.sources[name].put(int(bits))

    def put_rows(self, stream, **columns):
        """Rows to a stream, from columns of integers."""
        for row in zip(*columns.values(), strict=True):
            self.sources[stream].put(dict(zip(columns, row, strict=True)))

    async def check(self, expected):
        """Compare the outputs with the expected ones."""
        derivatives, *columns = expected
        for index, bits in enumerate(np.ravel(self.bits(derivatives))):
            compare(int(bits), await self.sinks["errors"].receive(), "errors", index)
        for index, row in enumerate(zip(*map(self.bits, columns), strict=True)):
            wanted = dict(zip(self.FIELDS, row, strict=True))
            compare(wanted, await self.sinks[self.ROWS].receive(), self.ROWS, index)


async def same_bits(bench):
    """One stream at a time is slow, and all together."""
    await clock_and_reset(bench.dut)
    parts = (*bench.sources.values(), *bench.sinks.values())
    for slow in (None, *parts):
        for part in parts:
            part.stall = 0.9 if part is slow else 0.3 if slow is None else 0
        await bench.check(bench.put(80))


async def holds_back(bench):
    """Nothing is lost while one of the results waits for as long as there is room, and longer."""
    await clock_and_reset(bench.dut)
    errors, rows = bench.sinks.values()
    for sink in (errors, rows):
        sink.stall = 1
        expected = bench.put(60)
        for _ in range(60 * (parameters()["cycles"] + 4)):
            await RisingEdge(bench.dut.clk)
        assert len(errors) < 60 * bench.count or len(rows) < 60
        sink.stall = 0
        await bench.check(expected)


async def takes_its_cycles(bench):
    """From one sample to the next, after the first."""
    for part in (*bench.sources.values(), *bench.sinks.values()):
        part.stall = 0
    await clock_and_reset(bench.dut)
    seen = TransferCycles(bench.dut, bench.ROWS)
    await bench.check(bench.put(40))
    compare([parameters()["cycles"]] * 20, np.diff(seen.taken[bench.ROWS][19:]), "cycles between samples", 0)
