"""Configuration of layers, networks and learners. No Amaranth here."""

from dataclasses import dataclass
from enum import IntEnum

from ..checks import require_integer, require_kind
from ..float.config import BINARY32, FloatLaneConfig
from ..optimizer.float_lane_config import FLOAT_OPTIMIZERS, FloatOptimizer

__all__ = [
    "ACTIVATIONS",
    "ARRAY_WIDTH",
    "BATCH_WIDTH",
    "BINARY32_LANE",
    "LOSSES",
    "AdderTreeConfig",
    "DDPGLearnerConfig",
    "DQNLearnerConfig",
    "LayerConfig",
    "LearnedNetwork",
    "LearnerCommand",
    "NetworkConfig",
    "UpdateStageConfig",
]

ACTIVATIONS = ("linear", "relu", "tanh")
LOSSES = ("huber", "squared")

# Stages where adders and multipliers of binary32 reach about the same clock.
BINARY32_LANE = FloatLaneConfig(format=BINARY32, adder_depth=4, multiplier_depth=5)

# Bits of an array's place, and of the number of samples in a batch.
ARRAY_WIDTH = 3
BATCH_WIDTH = 16

# Most inputs or outputs of a layer.
LARGEST_LAYER = 4096

# Most samples whose inputs or outputs a layer keeps.
LARGEST_WAITING = 64


def _require_name(name, value, names):
    require_kind(name, value, str)
    if value not in names:
        raise ValueError(f"{name} must be one of {', '.join(names)}, not {value!r}")


class LearnerCommand(IntEnum):
    """What a learner is told to do."""

    STEP = 0
    LOAD = 1
    STORE = 2


class LearnedNetwork(IntEnum):
    """Of an actor-critic learner."""

    ACTOR = 0
    CRITIC = 1


@dataclass(frozen=True, kw_only=True)
class AdderTreeConfig:
    """A tree of adders.

    Parameters
    ----------
    terms : int
        1 to 4096; of one nothing is added.
    arithmetic : FloatLaneConfig
        Format, and stages of each adder.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    terms: int
    arithmetic: FloatLaneConfig = BINARY32_LANE

    def __post_init__(self):
        require_integer("Terms", self.terms, 1, LARGEST_LAYER)
        require_kind("Arithmetic", self.arithmetic, FloatLaneConfig)

    @property
    def levels(self) -> int:
        """Adders that a term passes at most."""
        return (self.terms - 1).bit_length()


@dataclass(frozen=True, kw_only=True)
class LayerConfig:
    """A fully connected layer, ``y = activation(W x + b)``, and the units that compute it.

    A word of its weight memory has ``units`` consecutive outputs of one input: row i, group g has the weights from
    input i to outputs ``g * units`` and on. The bias is the last row, that of an input which is 1. Where ``units`` does
    not divide the outputs, the last group is filled with zeros. Forward, backward and gradient stage all go over these
    words, so a weight is never transposed.

    Parameters
    ----------
    inputs, outputs : int
        1 to 4096.
    units : int
        UF, multiplier and adder pairs of each of its stages (1 to ``outputs``).
    activation : str
        ``"linear"``, ``"relu"`` or ``"tanh"``.
    arithmetic : FloatLaneConfig
        Format, and stages of each adder and multiplier.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    inputs: int
    outputs: int
    units: int
    activation: str = "relu"
    arithmetic: FloatLaneConfig = BINARY32_LANE

    def __post_init__(self):
        require_integer("Inputs", self.inputs, 1, LARGEST_LAYER)
        require_integer("Outputs", self.outputs, 1, LARGEST_LAYER)
        require_integer("Units", self.units, 1, self.outputs)
        _require_name("Activation", self.activation, ACTIVATIONS)
        require_kind("Arithmetic", self.arithmetic, FloatLaneConfig)

    @property
    def rows(self) -> int:
        """Inputs and the bias."""
        return self.inputs + 1

    @property
    def groups(self) -> int:
        """Words of a row."""
        return -(-self.outputs // self.units)

    @property
    def words(self) -> int:
        """Words of the weight memory."""
        return self.rows * self.groups

    @property
    def partial_sums(self) -> int:
        """Sums that an output is made of while they are formed.

        An accumulator comes back after ``groups`` cycles, which may be before its last sum has left the adder. Row i
        then goes to partial sum ``i % partial_sums``.
        """
        return min(self.rows, -(-self.arithmetic.adder_depth // self.groups))

    @property
    def forward_cycles(self) -> int:
        """Cycles a sample of the forward stage: a word a cycle, and an output a cycle leaves it."""
        return max(self.words, self.outputs)

    @property
    def pass_cycles(self) -> int:
        """Cycles in which the backward stage goes over all inputs with one group.

        The sum of an input comes back after a pass; where the adder is longer, the pass waits for it.
        """
        return self.inputs if self.groups == 1 else max(self.inputs, self.arithmetic.adder_depth)

    @property
    def backward_cycles(self) -> int:
        """Cycles a sample of the backward stage: a pass for each group, and an error a cycle comes in."""
        return max(self.groups * self.pass_cycles, self.outputs)

    @property
    def gradient_pass_cycles(self) -> int:
        """Cycles in which the gradient stage goes over all rows with one group.

        A word comes back with the next sample; where the adder is longer, the passes wait for it.
        """
        return max(self.rows, -(-self.arithmetic.adder_depth // self.groups))

    @property
    def gradient_cycles(self) -> int:
        """Cycles a sample of the gradient stage: a pass for each group, and an error a cycle comes in."""
        return max(self.groups * self.gradient_pass_cycles, self.outputs)


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """A multilayer perceptron.

    Parameters
    ----------
    sizes : tuple of int
        Inputs of the network, then outputs of each layer.
    units : tuple of int
        UF of each layer.
    hidden_activation, output_activation : str
        Of all layers but the last, and of the last.
    arithmetic : FloatLaneConfig
        Of all layers.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; not as many units as layers.
    """

    sizes: tuple[int, ...]
    units: tuple[int, ...]
    hidden_activation: str = "relu"
    output_activation: str = "linear"
    arithmetic: FloatLaneConfig = BINARY32_LANE

    def __post_init__(self):
        for name in ("sizes", "units"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if len(self.sizes) < 2:
            raise ValueError(f"Sizes must have at least an input and an output, not {len(self.sizes)} of them")
        if len(self.units) != len(self.sizes) - 1:
            raise ValueError(f"Units must be given for {len(self.sizes) - 1} layers, not {len(self.units)}")
        _ = self.layers

    @property
    def layers(self) -> tuple[LayerConfig, ...]:
        """From the input on."""
        last = len(self.units) - 1
        return tuple(
            LayerConfig(
                inputs=inputs,
                outputs=outputs,
                units=units,
                activation=self.output_activation if index == last else self.hidden_activation,
                arithmetic=self.arithmetic,
            )
            for index, (inputs, outputs, units) in enumerate(
                zip(self.sizes[:-1], self.sizes[1:], self.units, strict=True)
            )
        )

    @property
    def cuts(self) -> int:
        """Streams of numbers that the backward half of a learner needs of the forward half."""
        return len(self.units) + int(self.output_activation != "linear")

    def waiting_samples(self, index: int, late: int = 0) -> int:
        """Samples on their way from a layer's forward stage to its gradient stage, so that none of them waits.

        One for each stage between the two, those that fit in the latency of units and buffers on the way, and three
        that are coming, being used, or waiting for a sample to end. ``late`` more are on their way from the network's
        outputs to their errors.
        """
        stages = 2 * (len(self.units) - index)
        levels = (max(self.units) - 1).bit_length()
        latency = self.arithmetic.multiplier_depth + (2 + levels) * self.arithmetic.adder_depth + 8
        period = max(layer.forward_cycles for layer in self.layers)
        return min(LARGEST_WAITING, stages - -stages * latency // period + 3 + late)


@dataclass(frozen=True, kw_only=True)
class UpdateStageConfig:
    """The optimiser of a layer.

    Parameters
    ----------
    layer : LayerConfig
        Whose weights are updated, in its arithmetic.
    optimizer : str
        ``"adam"`` or ``"sgd"``.
    interval : int
        Cycles from one word of weights to the next (1 to 64): the units of a layer take turns on fewer lanes.
    soft_target : bool
        The target's weights move towards the new ones with every update, in place of being copied now and then.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    layer: LayerConfig
    optimizer: str = "adam"
    interval: int = 2
    soft_target: bool = False

    def __post_init__(self):
        require_kind("Layer", self.layer, LayerConfig)
        _require_name("Optimizer", self.optimizer, tuple(FLOAT_OPTIMIZERS))
        require_integer("Interval", self.interval, 1, 64)

    @property
    def numbers(self) -> FloatOptimizer:
        """What the optimiser keeps for a weight, and takes of a step."""
        return FLOAT_OPTIMIZERS[self.optimizer]

    @property
    def arrays(self) -> tuple[str, ...]:
        """What there is for each weight."""
        return ("weights", "target", "gradients", *self.numbers.state)

    @property
    def lanes(self) -> int:
        """Weights that are updated side by side."""
        return -(-self.layer.units // self.interval)


@dataclass(frozen=True, kw_only=True)
class DQNLearnerConfig:
    """A learner of action values: an online network with all stages, a target network with forward stages only.

    Parameters
    ----------
    network : NetworkConfig
        Of both; an output for each action.
    loss : str
        ``"huber"`` (threshold 1) or ``"squared"`` (half the square), of the TD error.
    optimizer : str
        ``"adam"`` or ``"sgd"``.
    update_interval : int
        Cycles from one word of weights to the next in the optimiser's pass (1 to 64).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    network: NetworkConfig
    loss: str = "huber"
    optimizer: str = "adam"
    update_interval: int = 2

    def __post_init__(self):
        require_kind("Network", self.network, NetworkConfig)
        _require_name("Loss", self.loss, LOSSES)
        _ = self.updates

    @property
    def arrays(self) -> tuple[str, ...]:
        """What there is for each weight."""
        return self.updates[0].arrays

    @property
    def actions(self) -> int:
        """Outputs of the networks."""
        return self.network.sizes[-1]

    @property
    def updates(self) -> tuple[UpdateStageConfig, ...]:
        """The optimiser of each layer."""
        return tuple(
            UpdateStageConfig(layer=layer, optimizer=self.optimizer, interval=self.update_interval)
            for layer in self.network.layers
        )

    @property
    def loss_cycles(self) -> int:
        """Cycles a sample of the loss stage: a value a cycle comes in, and one is for the sample as a whole."""
        return self.actions + 1


@dataclass(frozen=True, kw_only=True)
class DDPGLearnerConfig:
    """A learner of a deterministic policy: an actor and a critic, and a target network of each.

    Parameters
    ----------
    actor : NetworkConfig
        From observations to actions, ``"tanh"`` at its outputs usually.
    critic : NetworkConfig
        From observation and action, in this order, to one value.
    loss : str
        Of the critic: ``"huber"`` (threshold 1) or ``"squared"`` (half the square), of the TD error.
    optimizer : str
        ``"adam"`` or ``"sgd"``, of both.
    update_interval : int
        Cycles from one word of weights to the next in the optimiser's pass (1 to 64).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; networks that do not fit each other.
    """

    actor: NetworkConfig
    critic: NetworkConfig
    loss: str = "squared"
    optimizer: str = "adam"
    update_interval: int = 2

    def __post_init__(self):
        require_kind("Actor", self.actor, NetworkConfig)
        require_kind("Critic", self.critic, NetworkConfig)
        _require_name("Loss", self.loss, LOSSES)
        _ = self.actor_updates
        inputs = self.actor.sizes[0] + self.actor.sizes[-1]
        if self.critic.sizes[0] != inputs:
            raise ValueError(
                f"Critic must have an input for each observation and action, {inputs}, not {self.critic.sizes[0]}"
            )
        if self.critic.sizes[-1] != 1:
            raise ValueError(f"Critic must have one output, not {self.critic.sizes[-1]}")
        if self.critic.arithmetic != self.actor.arithmetic:
            raise ValueError("Critic must have the arithmetic of the actor")

    @property
    def observations(self) -> int:
        """Numbers of an observation."""
        return self.actor.sizes[0]

    @property
    def actions(self) -> int:
        """Numbers of an action."""
        return self.actor.sizes[-1]

    @property
    def critic_loss(self) -> DQNLearnerConfig:
        """The critic's loss is that of a DQN with one action."""
        return DQNLearnerConfig(network=self.critic, loss=self.loss)

    @property
    def arrays(self) -> tuple[str, ...]:
        """What there is for each weight."""
        return self.actor_updates[0].arrays

    @property
    def actor_updates(self) -> tuple[UpdateStageConfig, ...]:
        """The optimiser of each layer of the actor."""
        return self._updates(self.actor)

    @property
    def critic_updates(self) -> tuple[UpdateStageConfig, ...]:
        """The optimiser of each layer of the critic."""
        return self._updates(self.critic)

    def _updates(self, network: NetworkConfig) -> tuple[UpdateStageConfig, ...]:
        return tuple(
            UpdateStageConfig(layer=layer, optimizer=self.optimizer, interval=self.update_interval, soft_target=True)
            for layer in network.layers
        )
