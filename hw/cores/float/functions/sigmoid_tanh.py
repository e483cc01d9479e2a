"""Logistic function and hyperbolic tangent, by one unit."""

from types import SimpleNamespace

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib.wiring import In

from ...function.polynomial_evaluator import PolynomialEvaluator
from ..datapath import decode, shift_right_sticky
from .config import FloatFunctionConfig
from .datapath import hold, shift_to_subnormal, weigh, without
from .exponential import ExponentOfTwo
from .tables import exponential_table, logistic_table, result_fraction
from .unit import FloatFunctionUnit, look_up

__all__ = ["FloatSigmoidTanh"]


class FloatSigmoidTanh(FloatFunctionUnit):
    """Logistic function or hyperbolic tangent, chosen for each operand.

    ``result = tanh(a)`` where ``tanh`` is set, else ``1 / (1 + e**-a)``

    With ``t = e**-|a|``, or ``e**(-2 |a|)`` for tanh, the logistic function is ``1 / (1 + t)`` or ``t / (1 + t)``, and
    tanh is ``2 / (1 + t) - 1``; where that would cancel (``|a| < ln 2``) it is ``a`` times a table of ``tanh(a) / a``.

    Number format: the configuration's. The error is below 0.67 units in the last place for the logistic function, below
    0.76 for tanh: of the two numbers around the exact result it is one. Results are from 0 to 1, or -1 to 1. tanh is
    odd and monotone; the logistic function may step back by one unit. NaN gives the quiet NaN.

    Latency: 14 cycles (exponent of two 2, tables 4 each, alignment, product, alignment, rounding) for formats of up to
    12 fraction bits, 18 beyond; one operand a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatFunctionConfig

    Members
    -------
    a : In(width)
    tanh : In(1)
    result : Out(width)
    nonfinite : Out(1)
        The result is NaN.
    """

    def __init__(self, config: FloatFunctionConfig):
        self._reduction = ExponentOfTwo(config)
        self._exponential = PolynomialEvaluator(exponential_table(config.format))
        self._logistic = PolynomialEvaluator(logistic_table(config.format))
        super().__init__(config, {"tanh": In(1)})

    @property
    def latency(self):
        """Cycles from operand to result."""
        return self._reduction.latency + self._exponential.latency + self._logistic.latency + 4

    def elaborate(self, platform):
        m = Module()
        m.submodules.reduction = self._reduction
        m.submodules.exponential = self._exponential
        m.submodules.logistic = self._logistic
        at = self._exponentiate(m, self._reduce(m))
        at = self._select(m, at)
        at = self._multiply(m, at)
        self._round(m, at)
        return m

    def _reduce(self, m):
        """The operand, delayed until the exponent of two of ``t`` comes."""
        reduction = self._reduction
        operand = decode(m, self._config.format, self.a, "a")
        m.d.comb += [reduction.a.eq(self.a), reduction.doubled.eq(self.tanh), reduction.negative.eq(1)]
        return hold(
            m,
            reduction.latency,
            tanh=self.tanh,
            sign=operand.sign,
            significand=operand.significand,
            exponent=operand.exponent,
            special=operand.special,
            invalid=operand.nan,
        )

    def _exponentiate(self, m, reduced):
        """``t`` is 2 to the power of a negative exponent: ``power * 2**whole``, the power from 1 to 2."""
        number_format, fraction = self._config.format, result_fraction(self._config.format)
        reduction, exponential = self._reduction, self._exponential
        exponent = Signal(signed(len(reduction.exponent)))
        m.d.comb += exponent.eq(reduction.exponent)
        whole = Signal(signed(len(exponent) - fraction))
        above, small, tail = Signal(), Signal(), Signal()
        m.d.comb += [
            whole.eq(exponent[fraction:]),
            above.eq(reduction.above | reduced.special),
            # An exponent from -2: all bits above that are ones.
            small.eq(reduced.tanh & exponent[fraction + 1 :].all() & ~above),
            tail.eq(~reduced.tanh & reduced.sign),
        ]
        look_up(m, exponential, exponent[:fraction])
        # Field of the product below: of t, of one, or of the operand.
        field = Signal(signed(max(len(whole), number_format.exponent_bits + 1) + 1))
        m.d.comb += field.eq(Mux(tail, whole + number_format.bias, Mux(small, reduced.exponent, number_format.bias)))
        return hold(
            m,
            exponential.latency,
            # Zeros to the right of the point, before the power's leading one.
            zeros=~whole,
            half_exponent=~exponent[1 : fraction + 1],
            above=above,
            small=small,
            tail=tail,
            large=reduced.tanh & ~small,
            field=field,
            sign=reduced.sign & reduced.tanh,
            significand=reduced.significand,
            invalid=reduced.invalid,
        )

    def _select(self, m, at):
        """The second table's argument, t in fixed point or half the exponent of a small operand, and its factor."""
        number_format, fraction = self._config.format, result_fraction(self._config.format)
        power = Signal(fraction + 1)
        m.d.comb += power.eq(self._exponential.result)
        zeros = at.zeros[:-1]
        amount_bits = fraction.bit_length()
        shifted, _ = shift_right_sticky(m, power[1:], zeros[:amount_bits], "t")
        vanished = Signal()
        m.d.comb += vanished.eq(zeros[amount_bits:].any() | at.above)
        argument = Signal(fraction)
        m.d.comb += argument.eq(Mux(at.small, at.half_exponent, Mux(vanished, 0, shifted)))
        scale = Signal(fraction + 1)
        aligned = Cat(Const(0, fraction - number_format.fraction_bits), at.significand)
        m.d.comb += scale.eq(Mux(at.tail, power, Mux(at.small, aligned, 1 << fraction)))
        return hold(
            m,
            1,
            argument=argument,
            scale=scale,
            upper=at.small,
            large=at.large,
            room=at.field > 1,
            **weigh(m, number_format, at.field, number_format.precision + 1),
            sign=at.sign,
            nothing=at.tail & at.above,
            invalid=at.invalid,
        )

    def _multiply(self, m, second):
        """``product``, from 1 to 4: twice the result."""
        fraction, logistic = result_fraction(self._config.format), self._logistic
        look_up(m, logistic, Cat(second.argument, second.upper))
        third = hold(m, logistic.latency, **without(second, "argument", "upper"))
        # Twice the factor, from 1 to 2; for tanh of large operands twice what it is above one.
        factor, product = Signal(fraction + 2), Signal(2 * fraction + 2, reset_less=True)
        above_one = Cat(Const(0, 1), logistic.result[:fraction], logistic.result[fraction + 1])
        m.d.comb += factor.eq(Mux(third.large, above_one, logistic.result))
        m.d.sync += product.eq(third.scale * factor)
        fourth = hold(m, 1, **without(third, "scale", "large"))
        return SimpleNamespace(product=product, **vars(fourth))

    def _round(self, m, at):
        """The product normalised and rounded. Only where the field allows it the leading one moves up to the top."""
        number_format = self._config.format
        up, kept = Signal(), Signal(number_format.fraction_bits + 5)
        cut = len(at.product) - len(kept) + 1
        m.d.comb += [up.eq(~at.product[-1] & at.room), kept.eq(Cat(at.product[:cut].any(), at.product[cut:]))]
        if number_format.gradual:
            moved, nothing = shift_to_subnormal(m, kept, at.distance, at.far), at.nothing
        else:
            moved, nothing = kept, at.nothing | at.low | ~at.room & ~at.product[-1]
        last = hold(
            m,
            1,
            magnitude=Mux(up, Cat(Const(0, 1), moved[:-1]), moved),
            base=at.base - up,
            sign=at.sign,
            nothing=nothing,
            invalid=at.invalid,
        )
        flags = {"sign": last.sign, "nothing": last.nothing, "infinite": Const(0, 1), "invalid": last.invalid}
        self.finish(m, last.base[: number_format.exponent_bits], last.magnitude, 1, **flags)
