"""The adaptive array core."""

from amaranth.hdl import Cat, Module, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..replicated import replicated
from .column import ProcessingElementColumn
from .config import WORD_WIDTH, ArrayConfig
from .operand import OperandFormer

__all__ = ["AdaptiveArrayCore", "LoadPort", "VectorPort"]


class LoadPort(wiring.Signature):
    """Loads a row of weights, seen from the user.

    Parameters
    ----------
    config : ArrayConfig

    Members
    -------
    enable, transposed : Out(1)
    index : Out(range(lanes))
    words : Out(data.ArrayLayout(32, lanes))
    """

    def __init__(self, config: ArrayConfig):
        words = data.ArrayLayout(WORD_WIDTH, config.lanes)
        super().__init__(
            {"enable": Out(1), "transposed": Out(1), "index": Out(range(config.lanes)), "words": Out(words)}
        )


class VectorPort(wiring.Signature):
    """A row of activations for the array, seen from the user.

    Parameters
    ----------
    config : ArrayConfig

    Members
    -------
    valid : Out(1)
        Comes out with the sums.
    enable : Out(1)
        0: the core contributes zeros (it has no sample here).
    words : Out(data.ArrayLayout(32, lanes))
    half, constant : Out(1)
    zero_point : Out(signed(18))
    """

    def __init__(self, config: ArrayConfig):
        super().__init__(
            {
                "valid": Out(1),
                "enable": Out(1, init=1),
                "words": Out(data.ArrayLayout(WORD_WIDTH, config.lanes)),
                "half": Out(1),
                "constant": Out(1),
                "zero_point": Out(signed(18)),
            }
        )


class AdaptiveArrayCore(ConfiguredComponent):
    """``lanes`` by ``lanes`` processing elements: activations along the rows, sums down the columns.

    ``low[c] = sum over r of weight[r][c] * low[r]``, the same for ``high``, with the operands of
    :class:`.OperandFormer`. A word of memory row i and lane l becomes

    * ``transposed = 0`` (forward): the weight of row l, column i;
    * ``transposed = 1`` (backward, gradient): the weight of row i, column l.

    Number format: exact, ``config.sum_width`` bits.

    Latency: ``latency`` cycles, one of them that of :class:`.OperandFormer`; one row of activations and one row of
    weights a cycle. A swap in cycle t makes the rows loaded before cycle t the weights for the activations given in
    cycle t and later; rows loaded in cycle t or later wait for the next swap. No back-pressure.

    Parameters
    ----------
    config : ArrayConfig

    Members
    -------
    load : In(LoadPort(config))
    swap : In(1)
    vectors : In(VectorPort(config))
    sums_valid : Out(1)
    sums_low, sums_high : Out(signed(config.sum_width)).array(lanes)

    Source
    ------
    FIXAR, sections V-A to V-C, figure 4.
    """

    def __init__(self, config: ArrayConfig):
        self._columns = [replicated(ProcessingElementColumn(config)) for _ in range(config.lanes)]
        sums = Out(signed(config.sum_width)).array(config.lanes)
        super().__init__(
            config,
            {
                "load": In(LoadPort(config)),
                "swap": In(1),
                "vectors": In(VectorPort(config)),
                "sums_valid": Out(1),
                "sums_low": sums,
                "sums_high": sums,
            },
        )

    @property
    def latency(self):
        """Cycles from activations to sums."""
        return 1 + self._columns[0].latency

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes

        # Loads and swaps are registered as the operands are, so that they stay aligned.
        load_enable = Signal(lanes)
        load_transposed = Signal()
        load_words = Signal(self.load.words.shape(), reset_less=True)
        swap = Signal()
        m.d.sync += [
            load_enable.eq(self.load.enable << self.load.index),
            load_transposed.eq(self.load.transposed),
            load_words.eq(self.load.words),
            swap.eq(self.swap),
        ]

        formers = []
        for row in range(lanes):
            m.submodules[f"former_{row}"] = former = replicated(OperandFormer(self._config))
            m.d.comb += [
                former.word.eq(self.vectors.words[row]),
                *(
                    getattr(former, name).eq(getattr(self.vectors, name))
                    for name in ("enable", "constant", "half", "zero_point")
                ),
            ]
            formers.append(former)

        for index, column in enumerate(self._columns):
            m.submodules[f"column_{index}"] = column
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
        m.d.sync += valid.eq(Cat(self.vectors.valid, valid))
        m.d.comb += self.sums_valid.eq(valid[-1])
        return m
