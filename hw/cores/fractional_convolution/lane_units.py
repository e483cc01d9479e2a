"""Multiplier and adder of a lane, of integers or floating point."""

from amaranth.hdl import Module, signed
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.config import FloatConfig, FloatLaneConfig
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay
from .config import IntegerLaneConfig

__all__ = ["IntegerAdder", "IntegerMultiplier", "make_adder", "make_multiplier"]


class IntegerMultiplier(ConfiguredComponent):
    """The exact product of two integers, two's complement.

    Latency: ``latency`` cycles, one product a cycle. No back-pressure. Two registers surround the multiplication, which
    DSP blocks absorb; further ones follow it.

    Parameters
    ----------
    config : IntegerLaneConfig

    Members
    -------
    a, b : In(signed(width))
    result : Out(signed(sum_width))
    """

    def __init__(self, config: IntegerLaneConfig):
        operand = signed(config.width)
        super().__init__(config, {"a": In(operand), "b": In(operand), "result": Out(signed(config.sum_width))})

    @property
    def latency(self):
        """Cycles from operands to the product."""
        return self._config.multiplier_depth

    def elaborate(self, platform):
        m = Module()
        before = min(1, self.latency - 1)
        a, b = delay(m, self.a, before, "a"), delay(m, self.b, before, "b")
        m.d.comb += self.result.eq(delay(m, a * b, self.latency - before, "product"))
        return m


class IntegerAdder(ConfiguredComponent):
    """The sum of two integers, two's complement; the width is the user's promise that it is large enough.

    Latency: one cycle, one sum a cycle. No back-pressure.

    Parameters
    ----------
    config : IntegerLaneConfig

    Members
    -------
    a, b : In(signed(sum_width))
    result : Out(signed(sum_width))
    """

    def __init__(self, config: IntegerLaneConfig):
        shape = signed(config.sum_width)
        super().__init__(config, {"a": In(shape), "b": In(shape), "result": Out(shape)})

    @property
    def latency(self):
        """Cycles from operands to the sum."""
        return self._config.adder_depth

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.result.eq(self.a + self.b)
        return m


def make_multiplier(arithmetic):
    """The multiplier of a lane: ``a``, ``b``, ``result``."""
    if isinstance(arithmetic, FloatLaneConfig):
        return FloatMultiplier(FloatConfig(format=arithmetic.format, depth=arithmetic.multiplier_depth))
    return IntegerMultiplier(arithmetic)


def make_adder(arithmetic):
    """The adder of a lane: ``a``, ``b``, ``result``."""
    if isinstance(arithmetic, FloatLaneConfig):
        return FloatAdder(FloatConfig(format=arithmetic.format, depth=arithmetic.adder_depth))
    return IntegerAdder(arithmetic)
