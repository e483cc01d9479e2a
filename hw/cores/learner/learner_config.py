"""Configuration of learners. No Amaranth here."""

from dataclasses import dataclass
from enum import IntEnum

from ..checks import require_kind
from ..layer.config import NetworkConfig
from ..layer.update_stage_config import UpdateStageConfig
from .temporal_difference_config import TemporalDifferenceConfig

__all__ = ["DDPGLearnerConfig", "DQNLearnerConfig", "LearnedNetwork", "LearnerCommand"]


class LearnerCommand(IntEnum):
    """What a learner is told to do."""

    STEP = 1
    LOAD = 2
    STORE = 3


class LearnedNetwork(IntEnum):
    """The networks of an actor-critic learner."""

    ACTOR = 0
    CRITIC = 1


@dataclass(frozen=True, kw_only=True)
class DQNLearnerConfig:
    """A learner of action values: an online network with all stages, a target network with forward stages only.

    Parameters
    ----------
    network : NetworkConfig
        The same for both; an output for each action.
    loss : str
        ``"huber"`` (threshold 1) or ``"squared"`` (half the square), of the temporal-difference error.
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
        _ = self.temporal_difference, self.updates

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays of a number for each weight."""
        return self.updates[0].arrays

    @property
    def networks(self) -> dict[str, NetworkConfig]:
        """The network that is trained, without a name."""
        return {"": self.network}

    @property
    def observations(self) -> int:
        """Elements of an observation."""
        return self.network.sizes[0]

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
    def temporal_difference(self) -> TemporalDifferenceConfig:
        """The loss of the online network."""
        return TemporalDifferenceConfig(values=self.actions, loss=self.loss, arithmetic=self.network.arithmetic)


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
        The critic's, of the temporal-difference error: ``"huber"`` (threshold 1) or ``"squared"`` (half the square).
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
        _ = self.temporal_difference, self.actor_updates
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
    def networks(self) -> dict[str, NetworkConfig]:
        """The networks that are trained, in the order of :class:`LearnedNetwork`."""
        return {"actor": self.actor, "critic": self.critic}

    @property
    def observations(self) -> int:
        """Elements of an observation."""
        return self.actor.sizes[0]

    @property
    def actions(self) -> int:
        """Elements of an action."""
        return self.actor.sizes[-1]

    @property
    def temporal_difference(self) -> TemporalDifferenceConfig:
        """The loss of the critic."""
        return TemporalDifferenceConfig(values=1, loss=self.loss, arithmetic=self.critic.arithmetic)

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays of a number for each weight."""
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
