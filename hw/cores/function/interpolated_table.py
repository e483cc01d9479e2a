"""A function from a ROM and one multiplication."""

from amaranth.hdl import Cat, Const, Module, Shape, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..fixed.arithmetic import round_half_up
from ..memory.config import MemoryConfig
from ..memory.memory import Rom
from ..pipeline import delay
from .tables import InterpolationTable

__all__ = ["InterpolatedTable"]


class InterpolatedTable(ConfiguredComponent):
    """Linear interpolation between the nodes of a table.

    ``result = floor((base[index] * 2**offset_width + difference[index] * offset) / 2**shift + 1/2)``

    Number format: what the table says; exact but for the one rounding at the end, half up.

    Latency: 4 cycles (ROM 2, product, sum), one value a cycle. No back-pressure.

    Parameters
    ----------
    config : InterpolationTable
        Contents and widths.

    Members
    -------
    index : In(range(intervals))
        Interval; beyond the last one the result is undefined.
    offset : In(offset_width)
        Position within the interval.
    result : Out(result_width)
    """

    def __init__(self, config: InterpolationTable):
        super().__init__(
            config,
            {
                "index": In(range(config.intervals)),
                "offset": In(config.offset_width),
                "result": Out(config.base_width - config.guard_bits + 1),
            },
        )

    @property
    def latency(self):
        """Cycles from ``index`` to ``result``."""
        return 4

    def elaborate(self, platform):
        m = Module()
        table = self._config
        difference_shape = Shape(table.difference_width, signed=table.falls)
        words = [
            base | (difference & (1 << table.difference_width) - 1) << table.base_width
            for base, difference in zip(table.bases, table.differences, strict=True)
        ]
        width = table.base_width + table.difference_width
        m.submodules.rom = rom = Rom(width, MemoryConfig(depth=table.intervals), words)
        m.d.comb += [rom.reads[0].enable.eq(1), rom.reads[0].address.eq(self.index)]

        # A ROM row: base below, difference above. It has a register of its own, for a block memory is slow to answer
        # and the multiplier far from it.
        offset = delay(m, self.offset, 2, "offset")
        row = delay(m, rom.reads[0].data, 1, "row")
        difference = Signal(difference_shape)
        m.d.comb += difference.eq(row[table.base_width :])

        base = Signal(table.base_width)
        product = Signal(Shape(table.difference_width + table.offset_width, signed=table.falls))
        m.d.sync += [base.eq(row[: table.base_width]), product.eq(difference * offset)]

        # Between two values that are not negative, so neither is the sum.
        total = Signal(table.base_width + table.offset_width)
        m.d.comb += total.eq(Cat(Const(0, table.offset_width), base) + product)
        m.d.sync += self.result.eq(round_half_up(total, table.shift))
        return m
