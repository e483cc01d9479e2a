"""A visit count as exponent and mantissa, for the tables of its functions."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .functions import MANTISSA_WIDTH

__all__ = ["CountNormalizer"]


class CountNormalizer(wiring.Component):
    """Cuts ``count = 2**exponent * m``, m in [1, 2), into the exponent and the bits of m after its point.

    Latency: 2 cycles; one count a cycle. No back-pressure.

    Parameters
    ----------
    width : int
        Bits of the count: 16, or 17 for a count of 2**16.

    Members
    -------
    count : In(width)
        With 16 bits, 0 gives what 1 gives; with 17 bits it is at least 1, and at most 2**16.
    exponent : Out(range(width))
    mantissa : Out(15)
    """

    LATENCY = 2

    def __init__(self, width: int):
        self._width = width
        super().__init__({"count": In(width), "exponent": Out(range(width)), "mantissa": Out(MANTISSA_WIDTH)})

    @property
    def latency(self):
        """Cycles from the count to its parts."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        # Shift by a power of two wherever that many leading bits are zero; half of the steps before each register.
        steps = [1 << bit for bit in reversed(range((self._width - 1).bit_length()))]
        middle = len(steps) // 2
        shifted, zeros = self.count, Const(0, 0)
        for stage, part in enumerate((steps[:middle], steps[middle:])):
            for step in part:
                empty = Signal(name=f"empty_{step}")
                following = Signal(self._width, name=f"shifted_{step}")
                m.d.comb += [
                    empty.eq(~shifted[self._width - step :].any()),
                    following.eq(Mux(empty, shifted << step, shifted)),
                ]
                shifted, zeros = following, Cat(empty, zeros)
            held = Signal(self._width, name=f"held_{stage}", reset_less=True)
            held_zeros = Signal(len(zeros), name=f"zeros_{stage}", reset_less=True)
            m.d.sync += [held.eq(shifted), held_zeros.eq(zeros)]
            shifted, zeros = held, held_zeros
        m.d.comb += [
            self.exponent.eq(self._width - 1 - zeros),
            self.mantissa.eq(shifted[self._width - 1 - MANTISSA_WIDTH : self._width - 1]),
        ]
        return m
