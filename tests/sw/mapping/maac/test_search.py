"""The search against all designs, those enumerated by loops here, and Algorithm 1 against its steps."""

import dataclasses
import itertools

import pytest

from rewardware.hw.cores.learner.maac_config import MAACNetworksConfig
from rewardware.hw.soc.target.target import Resources
from rewardware.sw.mapping.maac.algorithm1 import search_design_parameters
from rewardware.sw.mapping.maac.cycles import iteration_cycles
from rewardware.sw.mapping.maac.design import MAACDesign
from rewardware.sw.mapping.maac.exhaustive import exhaustive_search
from rewardware.sw.mapping.maac.resources import design_resources
from rewardware.sw.mapping.maac.search import fastest_design

from .spaces import COSTS, budget_between, small_networks, space_of

PAPER = MAACNetworksConfig(agents=4, observations=16, actions=5)
U250 = Resources(lut=1_728_000, ff=3_456_000, dsp=12288, bram=2688) * 0.8
GAP = 1.05


def logic(share):
    """The part with a share of its LUTs alone, or with more of them, and block memories for any design."""
    return dataclasses.replace(U250, lut=U250.lut * share, bram=10_000)


def within(taken, budget):
    return all(value <= getattr(budget, name) for name, value in taken.items())


def test_the_best_of_all_designs():
    """Every design is made, and none of the tables of the search is used."""
    networks, intervals = small_networks(hidden=2, heads=1), (8,)
    found = []
    for units in itertools.product((1, 2), repeat=10):
        changed = dataclasses.replace(networks, policy_units=units[:3], critic_units=units[3:])
        design = MAACDesign(networks=changed, update_interval=8)
        found.append((iteration_cycles(design, 256), design_resources(design, COSTS)))
    for share in (0, 0.15, 0.4, 0.7, 1):
        budget = budget_between(networks, share, update_intervals=intervals)
        space = space_of(networks, budget, 256, update_intervals=intervals)
        best = min(cycles for cycles, taken in found if within(taken, budget))
        assert space.cycles(exhaustive_search(space)) == best
        chosen = fastest_design(space)
        assert within(design_resources(chosen, COSTS), budget)
        assert best <= space.cycles(chosen) <= GAP * best


@pytest.mark.parametrize(("agents", "hidden", "heads"), [(3, 4, 2), (2, 4, 1)])
def test_the_search_is_near_the_best(agents, hidden, heads):
    networks = small_networks(agents, hidden, heads)
    for share, memory in ((0.2, 1), (0.4, 0.4), (0.7, 0.3)):
        budget = budget_between(networks, share, update_intervals=(8,))
        blocks = budget_between(networks, memory, update_intervals=(8,)).bram
        budget = dataclasses.replace(budget, bram=blocks)
        space = space_of(networks, budget, update_intervals=(8,), parallel_agents=(1, 2))
        assert space.cycles(fastest_design(space)) <= GAP * space.cycles(exhaustive_search(space))


def test_a_design_of_the_papers_size():
    space = space_of(PAPER, U250)
    design = fastest_design(space)
    assert space.fits(design)
    # No layer has more units than it needs.
    for choice, units in zip(space.layers, design.factors.values(), strict=True):
        if units > 1:
            slower = space.option(choice, units - 1, 1, design.update_interval).cycles
            assert slower > design.experience_cycles
    # With half as many agents it is as fast for each of them.
    two = fastest_design(space_of(dataclasses.replace(PAPER, agents=2), U250))
    assert two.experience_cycles / 2 <= design.experience_cycles / 4


def test_more_is_never_slower():
    cycles = [
        (space := space_of(PAPER, logic(share))).cycles(fastest_design(space)) for share in (0.1, 0.2, 0.4, 0.8, 2, 9)
    ]
    assert cycles == sorted(cycles, reverse=True) and len(set(cycles)) > 4


def test_algorithm_1_step_by_step():
    networks = small_networks(agents=2, hidden=4, heads=4, observations=1, actions=1)
    space = space_of(networks)
    # Operations: policy 2 * 4, 5 * 4, 5; critic 3 * 4, 2 * 4, 16, 16, 20, 36, 5. The least is 5.
    balanced, further = (2, 4, 1, 3, 2, 4, 4, 4, 4, 1), (3, 4, 1, 4, 3, 4, 4, 4, 4, 1)
    least = search_design_parameters(dataclasses.replace(space, budget=budget_of(space, balanced)))
    assert tuple(least.factors.values()) == balanced
    # Attention takes 2 * 4 * 2 cycles with one head at a time, and the slowest layer 2 * 9.
    assert least.parallel_heads == 1
    # With PF_A at 1, its end here, every layer gets a unit more, as far as it has outputs.
    more = search_design_parameters(dataclasses.replace(space, budget=budget_of(space, further)))
    assert tuple(more.factors.values()) == further
    # With another PF_A the loop raises that first: layers take 9 cycles then, and attention is made faster.
    copies = search_design_parameters(dataclasses.replace(space, parallel_agents=(1, 2)))
    assert (copies.parallel_agents, copies.parallel_heads) == (2, 2)
    with pytest.raises(ValueError, match="^The balanced design of steps 1 and 2 of Algorithm 1 is not within"):
        search_design_parameters(dataclasses.replace(space, budget=Resources()))


def budget_of(space, units):
    """A budget for a design, and not for a unit more."""
    taken = space.resources(space.design(units))
    return taken + Resources(ff=10, bram=10, lut=10)


def test_algorithm_1_is_not_better_than_the_search():
    for share in (0.8, 2, 4):
        space = space_of(PAPER, logic(share))
        assert space.cycles(fastest_design(space)) <= space.cycles(search_design_parameters(space, 8))


def test_too_small_a_budget():
    with pytest.raises(ValueError, match=r"^Not even one unit per stage is within the budget: \d+ lut of 1000, "):
        fastest_design(space_of(small_networks(), Resources(lut=1000)))
    with pytest.raises(ValueError, match="^No design is within the budget$"):
        exhaustive_search(space_of(small_networks(), Resources(lut=1000)))
