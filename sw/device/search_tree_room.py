"""Demands of a search on the shape of a tree."""

from ...hw.cores.tree.config import MOST_CHILDREN, TreeConfig
from ..core.environments.state_environment import StateEnvironment

__all__ = ["children_of", "require_room"]


def children_of(environment: StateEnvironment) -> int:
    """Children that a node needs for the actions of an environment; a tree accelerator has two at least.

    Raises
    ------
    ValueError
        There are more actions than the tree accelerator has children of a node.
    """
    if environment.actions > MOST_CHILDREN:
        raise ValueError(
            f"Actions of an environment must be at most {MOST_CHILDREN}, the most children of a node in the tree "
            f"accelerator, not {environment.actions} as those of {environment.name}"
        )
    return max(2, environment.actions)


def require_room(environment: StateEnvironment, workers: int, tree: TreeConfig) -> None:
    """Refuse a tree that is too small for the actions of an environment, or for a number of workers.

    Raises
    ------
    ValueError
        It is: what of it, and which numbers.
    """
    if environment.actions > tree.fanout:
        raise ValueError(
            f"Fanout of the tree must be at least the {environment.actions} actions of {environment.name}, not "
            f"{tree.fanout}"
        )
    if workers > tree.workers:
        raise ValueError(f"Number of workers must be at most the tree's {tree.workers}, not {workers}")
