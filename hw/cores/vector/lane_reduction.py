"""Sums over the lanes of a block and over blocks: the end of a weight gradient."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..pipeline import delay
from ..replicated import replicated
from .matrix_config import ACCUMULATORS, LaneReductionConfig
from .vpu import ADDER_DEPTH

__all__ = ["LaneReduction"]


class LaneReduction(wiring.Component):
    """A tree of adders over 4 K lanes, and two adders over blocks.

    Lanes are added neighbours first: ``t = ((a0 + a1) + (a2 + a3)) + ...``. With one block in use the result is ``t0``,
    with two ``t0 + t1``, with four ``(t0 + t1) + (t2 + t3)``.

    Number format: ``config.format``, every sum rounded to nearest even.

    Latency: ``latency`` cycles from the last block to the result, a block a cycle; blocks of a sum come in order, with
    any gaps between them. No back-pressure.

    Parameters
    ----------
    config : LaneReductionConfig

    Members
    -------
    valid : In(1)
    values : In(4 * format.width).array(cluster_vpus)
        A block: VPU v has the lanes 4 v to 4 v + 3.
    block : In(2)
    blocks : In(2)
        Base-two logarithm of the blocks in use.
    tag : In(tag_width)
    sum_valid : Out(1)
    sum : Out(format.width)
    sum_tag : Out(tag_width)
        The tag of the last block.

    Source
    ------
    LearningGroup, section III-A: gradients of weights are sums over agents and steps.
    """

    def __init__(self, config: LaneReductionConfig):
        self._config = config
        width = config.format.width
        super().__init__(
            {
                "valid": In(1),
                "values": In(ACCUMULATORS * width).array(config.cluster_vpus),
                "block": In(2),
                "blocks": In(2),
                "tag": In(config.tag_width),
                "sum_valid": Out(1),
                "sum": Out(width),
                "sum_tag": Out(config.tag_width),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from the last block to the sum."""
        levels = (ACCUMULATORS * self._config.cluster_vpus).bit_length() - 1
        return ADDER_DEPTH * (levels + 2)

    def elaborate(self, platform):
        m = Module()
        number_format = self._config.format
        width = number_format.width
        self._count = 0

        values = [value[lane * width : (lane + 1) * width] for value in self.values for lane in range(ACCUMULATORS)]
        levels = 0
        while len(values) > 1:
            values = [self._add(m, left, right) for left, right in zip(values[::2], values[1::2], strict=True)]
            levels += 1
        total = values[0]
        wait = ADDER_DEPTH * levels
        valid, block = delay(m, self.valid, wait, "valid"), delay(m, self.block, wait, "block")
        blocks, tag = delay(m, self.blocks, wait, "blocks"), delay(m, self.tag, wait, "tag")

        # Neighbouring blocks. What has no partner gets -0, which changes nothing.
        even = Signal(width)
        with m.If(valid & ~block[0]):
            m.d.sync += even.eq(total)
        pair = self._add(m, Mux(blocks == 0, number_format.sign_bit, even), total)
        pair_valid = Signal()
        m.d.comb += pair_valid.eq(valid & ((blocks == 0) | block[0]))
        valid, block = delay(m, pair_valid, ADDER_DEPTH, "pair_valid"), delay(m, block, ADDER_DEPTH, "pair_block")
        blocks, tag = delay(m, blocks, ADDER_DEPTH, "pair_blocks"), delay(m, tag, ADDER_DEPTH, "pair_tag")

        # Neighbouring pairs
        low = Signal(width)
        with m.If(valid & ~block[1]):
            m.d.sync += low.eq(pair)
        result = self._add(m, Mux(blocks == 2, low, number_format.sign_bit), pair)
        result_valid = Signal()
        m.d.comb += [
            result_valid.eq(valid & ((blocks != 2) | block[1])),
            self.sum.eq(result),
            self.sum_valid.eq(delay(m, result_valid, ADDER_DEPTH, "sum_valid")),
            self.sum_tag.eq(delay(m, tag, ADDER_DEPTH, "sum_tag")),
        ]
        return m

    def _add(self, m, left, right):
        config = FloatConfig(format=self._config.format, depth=ADDER_DEPTH)
        m.submodules[f"adder_{self._count}"] = adder = replicated(FloatAdder(config))
        self._count += 1
        m.d.comb += [adder.a.eq(left), adder.b.eq(right)]
        return adder.result
