"""The adaptive array core."""

from amaranth.hdl import Cat, Module, Signal, signed
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..replicated import replicated
from .column import ProcessingElementColumn
from .config import WORD_WIDTH, ArrayConfig
from .operand import OperandFormer

__all__ = ["AdaptiveArrayCore"]


class AdaptiveArrayCore(ConfiguredComponent):
    """``lanes`` by ``lanes`` processing elements: activations along the rows, sums down the columns.

    ``sums_low[c] = sum over r of weight[r][c] * low[r]``, the same for ``high``, with the operands of
    :class:`OperandFormer`. A word of memory row i and lane l becomes

    * ``load_transposed = 0`` (forward): the weight of row l, column i;
    * ``load_transposed = 1`` (backward, gradient): the weight of row i, column l.

    Number format: exact, ``config.sum_width`` bits.

    Latency: ``3 + config.tree_stages`` cycles, one row of activations and one row of weights a cycle. A swap in cycle
    t makes the rows loaded before cycle t the weights for the activations given in cycle t and later; rows loaded in
    cycle t or later wait for the next swap. No back-pressure.

    Parameters
    ----------
    config : ArrayConfig

    Members
    -------
    load_enable, load_transposed : In(1)
    load_index : In(range(lanes))
    load_words : In(32).array(lanes)
    swap : In(1)
    activations : In(32).array(lanes)
    activation_valid : In(1)
        Comes out as ``sums_valid``.
    activation_enable : In(1)
        0: this core contributes zeros (it has no sample here).
    half, constant : In(1)
    zero_point : In(signed(18))
    sums_valid : Out(1)
    sums_low, sums_high : Out(signed(config.sum_width)).array(lanes)

    Source
    ------
    FIXAR, sections V-A to V-C, figure 4.
    """

    def __init__(self, config: ArrayConfig):
        lanes = config.lanes
        super().__init__(
            config,
            {
                "load_enable": In(1),
                "load_transposed": In(1),
                "load_index": In(range(lanes)),
                "load_words": In(WORD_WIDTH).array(lanes),
                "swap": In(1),
                "activations": In(WORD_WIDTH).array(lanes),
                "activation_valid": In(1),
                "activation_enable": In(1, init=1),
                "half": In(1),
                "zero_point": In(signed(18)),
                "constant": In(1),
                "sums_valid": Out(1),
                "sums_low": Out(signed(config.sum_width)).array(lanes),
                "sums_high": Out(signed(config.sum_width)).array(lanes),
            },
        )

    @property
    def latency(self):
        """Cycles from activations to sums."""
        return 3 + self._config.tree_stages

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes

        # Loads and swaps are registered as the operands are, so that they stay aligned.
        load_enable = Signal(lanes)
        load_transposed = Signal()
        load_words = [Signal(WORD_WIDTH, name=f"load_word_{lane}", reset_less=True) for lane in range(lanes)]
        swap = Signal()
        m.d.sync += [
            load_enable.eq(self.load_enable << self.load_index),
            load_transposed.eq(self.load_transposed),
            swap.eq(self.swap),
        ]
        m.d.sync += [register.eq(word) for register, word in zip(load_words, self.load_words, strict=True)]

        formers = []
        for row in range(lanes):
            m.submodules[f"former_{row}"] = former = replicated(OperandFormer(self._config))
            m.d.comb += [
                former.word.eq(self.activations[row]),
                former.enable.eq(self.activation_enable),
                former.constant.eq(self.constant),
                former.half.eq(self.half),
                former.zero_point.eq(self.zero_point),
            ]
            formers.append(former)

        for index in range(lanes):
            m.submodules[f"column_{index}"] = column = replicated(ProcessingElementColumn(self._config))
            m.d.comb += [
                # Forward, the row loaded is this whole column; transposed, one element of it.
                column.load_enable.eq(
                    Cat(
                        load_enable[index] & ~load_transposed | load_enable[row] & load_transposed
                        for row in range(lanes)
                    )
                ),
                column.load_transposed.eq(load_transposed),
                column.load_column_word.eq(load_words[index]),
                column.swap.eq(swap),
                self.sums_low[index].eq(column.low_sum),
                self.sums_high[index].eq(column.high_sum),
            ]
            for row in range(lanes):
                m.d.comb += [
                    column.load_row_words[row].eq(load_words[row]),
                    column.low[row].eq(formers[row].low),
                    column.high[row].eq(formers[row].high),
                ]

        valid = Signal(self.latency)
        m.d.sync += valid.eq(Cat(self.activation_valid, valid))
        m.d.comb += self.sums_valid.eq(valid[-1])
        return m
