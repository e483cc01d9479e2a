"""Configuration of the learner of soft actor-critic. No Amaranth here."""

from dataclasses import dataclass
from enum import IntEnum

from ..checks import require_kind, require_name
from ..graph.perceptron import perceptron_graph
from ..layer.config import NetworkConfig
from ..layer.update_stage_config import UpdateStageConfig
from ..optimizer.float_lane_config import GRADIENT_OPTIMIZERS
from .learner_config import PerceptronLearnerConfig
from .network_stages import ACTOR, CRITIC, NetworkStages
from .squashed_gaussian_config import SquashedGaussianConfig
from .temporal_difference_config import TemporalDifferenceConfig

__all__ = ["SACLearnerConfig", "SACNetwork"]


class SACNetwork(IntEnum):
    """The networks of the learner; the temperature is one, too, of a single weight, its logarithm."""

    ACTOR = 0
    CRITIC_1 = 1
    CRITIC_2 = 2
    TEMPERATURE = 3


@dataclass(frozen=True, kw_only=True)
class SACLearnerConfig(PerceptronLearnerConfig):
    """A learner of a policy that draws actions: an actor, two critics with a target network each, and a temperature.

    Parameters
    ----------
    actor : NetworkConfig
        From observations to the means of an action's elements, and behind them the logarithms of their standard
        deviations.
    critic : NetworkConfig
        From observation and action, in this order, to one value; the same for both critics.
    loss : str
        The critics', of the temporal-difference error: ``"huber"`` (threshold 1) or ``"squared"`` (half the square).
    optimizer : str
        ``"adam"`` or ``"sgd"``, of all.
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
        if self.actor.sizes[-1] % 2:
            raise ValueError(
                f"Actor must have a mean and a logarithm for each element, not {self.actor.sizes[-1]} outputs"
            )
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
        """What a step takes besides samples and rates, each a number, and what it is."""
        return {
            "tau": "Share of the way to the new weights that targets go.",
            "policy_slope": "Derivative of the actor's loss by the lesser value of a sample: -1 / samples.",
            "target_entropy": "What the temperature is learned for.",
        }

    @property
    def temperature(self) -> NetworkConfig:
        """The logarithm of the temperature: the weight of a layer with one input, which is 1, and one output."""
        return NetworkConfig(sizes=(1, 1), units=(1,), arithmetic=self.actor.arithmetic, bias=False)

    @property
    def networks(self) -> dict[str, NetworkConfig]:
        """The networks that are trained, in the order of :class:`SACNetwork`."""
        return {
            "actor": self.actor,
            "critic_1": self.critic,
            "critic_2": self.critic,
            "temperature": self.temperature,
        }

    @property
    def observations(self) -> int:
        """Elements of an observation."""
        return self.actor.sizes[0]

    @property
    def actions(self) -> int:
        """Elements of an action."""
        return self.actor.sizes[-1] // 2

    @property
    def network_stages(self) -> tuple[tuple[NetworkConfig, NetworkStages], ...]:
        """The actor's, then those of both critics."""
        return ((self.actor, ACTOR), (self.critic, CRITIC), (self.critic, CRITIC))

    @property
    def way(self) -> tuple[NetworkConfig, ...]:
        """Through the actor, and a critic at its action."""
        return (self.actor, self.critic)

    @property
    def other_cycles(self) -> int:
        """Cycles a sample of what draws actions, of the loss, or of the temperature's gradient."""
        (layer,) = self.temperature.layers
        temperature = max(layer.forward_cycles, layer.gradient_cycles)
        return max(self.temporal_difference.cycles, self.squashed_gaussian.cycles, temperature)

    @property
    def action_rows(self) -> int:
        """Rows of a sample's action that are its own: one for each element."""
        return self.actions

    @property
    def noise_rows(self) -> int:
        """Rows of the noise that a sample's actions are drawn with."""
        return self.actions

    @property
    def waiting_samples(self) -> int:
        """Samples from the first stage to the loss, whose observations are taken and the rest not yet."""
        graphs = map(perceptron_graph, (self.actor, self.critic))
        return sum(graph.waiting_samples(graph.linear[0].source, graph.linear[0].name) for graph in graphs)

    @property
    def squashed_gaussian(self) -> SquashedGaussianConfig:
        """How actions are drawn of the actor's outputs."""
        return SquashedGaussianConfig(actions=self.actions, arithmetic=self.actor.arithmetic)

    @property
    def temporal_difference(self) -> TemporalDifferenceConfig:
        """The loss of each critic."""
        return TemporalDifferenceConfig(values=1, loss=self.loss, arithmetic=self.critic.arithmetic)

    @property
    def optimizers(self) -> dict[str, tuple[UpdateStageConfig, ...]]:
        """The optimiser of each layer of the networks; only critics have a target."""
        return {
            name: tuple(
                UpdateStageConfig(
                    layer=layer,
                    optimizer=self.optimizer,
                    interval=self.update_interval,
                    target="soft" if network is self.critic else "none",
                )
                for layer in network.layers
            )
            for name, network in self.networks.items()
        }
