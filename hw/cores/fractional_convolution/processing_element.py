"""The processing element of a conv core."""

from amaranth.hdl import Module, Mux
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import FractionalConvolutionConfig
from .lane_units import make_adder, make_multiplier

__all__ = ["ConvolutionElement"]


class ConvolutionElement(ConfiguredComponent):
    """A multiplier and an adder that adds up I sums by turns: a multiplication and an addition in every cycle.

    ::

        sum = (clear ? 0 : sum) + pixel * weight

    The sum that leaves the adder enters it again, with the product of that cycle: the stages of the adder hold I sums,
    each of which has its turn every I cycles.

    Number format: that of ``config.arithmetic``: integers exact, floating point with product and sum each rounded to
    nearest even, the first product being added to +0.

    Latency: ``latency`` cycles from operands to the sum with their product. ``clear`` comes ``multiplier_depth`` cycles
    after the operands that it belongs to. No back-pressure: it computes in every cycle.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    pixel, weight : In(operand_width)
    clear : In(1)
        The product of this cycle begins a sum.
    sum : Out(sum_width)

    Source
    ------
    Thesis, section 3.2.4, tiled interleaving convolution cores: there sums are interleaved in a buffer.
    """

    def __init__(self, config: FractionalConvolutionConfig):
        super().__init__(
            config,
            {
                "pixel": In(config.operand_width),
                "weight": In(config.operand_width),
                "clear": In(1),
                "sum": Out(config.sum_width),
            },
        )

    @property
    def latency(self):
        """Cycles from operands to the sum with their product."""
        return self._config.arithmetic.multiplier_depth + self._config.arithmetic.adder_depth

    def elaborate(self, platform):
        m = Module()
        m.submodules.multiplier = multiplier = make_multiplier(self._config.arithmetic)
        m.submodules.adder = adder = make_adder(self._config.arithmetic)
        m.d.comb += [
            multiplier.a.eq(self.pixel),
            multiplier.b.eq(self.weight),
            adder.a.eq(Mux(self.clear, 0, adder.result)),
            adder.b.eq(multiplier.result),
            self.sum.eq(adder.result),
        ]
        return m
