"""A function from a ROM and one or two multiplications."""

from amaranth.hdl import Module, Shape, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Rom
from ..pipeline import delay
from .polynomial import PolynomialTable

__all__ = ["PolynomialEvaluator"]


class PolynomialEvaluator(ConfiguredComponent):
    """A polynomial whose coefficients a ROM chooses.

    ``result = c0 + floor((c1 + floor(c2 * offset / 2**w)) * offset / 2**w)``, ``w`` the width of the offset, ``c`` the
    coefficients of the interval ``index``; without ``c2`` where the degree is 1.

    Number format: integers; each product is cut to the unit of the coefficients.

    Latency: 4 cycles (ROM, the register behind it that block RAM needs to be fast, product, sum) for degree 1, 6 for
    degree 2; one value a cycle. No back-pressure.

    Parameters
    ----------
    config : PolynomialTable
        Contents and widths.

    Members
    -------
    index : In(range(intervals))
        Interval; beyond the last one the result is undefined.
    offset : In(offset_width)
        Position within the interval.
    result : Out
        As wide as the results at the ends of intervals need, signed if one of them is negative.
    """

    def __init__(self, config: PolynomialTable):
        super().__init__(
            config,
            {
                "index": In(range(config.intervals)),
                "offset": In(config.offset_width),
                "result": Out(_shape(config.result_bounds)),
            },
        )

    @property
    def latency(self):
        """Cycles from ``index`` to ``result``."""
        return 2 + 2 * self._config.degree

    def elaborate(self, platform):
        m = Module()
        table = self._config
        width = table.offset_width
        shapes = [_shape(table.bounds(power)) for power in range(table.degree + 1)]
        rows = []
        for coefficients in table.coefficients:
            row = 0
            for value, shape in zip(reversed(coefficients), reversed(shapes), strict=True):
                row = row << shape.width | value & (1 << shape.width) - 1
            rows.append(row)
        row_width = sum(shape.width for shape in shapes)
        m.submodules.rom = rom = Rom(row_width, MemoryConfig(depth=table.intervals), rows)
        m.d.comb += [rom.reads[0].enable.eq(1), rom.reads[0].address.eq(self.index)]

        # A ROM row: c0 below, the highest power above.
        word = Signal(row_width, reset_less=True)
        m.d.sync += word.eq(rom.reads[0].data)
        held, place = [], 0
        for power, shape in enumerate(shapes):
            coefficient = Signal(shape, name=f"c{power}")
            m.d.comb += coefficient.eq(word[place : place + shape.width])
            held.append(coefficient)
            place += shape.width
        offset = delay(m, self.offset, 2, "offset")

        # Horner's scheme, from the highest power down: a product, then a sum, a register behind each.
        *lower, result = held
        for power in reversed(range(table.degree)):
            bounds = table.result_bounds if power == 0 else table.slope_bounds
            product = Signal(
                Shape(result.shape().width + width, result.shape().signed), name=f"product_{power}", reset_less=True
            )
            total = Signal(_shape(bounds), name=f"sum_{power}", reset_less=True)
            cut = product[width:].as_signed() if product.shape().signed else product[width:]
            m.d.sync += product.eq(result * offset)
            m.d.sync += total.eq(delay(m, lower.pop(), 1, f"c{power}") + cut)
            if power:
                offset = delay(m, offset, 2, f"offset_{power}")
                lower = [delay(m, coefficient, 2, f"c{index}_{power}") for index, coefficient in enumerate(lower)]
            result = total
        m.d.comb += self.result.eq(result)
        return m


def _shape(bounds):
    return Shape.cast(range(bounds[0], bounds[1] + 1))
