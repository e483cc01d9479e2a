"""Activation functions, their derivatives and the arithmetic of temporal differences."""

from typing import Final

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..fixed.arithmetic import round_half_up, saturate
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
    * tanh: :class:`HyperbolicTangent` of x
    * relu_gradient: x if ``positive``, else 0
    * tanh_gradient: round(x * (one - ((b * b) >> 20)), 20), b = a clamped to [-one, one]
    * temporal_difference_target: sat32(a + round(x * neighbor, 20))
    * difference: sat32(x - a)
    * tanh_noise: tanh(x) + a, clamped to [-one, one]

    Number format: words of 32 bits with 20 fraction bits; *round* is half up. ``saturated`` says that sat32 changed the
    value.

    Latency: 7 cycles for every operation, one value a cycle. No back-pressure.

    Members
    -------
    x : In(signed(32))
    auxiliary : In(signed(32))
    neighbor : In(signed(32))
        Auxiliary word of the next lane (the discount); zero where there is none.
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
    neighbor: In(signed(WORD_WIDTH))
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

        # 1 to 3: the factor, of tanh's derivative or given. The square of the magnitude is made of two limbs.
        bounded = Signal(signed(TANH_FRACTION + 2))
        magnitude = Signal(TANH_FRACTION + 1, reset_less=True)
        limb = 11
        high_square = Signal(2 * (len(magnitude) - limb), reset_less=True)
        cross = Signal(len(magnitude), reset_less=True)
        low_square = Signal(2 * limb, reset_less=True)
        square = Signal(2 * TANH_FRACTION + 1)
        factor = Signal(signed(WORD_WIDTH), reset_less=True)
        operation_2 = delay(m, self.operation, 2, "factor_operation")
        neighbor_2 = delay(m, self.neighbor, 2, "neighbor")
        m.d.comb += [
            bounded.eq(_clamp_to_one(self.auxiliary)),
            square.eq(Cat(low_square, high_square) + (cross << limb + 1)),
        ]
        m.d.sync += [
            magnitude.eq(Mux(bounded < 0, -bounded, bounded)),
            high_square.eq(magnitude[limb:] * magnitude[limb:]),
            cross.eq(magnitude[limb:] * magnitude[:limb]),
            low_square.eq(magnitude[:limb] * magnitude[:limb]),
            factor.eq(
                Mux(
                    operation_2 == Operation.TANH_GRADIENT,
                    (1 << TANH_FRACTION) - (square >> TANH_FRACTION),
                    neighbor_2,
                )
            ),
        ]

        # 4: the product.
        x_3 = delay(m, self.x, 3, "x")
        product = Signal(signed(2 * WORD_WIDTH), reset_less=True)
        m.d.sync += product.eq(x_3 * factor)

        # 5: everything but tanh, not yet saturated.
        x_4 = delay(m, x_3, 1, "product_x")
        auxiliary_4 = delay(m, self.auxiliary, 4, "auxiliary")
        positive_4 = delay(m, self.positive, 4, "positive")
        operation_4 = delay(m, operation_2, 2, "product_operation")
        rounded = Signal(signed(2 * WORD_WIDTH - TANH_FRACTION + 1))
        total = Signal(signed(len(rounded) + 1), reset_less=True)
        m.d.comb += rounded.eq(round_half_up(product, TANH_FRACTION))
        with m.Switch(operation_4):
            with m.Case(Operation.RELU):
                m.d.sync += total.eq(Mux(x_4 < 0, 0, x_4))
            with m.Case(Operation.RELU_GRADIENT):
                m.d.sync += total.eq(Mux(positive_4, x_4, 0))
            with m.Case(Operation.TANH_GRADIENT):
                m.d.sync += total.eq(rounded)
            with m.Case(Operation.TEMPORAL_DIFFERENCE_TARGET):
                m.d.sync += total.eq(rounded + auxiliary_4)
            with m.Case(Operation.DIFFERENCE):
                m.d.sync += total.eq(x_4 - auxiliary_4)
            with m.Default():
                m.d.sync += total.eq(x_4)

        # 6 waits for tanh. 7: saturate, or take tanh.
        auxiliary_6 = delay(m, auxiliary_4, 2, "noise")
        operation_6 = delay(m, operation_4, 2, "last_operation")
        noisy = Signal(signed(WORD_WIDTH + 1))
        word, saturated = saturate(delay(m, total, 1, "total"), WORD_WIDTH)
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


def _clamp_to_one(value):
    one = Const(1 << TANH_FRACTION, signed(TANH_FRACTION + 2))
    return Mux(value > one, one, Mux(value < -one, -one, value))
