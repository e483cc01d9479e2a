"""Configuration of the learner of soft actor-critic. No Amaranth here."""

from dataclasses import dataclass
from enum import IntEnum

from ..checks import require_kind
from ..layer.config import NetworkConfig
from ..layer.update_stage_config import UpdateStageConfig
from .learner_config import ActorCriticLearnerConfig
from .network_stages import ACTOR, CRITIC, NetworkStages
from .squashed_gaussian_config import SquashedGaussianConfig

__all__ = ["SACLearnerConfig", "SACNetwork"]


class SACNetwork(IntEnum):
    """The networks of the learner; the temperature counts as one with a single weight, its logarithm."""

    ACTOR = 0
    CRITIC_1 = 1
    CRITIC_2 = 2
    TEMPERATURE = 3


@dataclass(frozen=True, kw_only=True)
class SACLearnerConfig(ActorCriticLearnerConfig):
    """A learner of a policy that draws actions: an actor, two critics with a target network each, and a temperature.

    The actor makes the means of an action's elements, and after them the logarithms of their standard deviations; both
    critics have the same configuration. Parameters and errors: see :class:`.ActorCriticLearnerConfig`; an actor must
    have an even number of outputs.
    """

    def __post_init__(self):
        require_kind("Actor", self.actor, NetworkConfig)
        if self.actor.sizes[-1] % 2:
            raise ValueError(
                f"Actor must have a mean and a logarithm for each element, not {self.actor.sizes[-1]} outputs"
            )
        super().__post_init__()

    @property
    def settings(self) -> dict[str, str]:
        """Numbers that a step takes besides samples and rates, each by its name with its description."""
        return super().settings | {"target_entropy": "What the temperature is learned for."}

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
    def actions(self) -> int:
        """Elements of an action."""
        return self.actor.sizes[-1] // 2

    @property
    def network_stages(self) -> tuple[tuple[NetworkConfig, NetworkStages], ...]:
        """The actor's, then those of both critics."""
        return ((self.actor, ACTOR), (self.critic, CRITIC), (self.critic, CRITIC))

    @property
    def other_cycles(self) -> int:
        """Cycles a sample of what draws actions, of the loss, or of the temperature's gradient."""
        (layer,) = self.temperature.layers
        temperature = max(layer.forward_cycles, layer.gradient_cycles)
        return max(self.temporal_difference.cycles, self.squashed_gaussian.cycles, temperature)

    @property
    def noise_rows(self) -> int:
        """Rows of the noise that a sample's actions are drawn with."""
        return self.actions

    @property
    def squashed_gaussian(self) -> SquashedGaussianConfig:
        """How actions are drawn of the actor's outputs."""
        return SquashedGaussianConfig(actions=self.actions, arithmetic=self.actor.arithmetic)

    @property
    def optimizers(self) -> dict[str, tuple[UpdateStageConfig, ...]]:
        """The optimiser of each layer of the networks; only critics have a target."""
        return {
            name: self._updates(network, "soft" if network is self.critic else "none")
            for name, network in self.networks.items()
        }
