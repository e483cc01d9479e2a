"""Index of the maximum of each row (column) of a grouping matrix."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import SparseConfig

__all__ = ["MaxIndexUnit", "index_word", "max_index_layout"]


def index_word(config):
    """``lanes`` group indexes: those of neighbouring rows, or columns of one core."""
    return data.ArrayLayout(range(config.groups), config.lanes)


def max_index_layout(config):
    """Indexes of ``lanes`` maxima, and one bit for each lane that met a NaN."""
    return data.StructLayout({"indexes": index_word(config), "not_a_number": config.lanes})


def _sign_and_magnitude(number_format, word):
    """``(sign, magnitude, nan)`` of a number; where the format flushes subnormal numbers, their magnitude is 0."""
    magnitude, sign = word[:-1], word[-1]
    nan = magnitude > number_format.infinity
    if not number_format.gradual:
        magnitude = Mux(magnitude[number_format.fraction_bits :] == 0, 0, magnitude)
    return sign, magnitude, nan


def _exceeds(sign, magnitude, best):
    """Whether a number is greater than ``best``, by the sign of ``best`` minus the number in a single addition.

    The lowest bits are there for the carry into the others: a positive number is subtracted as its complement plus 1.
    """
    positive = ~sign
    addend = Cat(positive, magnitude ^ positive.replicate(len(magnitude)), positive, positive)
    return (Cat(1, best).as_signed() + addend.as_signed())[len(best) + 1]


class MaxIndexUnit(ConfiguredComponent):
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
        values = data.ArrayLayout(config.value_width, config.lanes)
        super().__init__(
            config,
            {
                "words": In(stream.Signature(data.StructLayout({"values": values, "last": 1}))),
                "indexes": Out(stream.Signature(max_index_layout(config))),
            },
        )

    @property
    def latency(self):
        """Cycles from the last word of a block to its indexes."""
        return 1

    def elaborate(self, platform):
        m = Module()
        config = self.config
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
        width = config.value_width
        for lane in range(config.lanes):
            chosen, unordered = self.indexes.payload.indexes[lane], self.indexes.payload.not_a_number[lane]
            sign, magnitude, is_nan = _sign_and_magnitude(config.format, self.words.payload.values[lane])
            # In the order of the values, +0 as -0. A NaN is the least number of all, which no value has.
            best = Signal(signed(width), name=f"best_{lane}", reset_less=True)
            ordered = Signal(signed(width), name=f"ordered_{lane}")
            nan = Signal(name=f"nan_{lane}")
            better = Signal(name=f"better_{lane}")
            m.d.comb += [
                nan.eq(is_nan),
                ordered.eq(Cat(magnitude ^ sign.replicate(width - 1), sign).as_signed() + sign),
                better.eq(first | (~nan & _exceeds(sign, magnitude, best))),
            ]
            with m.If(taken):
                m.d.sync += unordered.eq(nan | (unordered & ~first))
                with m.If(better):
                    m.d.sync += [best.eq(Mux(nan, -(1 << (width - 1)), ordered)), chosen.eq(group)]
        return m
