"""The choice of interconnect and comparison group against equations 5.1 and 5.2, written down a second time."""

import itertools
import math
import random

import pytest

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.sw.mapping.tree_exploration import TreeCosts, best_point, explore_tree


def levels_of(values, group):
    """Levels of a selector."""
    levels = 0
    while values > 1:
        values, levels = math.ceil(values / group), levels + 1
    return levels


def evaluate(fanout, stages, banks, interconnect, group, costs):
    """The objective and the tables of equation 5.1."""
    levels = levels_of(fanout, group)
    layers = {
        "butterfly": math.ceil(math.log2(stages)),
        "butterfly4": math.ceil(math.ceil(math.log2(stages)) / 2),
        "crossbar": 1,
    }[interconnect]
    ports = 2 ** math.ceil(math.log2(stages))
    buffers = stages * banks if interconnect == "crossbar" else ports * layers
    return stages * levels + layers, stages * costs.selector[group] + buffers * costs.buffer[
        interconnect
    ] + banks * costs.bank[interconnect]


def costs_of(rng, fanout):
    return TreeCosts(
        selector={group: rng.randrange(50, 500) for group in range(2, fanout + 1)},
        buffer={name: rng.randrange(50, 400) for name in ("butterfly", "butterfly4", "crossbar")},
        bank={name: rng.randrange(100) for name in ("butterfly", "butterfly4", "crossbar")},
    )


@pytest.mark.parametrize("seed", range(30))
def test_the_best_of_all_choices_is_found(seed):
    rng = random.Random(seed)
    fanout, stages = rng.randrange(2, 33), rng.randrange(2, 65)
    banks, comparison = rng.randrange(stages, 257), rng.choice(["lookup", "logic"])
    config = TreeConfig(
        fanout=fanout, levels=stages, banks=banks, rows=64, nodes=64, comparison=comparison, group=2, flits=1, reserve=8
    )
    costs = costs_of(rng, fanout)
    largest = min(6, fanout) if comparison == "lookup" else fanout
    choices = {
        (interconnect, group): evaluate(fanout, stages, banks, interconnect, group, costs)
        for interconnect, group in itertools.product(costs.buffer, range(2, largest + 1))
    }
    # From a budget for one choice alone to one for all.
    for budget in sorted(tables + 1 for _, tables in choices.values()):
        points = explore_tree(config, costs, budget)
        assert {(point.interconnect, point.group) for point in points} == choices.keys()
        for point in points:
            assert (point.objective, point.tables) == choices[point.interconnect, point.group]
        best = best_point(points, budget)
        fitting = {choice: found for choice, found in choices.items() if found[1] < budget}
        assert choices[best.interconnect, best.group] == min(fitting.values())
    with pytest.raises(ValueError, match=r"The budget must be more than \d+ LUT, not 1"):
        best_point(explore_tree(config, costs, 1), 1)


def test_the_equations_where_fanout_is_a_power():
    """F = 16, D = 8, Y = 20: two levels of fours, 8 * 3 and 8 * 20 buffers."""
    config = TreeConfig(fanout=16, levels=8, banks=20, rows=64, nodes=64, group=4, reserve=8)
    costs = TreeCosts(
        selector=dict.fromkeys(range(2, 17), 100),
        buffer={"butterfly": 7, "butterfly4": 1, "crossbar": 3},
        bank={"butterfly": 5, "butterfly4": 1, "crossbar": 0},
    )
    points = {(point.interconnect, point.group): point for point in explore_tree(config, costs, 1e9)}
    butterfly, crossbar = points["butterfly", 4], points["crossbar", 4]
    assert (butterfly.selector_cycles, butterfly.interconnect_cycles, butterfly.objective) == (2, 3, 19)
    assert butterfly.tables == 8 * 100 + 8 * 3 * 7 + 20 * 5
    assert (crossbar.interconnect_cycles, crossbar.objective) == (1, 17)
    assert crossbar.tables == 8 * 100 + 8 * 20 * 3
