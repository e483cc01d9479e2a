"""Configuration of MAAC's learner. No Amaranth here."""

from dataclasses import dataclass
from enum import IntEnum

from ..attention.config import sequential_sum_cycles
from ..checks import require_kind
from ..graph.config import GraphConfig
from ..layer.update_stage_config import UpdateStageConfig
from .learner_base_config import LearnerConfig
from .maac_config import SHARED_LAYERS, MAACNetworksConfig

__all__ = ["MAACLearnerConfig", "MAACNetwork"]


class MAACNetwork(IntEnum):
    """The networks of a MAAC learner."""

    POLICY = 0
    CRITIC = 1


@dataclass(frozen=True, kw_only=True)
class MAACLearnerConfig(LearnerConfig):
    """A learner of attentive critics, which also does the forward pass of the policies' update.

    Parameters
    ----------
    agents : MAACNetworksConfig
        Policies and critics of all agents.
    update_interval : int
        Cycles from one word of weights to the next in the optimiser's pass (1 to 64).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    agents: MAACNetworksConfig
    update_interval: int = 2

    def __post_init__(self):
        require_kind("Agents", self.agents, MAACNetworksConfig)
        _ = self.optimizers

    @property
    def settings(self) -> dict[str, str]:
        """What a step takes besides samples and rates, each a number, and what it is."""
        return {
            "tau": "Share of the way to the new weights that targets go.",
            "entropy_share": "What a unit of entropy is worth: 1 / reward scale.",
            "slope": "Derivative of the critics' loss by an error of 1: 2 / experiences.",
        }

    @property
    def follows(self) -> bool:
        """Whether targets follow networks that a host has loaded, when it says so."""
        return True

    @property
    def networks(self) -> dict[str, GraphConfig]:
        """The networks, in the order of :class:`MAACNetwork`."""
        return {"policy": self.agents.policy, "critic": self.agents.critic}

    @property
    def optimizers(self) -> dict[str, tuple[UpdateStageConfig, ...]]:
        """Adam of each layer of the critics; the host updates the policies."""
        share = 1 / self.agents.agents
        interval = self.update_interval
        return {
            "policy": tuple(
                UpdateStageConfig(layer=layer, optimizer="none", interval=interval, target="soft")
                for layer in self.agents.policy.layers
            ),
            "critic": tuple(
                UpdateStageConfig(
                    layer=node.layer,
                    interval=interval,
                    target="soft",
                    gradient_scale=share if node.name in SHARED_LAYERS else 1.0,
                )
                for node in self.agents.critic.linear
            ),
        }

    @property
    def agent_rows(self) -> int:
        """Rows that an agent's part of an experience takes."""
        return self.agents.observations + 3

    @property
    def sample_rows(self) -> int:
        """Rows of the stream that an experience takes."""
        return self.agents.agents * self.agent_rows

    @property
    def agent_result_rows(self) -> int:
        """Rows that an agent's part of an experience makes."""
        return self.agents.hidden_size + self.agents.actions + 2

    @property
    def result_rows(self) -> int:
        """Rows of the stream of results that an experience makes."""
        return self.agents.agents * self.agent_result_rows

    @property
    def policy_samples(self) -> int:
        """Samples from the observations to the actions that policies draw for them."""
        policy = self.agents.policy
        return policy.waiting_samples(policy.linear[0].source, policy.linear[0].name) + 4

    @property
    def critic_samples(self) -> int:
        """Samples from the critics' inputs to their values, and some that wait for others."""
        return self.agents.critic.forward_stages[self.agents.critic.output.name] + 6

    @property
    def experience_cycles(self) -> int:
        """Cycles of an experience in a batch: those of the slowest stage."""
        agents, networks = self.agents.agents, self.agents
        actions = networks.actions
        sampling = sequential_sum_cycles(networks.arithmetic, actions) + actions
        stages = (self.agent_rows, self.agent_result_rows, sampling, actions + 1)
        return max(networks.critic.cycles, networks.policy.forward_cycles, *(agents * cycles for cycles in stages))
