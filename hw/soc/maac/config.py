"""Configuration of MAAC's accelerator. No Amaranth here."""

from dataclasses import dataclass
from typing import ClassVar

from ...cores.checks import require_integer
from ...cores.learner.maac_config import MAACNetworksConfig
from ...cores.learner.maac_learner_config import MAACLearnerConfig
from ..learner.config import LearnerSystemConfig
from ..learner.instructions import learner_instruction_set
from ..sequencer.instructions import InstructionSet
from ..shell.row_record import RowRecord
from .rows import experience_rows

__all__ = ["LARGEST_ACTIONS", "MAACSystemConfig"]

# Actions of an agent, which a row of a sample has room for.
LARGEST_ACTIONS = 2048

# One set is for a host that updates the policies, the other for an accelerator that does it.
HOST_INSTRUCTION_SET = learner_instruction_set(
    results="hidden layers, logits, actions and values of the policies' forward pass, and the critics' errors",
    follow="the target policies follow the policies, which have been loaded",
)
DEVICE_INSTRUCTION_SET = learner_instruction_set(
    results="advantages of the actions that the policies drew, and the critics' errors"
)


@dataclass(frozen=True, kw_only=True)
class MAACSystemConfig(LearnerSystemConfig):
    """Configuration of a learner of attentive critics as a device.

    Parameters
    ----------
    agents : int
        N, 2 to 64.
    observations, actions : int
        Elements of an observation, and actions (2 to 2048), of the agent that has most.
    hidden_size, heads : int
        Elements of every hidden layer, and the heads that share them evenly.
    policy_units : tuple of int
        UF (the paper's PF_F) of each layer of the policies: multiplier and adder pairs of each of its stages.
    critic_units : tuple of int
        UF of each layer of the critics: embedding, state, query, key, value, hidden, output.
    parallel_heads : int
        Heads that are computed side by side (the paper's PF_H), a divisor of the heads.
    update_interval : int
        Cycles from one word of weights to the next in the optimiser's pass (1 to 64).
    policy_backward : str
        Where the policies' backward pass and their update are: ``"host"``, as in the paper, or ``"device"``.
    shared_update : bool
        Whether the layers of a network are updated one after another on the same lanes of the optimiser.
    system : str
        ``"maac"``.

    The others are those of :class:`.LearnerSystemConfig`, as are the errors.

    Source
    ------
    S. Wiggins et al., "A Heterogeneous Acceleration System for Attention-Based Multi-Agent Reinforcement Learning",
    section III-B.
    """

    SYSTEM_ID: ClassVar[str] = "MAAC"

    agents: int
    observations: int
    actions: int
    hidden_size: int = 128
    heads: int = 4
    policy_units: tuple[int, ...] = (1, 1, 1)
    critic_units: tuple[int, ...] = (1, 1, 1, 1, 1, 1, 1)
    parallel_heads: int = 1
    update_interval: int = 2
    policy_backward: str = "host"
    shared_update: bool = False
    system: str = "maac"

    def __post_init__(self):
        for name in ("policy_units", "critic_units"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        require_integer("Actions", self.actions, 2, LARGEST_ACTIONS)
        _ = self.learner

    @property
    def networks(self) -> MAACNetworksConfig:
        """Policies and critics of all agents."""
        return MAACNetworksConfig(
            agents=self.agents,
            observations=self.observations,
            actions=self.actions,
            hidden_size=self.hidden_size,
            heads=self.heads,
            policy_units=self.policy_units,
            critic_units=self.critic_units,
            arithmetic=self.arithmetic,
            parallel_heads=self.parallel_heads,
        )

    @property
    def learner(self) -> MAACLearnerConfig:
        """The learner alone."""
        return MAACLearnerConfig(
            agents=self.networks,
            update_interval=self.update_interval,
            policy_backward=self.policy_backward,
            shared_update=self.shared_update,
        )

    @property
    def rows(self) -> tuple[RowRecord, ...]:
        """Rows of the streams."""
        return experience_rows(self.learner)

    @property
    def instruction_set(self) -> InstructionSet:
        """Instructions of programs."""
        return DEVICE_INSTRUCTION_SET if self.learner.updates_policies else HOST_INSTRUCTION_SET

    @property
    def extent(self) -> str:
        """Size of the device in words for people."""
        units = "; ".join(
            f"{name} {'-'.join(map(str, units))}"
            for name, units in (("policy units", self.policy_units), ("critic units", self.critic_units))
        )
        where = "; policies are also updated here" if self.learner.updates_policies else ""
        lanes = "; layers share lanes of the optimiser" if self.shared_update else ""
        heads = f"{self.heads} heads, {self.parallel_heads} at once"
        return f"{self.agents} agents, hidden {self.hidden_size}, {heads}, {self.format}; {units}{where}{lanes}"
