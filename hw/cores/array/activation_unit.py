"""Activation functions, their derivatives, and the arithmetic of targets and errors."""

from typing import Final

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..fixed.arithmetic import round_half_up, saturate
from ..fixed.wide_multiplier import WideMultiplier
from ..function.hyperbolic_tangent import HyperbolicTangent
from ..function.tables import TANH_FRACTION
from ..pipeline import delay
from .config import WORD_WIDTH, Operation

__all__ = ["ActivationUnit"]


class ActivationUnit(wiring.Component):
    """One lane of the activation unit; the operations share one multiplier.

    With ``one = 2^20`` and a the auxiliary word:

    * identity: x
    * relu: max(x, 0)
    * tanh: :class:`.HyperbolicTangent` of x
    * relu_gradient: x if ``positive``, else 0
    * tanh_gradient: round(x * (one - ((b * b) >> 20)), 20), b = a clamped to [-one, one]
    * multiply_add: sat32(a + round(x * factor, 20))
    * difference: sat32(x - a)
    * tanh_noise: tanh(x) + a, clamped to [-one, one]

    Number format: words of 32 bits with 20 fraction bits; *round* is half up. ``saturated`` says that sat32 changed the
    value.

    Latency: 7 cycles for every operation, one value a cycle. No back-pressure.

    Members
    -------
    x : In(signed(32))
    auxiliary : In(signed(32))
    factor : In(signed(32))
        Second factor of multiply_add.
    positive : In(1)
        The stored activation is positive.
    operation : In(3)
        See ``Operation``.
    y : Out(signed(32))
    saturated : Out(1)

    Source
    ------
    FIXAR, sections III and VI-B.
    """

    LATENCY: Final = 7

    x: In(signed(WORD_WIDTH))
    auxiliary: In(signed(WORD_WIDTH))
    factor: In(signed(WORD_WIDTH))
    positive: In(1)
    operation: In(3)
    y: Out(signed(WORD_WIDTH))
    saturated: Out(1)

    @property
    def latency(self):
        """Cycles from ``x`` to ``y``."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        m.submodules.tanh = tanh = HyperbolicTangent()
        m.d.comb += tanh.value.eq(self.x)
        operation_2 = delay(m, self.operation, 2, "operation")
        operation_5 = delay(m, operation_2, 3, "product_operation")
        operation_6 = delay(m, operation_5, 1, "last_operation")

        # 1 to 5: the product.
        x_2 = delay(m, self.x, 2, "x")
        m.submodules.multiplier = multiplier = WideMultiplier(self.x.shape(), self.factor.shape())
        m.d.comb += [multiplier.a.eq(x_2), multiplier.b.eq(self._multiplier(m, operation_2))]

        # 6: everything but tanh, not yet saturated.
        x_5 = delay(m, x_2, multiplier.latency, "product_x")
        auxiliary_5 = delay(m, self.auxiliary, 5, "auxiliary")
        total = self._total(m, operation_5, x_5, multiplier.product, auxiliary_5)

        # 7: saturate, or take tanh.
        auxiliary_6 = delay(m, auxiliary_5, 1, "noise")
        noisy = Signal(signed(WORD_WIDTH + 1))
        word, saturated = saturate(total, WORD_WIDTH)
        m.d.comb += noisy.eq(tanh.result + auxiliary_6)
        m.d.sync += self.saturated.eq(saturated)
        with m.Switch(operation_6):
            with m.Case(Operation.TANH):
                m.d.sync += self.y.eq(tanh.result)
            with m.Case(Operation.TANH_NOISE):
                m.d.sync += self.y.eq(_clamp_to_one(noisy))
            with m.Default():
                m.d.sync += self.y.eq(word)
        return m

    def _multiplier(self, m, operation):
        """By what x is multiplied, 2 cycles late: tanh's derivative or the factor. The square is made of two limbs."""
        limb = 11
        bounded = Signal(signed(TANH_FRACTION + 2))
        magnitude = Signal(TANH_FRACTION + 1, reset_less=True)
        low, high = magnitude[:limb], magnitude[limb:]
        high_square = Signal(2 * len(high), reset_less=True)
        cross = Signal(len(magnitude), reset_less=True)
        low_square = Signal(2 * limb, reset_less=True)
        square = Signal(2 * TANH_FRACTION + 1)
        multiplier = Signal(signed(WORD_WIDTH))
        derivative = (1 << TANH_FRACTION) - (square >> TANH_FRACTION)
        factor = delay(m, self.factor, 2, "factor")
        m.d.comb += [
            bounded.eq(_clamp_to_one(self.auxiliary)),
            square.eq(Cat(low_square, high_square) + (cross << limb + 1)),
            multiplier.eq(Mux(operation == Operation.TANH_GRADIENT, derivative, factor)),
        ]
        m.d.sync += [
            magnitude.eq(Mux(bounded < 0, -bounded, bounded)),
            high_square.eq(high * high),
            cross.eq(high * low),
            low_square.eq(low * low),
        ]
        return multiplier

    def _total(self, m, operation, x, product, auxiliary):
        """The result of every operation without tanh, in the next cycle."""
        positive = delay(m, self.positive, 5, "positive")
        rounded = Signal(signed(2 * WORD_WIDTH - TANH_FRACTION + 1))
        total = Signal(signed(len(rounded) + 1), reset_less=True)
        m.d.comb += rounded.eq(round_half_up(product, TANH_FRACTION))
        with m.Switch(operation):
            with m.Case(Operation.RELU):
                m.d.sync += total.eq(Mux(x < 0, 0, x))
            with m.Case(Operation.RELU_GRADIENT):
                m.d.sync += total.eq(Mux(positive, x, 0))
            with m.Case(Operation.TANH_GRADIENT):
                m.d.sync += total.eq(rounded)
            with m.Case(Operation.MULTIPLY_ADD):
                m.d.sync += total.eq(rounded + auxiliary)
            with m.Case(Operation.DIFFERENCE):
                m.d.sync += total.eq(x - auxiliary)
            with m.Default():
                m.d.sync += total.eq(x)
        return total


def _clamp_to_one(value):
    one = Const(1 << TANH_FRACTION, signed(TANH_FRACTION + 2))
    return Mux(value > one, one, Mux(value < -one, -one, value))
