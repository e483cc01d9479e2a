"""A part of a range, as large as a draw."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .config import DRAW_WIDTH

__all__ = ["DrawScaler"]

# Bits of the operands' parts: as many as a DSP48 and a MULT18X18 multiply without a sign.
DRAW_PART, RANGE_PART = 16, 17


class DrawScaler(wiring.Component):
    """``part = floor(draw * whole / 2**48)``, exactly.

    Latency: 3 cycles (parts, sums of a part of the draw, sum). Throughput: one a cycle. No back-pressure.

    Parameters
    ----------
    width : int
        Bits of the range.

    Members
    -------
    draw : In(48)
        x in [0, 1), 48 fraction bits.
    whole : In(width)
        An integer, as is ``part``.
    part : Out(width)
    """

    LATENCY = 3

    def __init__(self, width: int):
        super().__init__({"draw": In(DRAW_WIDTH), "whole": In(width), "part": Out(width)})

    @property
    def latency(self):
        """Cycles from draw to part."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        width = len(self.whole)
        sums = []
        for low in range(0, DRAW_WIDTH, DRAW_PART):
            terms = []
            for offset in range(0, width, RANGE_PART):
                whole = self.whole[offset : offset + RANGE_PART]
                product = Signal(DRAW_PART + len(whole), name=f"product_{low}_{offset}", reset_less=True)
                m.d.sync += product.eq(self.draw[low : low + DRAW_PART] * whole)
                terms.append(product << offset)
            partial = Signal(DRAW_PART + width, name=f"sum_{low}", reset_less=True)
            m.d.sync += partial.eq(sum(terms))
            sums.append(partial << low)
        m.d.sync += self.part.eq(sum(sums) >> DRAW_WIDTH)
        return m
