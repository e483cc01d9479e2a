"""From a word to its code."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..pipeline import delay
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
        The slot's parameters in the cycle of its value, as :class:`RangeUnit` gives them; the range contains zero.
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

        # 1: compare.
        value = delay(m, self.value, 1, "value")
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
        reciprocal = delay(m, given.reciprocal, 1, "reciprocal")
        shift = delay(m, given.shift, 2, "shift")
        bits = delay(m, given.bits, 3, "bits")

        # 3: multiply by the reciprocal.
        product = Signal(signed(64))
        m.d.sync += product.eq(clamped * reciprocal)

        # 4: the estimate.
        estimate = Signal(signed(QUOTIENT_WIDTH))
        m.d.sync += estimate.eq(product >> shift)

        # 5: what it stands for, and what should be there. Only the low bits of the difference matter.
        scale = delay(m, given.scale, 4, "scale")
        scale_before = delay(m, given.scale, 3, "multiplier")
        dividend, multiple = Signal(REMAINDER_WIDTH), Signal(REMAINDER_WIDTH)
        value_before = delay(m, clamped, 2, "clamped")
        m.d.sync += [dividend.eq(value_before << bits), multiple.eq(estimate * scale_before)]
        quotient = delay(m, estimate, 1, "estimate")

        # 6: correct by the remainder.
        remainder = Signal(signed(REMAINDER_WIDTH))
        corrected = Signal(signed(QUOTIENT_WIDTH))
        m.d.comb += remainder.eq(dividend - multiple)
        m.d.sync += corrected.eq(quotient + Mux(remainder < 0, -1, Mux(remainder >= scale, 1, 0)))

        # 7: zero point.
        zero_point = delay(m, given.zero_point, 5, "zero_point")
        code_maximum = delay(m, given.code_maximum, 5, "code_maximum")
        moved = Signal(signed(QUOTIENT_WIDTH + 1))
        m.d.comb += moved.eq(corrected + zero_point)
        m.d.sync += self.code.eq(Mux(moved < 0, 0, Mux(moved > code_maximum, code_maximum, moved)))
        m.d.comb += self.saturated.eq(delay(m, below | above, 6, "outside"))
        return m
