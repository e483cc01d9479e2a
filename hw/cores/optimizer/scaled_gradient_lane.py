"""An optimiser's lane whose gradients are multiplied first."""

from amaranth.hdl import Const, Module
from amaranth.lib.wiring import Out

from ..component import ConfiguredComponent
from ..float.config import FloatConfig, FloatLaneConfig
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay
from .float_lane import FLOAT_LANES

__all__ = ["ScaledGradientLane"]


class ScaledGradientLane(ConfiguredComponent):
    """Updates one weight a cycle, as a lane of :mod:`.float_lane` does, with ``scale * gradient`` for the gradient.

    Number format: the configuration's; the product is rounded, and then as that lane does.

    Latency: ``latency`` cycles, those of a multiplier and of the lane. One weight a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatLaneConfig
    optimizer : str
        One that takes a gradient.
    scale : float
        Rounded to the format.

    Members
    -------
    weight, first, ..., gradient, new_weight, ..., nonfinite
        Those of the lane, its rates, too.
    """

    def __init__(self, config: FloatLaneConfig, optimizer: str, scale: float):
        self._lane = FLOAT_LANES[optimizer](config)
        self._optimizer, self._scale = optimizer, scale
        super().__init__(config, dict(self._lane.signature.members.items()))

    @property
    def optimizer(self):
        """The optimiser whose lane it has."""
        return self._optimizer

    @property
    def scale(self):
        """The number that gradients are multiplied by."""
        return self._scale

    @property
    def latency(self):
        """Cycles from a weight to the new one."""
        return self._config.multiplier_depth + self._lane.latency

    def elaborate(self, platform):
        m = Module()
        config, lane = self._config, self._lane
        m.submodules.lane = lane
        m.submodules.multiplier = multiplier = FloatMultiplier(
            FloatConfig(format=config.format, depth=config.multiplier_depth)
        )
        m.d.comb += [
            multiplier.a.eq(self.gradient),
            multiplier.b.eq(Const(config.format.nearest(self._scale), config.format.width)),
            lane.gradient.eq(multiplier.result),
        ]
        kept = ("weight", *lane.NUMBERS.state)
        for name, member in lane.signature.members.items():
            if member.flow is Out:
                m.d.comb += getattr(self, name).eq(getattr(lane, name))
            elif name in kept:
                late = delay(m, getattr(self, name), config.multiplier_depth, f"{name}_late")
                m.d.comb += getattr(lane, name).eq(late)
            elif name != "gradient":
                m.d.comb += getattr(lane, name).eq(getattr(self, name))
        return m
