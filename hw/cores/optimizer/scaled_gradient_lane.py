"""An optimiser's lane whose gradients are multiplied first."""

from amaranth.hdl import Const, Module
from amaranth.lib.wiring import In, Out

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
    scale : float or None
        Rounded to the format; None: each gradient has one of its own.

    Members
    -------
    weight, first, ..., gradient, new_weight, ..., nonfinite
        Ports of the lane, its rates included.
    gradient_scale : In(width), without ``scale``
        Scale of each gradient.
    """

    def __init__(self, config: FloatLaneConfig, optimizer: str, scale: float | None):
        self._lane = FLOAT_LANES[optimizer](config)
        self._optimizer, self._scale = optimizer, scale
        port = {"gradient_scale": In(config.format.width)} if scale is None else {}
        super().__init__(config, dict(self._lane.signature.members.items()) | port)

    @property
    def optimizer(self):
        """The optimiser whose lane it has."""
        return self._optimizer

    @property
    def scale(self):
        """The number that all gradients are multiplied by, if it is one."""
        return self._scale

    @property
    def latency(self):
        """Cycles from a weight to the new one."""
        return self._config.multiplier_depth + self._lane.latency

    def elaborate(self, platform):
        m = Module()
        config, lane = self._config, self._lane
        number_format = config.format
        if self._scale is None:
            scale = self.gradient_scale
        else:
            scale = Const(number_format.nearest(self._scale), number_format.width)
        m.submodules.lane = lane
        m.submodules.multiplier = multiplier = FloatMultiplier(
            FloatConfig(format=number_format, depth=config.multiplier_depth)
        )
        m.d.comb += [
            multiplier.a.eq(self.gradient),
            multiplier.b.eq(scale),
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
