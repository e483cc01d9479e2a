"""The selector: every order of a few values, and random ones of many."""

import math

import numpy as np
import pytest

from rewardware.hw.cores.tree.selector import Selector
from rewardware.hw.cores.tree.selector_config import SelectorConfig, comparison_pairs, comparison_table
from rewardware.sim.harness.vectors import evaluate
from tests.hw.cores.pipeline import check_pipeline


def expected(keys):
    """By NumPy: the first of the greatest values of each row."""
    index = np.argmax(keys, axis=1)
    return {"index": index, "one_hot": [1 << int(place) for place in index], "greatest": keys.max(axis=1)}


def packed(keys, width):
    """Rows of values as integers of one port."""
    shifts = np.arange(keys.shape[1], dtype=object) * width
    return ((keys.astype(object) & (1 << width) - 1) << shifts).sum(axis=1)


@pytest.mark.parametrize("comparison", ["lookup", "logic"])
@pytest.mark.parametrize(("values", "group", "signed"), [(6, 6, False), (6, 2, True), (7, 4, False), (5, 3, True)])
def test_every_order_with_every_tie(values, group, signed, comparison):
    # F values of F kinds take every order there is, ties included.
    width = (values - 1).bit_length()
    config = SelectorConfig(values=values, group=group, width=width, signed=signed, comparison=comparison)
    patterns = np.arange(1 << values * width)
    keys = patterns[:, None] >> np.arange(values) * width & (1 << width) - 1
    if signed:
        keys = (keys ^ 1 << width - 1) - (1 << width - 1)
    got = evaluate(Selector(config), {"keys": patterns})
    for name, column in expected(keys).items():
        np.testing.assert_array_equal(got[name], column)


@pytest.mark.parametrize(
    "config",
    [
        SelectorConfig(),
        SelectorConfig(values=18, group=6, comparison="lookup", registered=True),
        SelectorConfig(values=18, group=3, width=26, registered=True),
        SelectorConfig(values=7, group=2, width=13, signed=False, comparison="lookup", registered=True),
        SelectorConfig(values=32, group=8),
        SelectorConfig(values=32, group=5, comparison="lookup", registered=True),
        SelectorConfig(values=2, group=2, width=1, comparison="lookup"),
    ],
    ids=lambda config: f"{config.values}_{config.group}_{config.comparison}",
)
def test_random_values_and_ties(config):
    random = np.random.default_rng(config.values)
    low, high = (-1 << config.width - 1, 1 << config.width - 1) if config.signed else (0, 1 << config.width)
    corners = np.array([low, high - 1, 0, low + 1, high - 2])
    shape = 600, config.values
    keys = random.integers(low, high, shape)
    keys = np.where(random.random((shape[0], 1)) < 0.5, random.choice(corners, shape), keys)
    # Apart from each other in two bits, so that each bit decides.
    apart = np.clip(keys[:, :1] ^ 1 << random.integers(0, max(config.width - 1, 1), shape), low, high - 1)
    keys = np.where(random.random((shape[0], 1)) < 0.3, apart, keys)
    # Equal to its neighbour, or all equal.
    keys = np.where(random.random(shape) < 0.2, np.roll(keys, 1, axis=1), keys)
    keys[:5] = corners[:, None]
    for place in range(config.values):
        keys[5 + place] = low
        keys[5 + place, place:] = high - 1
    selector = Selector(config)
    levels = math.ceil(round(math.log(config.values, config.group), 9))
    assert selector.latency == (levels - 1 if config.registered else 0)
    check_pipeline(selector, {"keys": packed(keys, config.width)}, expected(keys))


@pytest.mark.parametrize("count", range(2, 7))
def test_table_has_a_row_for_every_order(count):
    table = comparison_table(count)
    pairs = comparison_pairs(count)
    assert len(pairs) == count * (count - 1) // 2 and len(table) == math.factorial(count)
    for pattern, winner in table.items():
        wins = [lower if pattern >> bit & 1 else upper for bit, (lower, upper) in enumerate(pairs)]
        assert wins.count(winner) == count - 1


def test_groups_of_a_level_are_of_about_the_same_size():
    assert SelectorConfig(values=7, group=6).levels == ((3, 4), (2,))
    assert SelectorConfig(values=18, group=6).levels == ((6, 6, 6), (3,))
    assert SelectorConfig(values=18, group=4).levels == ((3, 3, 4, 4, 4), (2, 3), (2,))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"values": 1}, "Number of values must be from 2 to 256, not 1"),
        ({"values": 6, "group": 7}, "Group must be from 2 to 6, not 7"),
        ({"width": 0}, "Width must be from 1 to 64, not 0"),
        ({"values": 7, "group": 7, "comparison": "lookup"}, "Group with a table must be at most 6, not 7"),
        ({"comparison": "table"}, "Comparison must be one of lookup, logic, not 'table'"),
    ],
)
def test_configuration_says_what_is_allowed(settings, message):
    with pytest.raises(ValueError, match=message):
        SelectorConfig(**settings)
