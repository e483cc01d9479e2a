"""Results out of the clusters: to the result memory, or to the lane reduction."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..memory.ports import WritePort
from ..pipeline import delay
from .drain_sequencer import DrainSequencer
from .lane_reduction import lane_block_layout
from .matrix_config import ACCUMULATORS, MatrixConfig, Product
from .matrix_layouts import result_descriptor_layout, vector_block_layout, vector_word_layout
from .result_writer import ResultWriter

__all__ = ["DRAIN_LATENCY", "Drain"]

# From accumulator 0 into a chain, until accumulator 3 is there, into the word.
DRAIN_LATENCY = 1 + ACCUMULATORS


class Drain(ConfiguredComponent):
    """Moves the results of a wave out of the chains, while the next wave runs.

    ::

        descriptors ──> DrainSequencer ──┬──> ResultWriter ──> result memory
                                         │         ^
        chains ──> accumulators aligned ─┼─────────┘
                                         └──> lane blocks of weight gradients

    There is a chain for each block of a word.

    Latency: ``latency`` cycles from ``load`` to the first result. No back-pressure: between two loads are at least
    the cycles that the results of the first take; see :class:`.StepSequencer`.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    load : In(1)
        Accumulator 0 of all clusters gives the result of a wave to the chains.
    shift : Out(4)
        For each accumulator: the links move on.
    chains : In(4 * format.width).array(blocks, cluster_vpus)
    descriptors : In(stream.Signature(result_descriptor_layout(config)))
        A wave's must be there when its results are.
    write_results : Out(WritePort(vector_block_layout(config), result_rows)).array(blocks)
        Each block goes to its own row.
    lane_blocks : Out(stream.Signature(lane_block_layout(config.reduction), always_ready=True))
        The sums of a weight gradient, a block of lanes at a time, with the place of the gradient as tag.
    drained, drained_sums : Out(1)
        With its last result: a wave is done; of a weight gradient, its sums have been given to the lane reduction.
    nonfinite : Out(1)
        An infinity or NaN was written, in the cycle before.
    out_of_range : Out(1)
        A row past the end of the result memory, in the cycle before it would be written; it is not.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            config,
            {
                "load": In(1),
                "shift": Out(ACCUMULATORS),
                "chains": In(config.vector_width).array(config.blocks, config.cluster_vpus),
                "descriptors": In(stream.Signature(result_descriptor_layout(config))),
                "write_results": Out(WritePort(vector_block_layout(config), config.result_rows)).array(config.blocks),
                "lane_blocks": Out(stream.Signature(lane_block_layout(config.reduction), always_ready=True)),
                "drained": Out(1),
                "drained_sums": Out(1),
                "nonfinite": Out(1),
                "out_of_range": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from ``load`` to the first result."""
        return DRAIN_LATENCY

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.sequencer = sequencer = DrainSequencer(config)
        m.submodules.writer = writer = ResultWriter(config)
        wiring.connect(m, wiring.flipped(self.descriptors), sequencer.descriptors)
        for name in ("write_results", "nonfinite", "out_of_range"):
            forward_port(m, writer, self, name)
        leaving, ends = sequencer.leaving, self._align(m)
        m.d.comb += [
            sequencer.load.eq(self.load),
            self.shift.eq(sequencer.shift),
            writer.leaving.eq(leaving),
            writer.ends.eq(ends),
        ]

        descriptor, lane_block = leaving.descriptor, self.lane_blocks.payload
        gradient, in_use, block = Signal(), Signal(3), Signal(3)
        m.d.comb += [
            gradient.eq(descriptor.product == Product.GRADIENT),
            in_use.eq(1 << descriptor.blocks),
            block.eq(leaving.position + descriptor.offset),
        ]
        m.d.sync += [
            self.lane_blocks.valid.eq(leaving.valid & gradient),
            lane_block.values.eq(ends[leaving.chain]),
            lane_block.block.eq(block & (in_use - 1)),
            lane_block.blocks.eq(descriptor.blocks),
            lane_block.tag.eq(Mux(block < in_use, descriptor.first, descriptor.second)),
            self.drained.eq(leaving.last & ~gradient),
            self.drained_sums.eq(leaving.last & gradient),
        ]
        return m

    def _align(self, m):
        """The ends of the chains, when the last accumulator is there."""
        config = self._config
        word, width = Signal(vector_word_layout(config)), config.format.width
        for chain, vpus in enumerate(self.chains):
            for vpu, results in enumerate(vpus):
                for accumulator in range(ACCUMULATORS):
                    lane = slice(accumulator * width, (accumulator + 1) * width)
                    late = delay(m, results[lane], ACCUMULATORS - 1 - accumulator, f"end_{chain}_{vpu}_{accumulator}")
                    m.d.comb += word[chain][vpu][lane].eq(late)
        return word
