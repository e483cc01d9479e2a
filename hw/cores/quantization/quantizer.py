"""From a word to its code."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .config import CODE_WIDTH
from .parameters import slot_parameters

__all__ = ["Quantizer"]

# A quotient is from -2^16 to 2^16, and its estimate may be one more.
QUOTIENT_WIDTH = 18
# The remainder of an estimate that is off by at most one is from -scale to 2 scale.
REMAINDER_WIDTH = 34


class Quantizer(wiring.Component):
    """Affine quantisation of one lane, exact.

    With the slot's range [minimum, maximum], scale S, zero point z and n bits::

        clamped = min(max(value, minimum), maximum)
        code    = min(max(floor(clamped * 2**n / S) + z, 0), 2**n - 1)

    The division is a multiplication by the reciprocal, ``(clamped * reciprocal) >> shift``, which is the quotient or,
    for a negative value, one more; the remainder says which.

    Number format: word of 32 bits to a code of n bits, rounded down once.

    Latency: 7 cycles, one value a cycle. No back-pressure.

    Members
    -------
    value : In(signed(32))
    parameters : In(slot_parameters)
        Of the value in the same cycle, as :class:`RangeUnit` gives them; the range contains zero.
    code : Out(16)
    saturated : Out(1)
        The value was outside of the range.

    Source
    ------
    FIXAR, section IV, Algorithm 1.
    """

    value: In(signed(32))
    parameters: In(slot_parameters)
    code: Out(CODE_WIDTH)
    saturated: Out(1)

    @property
    def latency(self):
        """Cycles from ``value`` to ``code``."""
        return 7

    def elaborate(self, platform):
        m = Module()

        def held(value, name, stages, shape=None):
            for stage in range(stages):
                following = Signal(value.shape() if shape is None else shape, name=f"{name}_{stage}")
                m.d.sync += following.eq(value)
                value = following
            return value

        # 1: compare.
        value = held(self.value, "value", 1)
        given = Signal(slot_parameters)
        below, above = Signal(), Signal()
        m.d.sync += [
            given.eq(self.parameters),
            below.eq(self.value < self.parameters.minimum),
            above.eq(self.value > self.parameters.maximum),
        ]

        # 2: clamp.
        clamped = Signal(signed(32))
        m.d.sync += clamped.eq(Mux(below, given.minimum, Mux(above, given.maximum, value)))
        reciprocal = held(given.reciprocal, "reciprocal", 1)
        shift = held(given.shift, "shift", 2)
        bits = held(given.bits, "bits", 3)

        # 3: multiply by the reciprocal.
        product = Signal(signed(64))
        m.d.sync += product.eq(clamped * reciprocal)

        # 4: the estimate.
        estimate = Signal(signed(QUOTIENT_WIDTH))
        m.d.sync += estimate.eq(product >> shift)

        # 5: what it stands for, and what should be there. Only the low bits of the difference matter.
        scale = held(given.scale, "scale", 4)
        scale_before = held(given.scale, "multiplier", 3)
        dividend, multiple = Signal(REMAINDER_WIDTH), Signal(REMAINDER_WIDTH)
        value_before = held(clamped, "clamped", 2)
        m.d.sync += [dividend.eq(value_before << bits), multiple.eq(estimate * scale_before)]
        quotient = held(estimate, "estimate", 1)

        # 6: correct by the remainder.
        remainder = Signal(signed(REMAINDER_WIDTH))
        corrected = Signal(signed(QUOTIENT_WIDTH))
        m.d.comb += remainder.eq(dividend - multiple)
        m.d.sync += corrected.eq(quotient + Mux(remainder < 0, -1, Mux(remainder >= scale, 1, 0)))

        # 7: zero point.
        zero_point = held(given.zero_point, "zero_point", 5)
        code_maximum = held(given.code_maximum, "code_maximum", 5)
        moved = Signal(signed(QUOTIENT_WIDTH + 1))
        m.d.comb += moved.eq(corrected + zero_point)
        m.d.sync += self.code.eq(Mux(moved < 0, 0, Mux(moved > code_maximum, code_maximum, moved)))
        m.d.comb += self.saturated.eq(held(below | above, "outside", 6, 1))
        return m
