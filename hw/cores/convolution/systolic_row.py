"""A row of processing elements: the unit that a systolic array repeats."""

from amaranth.hdl import Module
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..replicated import replicated
from .processing_element import SystolicProcessingElement, column_layout, row_layout
from .systolic_array_config import SystolicArrayConfig

__all__ = ["SystolicRow", "south_layout"]


def south_layout(config: SystolicArrayConfig):
    """Layout from a row to the one below: the fields of :func:`.column_layout`, each for all columns, side by side.

    Without layouts of words: a name for each of their words at each row is most of a big array's Verilog.
    """
    totals = config.columns * config.sum_width
    return data.StructLayout({"weight": config.columns * config.operand_width, "sum": totals, "drained": totals})


class SystolicRow(ConfiguredComponent):
    """Processing elements side by side, each a cycle behind its western neighbour.

    Latency, throughput, number format: those of :class:`.SystolicProcessingElement`. No back-pressure.

    Parameters
    ----------
    config : SystolicArrayConfig

    Members
    -------
    west : In(row_layout)
    north : In(south_layout)
    south : Out(south_layout)
    """

    def __init__(self, config: SystolicArrayConfig):
        south = south_layout(config)
        super().__init__(config, {"west": In(row_layout(config)), "north": In(south), "south": Out(south)})

    def elaborate(self, platform):
        m = Module()
        west = self.west
        for column in range(self._config.columns):
            m.submodules[f"element_{column}"] = element = replicated(SystolicProcessingElement(self._config))
            m.d.comb += element.west.eq(west)
            for field, shape in column_layout(self._config):
                m.d.comb += [
                    element.north[field].eq(self.north[field].word_select(column, shape.shape.width)),
                    self.south[field].word_select(column, shape.shape.width).eq(element.south[field]),
                ]
            west = element.east
        return m
