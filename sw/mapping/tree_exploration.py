"""Choice of a search tree's interconnect and comparison group on a part: equations 5.1 and 5.2 of the source.

Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, section 5.1.2.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ...hw.cores.tree.config import COMPARISONS, INTERCONNECTS, TreeConfig
from ...hw.cores.tree.interconnect_config import InterconnectConfig
from ...hw.cores.tree.selector_config import LARGEST_TABLE_GROUP, SelectorConfig

__all__ = ["TreeCosts", "TreePoint", "best_point", "buffers", "explore_tree", "largest_group"]


@dataclass(frozen=True, kw_only=True)
class TreeCosts:
    """Tables (LUT) of the units, as measured.

    Parameters
    ----------
    selector : dict of int to float
        Cost of a whole selector of F values by its f: what equation 5.1 makes of comparators and look-ups, which leaves
        out that the greatest value of a group goes on to the next.
    buffer : dict of str to float
        Cost of a buffer of each interconnect, with its share of the switch before it, both ways: one a port and layer
        of a butterfly, D Y between all stages and all banks.
    bank : dict of str to float
        Cost of what each bank takes besides. The source has one number for both.
    """

    selector: Mapping[int, float]
    buffer: Mapping[str, float]
    bank: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class TreePoint:
    """A choice and what equation 5.1 says of it.

    Parameters
    ----------
    interconnect : str
        M.
    group : int
        f.
    selector_cycles, interconnect_cycles : int
        Cycles of a request: levels of the selector, and layers from a stage to a bank.
    objective : int
        D * ``selector_cycles`` + ``interconnect_cycles``, which equation 5.2 minimises.
    selector_tables, interconnect_tables : float
        LUT of one selector, and of the interconnect.
    tables : float
        LUT of D selectors and the interconnect.
    fits : bool
        Whether that is below the budget.
    """

    interconnect: str
    group: int
    selector_cycles: int
    interconnect_cycles: int
    objective: int
    selector_tables: float
    interconnect_tables: float
    tables: float
    fits: bool


def largest_group(config: TreeConfig) -> int:
    """The largest f that a tree's selector can have."""
    return min(config.fanout, LARGEST_TABLE_GROUP) if config.comparison == COMPARISONS[0] else config.fanout


def explore_tree(config: TreeConfig, costs: TreeCosts, budget: float) -> list[TreePoint]:
    """All choices, the best first: those that fit, by cycles, then by tables, then by f.

    Besides the source's two interconnects there is the butterfly of 4 x 4 switches; f begins at 2, as nothing is
    compared with f = 1.

    Parameters
    ----------
    config : TreeConfig
        F, D, Y, and how values are compared.
    costs : TreeCosts
        For every f from 2 to :func:`largest_group`, and every interconnect.
    budget : float
        LUT that selectors and interconnect may take, fewer than these.
    """
    points = [
        _point(config, costs, budget, interconnect, group)
        for interconnect in INTERCONNECTS
        for group in range(2, largest_group(config) + 1)
    ]
    return sorted(points, key=lambda point: (not point.fits, point.objective, point.tables, point.group))


def best_point(points: list[TreePoint], budget: float) -> TreePoint:
    """The first of :func:`explore_tree`.

    Raises
    ------
    ValueError
        Nothing fits.
    """
    best = points[0]
    if not best.fits:
        least = min(point.tables for point in points)
        raise ValueError(f"The budget must be more than {least:.0f} LUT, not {budget:.0f}")
    return best


def _point(config: TreeConfig, costs: TreeCosts, budget: float, interconnect: str, group: int) -> TreePoint:
    levels = SelectorConfig(values=config.fanout, group=group, comparison=config.comparison).levels
    network = InterconnectConfig(stages=config.levels, banks=config.banks, interconnect=interconnect)
    selector = costs.selector[group]
    tables = costs.buffer[interconnect] * buffers(network) + costs.bank[interconnect] * config.banks
    whole = config.levels * selector + tables
    return TreePoint(
        interconnect=interconnect,
        group=group,
        selector_cycles=len(levels),
        interconnect_cycles=network.request_latency,
        objective=config.levels * len(levels) + network.request_latency,
        selector_tables=selector,
        interconnect_tables=tables,
        tables=whole,
        fits=whole < budget,
    )


def buffers(network: InterconnectConfig) -> int:
    """Buffers of an interconnect: D log2 D for a butterfly of 2 x 2 switches, D Y for a crossbar."""
    if network.interconnect == "crossbar":
        return network.stages * network.banks
    return network.ports * len(network.radices)
