"""Interface of all that infers for agents and trains them. Values, no PyTorch."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ...reference.a3c.rates import A3CRates
from .a3c_hyper_parameters import A3CHyperParameters
from .a3c_shape import Arrays

__all__ = ["AgentAnswer", "AgentRequest", "AgentsService", "rates_of", "split_state"]


@dataclass(frozen=True, kw_only=True)
class AgentRequest:
    """News of one agent since it was answered last. Its parts count in the order in which they stand here.

    Parameters
    ----------
    agent
        Its number.
    forget
        Whether its rollout so far is dropped first: nothing of it is learned from. No action goes with it.
    action, reward
        What it did at its last observation and what that earned; ``None``: it has not acted since.
    observation
        What it sees now, float32; ``None``: nothing, as at the end of an episode.
    train
        Whether the rollout ends here, and the agent is trained with it. An observation is of the state behind the
        rollout, whose value stands for what follows; without one, nothing follows. The next rollout begins with a
        request of its own, also where it begins in the same state.
    """

    agent: int
    forget: bool = False
    action: int | None = None
    reward: float = 0.0
    observation: np.ndarray | None = None
    train: bool = False


@dataclass(frozen=True, kw_only=True)
class AgentAnswer:
    """Outcome of a request.

    Parameters
    ----------
    agent
        Its number.
    probabilities, value
        Results of the observation, by the agent's own copy of the parameters: float32, shape (actions,), and a number.
        ``None`` of a request that trained.
    trained
        Whether the update is done: central parameters and the agent's copy are the new ones.
    report
        Numbers of the update for the metrics, where the service has them.
    """

    agent: int
    probabilities: np.ndarray | None = None
    value: float | None = None
    trained: bool = False
    report: dict[str, float] = field(default_factory=dict)


class AgentsService(Protocol):
    """Local agents, each with a copy of the parameters, and the central parameters that their updates change.

    An agent infers with its own copy, which its own updates alone make the central parameters. So the order of updates
    is all that two services have to share to be equal.
    """

    def serve(self, requests: Sequence[AgentRequest]) -> list[AgentAnswer]:
        """Answer requests of different agents, at most one of each; returns when all are answered.

        Returns
        -------
        Answers in the order in which they were complete; of those that trained that is the order of the updates.

        Raises
        ------
        ValueError
            An agent must be trained: its rollout has as many steps as it may.
        """

    def set_rates(self, rates: A3CRates) -> None:
        """Set the rates of the requests from now on."""

    def parameters(self) -> Arrays:
        """The central ones, copied, by the names of `A3CShape.parameter_shapes`."""

    def set_parameters(self, parameters: Arrays) -> None:
        """Central parameters, and the copies of all agents."""

    def counters(self) -> dict[str, Any]:
        """Counts of cycles and comparisons."""

    def save(self) -> Arrays:
        """Everything that requests depend on, but rollouts under way: ``central.``, ``square.`` (RMSProp's mean
        squares) and ``agent0.``, ``agent1.``... before the names of parameters."""

    def load(self, arrays: Arrays) -> None:
        """Take back what `save` gave; all rollouts are empty, and whoever has parts of some asks for them again. A
        `KeyError` says what is missing."""

    def close(self) -> None:
        """Let go of the device, if there is one."""


def rates_of(config: A3CHyperParameters, steps: int = 0) -> A3CRates:
    """Rates of updates after so many environment steps of all agents."""
    return A3CRates(
        discount=config.gamma,
        entropy=config.entropy_coefficient,
        value_slope=-2 * config.value_coefficient,
        decay=config.rms_prop_decay,
        one_minus_decay=1 - config.rms_prop_decay,
        learning_rate=config.learning_rate_at(steps),
        epsilon=config.rms_prop_epsilon,
    )


def split_state(arrays: Arrays, agents: int, names: Sequence[str]) -> dict[str, Arrays]:
    """The parts of what a service saves, by what stands before the names; a `KeyError` says what is missing."""
    parts = ["central", "square", *(f"agent{agent}" for agent in range(agents))]
    return {part: {name: arrays[f"{part}.{name}"] for name in names} for part in parts}
