"""A multiplier and an adder: the unit that layers have many of."""

from amaranth.hdl import Const, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..float.adder import FloatAdder
from ..float.config import FloatConfig, FloatLaneConfig
from ..float.multiplier import FloatMultiplier

__all__ = ["MultiplyAccumulate"]


class MultiplyAccumulate(wiring.Component):
    """Adds a product to a sum::

        result = a * b if first else sum + a * b

    The sum is what the adder has just given where ``again`` says so, otherwise ``kept``: whoever keeps the sums
    need not wait until one is written before it is used again.

    Number format: the configuration's; product and sum are each rounded to nearest even, unfused. A first product is
    added to -0, which leaves every number what it is.

    Latency: ``latency`` cycles from ``a`` and ``b``; ``first``, ``again`` and ``kept`` belong to the operands of
    ``multiplier_depth`` cycles ago. One product a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatLaneConfig

    Members
    -------
    a, b, kept : In(width)
    first, again : In(1)
    result : Out(width)
    """

    def __init__(self, config: FloatLaneConfig):
        self._config = config
        width = config.format.width
        super().__init__(
            {name: In(width) for name in ("a", "b", "kept")} | {"first": In(1), "again": In(1), "result": Out(width)}
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from operands to the sum with their product."""
        return self._config.multiplier_depth + self._config.adder_depth

    def elaborate(self, platform):
        m = Module()
        number_format = self._config.format
        m.submodules.multiplier = multiplier = FloatMultiplier(
            FloatConfig(format=number_format, depth=self._config.multiplier_depth)
        )
        m.submodules.adder = adder = FloatAdder(FloatConfig(format=number_format, depth=self._config.adder_depth))
        zero = Const(number_format.sign_bit, number_format.width)
        m.d.comb += [
            multiplier.a.eq(self.a),
            multiplier.b.eq(self.b),
            adder.a.eq(Mux(self.first, zero, Mux(self.again, adder.result, self.kept))),
            adder.b.eq(multiplier.result),
            adder.subtract.eq(0),
            self.result.eq(adder.result),
        ]
        return m
