"""Demands of a search on a tree accelerator, and one that meets them."""

from ...hw.cores.tree.config import MOST_BANKS, MOST_ROWS, TreeConfig
from ..core.environments.state_environment import StateEnvironment
from ..device.search_tree_room import children_of, require_room
from .search_config import SearchConfig

__all__ = ["require_tree", "roomy_tree"]


POLICY = "puct_visits"


def roomy_tree(environment: StateEnvironment, config: SearchConfig) -> TreeConfig:
    """The shape of a tree in which every level has room until all nodes of a search are there.

    A level has two banks at most that are not full, its current one and its reserve: with two for each level besides
    those that all nodes fill, one is always left.

    Raises
    ------
    ValueError
        A node would have more children than a tree accelerator has; levels that it does not have; more nodes than fit.
    """
    nodes, levels = config.simulations + 1, config.levels
    # Long banks are few.
    rows = max(2, 1 << (-(-nodes // levels) - 1).bit_length())
    while rows > 2 and _banks(nodes, levels, rows) * rows > MOST_ROWS:
        rows //= 2
    banks = _banks(nodes, levels, rows)
    if banks > MOST_BANKS:
        raise ValueError(
            f"Simulations must be fewer than {config.simulations}: {nodes} nodes on {levels} levels do not fit into "
            f"the {MOST_BANKS} banks and {MOST_ROWS} rows of a tree accelerator"
        )
    fanout = children_of(environment)
    return TreeConfig(
        fanout=fanout,
        levels=levels,
        banks=banks,
        rows=rows,
        nodes=nodes,
        workers=config.workers,
        policy=POLICY,
        group=min(6, fanout),
        reserve=min(32, rows),
        slots=max(2, min(32, config.workers)),
    )


def require_tree(environment: StateEnvironment, config: SearchConfig, tree: TreeConfig) -> None:
    """Refuse a tree accelerator that does not search as configured.

    Raises
    ------
    ValueError
        The environment has more actions than a tree accelerator has children of a node, or than this one has; another
        policy than ``"puct_visits"``; fewer workers; another number of levels.
    """
    children_of(environment)
    require_room(environment, config.workers, tree)
    if tree.policy != POLICY:
        raise ValueError(f"Policy of the tree must be {POLICY} for a search with a network, not {tree.policy}")
    if tree.levels != config.levels:
        raise ValueError(f"Levels of the search must be the tree's {tree.levels}, not {config.levels}")


def _banks(nodes: int, levels: int, rows: int) -> int:
    return 2 * levels + -(-nodes // rows)
