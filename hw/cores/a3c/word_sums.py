"""Multipliers and accumulators, a number of a word each."""

from amaranth.hdl import Module
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layer.multiply_accumulate import MultiplyAccumulate
from ..layer.running_sums import RunningSums
from ..pipeline import delay
from ..replicated import replicated
from .ports import row_address
from .word_sums_config import WordSumsConfig

__all__ = ["WordSums"]


class WordSums(ConfiguredComponent):
    """Multiplies words by numbers, and adds each product to one of several words of sums::

        sums[place] = factor * word if first else sums[place] + factor * word

    Number format: ``config.arithmetic.format``; every product and every sum is rounded to nearest even.

    Latency: ``latency`` cycles from a word to the sums with its products. Throughput: a word a cycle, where a place
    comes back after ``config.interval`` cycles or later. No back-pressure.

    Parameters
    ----------
    config : WordSumsConfig

    Members
    -------
    valid : In(1)
        The others count in this cycle.
    first : In(1)
        The product is the beginning of a sum.
    place : In(range(depth))
    word : In(ArrayLayout(width of the format, width))
    factor : In(width of the format)
    sums : Out(ArrayLayout(width of the format, width))
    """

    def __init__(self, config: WordSumsConfig):
        word = data.ArrayLayout(config.arithmetic.format.width, config.width)
        super().__init__(
            config,
            {
                "valid": In(1),
                "first": In(1),
                "place": In(row_address(config.depth)),
                "word": In(word),
                "factor": In(config.arithmetic.format.width),
                "sums": Out(word),
            },
        )

    @property
    def latency(self):
        """Cycles from a word to the sums with its products."""
        return self._config.arithmetic.multiplier_depth + self._config.arithmetic.adder_depth

    def elaborate(self, platform):
        m = Module()
        config = self._config
        to_read, depth = config.arithmetic.multiplier_depth - 1, config.arithmetic.adder_depth
        m.submodules.running = running = RunningSums(self.word.shape(), config.sums)
        reads = delay(m, self.valid, to_read, "to_read", reset_less=False)
        first = delay(m, self.first, to_read + 1, "first")
        place = delay(m, self.place, to_read, "place")
        m.d.comb += [
            running.read.enable.eq(reads),
            running.read.address.eq(place),
            running.write.enable.eq(delay(m, reads, 1 + depth, "to_write", reset_less=False)),
            running.write.address.eq(delay(m, place, 1 + depth, "written_place")),
            running.write.data.eq(self.sums),
        ]
        for index in range(config.width):
            m.submodules[f"unit_{index}"] = unit = replicated(MultiplyAccumulate(config.arithmetic))
            m.d.comb += [
                unit.a.eq(self.word[index]),
                unit.b.eq(self.factor),
                unit.clear.eq(first),
                unit.accumulator_in.eq(running.read.data[index]),
                self.sums[index].eq(unit.result),
            ]
        return m
