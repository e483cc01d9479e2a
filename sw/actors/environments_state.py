"""The state of agents' environments as arrays and plain numbers, the same wherever they run."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.checkpoint import prefixed, under
from .agent_environment import Arrival, EnvironmentState

__all__ = ["EnvironmentsState"]

# Fields of an arrival besides the observation.
PLAIN = ("agent", "reward", "terminated", "truncated", "episode_return", "episode_length", "lost")


class EnvironmentsState(NamedTuple):
    """State from which :class:`.AgentEnvironments` go on.

    Parameters
    ----------
    environments
        Each agent's.
    lives
        How many each has lost.
    held
        Arrivals that nobody has fetched, in their order.
    asked
        By agent, what was asked for and has not come: an action, or ``None`` for an episode to begin; in the order of
        questions.
    restarts
        How many were lost in all.
    """

    environments: Sequence[EnvironmentState]
    lives: list[int]
    held: list[Arrival]
    asked: dict[int, int | None]
    restarts: int

    def pack(self) -> EnvironmentState:
        """Convert the state to arrays and plain numbers."""
        arrays: dict[str, np.ndarray] = {}
        for agent, (own, _) in enumerate(self.environments):
            arrays |= prefixed(str(agent), own)
        arrays |= {f"held/{number}": arrival.observation for number, arrival in enumerate(self.held)}
        rest = {
            "environments": [rest for _, rest in self.environments],
            "lives": self.lives,
            "held": [{name: getattr(arrival, name) for name in PLAIN} for arrival in self.held],
            "asked": [list(question) for question in self.asked.items()],
            "restarts": self.restarts,
        }
        return arrays, rest

    @classmethod
    def unpack(cls, arrays: dict[str, np.ndarray], rest: dict[str, Any], agents: int) -> "EnvironmentsState":
        """Unpack a state that `pack` made.

        Raises
        ------
        ValueError
            It is of another number of agents.
        """
        if len(rest["environments"]) != agents:
            raise ValueError(f"There must be environments of {agents} agents, not of {len(rest['environments'])}")
        observations = under("held", arrays)
        return cls(
            environments=[(under(str(agent), arrays), own) for agent, own in enumerate(rest["environments"])],
            lives=list(rest["lives"]),
            held=[Arrival(observation=observations[str(n)], **plain) for n, plain in enumerate(rest["held"])],
            asked=dict(rest["asked"]),
            restarts=rest["restarts"],
        )
