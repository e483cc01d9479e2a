"""Configuration of the engine of a learner. No Amaranth here."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..checks import require_kind
from ..graph.config import GraphConfig
from ..layer.config import LayerConfig, NetworkConfig
from .learner_base_config import LearnerConfig

__all__ = ["LearnerArray", "LearnerEngineConfig"]


@dataclass(frozen=True)
class LearnerArray:
    """A parameter array of a learner: one number for each weight of a network.

    Parameters
    ----------
    network : int
        Network that they are of, a place in the configuration's ``networks``.
    kind : str
        One of the network's arrays.
    place : int
        Its number among those of its kind.
    layers : tuple of LayerConfig
        The layers of the network.
    """

    network: int
    kind: str
    place: int
    layers: tuple[LayerConfig, ...]

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Rows, the biases' included, and outputs of each layer; before them its sets of parameters, if several."""
        return tuple(
            (layer.rows, layer.outputs)
            if layer.parameter_sets == 1
            else (layer.parameter_sets, layer.rows, layer.outputs)
            for layer in self.layers
        )

    @property
    def parameters(self) -> int:
        """How many they are, of all layers."""
        return sum(math.prod(shape) for shape in self.shapes)


@dataclass(frozen=True, kw_only=True)
class LearnerEngineConfig:
    """A learner that is fed with packets.

    Parameters
    ----------
    learner : LearnerConfig

    Raises
    ------
    TypeError
        Another kind of learner.
    """

    learner: LearnerConfig

    def __post_init__(self):
        require_kind("Learner", self.learner, LearnerConfig)

    @property
    def networks(self) -> Mapping[str, NetworkConfig | GraphConfig]:
        """Networks that are trained, by name; a single one has an empty name."""
        return self.learner.networks

    def name_in(self, network: str, what: str) -> str:
        """The name of something that each network has: in array names, in registers, and at the learner."""
        return self.learner.name_in(network, what)

    @property
    def settings(self) -> tuple[str, ...]:
        """Numbers that a step takes besides samples: ports of the learner."""
        rates = (self.name_in(network, "rates") for network in self.learner.rates)
        return (*rates, *self.learner.settings)

    @property
    def arrays(self) -> dict[str, LearnerArray]:
        """All arrays by name, in the order of their places in commands."""
        return {
            self.name_in(name, kind): LearnerArray(number, kind, place, network.layers)
            for number, (name, network) in enumerate(self.networks.items())
            for place, kind in enumerate(self.learner.optimizers[name][0].arrays)
        }
