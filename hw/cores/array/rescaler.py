"""From an accumulated sum to a word of 32 bits: one rounding, one saturation."""

from typing import Final

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..fixed.arithmetic import round_half_up, saturate
from ..fixed.wide_multiplier import WideMultiplier
from ..pipeline import delay
from .config import ACCUMULATOR_WIDTH, HALF_RULE_SHIFT, HALF_WIDTH, WORD_WIDTH

__all__ = ["Rescaler"]


class Rescaler(wiring.Component):
    """Rescaling of one lane.

    ::

        full:  t = high + (low >> 16)
        half:  t = (sum * scale) >> 26          sum: high if select_high, else low
        t += bias << bias_shift
        x = sat32(round(t, shift))

    Number format: sums signed 57 bits, ``scale`` unsigned 32 bits, ``t`` signed 64 bits (no input reaches more);
    ``>>`` is floor, *round* is half up, ``shift`` from 1 to 31, ``bias_shift`` from 0 to 15. ``saturated`` says that
    sat32 changed the value.

    Latency: 7 cycles, one value a cycle. No back-pressure.

    Members
    -------
    low, high : In(signed(57))
    half_rule, select_high : In(1)
    scale : In(32)
    bias : In(signed(32))
    bias_shift : In(4)
    shift : In(5)
    x : Out(signed(32))
    saturated : Out(1)

    Source
    ------
    FIXAR, section IV: codes are integers, their scale is applied once.
    """

    LATENCY: Final = 7

    low: In(signed(ACCUMULATOR_WIDTH))
    high: In(signed(ACCUMULATOR_WIDTH))
    half_rule: In(1)
    select_high: In(1)
    scale: In(WORD_WIDTH)
    bias: In(signed(WORD_WIDTH))
    bias_shift: In(4)
    shift: In(5)
    x: Out(signed(WORD_WIDTH))
    saturated: Out(1)

    @property
    def latency(self):
        """Cycles from sums to ``x``."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        wide = signed(64)

        # 1 to 3: choose and multiply. The half precision sum is split in two limbs, so that no product exceeds 64 bits:
        # floor(sum * scale / 2^26) = upper * scale + floor(lower * scale / 2^26). Without half precision the second
        # product is 0. Beside it the bias, its shift registered first.
        selected = Signal(signed(ACCUMULATOR_WIDTH))
        full_1 = Signal(signed(ACCUMULATOR_WIDTH + 1), reset_less=True)
        upper_shape = signed(ACCUMULATOR_WIDTH - HALF_RULE_SHIFT)
        m.submodules.upper_multiplier = of_upper = WideMultiplier(upper_shape, WORD_WIDTH)
        m.submodules.lower_multiplier = of_lower = WideMultiplier(HALF_RULE_SHIFT, WORD_WIDTH)
        m.d.comb += [
            selected.eq(Mux(self.select_high, self.high, self.low)),
            of_upper.a.eq(selected[HALF_RULE_SHIFT:].as_signed()),
            of_upper.b.eq(self.scale),
            of_lower.a.eq(Mux(self.half_rule, selected[:HALF_RULE_SHIFT], 0)),
            of_lower.b.eq(self.scale),
        ]
        m.d.sync += full_1.eq(self.high + (self.low >> HALF_WIDTH))
        full_3 = delay(m, full_1, WideMultiplier.LATENCY - 1, "full")
        bias = delay(m, self.bias, 2, "bias")
        bias_shift = delay(m, self.bias_shift, 2, "bias_shift")
        aligned = Signal(signed(WORD_WIDTH + 15), reset_less=True)
        m.d.sync += aligned.eq(bias << bias_shift)

        # 4: t. The choice is of an operand, not of sums, so that it goes into the adder.
        upper_or_full = Signal(signed(63))
        total = Signal(wide, reset_less=True)
        m.d.comb += upper_or_full.eq(Mux(delay(m, self.half_rule, 3, "half_rule"), of_upper.product, full_3))
        m.d.sync += total.eq((of_lower.product >> HALF_RULE_SHIFT) + upper_or_full + aligned)

        # 5: shift, one bit less than wanted.
        shift = delay(m, self.shift, 4, "shift")
        distance = Signal(5)
        shifted = Signal(wide, reset_less=True)
        m.d.comb += distance.eq(shift - 1)
        m.d.sync += shifted.eq(total >> distance)

        # 6: round.
        rounded = Signal(wide, reset_less=True)
        m.d.sync += rounded.eq(round_half_up(shifted, 1))

        # 7: saturate.
        word, saturated = saturate(rounded, WORD_WIDTH)
        m.d.sync += [self.x.eq(word), self.saturated.eq(saturated)]
        return m
