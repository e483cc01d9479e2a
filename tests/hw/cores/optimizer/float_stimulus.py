"""Numbers and rates for the tests of lanes in floating point."""

import numpy as np

from rewardware.sim.harness.vectors import evaluate
from rewardware.sw.reference.float.host import to_bits
from tests.hw.cores.float.operands import anything, extremes


def any_rates(number_format, random, names):
    """Bits of rates of all magnitudes, corners among them."""
    ordinary = to_bits(number_format, random.uniform(0, 1, len(names)) * 2.0 ** random.integers(-20, 1, len(names)))
    corners = random.choice(extremes(number_format), len(names))
    chosen = np.where(random.random(len(names)) < 0.2, corners, ordinary)
    return {name: int(bits) for name, bits in zip(names, chosen, strict=True)}


def some_numbers(number_format, random, count, names, squares):
    """For each name numbers of many magnitudes, of ``squares`` positive ones; some are corners, some have any bits."""
    numbers = {}
    for name in names:
        values = random.gamma(1, 1, count) if name == squares else random.normal(0, 1, count)
        bits = to_bits(number_format, values * 2.0 ** random.integers(-14, 2, count))
        choice = random.random(count)
        corners, any_bits = choice < 0.05, (choice >= 0.05) & (choice < 0.12)
        bits[corners] = random.choice(extremes(number_format), corners.sum())
        bits[any_bits] = anything(random, number_format, any_bits.sum())
        numbers[name] = bits
    return numbers


def evaluate_sets(lane, sets):
    """Sets of numbers, each with rates of its own, through a lane in one go.

    Returns the lane's outputs for all numbers, and which of them are to be looked at: a lane takes rates as constant,
    and after the last numbers of a set they change.
    """
    columns = [
        numbers | {name: np.full(len(numbers["weight"]), bits) for name, bits in rates.items()}
        for numbers, rates in sets
    ]
    settled = [np.arange(len(numbers["weight"])) < len(numbers["weight"]) - lane.latency for numbers, _ in sets]
    got = evaluate(lane, {name: np.concatenate([column[name] for column in columns]) for name in columns[0]})
    return got, np.concatenate(settled)
