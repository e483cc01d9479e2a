"""The configurable processing element."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .config import OPERAND_WIDTH, PRODUCT_WIDTH, WORD_WIDTH

__all__ = ["ProcessingElement"]


class ProcessingElement(wiring.Component):
    """Two multipliers of one double-buffered stationary word by two operands.

    ``low_product = weight * low``, ``high_product = weight * high``, where ``weight`` is the word loaded before
    the last swap. In full precision the operands are the halves of one activation, in half precision two activations;
    the element does not know which.

    Number format: signed 32 by signed 17 bits, exact.

    Latency: 2 cycles (operands, products), one pair a cycle. A swap in cycle t holds for the operands given in
    cycle t and later; a load in cycle t is part of the word taken by a swap in cycle t + 1 or later. No back-pressure.

    Members
    -------
    load : In(1)
        Take ``row_word``, or with ``load_transposed`` ``column_word``, into the waiting buffer.
    load_transposed : In(1)
    row_word, column_word : In(32)
    swap : In(1)
        Make the waiting word the weight.
    low, high : In(signed(17))
    low_product, high_product : Out(signed(49))

    Source
    ------
    FIXAR, section V-C.
    """

    load: In(1)
    load_transposed: In(1)
    row_word: In(WORD_WIDTH)
    column_word: In(WORD_WIDTH)
    swap: In(1)
    low: In(signed(OPERAND_WIDTH))
    high: In(signed(OPERAND_WIDTH))
    low_product: Out(signed(PRODUCT_WIDTH))
    high_product: Out(signed(PRODUCT_WIDTH))

    @property
    def latency(self):
        """Cycles from operands to products."""
        return 2

    def elaborate(self, platform):
        m = Module()
        waiting = Signal(signed(WORD_WIDTH), reset_less=True)
        weight = Signal(signed(WORD_WIDTH), reset_less=True)
        low = Signal(signed(OPERAND_WIDTH), reset_less=True)
        high = Signal(signed(OPERAND_WIDTH), reset_less=True)
        with m.If(self.load):
            m.d.sync += waiting.eq(Mux(self.load_transposed, self.column_word, self.row_word))
        with m.If(self.swap):
            m.d.sync += weight.eq(waiting)
        m.d.sync += [
            low.eq(self.low),
            high.eq(self.high),
            self.low_product.eq(weight * low),
            self.high_product.eq(weight * high),
        ]
        return m
