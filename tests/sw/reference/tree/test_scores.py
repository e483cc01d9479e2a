"""Values, factors and scores against exact numbers, for every count."""

import math
import random
from fractions import Fraction

import pytest

from rewardware.hw.cores.tree.config import POLICIES, TreeConfig
from rewardware.sw.reference.tree.scores import ScoresReference

COUNTS = range(1, 1 << 16)
CONFIGS = {policy: TreeConfig(policy=policy) for policy in POLICIES}


def test_values():
    """In units of 16 fraction bits: within 5, 1.25 for means up to 1, and the nearest for powers of two."""
    reference, rng = ScoresReference(CONFIGS["uct"]), random.Random(1)
    worst = worst_small = 0
    for count in COUNTS:
        for total in (-32768 * count, 32767 * count, rng.randint(-32768 * count, 32767 * count)):
            worst = max(worst, abs(reference.value(total, count) - Fraction(16 * total, count)))
        small = rng.randint(-4096 * count, 4096 * count)
        worst_small = max(worst_small, abs(reference.value(small, count) - Fraction(16 * small, count)))
        if count & (count - 1) == 0:
            assert reference.value(total, count) == math.floor(Fraction(16 * total, count) + Fraction(1, 2))
    assert 4.5 < worst <= 5 and worst_small < 1.25


def test_values_saturate():
    reference = ScoresReference(CONFIGS["uct"])
    values = {reference.value(-32768 * count, count) for count in COUNTS}
    assert min(values) == -(1 << 19)


def test_factors_of_uct():
    reference = ScoresReference(CONFIGS["uct"])
    worst = max(abs(reference.factor(0, count) - 65536 / math.sqrt(count)) for count in COUNTS)
    assert 0.9 < worst < 1.01
    assert reference.factor(0, 0) == reference.factor(0, 1) == 1 << 16


@pytest.mark.parametrize("policy", POLICIES[1:])
def test_factors_of_puct(policy):
    reference, rng = ScoresReference(CONFIGS[policy]), random.Random(2)
    for prior in (0, 1, 65535, *(rng.randrange(65536) for _ in range(100))):
        assert reference.factor(prior, 0) == prior
    for count in COUNTS:
        for prior in (65535, rng.randrange(65536)):
            assert abs(reference.factor(prior, count) - Fraction(prior, count + 1)) <= 1
    assert reference.factor(65535, 65535) == 0


@pytest.mark.parametrize("coefficient", [0, 1, 4096, 5793, 65535])
@pytest.mark.parametrize("policy", POLICIES)
def test_explorations(policy, coefficient):
    explorations, c = ScoresReference(CONFIGS[policy]).explorations(coefficient), coefficient / 4096
    assert explorations[0] == (16 * coefficient if policy == "puct_visits" else 0)
    under_root = {"uct": math.log, "puct": math.log, "puct_root": float, "puct_visits": lambda count: count + 1}[policy]
    for count in COUNTS:
        exact = c * 65536 * math.sqrt(under_root(count))
        bound = 1 + (1.4 * exact / 65536 if CONFIGS[policy].explores_by_count else 1.8 * c)
        assert abs(explorations[count] - min(exact, (1 << 26) - 1)) <= bound
    assert max(explorations) < 1 << CONFIGS[policy].exploration_width


def scores_of(policy, *, legal, visits, values, factors, in_flight, exploration=0, loss=0, first_value=0):
    config = TreeConfig(policy=policy, fanout=len(legal), group=2, flits=1)
    constants = {"exploration": exploration, "loss": loss, "first_value": first_value}
    return ScoresReference(config).scores(legal, visits, values, factors, in_flight, **constants)


def test_scores_that_are_no_numbers():
    edges = {"values": [-(1 << 19)] * 4, "factors": [0] * 4, "legal": [0, 1, 1, 1], "visits": [0, 0, 0, 1]}
    constants = {"loss": 65535, "first_value": -(1 << 19)}
    smallest = -(1 << 19) - 65535 * 255
    least, first, waiting, visited = scores_of("uct", in_flight=[0, 0, 255, 255], **edges, **constants)
    assert (least, first) == (-(1 << 25), (1 << 25) - 1)
    assert waiting == visited == smallest > least
    least, first, waiting, visited = scores_of("puct", in_flight=[0, 0, 255, 255], **edges, **constants)
    assert (least, first) == (-(1 << 25), -(1 << 19)) and waiting == visited == smallest
    assert scores_of("puct_root", in_flight=[0] * 4, **edges)[0] == -(1 << 27)


def test_scores_are_their_formula():
    rng = random.Random(3)
    for config in CONFIGS.values():
        reference = ScoresReference(config)
        for _ in range(500):
            g, r, o = rng.randrange(1 << config.exploration_width), rng.randrange(65537), rng.randrange(256)
            value, first = (rng.randint(-(1 << 19), (1 << 19) - 1) for _ in range(2))
            loss, visits = rng.randrange(65536), rng.choice([0, 1, 65535])
            edge = {"legal": [1, 1], "visits": [visits, 1], "values": [value] * 2, "factors": [r] * 2}
            constants = {"exploration": g, "loss": loss, "first_value": first}
            score, _ = reference.scores(*edge.values(), [o + 1, 0], **constants)
            assert score == (value if visits else first) + math.floor(Fraction(g * r, 65536)) - loss * (o + 1)
