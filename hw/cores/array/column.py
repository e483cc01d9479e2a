"""A column of processing elements and the sum below it: the unit that an array core repeats."""

from amaranth.hdl import Module, Signal, signed
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..replicated import replicated
from .config import OPERAND_WIDTH, WORD_WIDTH, ArrayConfig
from .processing_element import ProcessingElement

__all__ = ["ProcessingElementColumn"]


class ProcessingElementColumn(ConfiguredComponent):
    """Processing elements one below the other, and two pipelined adder trees.

    ``low_sum = sum over rows r of weight[r] * low[r]`` and the same for ``high``.

    Number format: exact, ``config.sum_width`` bits.

    Latency: ``latency`` cycles (a :class:`.ProcessingElement`, and a register for every two levels of the trees), one
    set of operands a cycle. Loads and swaps as in :class:`.ProcessingElement`. No back-pressure.

    Parameters
    ----------
    config : ArrayConfig

    Members
    -------
    load_enable : In(lanes)
        A bit for each row.
    load_transposed : In(1)
        0: row r takes ``load_row_words[r]``; 1: it takes ``load_column_word``.
    load_row_words : In(32).array(lanes)
    load_column_word : In(32)
    swap : In(1)
    low, high : In(signed(17)).array(lanes)
    low_sum, high_sum : Out(signed(config.sum_width))

    Source
    ------
    FIXAR, sections V-A to V-C.
    """

    def __init__(self, config: ArrayConfig):
        self._elements = [replicated(ProcessingElement(config)) for _ in range(config.lanes)]
        lanes = config.lanes
        super().__init__(
            config,
            {
                "load_enable": In(lanes),
                "load_transposed": In(1),
                "load_row_words": In(WORD_WIDTH).array(lanes),
                "load_column_word": In(WORD_WIDTH),
                "swap": In(1),
                "low": In(signed(OPERAND_WIDTH)).array(lanes),
                "high": In(signed(OPERAND_WIDTH)).array(lanes),
                "low_sum": Out(signed(config.sum_width)),
                "high_sum": Out(signed(config.sum_width)),
            },
        )

    @property
    def latency(self):
        """Cycles from operands to sums."""
        return self._elements[0].latency + self._config.tree_stages

    def elaborate(self, platform):
        m = Module()
        low_products, high_products = [], []
        for row, element in enumerate(self._elements):
            m.submodules[f"element_{row}"] = element
            m.d.comb += [
                element.load.eq(self.load_enable[row]),
                element.load_transposed.eq(self.load_transposed),
                element.row_word.eq(self.load_row_words[row]),
                element.column_word.eq(self.load_column_word),
                element.swap.eq(self.swap),
                element.low.eq(self.low[row]),
                element.high.eq(self.high[row]),
            ]
            low_products.append(element.low_product)
            high_products.append(element.high_product)
        m.d.comb += [
            self.low_sum.eq(_adder_tree(m, "low", low_products)),
            self.high_sum.eq(_adder_tree(m, "high", high_products)),
        ]
        return m


def _adder_tree(m, name, terms):
    """Sum of ``terms``, four of them added between one register and the next."""
    stage = 0
    while len(terms) > 1:
        sums = []
        for first in range(0, len(terms), 4):
            group = terms[first : first + 4]
            total = sum(group[1:], start=group[0])
            register = Signal(total.shape(), name=f"{name}_sum_{stage}_{first // 4}", reset_less=True)
            m.d.sync += register.eq(total)
            sums.append(register)
        terms = sums
        stage += 1
    return terms[0]
