"""A multiplier and an adder: the unit that layers have many of."""

from amaranth.hdl import Const, Module, Mux
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.config import FloatConfig, FloatLaneConfig
from ..float.multiplier import FloatMultiplier

__all__ = ["MultiplyAccumulate"]


class MultiplyAccumulate(ConfiguredComponent):
    """Adds a product to a sum::

        result = a * b if clear else accumulator_in + a * b

    Number format: the configuration's; product and sum are each rounded to nearest even, unfused. After ``clear`` the
    product is added to -0, which leaves every number what it is.

    Latency: ``latency`` cycles from ``a`` and ``b``; ``clear`` and ``accumulator_in`` belong to the operands of
    ``multiplier_depth`` cycles ago. Throughput: one product a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatLaneConfig

    Members
    -------
    a, b, accumulator_in : In(width)
    clear : In(1)
    result : Out(width)
    """

    def __init__(self, config: FloatLaneConfig):
        width = config.format.width
        operands = {name: In(width) for name in ("a", "b", "accumulator_in")}
        super().__init__(config, operands | {"clear": In(1), "result": Out(width)})

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
            adder.a.eq(Mux(self.clear, zero, self.accumulator_in)),
            adder.b.eq(multiplier.result),
            adder.subtract.eq(0),
            self.result.eq(adder.result),
        ]
        return m
