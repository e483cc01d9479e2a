"""The learner's cycle model against equations 4.1 and 4.4, and against every way to share out units."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardware.sw.mapping.learner_cycles import balanced_unroll_factors, learner_cycles, segment_cycles, stage_cycles


@given(products=st.lists(st.integers(1, 40), min_size=1, max_size=4), budget=st.integers(1, 12))
def test_no_other_way_is_faster(products, budget):
    factors = balanced_unroll_factors(products, budget)
    if budget < len(products):
        assert factors == (1,) * len(products)
        return
    assert sum(factors) <= budget
    ways = itertools.product(range(1, budget + 1), repeat=len(products))
    cycles = stage_cycles(products, factors)
    assert cycles == min(stage_cycles(products, way) for way in ways if sum(way) <= budget)
    fewer = (tuple(f - (i == less) for i, f in enumerate(factors)) for less in range(len(factors)) if factors[less] > 1)
    assert all(stage_cycles(products, way) > cycles for way in fewer)


def test_cartpole_by_hand():
    """4-64-64-2 forward: 256, 4096 and 128 products."""
    assert balanced_unroll_factors([256, 4096, 128], 35) == (2, 32, 1)
    assert stage_cycles([256, 4096, 128], (2, 32, 1)) == 128
    assert learner_cycles(128, 32, 3) == 128 * (32 + 6) == segment_cycles(128, 32, 6)


@pytest.mark.parametrize(
    ("products", "budget", "kind", "words"),
    [
        ([0], 1, ValueError, "Products of a stage must be at least 1, not 0"),
        ([1.5], 1, TypeError, "Products of a stage must be an integer"),
        ([1], -1, ValueError, "Budget must be at least 0, not -1"),
    ],
)
def test_errors(products, budget, kind, words):
    with pytest.raises(kind, match=words):
        balanced_unroll_factors(products, budget)
