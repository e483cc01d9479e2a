"""How long the design-space exploration takes, and how far from the best design it ends."""

import functools
import time
from collections.abc import Iterator
from typing import Any

from .....hw.cores.learner.maac_config import MAACNetworksConfig
from .....hw.soc.target.parts import find_part
from .....hw.soc.target.target import Resources
from ....mapping.maac.algorithm1 import search_design_parameters
from ....mapping.maac.design_space import DesignSpace
from ....mapping.maac.exhaustive import exhaustive_search
from ....mapping.maac.resources import UnitCosts
from ....mapping.maac.search import fastest_design
from ....measurement.bench import make_row
from .unit_costs import measure_costs

__all__ = ["gap", "seconds"]

PART = "xcu250"
# Parameters of eight agents are more than its block memories hold.
AGENTS = (2, 4, 6)
# Rover-Tower with four agents has 11 and 5.
OBSERVATIONS, ACTIONS = 16, 5
BATCH = 1024
# The paper says so in section V-A.
PAPER_SECONDS = 2
# Runs of which the fastest counts.
RUNS = 3
# Small spaces: agents, hidden size, heads.
SMALL = ((2, 4, 2), (3, 4, 2), (4, 4, 4), (6, 4, 4))
# Budgets are shares of what the largest design takes beyond the smallest.
BUDGETS = (0.1, 0.3, 0.6)
INTERVALS = (2, 16)


@functools.cache
def _costs(family: str) -> UnitCosts:
    return measure_costs(family)


def seconds() -> dict[str, Any]:
    """Longest time of the search on problems of the paper's size, each from new tables of layers on."""
    part = find_part(PART)
    assert part.holds is not None
    costs, taken = _costs(part.target.name), {}
    for agents in AGENTS:
        networks = MAACNetworksConfig(agents=agents, observations=OBSERVATIONS, actions=ACTIONS)
        runs = []
        for _ in range(RUNS):
            begin = time.perf_counter()
            fastest_design(DesignSpace(networks=networks, batch=BATCH, costs=costs, budget=part.holds))
            runs.append(time.perf_counter() - begin)
        taken[agents] = min(runs)
    how = (
        f"{part.name}, hidden 128, 4 heads, batch {BATCH}: the longest of "
        f"{', '.join(f'N = {agents} {found:.3f}' for agents, found in taken.items())}, each the fastest of {RUNS} "
        "runs; costs of units known"
    )
    return make_row(round(max(taken.values()), 3), "s", "measured", how, PAPER_SECONDS)


def gap() -> dict[str, Any]:
    """Cycles of an iteration of the design that is found over those of the best: the worst of small spaces."""
    gaps, of_algorithm1 = {}, []
    for where, space in _small_spaces():
        best = space.cycles(exhaustive_search(space))
        gaps[where] = space.cycles(fastest_design(space)) / best
        try:
            of_algorithm1.append(space.cycles(search_design_parameters(space)) / best)
        except ValueError:
            # Its first design is beyond the budget already.
            of_algorithm1.append(float("inf"))
    worst = max(gaps, key=lambda where: gaps[where])
    found = [ratio for ratio in of_algorithm1 if ratio < float("inf")]
    how = (
        f"worst of {len(gaps)} spaces, {worst}; batch {BATCH}; Algorithm 1 as published: "
        f"{max(found):.2f}, and no design for {len(of_algorithm1) - len(found)} of the budgets"
    )
    return make_row(round(max(gaps.values()), 4), "times", "model", how)


def _small_spaces() -> Iterator[tuple[str, DesignSpace]]:
    costs = _costs(find_part(PART).target.name)
    for agents, hidden, heads in SMALL:
        networks = MAACNetworksConfig(agents=agents, observations=3, actions=2, hidden_size=hidden, heads=heads)
        everything = Resources(lut=1e9, ff=1e9, dsp=1e9, bram=1e9)
        whole = DesignSpace(networks=networks, batch=BATCH, costs=costs, budget=everything, update_intervals=INTERVALS)
        outputs = tuple(choice.layer.outputs for choice in whole.layers)
        least = whole.resources(whole.design((1,) * len(outputs), update_interval=INTERVALS[-1]))
        most = whole.resources(whole.design(outputs, parallel_heads=heads, update_interval=INTERVALS[0]))
        for share in BUDGETS:
            # The largest may take fewer block memories: those of more units are smaller.
            amounts = {name: value + share * max(0, getattr(most, name) - value) for name, value in least.items()}
            budget = Resources(**amounts)
            yield (
                f"N = {agents}, hidden {hidden}, {heads} heads, {budget.lut:.0f} LUT",
                DesignSpace(networks=networks, batch=BATCH, costs=costs, budget=budget, update_intervals=INTERVALS),
            )
