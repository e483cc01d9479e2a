"""Results out of the clusters: to the result memory, or to the lane reduction."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..pipeline import delay
from .matrix_config import ACCUMULATORS, MatrixConfig, Product
from .matrix_layouts import BlockWriteSignature, entry_layout, target_width

__all__ = ["DRAIN_LATENCY", "Drain"]

# From accumulator 0 into a chain, until accumulator 3 is there, into the word.
DRAIN_LATENCY = 1 + ACCUMULATORS


class Drain(wiring.Component):
    """Moves the results of a round out of the chains, while the next round runs.

    There is a chain for each block of a word. Forward and backward an entry leaves in a cycle: its blocks are turned to
    their places in the word and written, those of two neighbouring items to two rows. With fewer blocks in use than
    there are chains, these take turns. Of a weight gradient one task leaves in a cycle.

    Accumulator i has its result i cycles after accumulator 0, so its links move i cycles later; at the ends of the
    chains all wait for the last.

    Latency: ``latency`` cycles from ``load`` to the first result. No back-pressure: between two loads are at least
    the cycles that the results of the first take; see :class:`StepSequencer`.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    load : In(1)
        Accumulator 0 of all clusters gives the result of a round to the chains.
    shift : Out(4)
        For each accumulator: the links move on.
    chains : In(4 * format.width).array(blocks, cluster_vpus)
    entries : In(stream.Signature(entry_layout(config)))
        Those of a round must be there when its results are.
    results : Out(BlockWriteSignature(config))
    sums_valid : Out(1)
        A task of a weight gradient,
    sums : Out(4 * format.width).array(cluster_vpus)
        its sums, lane by lane,
    sums_block, sums_blocks : Out(2)
        its block and the base-two logarithm of the blocks in use,
    sums_target : Out
        and where the gradient goes.
    drained, drained_sums : Out(1)
        With its last result: a round is done; of a weight gradient, its sums have been given to the lane reduction.
    nonfinite : Out(1)
        An infinity or NaN was written, in the cycle before.
    out_of_range : Out(1)
        A row behind the end of the result memory, in the cycle before it would be written; it is not.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: MatrixConfig):
        self._config = config
        word = config.vector_width
        super().__init__(
            {
                "load": In(1),
                "shift": Out(ACCUMULATORS),
                "chains": In(word).array(config.blocks, config.cluster_vpus),
                "entries": In(stream.Signature(entry_layout(config))),
                "results": Out(BlockWriteSignature(config)),
                "sums_valid": Out(1),
                "sums": Out(word).array(config.cluster_vpus),
                "sums_block": Out(2),
                "sums_blocks": Out(2),
                "sums_target": Out(target_width(config)),
                "drained": Out(1),
                "drained_sums": Out(1),
                "nonfinite": Out(1),
                "out_of_range": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from ``load`` to the first result."""
        return DRAIN_LATENCY

    def elaborate(self, platform):
        m = Module()
        config = self._config
        chains = config.blocks
        width = config.format.width
        entry = self.entries.payload

        # Which chains an entry's results are at the ends of, and which of its tasks leaves.
        active, place, position = Signal(), Signal(2), Signal(2)
        gradient, last_task, after = Signal(), Signal(), Signal(3)
        m.d.comb += [
            gradient.eq(entry.product == Product.GRADIENT),
            last_task.eq(~gradient | (position + 1 == entry.count)),
            after.eq(place + Mux(gradient, 1, 1 << entry.blocks)),
            self.entries.ready.eq(active & last_task),
        ]
        with m.If(active):
            m.d.sync += [position.eq(Mux(last_task, 0, position + 1)), place.eq(Mux(after == chains, 0, after))]
            with m.If(last_task & entry.last):
                m.d.sync += active.eq(0)
        with m.If(self.load):
            m.d.sync += [active.eq(1), place.eq(0), position.eq(0)]
        shift = Signal()
        m.d.comb += [shift.eq(active & (after == chains)), self.shift[0].eq(shift)]
        for accumulator in range(1, ACCUMULATORS):
            m.d.comb += self.shift[accumulator].eq(delay(m, shift, accumulator, f"shift_{accumulator}"))

        # All accumulators of a result together
        slower = ACCUMULATORS - 1
        ends = []
        for chain in range(chains):
            vpus = []
            for vpu in range(config.cluster_vpus):
                word = Signal(config.vector_width, name=f"end_{chain}_{vpu}")
                for accumulator in range(ACCUMULATORS):
                    lane = slice(accumulator * width, (accumulator + 1) * width)
                    m.d.comb += word[lane].eq(
                        delay(
                            m,
                            self.chains[chain][vpu][lane],
                            slower - accumulator,
                            f"end_{chain}_{vpu}_{accumulator}",
                        )
                    )
                vpus.append(word)
            ends.append(vpus)
        valid = delay(m, active, slower, "valid")
        entry = entry_layout(config)(delay(m, entry.as_value(), slower, "entry"))
        place, position = delay(m, place, slower, "place"), delay(m, position, slower, "position")
        last = delay(m, active & last_task & self.entries.payload.last, slower, "last")
        gradient = Signal(name="gradient_delayed")
        m.d.comb += gradient.eq(entry.product == Product.GRADIENT)

        # Blocks to their places in the word
        in_use, mask = Signal(3), Signal(2)
        m.d.comb += [in_use.eq(1 << entry.blocks), mask.eq(in_use - 1)]
        nonfinite = []
        out_of_range = Signal(chains)
        for block in range(chains):
            turned, source, enable = (
                Signal(size, name=f"{name}_{block}") for name, size in (("turned", 2), ("source", 2), ("enable", 1))
            )
            target = Signal(target_width(config), name=f"target_{block}")
            m.d.comb += [
                turned.eq((block - entry.offset) & mask),
                source.eq((place + turned) & (chains - 1)),
                target.eq(Mux(block >= entry.offset, entry.first, entry.second)),
                out_of_range[block].eq(target >= config.result_rows),
                enable.eq(valid & ~gradient & (block < in_use) & (turned < entry.count)),
            ]
            m.d.sync += [
                self.results.enables[block].eq(enable & ~out_of_range[block]),
                self.results.addresses[block].eq(target),
            ]
            for vpu in range(config.cluster_vpus):
                word = self.results.data[block][vpu]
                with m.Switch(source):
                    for chain in range(chains):
                        with m.Case(chain):
                            m.d.sync += word.eq(ends[chain][vpu])
                nonfinite += [
                    self.results.enables[block] & word[lane * width : (lane + 1) * width - 1][-exponent:].all()
                    for lane in range(ACCUMULATORS)
                    for exponent in [config.format.exponent_bits]
                ]
            with m.If(enable & out_of_range[block]):
                m.d.comb += self.out_of_range.eq(1)
        found = Signal(len(nonfinite))
        m.d.comb += [found[index].eq(value) for index, value in enumerate(nonfinite)]
        m.d.sync += self.nonfinite.eq(found.any())

        # Tasks to the lane reduction
        turned = Signal(3)
        m.d.comb += turned.eq(position + entry.offset)
        m.d.sync += [
            self.sums_valid.eq(valid & gradient),
            self.sums_block.eq(turned & mask),
            self.sums_blocks.eq(entry.blocks),
            self.sums_target.eq(Mux(turned < in_use, entry.first, entry.second)),
            self.drained.eq(last & ~gradient),
            self.drained_sums.eq(last & gradient),
        ]
        for vpu in range(config.cluster_vpus):
            with m.Switch(place):
                for chain in range(chains):
                    with m.Case(chain):
                        m.d.sync += self.sums[vpu].eq(ends[chain][vpu])
        return m
