"""Configuration of learners. No Amaranth here."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from ..checks import require_kind, require_name
from ..graph.perceptron import perceptron_graph
from ..layer.config import NetworkConfig
from ..layer.update_stage_config import UpdateStageConfig
from ..optimizer.float_lane_config import GRADIENT_OPTIMIZERS
from .learner_base_config import LearnerConfig
from .network_stages import ACTOR, CRITIC, ONLINE_AND_TARGET, NetworkStages
from .temporal_difference_config import TemporalDifferenceConfig

__all__ = [
    "ActorCriticLearnerConfig",
    "DDPGLearnerConfig",
    "DQNLearnerConfig",
    "LearnedNetwork",
    "PerceptronLearnerConfig",
]


class LearnedNetwork(IntEnum):
    """The networks of an actor-critic learner."""

    ACTOR = 0
    CRITIC = 1


class PerceptronLearnerConfig(LearnerConfig):
    """Base of learners of multilayer perceptrons, whose samples are rows as :mod:`.learner_records` has them."""

    @property
    @abstractmethod
    def networks(self) -> dict[str, NetworkConfig]:
        """Networks that are trained."""

    @property
    @abstractmethod
    def observations(self) -> int:
        """Elements of an observation."""

    @property
    @abstractmethod
    def action_rows(self) -> int:
        """Rows of a sample's action that are its own."""

    @property
    def noise_rows(self) -> int:
        """Rows of the noise that a sample's actions are drawn with: none."""
        return 0

    @property
    @abstractmethod
    def actions(self) -> int:
        """Elements of an action, or actions."""

    @property
    @abstractmethod
    def network_stages(self) -> tuple[tuple[NetworkConfig, NetworkStages], ...]:
        """Networks with units, and stages of their layers, in the order in which a sample goes forward through them."""

    @property
    @abstractmethod
    def way(self) -> tuple[NetworkConfig, ...]:
        """Networks that a sample goes through one after the other, forward, and back to the gradient of the first."""

    @property
    def other_cycles(self) -> int:
        """Cycles a sample of the slowest part that is no stage of :attr:`network_stages`."""
        return self.temporal_difference.cycles

    @property
    @abstractmethod
    def temporal_difference(self) -> TemporalDifferenceConfig:
        """The loss of the network of values."""

    @property
    def sample_rows(self) -> int:
        """Rows of the stream that a sample takes."""
        return self.observations + self.action_rows + self.noise_rows + 2

    @property
    def waiting_samples(self) -> int:
        """Samples from the first stage to the loss, whose observations are taken and the rest not yet."""
        graphs = map(perceptron_graph, self.way)
        return sum(graph.waiting_samples(graph.linear[0].source, graph.linear[0].name) for graph in graphs)


@dataclass(frozen=True, kw_only=True)
class DQNLearnerConfig(PerceptronLearnerConfig):
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

    OPERANDS: ClassVar[Mapping[str, int]] = {"copy": 1}

    network: NetworkConfig
    loss: str = "huber"
    optimizer: str = "adam"
    update_interval: int = 2

    def __post_init__(self):
        require_kind("Network", self.network, NetworkConfig)
        require_name("Optimizer", self.optimizer, GRADIENT_OPTIMIZERS)
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
    def optimizers(self) -> dict[str, tuple[UpdateStageConfig, ...]]:
        """The optimiser of each layer of the network."""
        return {"": self.updates}

    @property
    def network_stages(self) -> tuple[tuple[NetworkConfig, NetworkStages], ...]:
        """The network's, and its target's."""
        return ((self.network, ONLINE_AND_TARGET),)

    @property
    def way(self) -> tuple[NetworkConfig, ...]:
        """The network alone."""
        return (self.network,)

    @property
    def action_rows(self) -> int:
        """Rows of a sample's action that are its own: none, an action is a place in a list."""
        return 0

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
class ActorCriticLearnerConfig(PerceptronLearnerConfig):
    """Base of learners of an actor and of critics that value its actions.

    Parameters
    ----------
    actor : NetworkConfig
        From observations to what actions are made of.
    critic : NetworkConfig
        From observation and action, in this order, to one value.
    loss : str
        The critic's, of the temporal-difference error: ``"huber"`` (threshold 1) or ``"squared"`` (half the square).
    optimizer : str
        ``"adam"`` or ``"sgd"``, of all networks.
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
        require_name("Optimizer", self.optimizer, GRADIENT_OPTIMIZERS)
        _ = self.temporal_difference, self.optimizers
        inputs = self.observations + self.actions
        if self.critic.sizes[0] != inputs:
            raise ValueError(
                f"Critic must have an input for each observation and action, {inputs}, not {self.critic.sizes[0]}"
            )
        if self.critic.sizes[-1] != 1:
            raise ValueError(f"Critic must have one output, not {self.critic.sizes[-1]}")
        if self.critic.arithmetic != self.actor.arithmetic:
            raise ValueError("Critic must have the arithmetic of the actor")

    @property
    def settings(self) -> dict[str, str]:
        """Numbers that a step takes besides samples and rates, each by its name with its description."""
        return {
            "tau": "Share of the way to the new weights that targets go.",
            "policy_slope": "Derivative of the actor's loss by the value of a sample: -1 / samples.",
        }

    @property
    def way(self) -> tuple[NetworkConfig, ...]:
        """Through the actor, and a critic at its action."""
        return (self.actor, self.critic)

    @property
    def action_rows(self) -> int:
        """Rows of a sample's action that are its own: one for each element."""
        return self.actions

    @property
    def observations(self) -> int:
        """Elements of an observation."""
        return self.actor.sizes[0]

    @property
    def temporal_difference(self) -> TemporalDifferenceConfig:
        """The loss of a critic."""
        return TemporalDifferenceConfig(values=1, loss=self.loss, arithmetic=self.critic.arithmetic)

    def _updates(self, network: NetworkConfig, target: str = "soft") -> tuple[UpdateStageConfig, ...]:
        return tuple(
            UpdateStageConfig(layer=layer, optimizer=self.optimizer, interval=self.update_interval, target=target)
            for layer in network.layers
        )


@dataclass(frozen=True, kw_only=True)
class DDPGLearnerConfig(ActorCriticLearnerConfig):
    """A learner of a deterministic policy: an actor and a critic, and a target network of each.

    The actor makes actions, with ``"tanh"`` at its outputs usually. Parameters and errors: see
    :class:`ActorCriticLearnerConfig`.
    """

    @property
    def networks(self) -> dict[str, NetworkConfig]:
        """The networks that are trained, in the order of :class:`LearnedNetwork`."""
        return {"actor": self.actor, "critic": self.critic}

    @property
    def optimizers(self) -> dict[str, tuple[UpdateStageConfig, ...]]:
        """The optimiser of each layer of both networks."""
        return {"actor": self.actor_updates, "critic": self.critic_updates}

    @property
    def network_stages(self) -> tuple[tuple[NetworkConfig, NetworkStages], ...]:
        """The actor's, then the critic's."""
        return ((self.actor, ACTOR), (self.critic, CRITIC))

    @property
    def actions(self) -> int:
        """Elements of an action."""
        return self.actor.sizes[-1]

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
