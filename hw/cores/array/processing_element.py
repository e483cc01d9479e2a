"""The configurable processing element."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..fixed.wide_multiplier import registered_product
from .config import OPERAND_WIDTH, PRODUCT_WIDTH, WORD_WIDTH, ArrayConfig

__all__ = ["ProcessingElement"]


class ProcessingElement(ConfiguredComponent):
    """Two multipliers of one double-buffered stationary word by two operands.

    ``low_product = weight * low``, ``high_product = weight * high``, where ``weight`` is the word loaded before
    the last swap. In full precision the operands are the halves of one activation, in half precision two activations;
    the element does not know which.

    Number format: signed 32 by signed 17 bits, exact.

    Latency: 2 cycles (operands, products), 3 if ``pipelined`` (operands, products of parts of the word, products); one
    pair a cycle. A swap in cycle t holds for the operands given in cycle t and later; a load in cycle t is part of the
    word taken by a swap in cycle t + 1 or later. No back-pressure.

    Parameters
    ----------
    config : ArrayConfig
        Only ``pipelined`` is its own.

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

    def __init__(self, config: ArrayConfig):
        super().__init__(
            config,
            {
                "load": In(1),
                "load_transposed": In(1),
                "row_word": In(WORD_WIDTH),
                "column_word": In(WORD_WIDTH),
                "swap": In(1),
                "low": In(signed(OPERAND_WIDTH)),
                "high": In(signed(OPERAND_WIDTH)),
                "low_product": Out(signed(PRODUCT_WIDTH)),
                "high_product": Out(signed(PRODUCT_WIDTH)),
            },
        )

    @property
    def latency(self):
        """Cycles from operands to products."""
        return 2 + self._config.pipelined

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
            self.low_product.eq(self._product(m, "low_product", weight, low)),
            self.high_product.eq(self._product(m, "high_product", weight, high)),
        ]
        return m

    def _product(self, m, name, weight, operand):
        return registered_product(m, weight, operand, name) if self._config.pipelined else weight * operand
