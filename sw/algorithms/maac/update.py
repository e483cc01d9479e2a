"""Interface of the backends that compute an update of MAAC. Values alone, no PyTorch."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

__all__ = ["JointBatch", "MAACUpdate", "PolicyForward", "policy_report"]


@dataclass(frozen=True)
class JointBatch:
    """Experiences of all agents, and the numbers that actions are drawn with; float32 all.

    Parameters
    ----------
    observations, next_observations
        Batch x agents x elements; zeros for elements that an agent does not have.
    actions
        Batch x agents x actions, one-hot.
    rewards
        Batch x agents.
    finished
        Batch x agents: 1 where nothing follows, else 0.
    next_uniforms, uniforms
        Batch x agents, in [0, 1): what the target policies' and the policies' actions are drawn with.
    """

    observations: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    next_observations: np.ndarray
    finished: np.ndarray
    next_uniforms: np.ndarray
    uniforms: np.ndarray


@dataclass(frozen=True)
class PolicyForward:
    """Results of the policies' forward pass for their backward pass: in the paper they cross the bus.

    Parameters
    ----------
    first, second
        The policies' hidden layers after their activation: batch x agents x hidden size, float32.
    logits
        Batch x agents x actions, float32; of an action that an agent does not have any finite number.
    choices
        The actions drawn: batch x agents, int64.
    values
        Values of each agent's actions, while the others do what was drawn for them: batch x agents x actions, float32;
        zeros for actions that an agent does not have.
    """

    first: np.ndarray
    second: np.ndarray
    logits: np.ndarray
    choices: np.ndarray
    values: np.ndarray


class MAACUpdate(Protocol):
    """The critic's update and the forward part of the policies', or all of it, and the networks that they need.

    It has critics and target critics, policies and target policies; the host also has the policies, to act. As in the
    paper the host does their backward pass, and gives them back; or the backend does that, and the host takes them.
    """

    def update(self, batch: JointBatch) -> tuple[PolicyForward | None, dict[str, float]]:
        """Update the critics with a batch, and give the policies' forward pass with the critics of before.

        1. Target policies draw actions for ``next_observations`` with ``next_uniforms``; target critics value them.
        2. The critics' loss and its gradients; those of the shared layers over the number of agents.
        3. Policies draw actions for ``observations`` with ``uniforms``; the critics, not yet updated, value them.
        4. Adam's step for the critics; then the target critics follow them.
        5. Unless this is the host's: the policies' losses, their gradients, Adam's step; the target policies follow.

        An action is the first whose cumulative probability exceeds the uniform number.

        Returns
        -------
        The numbers that the policies' backward pass needs, or nothing if it is done; and numbers for the metrics:
        ``critic_loss``, ``q``, the mean value of the actions taken, and with 5 those of `policy_report`.

        Raises
        ------
        FloatingPointError
            The loss is not finite; nothing is updated, except on a device, which finds it in what comes back.
        """

    def take_policies(self, parameters: dict[str, np.ndarray]) -> None:
        """Policies after the host's update, by the names of `policy_shapes`; then the target policies follow them."""

    def save_policies(self) -> tuple[dict[str, np.ndarray], dict[str, Any]] | None:
        """Policies and Adam's state of them, as the host saves its own; nothing if the host updates them."""

    def load_policies(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Go on with what the host saves of its policies; nothing to do if it goes on updating them."""

    def counters(self) -> dict[str, Any]:
        """Further counts: cycles, comparisons."""

    def save(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Everything that updates depend on, but Adam's state of the policies: arrays and plain numbers."""

    def load(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Take back what `save` gave; a `KeyError` says what is missing."""

    def close(self) -> None:
        """Let go of the device, if there is one."""


def policy_report(logarithms: np.ndarray, advantages: np.ndarray, reward_scale: float) -> dict[str, float]:
    """Numbers for the metrics of the actions that policies drew: means over batch and agents.

    Parameters
    ----------
    logarithms, advantages
        Logarithm of each action's probability, and advantage of the action.
    reward_scale
        Reward scale of the configuration.

    Returns
    -------
    ``policy_loss`` and ``advantage``; ``entropy``, as the actions drawn have it: the mean of -log p.
    """
    log, advantage = logarithms.astype(np.float64), advantages.astype(np.float64)
    means = {
        "policy_loss": log * (log / reward_scale - advantage),
        "entropy": -log,
        "advantage": advantage,
    }
    return {name: float(values.mean()) for name, values in means.items()}
