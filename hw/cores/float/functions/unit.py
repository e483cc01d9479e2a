"""The base of the function units: one operand in, one result out, a fixed number of cycles later."""

from collections.abc import Callable

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from ...component import ConfiguredComponent
from ...function.polynomial import PolynomialTable
from ...function.polynomial_evaluator import PolynomialEvaluator
from ..config import FloatFormat
from ..datapath import round_and_pack, special
from ..nonfinite import is_nonfinite
from .config import FloatFunctionConfig

__all__ = ["FloatFunctionUnit", "FloatTableUnit", "look_up"]


class FloatFunctionUnit(ConfiguredComponent):
    """A pipeline that takes an operand in every cycle; base of the units.

    Parameters
    ----------
    config : FloatFunctionConfig
    ports : dict
        Members of the signature besides ``a``, ``result`` and ``nonfinite``.
    """

    def __init__(self, config: FloatFunctionConfig, ports=None):
        width = config.format.width
        super().__init__(config, {"a": In(width)} | (ports or {}) | {"result": Out(width), "nonfinite": Out(1)})

    def finish(self, m: Module, base: Value, magnitude: Value, leading_bits: int, **flags: Value):
        """Round to nearest even, and drive the results from a register.

        Parameters
        ----------
        base : Value
            Exponent field, less what the leading bits say.
        magnitude : Value
            Leading bits, then the fraction, then what is below.
        leading_bits : int
            How many bits of the magnitude count the field up.
        **flags : Value
            ``sign``, where results have one, and over the numbers ``nothing``, over that ``infinite`` and over all
            ``invalid``.
        """
        number_format = self._config.format
        leading, rest = magnitude[-leading_bits:], magnitude[:-leading_bits]
        packed = round_and_pack(m, number_format, base, leading, rest)
        exceptional, invalid = Signal(), flags["invalid"]
        finite = Mux(flags["nothing"], Const(0, len(packed)), packed)
        rounded = Signal(number_format.width - 1, reset_less=True)
        m.d.comb += exceptional.eq(flags["infinite"] | invalid)
        m.d.sync += rounded.eq(Mux(exceptional, special(number_format, invalid), finite))
        m.d.comb += [self.result.eq(rounded), self.nonfinite.eq(is_nonfinite(number_format, rounded))]
        if "sign" in flags:
            sign = Signal(reset_less=True)
            m.d.sync += sign.eq(flags["sign"] & ~invalid)
            m.d.comb += self.result[-1].eq(sign)


class FloatTableUnit(FloatFunctionUnit):
    """A unit that looks up its function in one table; base of those that need no second one.

    Parameters
    ----------
    config : FloatFunctionConfig
    """

    # The table of a number format, and the cycles before and behind it.
    TABLE: Callable[[FloatFormat], PolynomialTable]
    CYCLES_BESIDE: int

    def __init__(self, config: FloatFunctionConfig):
        self._table = PolynomialEvaluator(type(self).TABLE(config.format))
        super().__init__(config)

    @property
    def latency(self):
        """Cycles from operand to result."""
        return self._table.latency + self.CYCLES_BESIDE


def look_up(m: Module, table: PolynomialEvaluator, position: Value):
    """Ask a table: the upper bits of a position choose a piece, the others are the place in it."""
    width = table.config.offset_width
    m.d.comb += [table.index.eq(position[width:]), table.offset.eq(position[:width])]
