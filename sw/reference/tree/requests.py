"""Requests to a search tree and its answers, as values."""

from dataclasses import dataclass

from ....hw.cores.checks import require_integer
from ....hw.cores.tree.config import PRIOR_WIDTH, REWARD_WIDTH, TreeConfig
from ....hw.cores.tree.requests import ACTION_WIDTH, GROUP_WIDTH, WORKER_WIDTH, RequestKind, Status

__all__ = ["Answer", "Request", "check_arguments"]

LARGEST_REWARD = (1 << REWARD_WIDTH - 1) - 1
# From the smallest to the largest; legal actions depend on the tree.
RANGES = {
    "worker": (0, (1 << WORKER_WIDTH) - 1),
    "reward": (-LARGEST_REWARD - 1, LARGEST_REWARD),
    "group": (0, (1 << GROUP_WIDTH) - 1),
    "even_prior": (0, (1 << PRIOR_WIDTH) - 1),
    "odd_prior": (0, (1 << PRIOR_WIDTH) - 1),
    "action": (0, (1 << ACTION_WIDTH) - 1),
}


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request to the tree; fields that its kind ignores keep their defaults.

    Real numbers have been rounded already: a reward is an integer of 12 fraction bits, a prior one of 16.

    Parameters
    ----------
    kind : int
        A :class:`.RequestKind`; a number without one is answered with an error.
    worker : int
    reward : int
        Reward of a backup.
    terminal : bool
        For a backup or a clear: whether the episode has ended in the node.
    legal : int
        For a backup or a clear: actions that exist there, bit a for action a.
    group, even_prior, odd_prior : int
        For priors: those of actions ``2 * group`` and ``2 * group + 1``.
    action : int
        Action of an advance.
    """

    kind: int
    worker: int = 0
    reward: int = 0
    terminal: bool = False
    legal: int = 0
    group: int = 0
    even_prior: int = 0
    odd_prior: int = 0
    action: int = 0

    def check(self, config: TreeConfig) -> None:
        """Raise where no tree of this configuration can be asked so.

        Raises
        ------
        TypeError, ValueError
            A number that is no integer, or out of its range.
        """
        check_arguments(config, worker=self.worker)
        match self.kind:
            case RequestKind.BACKUP:
                check_arguments(config, reward=self.reward, legal=self.legal)
            case RequestKind.PRIOR:
                check_arguments(config, group=self.group, even_prior=self.even_prior, odd_prior=self.odd_prior)
            case RequestKind.CLEAR:
                check_arguments(config, legal=self.legal)
            case RequestKind.ADVANCE:
                check_arguments(config, action=self.action)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The tree's answer to a request.

    Parameters
    ----------
    kind : int
        Kind of the request, a :class:`.RequestKind` unless the status says that it is unknown.
    worker : int
    status : Status
    level : int
        Edges of the selection: the level of its node, or of the one it lacks.
    action, parent : int
        The last edge of the selection.
    node : int
        The end of the selection; of clear and advance, the root.
    """

    kind: int
    worker: int
    status: Status
    level: int = 0
    action: int = 0
    parent: int = 0
    node: int = 0


def check_arguments(config: TreeConfig, **arguments: int) -> None:
    """Raise unless each number, by its name in a :class:`Request`, is an integer in its range."""
    for name, value in arguments.items():
        low, high = (0, (1 << config.fanout) - 1) if name == "legal" else RANGES[name]
        require_integer(name.replace("_", " ").capitalize(), value, low, high)
