"""From a stored word to the value it means."""

from typing import Final

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..fixed.wide_multiplier import WideMultiplier
from ..pipeline import delay
from .config import HALF_WIDTH, OPERAND_WIDTH, WORD_WIDTH

__all__ = ["Dequantizer"]


class Dequantizer(wiring.Component):
    """The word itself, or with ``packed`` the value of one of its two codes.

    ``value = ((code - zero_point) * scale) >> bits``, ``positive = code > zero_point``; for a whole word
    ``positive = word > 0``.

    Number format: exact but for one floor. A code below ``2**bits`` gives a value of the range that was recorded, so it
    fits 32 bits.

    Latency: 4 cycles, one word a cycle. No back-pressure.

    Members
    -------
    word : In(32)
    packed : In(1)
    high : In(1)
        Which half of a packed word.
    scale : In(32)
    zero_point : In(signed(18))
    bits : In(5)
    value : Out(signed(32))
    positive : Out(1)

    Source
    ------
    FIXAR, section IV.
    """

    LATENCY: Final = 4

    word: In(WORD_WIDTH)
    packed: In(1)
    high: In(1)
    scale: In(WORD_WIDTH)
    zero_point: In(signed(18))
    bits: In(5)
    value: Out(signed(WORD_WIDTH))
    positive: Out(1)

    @property
    def latency(self):
        """Cycles from ``word`` to ``value``."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        code = Signal(HALF_WIDTH)
        corrected = Signal(signed(OPERAND_WIDTH))
        m.submodules.multiplier = multiplier = WideMultiplier(corrected.shape(), WORD_WIDTH)
        m.d.comb += [
            code.eq(Mux(self.high, self.word[HALF_WIDTH:], self.word[:HALF_WIDTH])),
            corrected.eq(code - self.zero_point),
            multiplier.a.eq(corrected),
            multiplier.b.eq(self.scale),
        ]
        waiting = multiplier.latency
        code_positive = delay(m, corrected > 0, waiting, "code_positive")
        word = delay(m, self.word, waiting, "word")
        packed = delay(m, self.packed, waiting, "packed")
        bits = delay(m, self.bits, waiting, "bits")
        m.d.sync += [
            self.value.eq(Mux(packed, multiplier.product >> bits, word.as_signed())),
            self.positive.eq(Mux(packed, code_positive, word.as_signed() > 0)),
        ]
        return m
