"""Configuration of a layer's optimiser. No Amaranth here."""

import math
from dataclasses import dataclass

from ..checks import require_integer, require_kind, require_name
from ..optimizer.float_lane_config import FLOAT_OPTIMIZERS, FloatOptimizer
from .config import LayerConfig

__all__ = ["ARRAY_WIDTH", "TARGETS", "UpdateStageConfig"]

# Bits of an array's place in ``arrays``.
ARRAY_WIDTH = 3

# Updates of the target's weights: copies now and then, a share of the way to the new ones; or there is no target.
TARGETS = ("copied", "soft", "none")


@dataclass(frozen=True, kw_only=True)
class UpdateStageConfig:
    """The optimiser of a layer.

    Parameters
    ----------
    layer : LayerConfig
        Layer whose weights are updated, in its arithmetic.
    optimizer : str
        ``"adam"``, ``"sgd"``, or ``"none"`` where weights are updated elsewhere.
    interval : int
        Initiation interval, cycles from one word of weights to the next (1 to 64): the units of a layer are
        time-multiplexed on fewer lanes.
    target : str
        ``"copied"``: the target's weights are a copy of the new ones now and then. ``"soft"``: they move towards the
        new ones with every update. ``"none"``: there is no target.
    gradient_scale : float
        Factor by which gradients are multiplied before the optimiser takes them, above 0; with 1 there is no
        multiplier, unless lanes are shared.
    shared : bool
        Whether the layers of a network are updated one after another on the same lanes, and not side by side.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    layer: LayerConfig
    optimizer: str = "adam"
    interval: int = 2
    target: str = "copied"
    gradient_scale: float = 1.0
    shared: bool = False

    def __post_init__(self):
        require_kind("Layer", self.layer, LayerConfig)
        require_name("Optimizer", self.optimizer, tuple(FLOAT_OPTIMIZERS))
        require_integer("Interval", self.interval, 1, 64)
        require_name("Target", self.target, TARGETS)
        require_kind("Shared", self.shared, bool)
        if not 0 < self.gradient_scale < math.inf:
            raise ValueError(f"Gradient scale must be finite and above 0, not {self.gradient_scale}")
        if self.gradient_scale != 1 and not self.algorithm.gradients:
            raise ValueError(f"Gradient scale must be 1 for an optimizer without gradients, not {self.gradient_scale}")

    @property
    def algorithm(self) -> FloatOptimizer:
        """The optimiser's state for each weight, and the rates that it takes."""
        return FLOAT_OPTIMIZERS[self.optimizer]

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays of a number for each weight."""
        target = () if self.target == "none" else ("target",)
        return ("weights", *target, *self.algorithm.gradients * ("gradients",), *self.algorithm.state)

    @property
    def lanes(self) -> int:
        """Weights that are updated side by side."""
        return -(-self.layer.units // self.interval)
