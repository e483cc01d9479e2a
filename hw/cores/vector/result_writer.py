"""Results at the ends of the drain chains to their rows."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.nonfinite import any_nonfinite
from ..memory.ports import WritePort
from .drain_sequencer import leaving_layout
from .matrix_config import MatrixConfig, Product
from .matrix_layouts import target_width, vector_block_layout, vector_word_layout

__all__ = ["ResultWriter"]


class ResultWriter(ConfiguredComponent):
    """Turns the blocks of a descriptor to their places in the word and writes them: those of two neighbouring work
    items to two rows.

    Latency: one cycle. Throughput: a descriptor a cycle. No back-pressure.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    leaving : In(leaving_layout(config))
    ends : In(vector_word_layout(config))
        The results at the end of each chain.
    write_results : Out(WritePort(vector_block_layout(config), result_rows)).array(blocks)
        Each block goes to its own row.
    nonfinite : Out(1)
        An infinity or NaN was written, in the cycle before.
    out_of_range : Out(1)
        A row past the end of the result memory, in the cycle before it would be written; it is not.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            config,
            {
                "leaving": In(leaving_layout(config)),
                "ends": In(vector_word_layout(config)),
                "write_results": Out(WritePort(vector_block_layout(config), config.result_rows)).array(config.blocks),
                "nonfinite": Out(1),
                "out_of_range": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, leaving, descriptor = self._config, self.leaving, self.leaving.descriptor
        width = config.format.width
        valid, in_use = Signal(), Signal(3)
        m.d.comb += [
            valid.eq(leaving.valid & (descriptor.product != Product.GRADIENT)),
            in_use.eq(1 << descriptor.blocks),
        ]
        outside, nonfinite = Signal(config.blocks), Signal(config.blocks)
        for block, write in enumerate(self.write_results):
            # The number of the result that is this block of the word, among those of the descriptor.
            number, chain = Signal(2, name=f"number_{block}"), Signal(2, name=f"chain_{block}")
            target, wanted = Signal(target_width(config), name=f"target_{block}"), Signal(name=f"wanted_{block}")
            lanes = [write.data.as_value().word_select(lane, width) for lane in range(config.lanes)]
            m.d.comb += [
                number.eq((block - descriptor.offset) & (in_use - 1)),
                chain.eq((leaving.chain + number) & (config.blocks - 1)),
                target.eq(Mux(block >= descriptor.offset, descriptor.first, descriptor.second)),
                wanted.eq(valid & (block < in_use) & (number < descriptor.count)),
                outside[block].eq(wanted & (target >= config.result_rows)),
                nonfinite[block].eq(write.enable & any_nonfinite(config.format, lanes)),
            ]
            m.d.sync += [write.enable.eq(wanted & ~outside[block]), write.address.eq(target)]
            with m.Switch(chain):
                for place in range(config.blocks):
                    with m.Case(place):
                        m.d.sync += write.data.eq(self.ends[place])
        m.d.comb += self.out_of_range.eq(outside.any())
        m.d.sync += self.nonfinite.eq(nonfinite.any())
        return m
