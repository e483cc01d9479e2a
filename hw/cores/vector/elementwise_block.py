"""The lanes of a block, side by side."""

from amaranth.hdl import Module
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.nonfinite import any_nonfinite
from ..replicated import replicated
from .elementwise_config import ElementwiseConfig
from .elementwise_lane import ElementwiseLane

__all__ = ["ElementwiseBlock"]


class ElementwiseBlock(ConfiguredComponent):
    """One :class:`.ElementwiseLane` for each lane of a block, all doing the same.

    Latency: that of a lane; one block a cycle. No back-pressure.

    Parameters
    ----------
    config : ElementwiseConfig

    Members
    -------
    a, b, c : In(ArrayLayout(format.width, lanes))
    first, second, function : In
        As those of a lane.
    value, result : Out(ArrayLayout(format.width, lanes))
    nonfinite : Out(1)
        A value or result is infinite or NaN.
    """

    def __init__(self, config: ElementwiseConfig):
        self._lanes = [replicated(ElementwiseLane(config.lane), name="elementwise_lane") for _ in range(config.lanes)]
        block = data.ArrayLayout(config.lane.format.width, config.lanes)
        super().__init__(
            config,
            {
                "a": In(block),
                "b": In(block),
                "c": In(block),
                "first": In(3),
                "second": In(3),
                "function": In(2),
                "value": Out(block),
                "result": Out(block),
                "nonfinite": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from the operands to value and result."""
        return self._lanes[0].latency

    def elaborate(self, platform):
        m = Module()
        numbers = []
        for index, lane in enumerate(self._lanes):
            m.submodules[f"lane_{index}"] = lane
            m.d.comb += [
                lane.a.eq(self.a[index]),
                lane.b.eq(self.b[index]),
                lane.c.eq(self.c[index]),
                lane.first.eq(self.first),
                lane.second.eq(self.second),
                lane.function.eq(self.function),
                self.value[index].eq(lane.value),
                self.result[index].eq(lane.result),
            ]
            numbers += [lane.value, lane.result]
        m.d.comb += self.nonfinite.eq(any_nonfinite(self._config.lane.format, numbers))
        return m
