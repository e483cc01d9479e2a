"""A lane that moves a target towards a weight."""

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.config import FloatLaneConfig
from ..float.expression import FloatExpression, Number
from ..float.nonfinite import is_nonfinite

__all__ = ["SoftUpdateLane"]


class SoftUpdateLane(ConfiguredComponent):
    """Moves one target a cycle, ``new_target = target + tau * (weight - target)``.

    Number format: the configuration's; every operation is rounded, in the order written.

    Latency: ``latency`` cycles, those of two adders and a multiplier. One target a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatLaneConfig

    Members
    -------
    weight, target : In(width)
    tau : In(width)
        Constant while targets are under way.
    new_target : Out(width)
    nonfinite : Out(1)
        The new target is infinite or NaN.
    """

    def __init__(self, config: FloatLaneConfig):
        width = config.format.width
        super().__init__(
            config,
            {name: In(width) for name in ("weight", "target", "tau")} | {"new_target": Out(width), "nonfinite": Out(1)},
        )

    @property
    def latency(self):
        """Cycles from a target to the new one."""
        return self._config.multiplier_depth + 2 * self._config.adder_depth

    def elaborate(self, platform):
        m = Module()
        numbers = FloatExpression(m, self._config)
        target = Number(self.target, 0)
        way = numbers.subtract("way", Number(self.weight, 0), target)
        new_target = numbers.add("moved", target, numbers.multiply("step", self.tau, way))
        m.d.comb += [
            self.new_target.eq(new_target.value),
            self.nonfinite.eq(is_nonfinite(self._config.format, self.new_target)),
        ]
        return m
