"""The vector processing unit."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..float.multiplier import FloatMultiplier
from .matrix_config import ACCUMULATORS, VpuConfig

__all__ = ["ADDER_DEPTH", "MULTIPLIER_DEPTH", "SELECT_TO_CLEAR", "SELECT_TO_SUM", "VectorProcessingUnit"]

MULTIPLIER_DEPTH = 3
# Each stage holds one of the four sums.
ADDER_DEPTH = ACCUMULATORS
# Cycles from the selection of an operand to `clear` for its product.
SELECT_TO_CLEAR = 1 + MULTIPLIER_DEPTH
# Cycles from the selection of an operand to the sum with its product.
SELECT_TO_SUM = SELECT_TO_CLEAR + ADDER_DEPTH


class VectorProcessingUnit(ConfiguredComponent):
    """A multiplier and an adder, time-multiplexed over four sums: a multiplication and an addition in every cycle.

    In turn i the operand of accumulator i is multiplied by the weight, or by that accumulator's own factor, and the
    product is added to its sum::

        sum_i = (clear ? +0 : sum_i) + operands[i] * (own_factors ? factors[i] : weight)

    The four accumulation registers are the four stages of the adder. A sum that leaves the adder enters it again in the
    same cycle, with its next product: so four sums go round, four cycles apart, and the latency of the adder costs
    nothing. In turn i of the next step, the sum of accumulator i is just there.

    Number format: multiplication and addition of ``config.format``, each rounded to nearest even, unfused. A sum starts
    at +0, so it is never -0 before its first product is added and products of zeros do not change it.

    Latency: ``latency`` cycles from a selection to the sum with its product. ``clear`` belongs to the product selected
    ``SELECT_TO_CLEAR`` cycles before. No back-pressure: the unit computes in every cycle, also sums that nobody reads.

    Parameters
    ----------
    config : VpuConfig

    Members
    -------
    operands : In(4 * format.width)
        Vectors i = 0 to 3, lowest first.
    factors : In(4 * format.width)
        A second operand for each accumulator (weight gradients).
    weight : In(format.width)
        The second operand of all four (forward, backward).
    own_factors : In(1)
    select : In(2)
        The accumulator whose turn it is.
    clear : In(1)
        Start the sum at +0.
    result : Out(format.width)

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: VpuConfig):
        width = config.format.width
        super().__init__(
            config,
            {
                "operands": In(config.vector_width),
                "factors": In(config.vector_width),
                "weight": In(width),
                "own_factors": In(1),
                "select": In(range(ACCUMULATORS)),
                "clear": In(1),
                "result": Out(width),
            },
        )

    @property
    def latency(self):
        """Cycles from a selection to its sum."""
        return SELECT_TO_SUM

    def elaborate(self, platform):
        m = Module()
        number_format = self._config.format
        width = number_format.width
        m.submodules.multiplier = multiplier = FloatMultiplier(
            FloatConfig(format=number_format, depth=MULTIPLIER_DEPTH)
        )
        m.submodules.adder = adder = FloatAdder(FloatConfig(format=number_format, depth=ADDER_DEPTH))
        operand, factor = Signal(width, reset_less=True), Signal(width, reset_less=True)
        m.d.sync += [
            operand.eq(self.operands.word_select(self.select, width)),
            factor.eq(Mux(self.own_factors, self.factors.word_select(self.select, width), self.weight)),
        ]
        m.d.comb += [
            multiplier.a.eq(operand),
            multiplier.b.eq(factor),
            adder.a.eq(Mux(self.clear, 0, adder.result)),
            adder.b.eq(multiplier.result),
            self.result.eq(adder.result),
        ]
        return m
