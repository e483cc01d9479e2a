"""Index of the maximum of each row (column) of a grouping matrix."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .config import SparseConfig

__all__ = ["MaxIndexUnit", "index_word", "max_index_layout", "ordering_key"]


def index_word(config):
    """``lanes`` group indexes: those of neighbouring rows, or columns of one core."""
    return data.ArrayLayout(range(config.groups), config.lanes)


def max_index_layout(config):
    """Indexes of ``lanes`` maxima, and one bit for each lane that met a NaN."""
    return data.StructLayout({"indexes": index_word(config), "not_a_number": config.lanes})


def ordering_key(number_format, word):
    """``(key, nan)``: an unsigned number in the order of the values; NaN is 0, less than everything, -0 equals +0."""
    magnitude = word[:-1]
    zero = magnitude == 0 if number_format.gradual else magnitude[number_format.fraction_bits :] == 0
    nan = magnitude > number_format.infinity
    positive = Cat(Mux(zero, 0, magnitude), 1)
    key = Mux(word[-1] & ~zero, Cat(~magnitude, 0), positive)
    return Mux(nan, 0, key), nan


class MaxIndexUnit(wiring.Component):
    """Reads a grouping matrix group after group, ``lanes`` rows (columns) at once.

    index[l] = the lowest g whose value[g][l] is the maximum over g. Values are compared as numbers of ``format``: -0
    equals +0 (and so do subnormal numbers where the format flushes them); NaN is less than everything and is flagged.

    Latency: 1 cycle from the last word of a block to its indexes. Throughput: a word a cycle, so G cycles for ``lanes``
    rows of G groups. While indexes wait, words wait.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    words : stream, in
        ``values`` of one group, those of group 0 first; ``last`` with those of the last group.
    indexes : stream, out
        ``indexes`` of the maxima, and ``not_a_number``, a bit a lane.

    Source
    ------
    LearningGroup, III-A and III-B: max-index units.
    """

    def __init__(self, config: SparseConfig):
        self._config = config
        values = data.ArrayLayout(config.value_width, config.lanes)
        super().__init__(
            {
                "words": In(stream.Signature(data.StructLayout({"values": values, "last": 1}))),
                "indexes": Out(stream.Signature(max_index_layout(config))),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from the last word of a block to its indexes."""
        return 1

    def elaborate(self, platform):
        m = Module()
        config = self._config
        group = Signal(range(config.groups))
        first = Signal(init=1)
        taken = Signal()
        m.d.comb += [
            self.words.ready.eq(~self.indexes.valid | self.indexes.ready),
            taken.eq(self.words.valid & self.words.ready),
        ]
        with m.If(self.indexes.ready):
            m.d.sync += self.indexes.valid.eq(0)
        with m.If(taken):
            m.d.sync += [
                first.eq(self.words.payload.last),
                group.eq(Mux(self.words.payload.last, 0, group + 1)),
                self.indexes.valid.eq(self.words.payload.last),
            ]
        for lane in range(config.lanes):
            key = Signal(config.value_width, name=f"key_{lane}")
            nan = Signal(name=f"nan_{lane}")
            best = Signal(config.value_width, name=f"best_{lane}", reset_less=True)
            better = Signal(name=f"better_{lane}")
            chosen, unordered = self.indexes.payload.indexes[lane], self.indexes.payload.not_a_number[lane]
            value, is_nan = ordering_key(config.format, self.words.payload.values[lane])
            m.d.comb += [key.eq(value), nan.eq(is_nan), better.eq(first | (key > best))]
            with m.If(taken):
                m.d.sync += unordered.eq(nan | (unordered & ~first))
                with m.If(better):
                    m.d.sync += [best.eq(key), chosen.eq(group)]
        return m
