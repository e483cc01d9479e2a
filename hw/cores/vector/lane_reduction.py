"""Sums over the lanes of a block and over blocks: the end of a weight gradient."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.adder_tree import FloatAdderTree
from ..float.adder_tree_config import FloatAdderTreeConfig
from ..float.config import FloatConfig
from ..pipeline import delay, delay_record
from ..replicated import replicated
from .matrix_config import ACCUMULATORS, LaneReductionConfig
from .vpu import ADDER_DEPTH

__all__ = ["LaneReduction", "lane_block_layout", "lane_sum_layout"]


def lane_block_layout(config: LaneReductionConfig):
    """A block of lanes: VPU v has the lanes 4 v to 4 v + 3.

    ``block`` is its number in the sum, ``blocks`` the base-two logarithm of the blocks in use.
    """
    values = data.ArrayLayout(ACCUMULATORS * config.format.width, config.cluster_vpus)
    return data.StructLayout({"values": values, "block": 2, "blocks": 2, "tag": config.tag_width})


def lane_sum_layout(config: LaneReductionConfig):
    """A sum, and the tag of its last block."""
    return data.StructLayout({"sum": config.format.width, "tag": config.tag_width})


class LaneReduction(ConfiguredComponent):
    """A tree of adders over 4 K lanes, and two adders over blocks.

    ::

        lanes ──> tree ──┬────────────────────> + ──┬───────────────────> + ──> sum
                         └──> even block ──────>     └──> even pair ────>

    Lanes are added neighbours first: ``t = ((a0 + a1) + (a2 + a3)) + ...``. With one block in use the result is ``t0``,
    with two ``t0 + t1``, with four ``(t0 + t1) + (t2 + t3)``.

    Number format: ``config.format``, every sum rounded to nearest even.

    Latency: ``latency`` cycles from the last block to the sum. Throughput: a block a cycle; blocks of a sum come in
    order, with any gaps between them. No back-pressure.

    Parameters
    ----------
    config : LaneReductionConfig

    Members
    -------
    lane_blocks : In(stream.Signature(lane_block_layout(config), always_ready=True))
    sums : Out(stream.Signature(lane_sum_layout(config), always_ready=True))

    Source
    ------
    LearningGroup, section III-A: gradients of weights are sums over agents and steps.
    """

    def __init__(self, config: LaneReductionConfig):
        terms = ACCUMULATORS * config.cluster_vpus
        self._tree = FloatAdderTree(FloatAdderTreeConfig(terms=terms, format=config.format, depth=ADDER_DEPTH))
        super().__init__(
            config,
            {
                "lane_blocks": In(stream.Signature(lane_block_layout(config), always_ready=True)),
                "sums": Out(stream.Signature(lane_sum_layout(config), always_ready=True)),
            },
        )

    @property
    def latency(self):
        """Cycles from the last block to the sum."""
        return self._tree.latency + 2 * ADDER_DEPTH

    def elaborate(self, platform):
        m = Module()
        m.submodules.lanes = tree = self._tree
        given = self.lane_blocks.payload
        token = data.StructLayout({"valid": 1, "block": 2, "blocks": 2, "tag": self._config.tag_width})
        entered = Signal(token)
        m.d.comb += [
            entered.valid.eq(self.lane_blocks.valid),
            *(entered[name].eq(given[name]) for name in ("block", "blocks", "tag")),
            Cat(tree.terms).eq(given.values),
        ]
        summed = delay_record(m, entered, tree.latency, "summed")

        # Neighbouring blocks, then neighbouring pairs. A block without a partner gets -0, which changes nothing.
        paired = Signal(token)
        pair = self._add_neighbour(m, "pair", tree.result, summed, summed.block[0], summed.blocks != 0)
        m.d.comb += [
            paired.eq(summed),
            paired.valid.eq(summed.valid & ((summed.blocks == 0) | summed.block[0])),
        ]
        halved = delay_record(m, paired, ADDER_DEPTH, "paired")
        result = self._add_neighbour(m, "half", pair, halved, halved.block[1], halved.blocks == 2)
        ended = halved.valid & ((halved.blocks != 2) | halved.block[1])
        m.d.comb += [
            self.sums.valid.eq(delay(m, ended, ADDER_DEPTH, "ended", reset_less=False)),
            self.sums.payload.sum.eq(result),
            self.sums.payload.tag.eq(delay(m, halved.tag, ADDER_DEPTH, "tag")),
        ]
        return m

    def _add_neighbour(self, m, name, value, token, is_odd, has_neighbour):
        """An odd value and the even one before it; or a value by itself."""
        number_format = self._config.format
        even = Signal(number_format.width, name=f"even_{name}", reset_less=True)
        with m.If(token.valid & ~is_odd):
            m.d.sync += even.eq(value)
        m.submodules[name] = adder = replicated(FloatAdder(FloatConfig(format=number_format, depth=ADDER_DEPTH)))
        m.d.comb += [adder.a.eq(Mux(has_neighbour, even, number_format.sign_bit)), adder.b.eq(value)]
        return adder.result
