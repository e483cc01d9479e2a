"""Configuration of the engine of a learner. No Amaranth here."""

from dataclasses import dataclass

from ..graph.perceptron import perceptron_graph
from ..layer.config import LayerConfig, NetworkConfig
from .learner_config import DDPGLearnerConfig, DQNLearnerConfig

__all__ = ["LearnerArray", "LearnerEngineConfig"]


@dataclass(frozen=True)
class LearnerArray:
    """A parameter array of a learner: one number for each weight of a network.

    Parameters
    ----------
    network : int
        Whose they are, a place in the configuration's ``networks``.
    kind : str
        One of the learner's ``arrays``.
    layers : tuple of LayerConfig
        The layers of the network.
    """

    network: int
    kind: str
    layers: tuple[LayerConfig, ...]

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Rows, the biases' included, and outputs of each layer."""
        return tuple((layer.rows, layer.outputs) for layer in self.layers)

    @property
    def parameters(self) -> int:
        """How many they are, of all layers."""
        return sum(rows * outputs for rows, outputs in self.shapes)


@dataclass(frozen=True, kw_only=True)
class LearnerEngineConfig:
    """A learner that is fed with packets.

    Parameters
    ----------
    learner : DQNLearnerConfig or DDPGLearnerConfig

    Raises
    ------
    TypeError
        Another kind of learner.
    """

    learner: DQNLearnerConfig | DDPGLearnerConfig

    def __post_init__(self):
        if not isinstance(self.learner, (DQNLearnerConfig, DDPGLearnerConfig)):
            raise TypeError(f"Learner must be of the kind DQNLearnerConfig or DDPGLearnerConfig, not {self.learner!r}")

    @property
    def networks(self) -> dict[str, NetworkConfig]:
        """Networks that are trained, by name; a single one has an empty name."""
        return self.learner.networks

    def name_in(self, network: str, what: str) -> str:
        """The name of something that each network has: in array names, in registers, and at the learner."""
        return f"{network}_{what}" if network else what

    @property
    def arrays(self) -> dict[str, LearnerArray]:
        """All arrays by name, in the order of their places in commands."""
        return {
            self.name_in(name, kind): LearnerArray(place, kind, network.layers)
            for place, (name, network) in enumerate(self.networks.items())
            for kind in self.learner.arrays
        }

    @property
    def action_rows(self) -> int:
        """Rows of a sample's action that are its own: one for each element, none for an action's place in a list."""
        return self.learner.actions if isinstance(self.learner, DDPGLearnerConfig) else 0

    @property
    def sample_rows(self) -> int:
        """Rows of the stream that a sample takes."""
        return self.learner.observations + self.action_rows + 2

    @property
    def waiting_samples(self) -> int:
        """Samples from the first stage to the loss, whose observations are taken and the rest not yet."""
        graphs = map(perceptron_graph, self.networks.values())
        return sum(graph.waiting_samples(graph.linear[0].source, graph.linear[0].name) for graph in graphs)
