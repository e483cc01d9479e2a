"""The exponential function."""

from amaranth.hdl import Const, Module, Mux, Signal, signed
from amaranth.lib.wiring import In, Out

from ...component import ConfiguredComponent
from ..datapath import decode
from .config import FloatFunctionConfig
from .datapath import hold, shift_to_subnormal, weigh
from .tables import exponent_width, exponential_table, log2_e_fraction, result_fraction, rounded_log2_e
from .unit import FloatTableUnit, look_up

__all__ = ["ExponentOfTwo", "FloatExponential"]


class ExponentOfTwo(ConfiguredComponent):
    """``|a| log2(e)`` as a fixed-point number, so that ``e**a`` is 2 to the power of it.

    Number format: ``exponent`` is cut to as many fraction bits as the tables of the format give. Beyond the largest it
    can be, ``above`` is set and it is undefined. Negative exponents are complements, less by one unit: what has been
    cut from them is then made up for.

    Latency: 2 cycles (product, shift), one operand a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatFunctionConfig

    Members
    -------
    a : In(width)
    doubled : In(1)
        Take ``2 a`` instead of ``a``.
    negative : In(1)
        The exponent is negative.
    exponent : Out(signed)
    above : Out(1)
    """

    LATENCY = 2

    def __init__(self, config: FloatFunctionConfig):
        number_format = config.format
        width = exponent_width(number_format) + result_fraction(number_format)
        super().__init__(
            config,
            {
                "a": In(number_format.width),
                "doubled": In(1),
                "negative": In(1),
                "exponent": Out(signed(width + 1)),
                "above": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from operand to exponent."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        number_format = self._config.format
        operand = decode(m, number_format, self.a, "a")
        constant = Const(rounded_log2_e(number_format))
        product = Signal(number_format.precision + len(constant), reset_less=True)
        m.d.sync += product.eq(operand.significand * constant)

        # The largest operands stand at the top; how far right of that is this one?
        largest = exponent_width(number_format) - 2
        distance = Signal(signed(number_format.exponent_bits + 2), reset_less=True)
        m.d.sync += distance.eq(largest + number_format.bias - operand.exponent - self.doubled)
        at = hold(m, 1, negative=self.negative)

        width = len(self.exponent) - 1
        unit = number_format.fraction_bits + log2_e_fraction(number_format) - largest
        shifted = Signal(width)
        m.d.comb += shifted.eq(product[unit - result_fraction(number_format) :])
        amount_bits = (width - 1).bit_length()
        for index in reversed(range(amount_bits)):
            following = Signal(width, name=f"shifted_{1 << index}")
            m.d.comb += following.eq(Mux(distance[index], shifted >> (1 << index), shifted))
            shifted = following
        magnitude = Signal(width + 1)
        m.d.comb += magnitude.eq(Mux(distance[amount_bits:].any(), 0, shifted))
        m.d.sync += [self.exponent.eq(magnitude ^ at.negative.replicate(width + 1)), self.above.eq(distance[-1])]
        return m


class FloatExponential(FloatTableUnit):
    """Exponential function, from a table of powers of two after a multiplication by log2(e).

    ``result = e**a``

    Number format: the configuration's. The error is below 0.63 units in the last place: of the two numbers around the
    exact result it is one. The function is monotone. -infinity gives +0, NaN the quiet NaN.

    Latency: 8 cycles (exponent of two 2, table 4, alignment, rounding) for formats of up to 12 fraction bits, 10
    beyond; one operand a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatFunctionConfig

    Members
    -------
    a : In(width)
    result : Out(width)
    nonfinite : Out(1)
        The result is an infinity or NaN.
    """

    TABLE = staticmethod(exponential_table)
    CYCLES_BESIDE = ExponentOfTwo.LATENCY + 2

    def elaborate(self, platform):
        m = Module()
        number_format = self._config.format
        fraction = result_fraction(number_format)
        m.submodules.reduction = reduction = ExponentOfTwo(self._config)
        m.submodules.table = table = self._table
        operand = decode(m, number_format, self.a, "a")
        m.d.comb += [reduction.a.eq(self.a), reduction.negative.eq(operand.sign)]
        reduced = hold(m, reduction.latency, sign=operand.sign, special=operand.special, invalid=operand.nan)

        look_up(m, table, reduction.exponent[:fraction])

        # The exponent's whole part is that of the result.
        whole = Signal(signed(len(reduction.exponent) - fraction))
        field = Signal(signed(len(whole) + 1))
        above, overflow = Signal(), Signal()
        m.d.comb += [
            whole.eq(reduction.exponent[fraction:]),
            field.eq(whole + number_format.bias),
            above.eq(reduction.above | reduced.special),
            overflow.eq(above | (field >= number_format.exponent_ones)),
        ]
        at = hold(
            m,
            table.latency,
            **weigh(m, number_format, field, number_format.precision + 1),
            nothing=above & reduced.sign,
            infinite=overflow & ~reduced.sign,
            invalid=reduced.invalid,
        )
        if number_format.gradual:
            power, nothing = shift_to_subnormal(m, table.result, at.distance, at.far), at.nothing
        else:
            power, nothing = table.result, at.nothing | at.low
        ready = hold(m, 1, power=power, base=at.base, nothing=nothing, infinite=at.infinite, invalid=at.invalid)
        flags = {"nothing": ready.nothing, "infinite": ready.infinite, "invalid": ready.invalid}
        self.finish(m, ready.base, ready.power, 1, **flags)
        return m
