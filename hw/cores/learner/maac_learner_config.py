"""Configuration of MAAC's learner. No Amaranth here."""

from dataclasses import dataclass
from enum import IntEnum
from functools import partial

from ..attention.config import sequential_sum_cycles
from ..checks import require_kind, require_name
from ..graph.config import GraphConfig
from ..layer.update_stage_config import UpdateStageConfig
from .learner_base_config import LearnerConfig
from .maac_config import SHARED_LAYERS, MAACNetworksConfig

__all__ = ["POLICY_BACKWARD", "MAACLearnerConfig", "MAACNetwork"]

# Where the policies' backward pass and their update are.
POLICY_BACKWARD = ("host", "device")


class MAACNetwork(IntEnum):
    """The networks of a MAAC learner."""

    POLICY = 0
    CRITIC = 1


@dataclass(frozen=True, kw_only=True)
class MAACLearnerConfig(LearnerConfig):
    """A learner of attentive critics, which also does the forward pass of the policies' update, or all of it.

    Parameters
    ----------
    agents : MAACNetworksConfig
        Policies and critics of all agents.
    update_interval : int
        Cycles from one word of weights to the next in the optimiser's pass (1 to 64).
    policy_backward : str
        Where the policies' backward pass and their update are. ``"host"``: it loads policies, which the target policies
        then follow. ``"device"``: the learner takes Adam's step of both networks.
    shared_update : bool
        Whether the layers of a network are updated one after another on the same lanes of the optimiser: an update
        takes longer, and far less logic. Without, all layers are updated side by side.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    agents: MAACNetworksConfig
    update_interval: int = 2
    policy_backward: str = "host"
    shared_update: bool = False

    def __post_init__(self):
        require_kind("Agents", self.agents, MAACNetworksConfig)
        require_name("Policy backward", self.policy_backward, POLICY_BACKWARD)
        require_kind("Shared update", self.shared_update, bool)
        _ = self.optimizers

    @property
    def updates_policies(self) -> bool:
        """Whether the policies' backward pass and their update are the learner's."""
        return self.policy_backward == "device"

    @property
    def settings(self) -> dict[str, str]:
        """Numbers that a step takes besides samples and rates, each by its name with its description."""
        settings = {
            "tau": "Share of the way to the new weights that targets go.",
            "entropy_share": "What a unit of entropy is worth: 1 / reward scale.",
            "slope": "Derivative of the critics' loss by an error of 1: 2 / experiences.",
        }
        if self.updates_policies:
            settings["policy_slope"] = "Derivative of a policy's loss by the loss of a sample: 1 / experiences."
        return settings

    @property
    def follows(self) -> bool:
        """Whether targets follow networks that a host has loaded, when it says so."""
        return not self.updates_policies

    @property
    def networks(self) -> dict[str, GraphConfig]:
        """The networks, in the order of :class:`MAACNetwork`."""
        return {"policy": self.agents.policy, "critic": self.agents.critic}

    @property
    def optimizers(self) -> dict[str, tuple[UpdateStageConfig, ...]]:
        """Adam of each layer of the critics, and of the policies unless the host updates them."""
        share = 1 / self.agents.agents
        update = partial(UpdateStageConfig, interval=self.update_interval, target="soft", shared=self.shared_update)
        of_policies = "adam" if self.updates_policies else "none"
        return {
            "policy": tuple(update(layer=layer, optimizer=of_policies) for layer in self.agents.policy.layers),
            "critic": tuple(
                update(
                    layer=node.layer,
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
        return 2 if self.updates_policies else self.agents.hidden_size + self.agents.actions + 2

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
    def policy_late(self) -> int:
        """Samples from the policies' logits to their errors: those whose actions are drawn and valued, and some in the
        loss.
        """
        return self.critic_samples + 8

    @property
    def experience_cycles(self) -> int:
        """Cycles of an experience in a batch: those of the slowest stage."""
        agents, networks = self.agents.agents, self.agents
        actions = networks.actions
        sampling = sequential_sum_cycles(networks.arithmetic, actions) + actions
        stages = (self.agent_rows, self.agent_result_rows, sampling, actions + 1)
        policy = networks.policy.cycles if self.updates_policies else networks.policy.forward_cycles
        return max(networks.critic.cycles, policy, *(agents * cycles for cycles in stages))
