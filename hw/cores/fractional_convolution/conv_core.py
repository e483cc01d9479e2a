"""A conv core: rows of pixels times columns of weights."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..replicated import replicated
from .config import FractionalConvolutionConfig
from .layouts import operands_layout
from .processing_element import ConvolutionElement

__all__ = ["ConvCore"]


class ConvCore(ConfiguredComponent):
    """P1 x P2 processing elements: each cycle P1 pixels and P2 weights of one input channel, and all their products.

    ::

                  weights
                  |     |
        pixels ── PE ── PE      on capture the sums of all elements go into a chain beside each column,
        pixels ── PE ── PE      which moves up a row on shift: row 0 first.

    Latency and number format: see :class:`.ConvolutionElement`; what is captured in a cycle is on ``sums`` in the next
    one, of row 0. No back-pressure.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    pixels : In(operands_layout(config, rows))
    weights : In(operands_layout(config, columns))
    clear : In(1)
        See :class:`.ConvolutionElement`.
    capture : In(1)
        The sums that leave the adders in this cycle are complete.
    shift : In(1)
    sums : Out(ArrayLayout(sum_width, columns))
        The pixel whose turn it is to leave.

    Source
    ------
    Thesis, figure 3.15.
    """

    def __init__(self, config: FractionalConvolutionConfig):
        super().__init__(
            config,
            {
                "pixels": In(operands_layout(config, config.rows)),
                "weights": In(operands_layout(config, config.columns)),
                "clear": In(1),
                "capture": In(1),
                "shift": In(1),
                "sums": Out(data.ArrayLayout(config.sum_width, config.columns)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        for column in range(config.columns):
            link = None
            for row in reversed(range(config.rows)):
                m.submodules[f"element_{row}_{column}"] = element = replicated(
                    ConvolutionElement(config), name="element"
                )
                m.d.comb += [
                    element.pixel.eq(self.pixels[row]),
                    element.weight.eq(self.weights[column]),
                    element.clear.eq(self.clear),
                ]
                chain = Signal(config.sum_width, name=f"chain_{row}_{column}", reset_less=True)
                if link is not None:
                    with m.If(self.shift):
                        m.d.sync += chain.eq(link)
                with m.If(self.capture):
                    m.d.sync += chain.eq(element.sum)
                link = chain
            m.d.comb += self.sums[column].eq(link)
        return m
