"""Configuration of LearningGroup: the device, the network that it trains, and the rates. No Amaranth here."""

from dataclasses import dataclass

from ...cores.checks import require_integer

__all__ = ["HEADS", "LearningGroupConfig", "Layer", "Network", "Rates"]

# Each belongs whole to one core: the first to core 0, the second to core 1, and so on around.
HEADS = ("policy", "gate", "value")


@dataclass(frozen=True, kw_only=True)
class LearningGroupConfig:
    """Configuration of a LearningGroup device.

    Parameters
    ----------
    name : str
        Name of the preset; not part of the hardware.
    cores : int
        C, 1 to 16.
    clusters : int
        Q, clusters of a core, 1 to 256.
    cluster_vpus : int
        K, VPUs of a cluster, a power of two up to 32. A cluster computes one column for a block of 4 K vectors.
    blocks : int
        B, blocks of a memory word: 1, 2 or 4.
    groups : int
        Largest G, 1 to 64.
    features : int
        Most rows or columns of a layer, 1 to 4096.
    steps : int
        Most steps of an iteration, 1 to 256.
    batches : int
        Most words that the vectors of an iteration fill, 1 to 16.
    optimizer_format : str
        The format of mean squares, grouping matrices and weights between iterations: ``"binary32"``, or ``"binary16"``.
        The network computes in binary16 in any case.
    system : str
        ``"learninggroup"``: what the simulator and the exporter look the device up by.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    name: str = "custom"
    cores: int = 3
    clusters: int = 33
    cluster_vpus: int = 8
    blocks: int = 4
    groups: int = 32
    features: int = 512
    steps: int = 80
    batches: int = 2
    optimizer_format: str = "binary32"
    system: str = "learninggroup"

    def __post_init__(self):
        for field in ("name", "system", "optimizer_format"):
            if not isinstance(getattr(self, field), str):
                words = field.replace("_", " ").capitalize()
                raise TypeError(f"{words} must be a string, not {getattr(self, field)!r}")
        if self.system != "learninggroup":
            raise ValueError(f"System must be learninggroup, not {self.system}")
        if self.optimizer_format not in ("binary16", "binary32"):
            raise ValueError(f"Optimizer format must be binary16 or binary32, not {self.optimizer_format}")
        require_integer("Cores", self.cores, 1, 16)
        require_integer("Clusters", self.clusters, 1, 256)
        require_integer("Cluster VPUs", self.cluster_vpus, 1, 32)
        require_integer("Blocks", self.blocks, 1, 4)
        for what, value in (("Cluster VPUs", self.cluster_vpus), ("Blocks", self.blocks)):
            if value & (value - 1):
                raise ValueError(f"{what} must be a power of two, not {value}")
        require_integer("Groups", self.groups, 1, 64)
        require_integer("Features", self.features, 1, 4096)
        require_integer("Steps", self.steps, 1, 256)
        require_integer("Batches", self.batches, 1, 16)

    @property
    def vpus(self):
        """V, VPUs of a core."""
        return self.clusters * self.cluster_vpus

    @property
    def lanes(self):
        """Vectors of a block: each VPU's four accumulators."""
        return 4 * self.cluster_vpus

    @property
    def vectors(self):
        """Vectors of a memory word."""
        return self.lanes * self.blocks


@dataclass(frozen=True, kw_only=True)
class Layer:
    """A matrix of weights.

    Parameters
    ----------
    name : str
        In :class:`Network`'s order.
    rows, columns : int
        Inputs and outputs.
    """

    name: str
    rows: int
    columns: int

    def owner(self, column, hidden_size, cores):
        """The core that has a column: by hidden unit; a head whole."""
        if self.name in HEADS:
            return HEADS.index(self.name) % cores
        return column % hidden_size // -(-hidden_size // cores)


@dataclass(frozen=True, kw_only=True)
class Network:
    """Shape of IC3Net.

    Column ``y H + u`` of the LSTM's matrices is gate y (0 to 3: i, f, g, o) of hidden unit u.

    Parameters
    ----------
    observation_size : int
        Elements of an agent's observation.
    hidden_size : int
        H, hidden units.
    actions : int
        Movements that the policy chooses from, at least 2.
    agents : int
        Steps of an episode.
    groups : int
        G, groups of every layer's rows and columns.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    observation_size: int
    hidden_size: int = 128
    actions: int = 5
    agents: int = 3
    groups: int = 1

    def __post_init__(self):
        require_integer("Observation size", self.observation_size, 1)
        require_integer("Hidden size", self.hidden_size, 1)
        require_integer("Actions", self.actions, 2)
        require_integer("Agents", self.agents, 1)
        require_integer("Groups", self.groups, 1)

    @property
    def layers(self):
        """Every :class:`Layer`, by name."""
        hidden = self.hidden_size
        shapes = {
            "encoder": (self.observation_size, hidden),
            "communication": (hidden, hidden),
            "input": (hidden, 4 * hidden),
            "hidden": (hidden, 4 * hidden),
            "policy": (hidden, self.actions),
            "gate": (hidden, 2),
            "value": (hidden, 1),
        }
        return {name: Layer(name=name, rows=rows, columns=columns) for name, (rows, columns) in shapes.items()}

    @property
    def biases(self):
        """Sizes of the biases, by name: where two products are added up there is one, of the first's name."""
        return {name: layer.columns for name, layer in self.layers.items() if name not in ("communication", "hidden")}

    def check(self, config: LearningGroupConfig):
        """Raise ValueError where a device is too small."""
        if self.groups > config.groups:
            raise ValueError(
                f"Groups must be at most {config.groups} in configuration {config.name}, not {self.groups}"
            )
        for layer in self.layers.values():
            if max(layer.rows, layer.columns) > config.features:
                raise ValueError(
                    f"Layer {layer.name} must have at most {config.features} rows and columns in configuration "
                    f"{config.name}, not {layer.rows} x {layer.columns}"
                )


@dataclass(frozen=True, kw_only=True)
class Rates:
    """Rates that the host sets for training, as real numbers; the device has them in its formats.

    Parameters
    ----------
    learning_rate, alpha, epsilon : float
        RMSprop's. Its gradients are those of the scaled loss, so the host multiplies epsilon by the loss scale.
    value_coefficient : float
        The factor of the value's squared error in the loss; the device multiplies by twice that.
    grouping_gradient : str
        ``"unmasked"`` or ``"dense"``: from which weights the grouping matrices learn.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    learning_rate: float = 1e-3
    alpha: float = 0.97
    epsilon: float = 1e-3
    value_coefficient: float = 0.01
    grouping_gradient: str = "unmasked"

    def __post_init__(self):
        for name, high in (("learning_rate", 1), ("alpha", 1), ("epsilon", 1024), ("value_coefficient", 1024)):
            value = getattr(self, name)
            words = name.replace("_", " ").capitalize()
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(f"{words} must be a number, not {value!r}")
            if not 0 <= value <= high:
                raise ValueError(f"{words} must be from 0 to {high}, not {value}")
        if not isinstance(self.grouping_gradient, str):
            raise TypeError(f"Grouping gradient must be a string, not {self.grouping_gradient!r}")
        if self.grouping_gradient not in ("unmasked", "dense"):
            raise ValueError(f"Grouping gradient must be unmasked or dense, not {self.grouping_gradient}")
