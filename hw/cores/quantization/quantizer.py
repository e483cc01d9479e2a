"""From a word to its code."""

from typing import Final

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..fixed.wide_multiplier import WideMultiplier
from ..pipeline import delay
from .config import CODE_WIDTH
from .parameters import slot_parameters, stage_parameters

__all__ = ["ParameterStages", "Quantizer", "QuantizerLane"]

# A quotient is from -2^16 to 2^16, and its estimate may be one more.
QUOTIENT_WIDTH = 18
# The remainder of an estimate that is off by at most one is from -scale to 2 scale.
REMAINDER_WIDTH = 34


class ParameterStages(wiring.Component):
    """The parameters of a slot for every stage of :class:`QuantizerLane`: once for all lanes of a row.

    Latency: of each field that of ``stage_parameters``; new parameters every cycle. No back-pressure.

    Members
    -------
    parameters : In(slot_parameters)
        In the cycle of the value, as :class:`.RangeUnit` gives them; the range contains zero.
    stages : Out(stage_parameters)
    """

    parameters: In(slot_parameters)
    stages: Out(stage_parameters)

    def elaborate(self, platform):
        m = Module()
        given, stages = self.parameters, self.stages
        m.d.comb += [
            stages.compared.minimum.eq(given.minimum),
            stages.compared.maximum.eq(given.maximum),
            stages.clamped.eq(delay(m, stages.compared.as_value(), 1, "clamped")),
            stages.reciprocal.eq(delay(m, given.reciprocal, 1, "reciprocal")),
            stages.shift.eq(delay(m, given.shift, 4, "shift")),
            stages.multiplier.eq(delay(m, given.scale, 4, "multiplier")),
            stages.bits.eq(delay(m, given.bits, 6, "bits")),
            stages.scale.eq(delay(m, stages.multiplier, 4, "scale")),
            stages.zero_point.eq(delay(m, given.zero_point, 9, "zero_point")),
            stages.code_maximum.eq(delay(m, given.code_maximum, 9, "code_maximum")),
        ]
        return m


class QuantizerLane(wiring.Component):
    """Affine quantisation of one lane, exact.

    With the slot's range [minimum, maximum], scale S, zero point z and n bits::

        clamped = min(max(value, minimum), maximum)
        code    = min(max(floor(clamped * 2**n / S) + z, 0), 2**n - 1)

    The division is a multiplication by the reciprocal, ``(clamped * reciprocal) >> shift``, which is the quotient or,
    for a negative value, one more; the remainder says which.

    Number format: word of 32 bits to a code of n bits, rounded down once.

    Latency: 10 cycles, one value a cycle. No back-pressure.

    Members
    -------
    value : In(signed(32))
    stages : In(stage_parameters)
        Stages of :class:`ParameterStages`.
    code : Out(16)
    saturated : Out(1)
        The value was outside of the range.

    Source
    ------
    FIXAR, section IV, Algorithm 1.
    """

    value: In(signed(32))
    stages: In(stage_parameters)
    code: Out(CODE_WIDTH)
    saturated: Out(1)

    LATENCY: Final = 10

    @property
    def latency(self):
        """Cycles from ``value`` to ``code``."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        at = self.stages

        # 1: compare.
        value = delay(m, self.value, 1, "value")
        below, above = Signal(), Signal()
        m.d.sync += [below.eq(self.value < at.compared.minimum), above.eq(self.value > at.compared.maximum)]

        # 2 to 4: clamp, and multiply by the reciprocal.
        clamped = Signal(signed(32))
        m.submodules.multiplier = multiplier = WideMultiplier(clamped.shape(), at.reciprocal.shape())
        m.d.comb += [
            clamped.eq(Mux(below, at.clamped.minimum, Mux(above, at.clamped.maximum, value))),
            multiplier.a.eq(clamped),
            multiplier.b.eq(at.reciprocal),
        ]

        # 5 to 7: the estimate, what it stands for, and what should be there.
        estimate = Signal(signed(QUOTIENT_WIDTH))
        m.submodules.multiple = multiple = WideMultiplier(estimate.shape(), at.multiplier.shape())
        dividend = Signal(REMAINDER_WIDTH)
        value_before = delay(m, clamped, 5, "clamped")
        m.d.comb += [
            estimate.eq(multiplier.product >> at.shift),
            multiple.a.eq(estimate),
            multiple.b.eq(at.multiplier),
        ]
        m.d.sync += dividend.eq(value_before << at.bits)

        # 8: the remainder. Only the low bits of the difference matter.
        remainder = Signal(signed(REMAINDER_WIDTH))
        m.d.sync += remainder.eq(dividend - multiple.product)

        # 9: correct by the remainder.
        corrected = Signal(signed(QUOTIENT_WIDTH))
        quotient = delay(m, estimate, 4, "estimate")
        m.d.sync += corrected.eq(quotient + Mux(remainder < 0, -1, Mux(remainder >= at.scale, 1, 0)))

        # 10: zero point.
        moved = Signal(signed(QUOTIENT_WIDTH + 1))
        m.d.comb += moved.eq(corrected + at.zero_point)
        m.d.sync += self.code.eq(Mux(moved < 0, 0, Mux(moved > at.code_maximum, at.code_maximum, moved)))
        m.d.comb += self.saturated.eq(delay(m, below | above, 9, "outside"))
        return m


class Quantizer(wiring.Component):
    """One lane with the parameters of its own: :class:`QuantizerLane` behind :class:`ParameterStages`.

    Latency: 10 cycles, one value a cycle. No back-pressure.

    Members
    -------
    value : In(signed(32))
    parameters : In(slot_parameters)
        In the cycle of the value.
    code : Out(16)
    saturated : Out(1)
        The value was outside of the range.
    """

    value: In(signed(32))
    parameters: In(slot_parameters)
    code: Out(CODE_WIDTH)
    saturated: Out(1)

    @property
    def latency(self):
        """Cycles from ``value`` to ``code``."""
        return QuantizerLane.LATENCY

    def elaborate(self, platform):
        m = Module()
        m.submodules.stages = stages = ParameterStages()
        m.submodules.lane = lane = QuantizerLane()
        m.d.comb += [
            stages.parameters.eq(self.parameters),
            lane.stages.eq(stages.stages),
            lane.value.eq(self.value),
            self.code.eq(lane.code),
            self.saturated.eq(lane.saturated),
        ]
        return m
