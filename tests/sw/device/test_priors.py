"""Priors in the tree's format, against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.requests import Status
from rewardware.sw.device.priors import quantize_priors
from rewardware.sw.device.search_tree import MCTSDevice
from rewardware.sw.device.search_tree_backends import open_tree
from rewardware.sw.device.search_tree_numbers import TreeParameters

ONE = 1 << 16
PRIORS = st.lists(st.floats(0, 1e300) | st.sampled_from([0.0, 5e-324, 1.0, 1.5, 1e-9]), min_size=2, max_size=32)


@given(PRIORS, st.integers(0, (1 << 32) - 1))
@example([1.0, 131071.0], 0b11)
@example([3.0, 131069.0], 0b11)
@example([1e300] * 32, (1 << 32) - 1)
def test_each_is_the_nearest_number(priors, mask):
    legal = mask & (1 << len(priors)) - 1
    actions = [action for action in range(len(priors)) if legal >> action & 1]
    total = sum(Fraction(priors[action]) for action in actions)
    if not total:
        return
    quantized = quantize_priors(priors, legal, len(priors))
    for action, number in enumerate(quantized):
        exact = Fraction(priors[action]) * ONE / total if action in actions else Fraction(0)
        # Up from the middle; nothing is 1.
        assert -Fraction(1, 2) < number - exact <= Fraction(1, 2) or (number == ONE - 1 and exact > number)
    assert 2 * abs(sum(quantized) - ONE) <= max(len(actions), 2)


def test_examples():
    assert quantize_priors([1, 1], 0b11, 2) == (ONE // 2, ONE // 2)
    assert quantize_priors(np.array([0.25, 9.0, 0.75], np.float32), 0b101, 3) == (ONE // 4, 0, 3 * ONE // 4)
    # Half a unit goes up; all goes to what is nearest.
    assert quantize_priors([1, 131071], 0b11, 2) == (1, ONE - 1)
    assert quantize_priors([7, float("nan"), -1], 0b001, 3) == (ONE - 1, 0, 0)


@pytest.mark.parametrize(
    ("priors", "legal", "words"),
    [
        ([0.5, 0.5], 0b111, "Priors must be 3, one for each action, not 2"),
        ([0.5, 0.5, 0.0, 0.0], 0b111, "Priors must be 3, one for each action, not 4"),
        ([0.5, -0.25, 0.5], 0b111, "Priors must be at least 0 and finite, not -0.25 for action 1"),
        ([0.5, 0.5, float("nan")], 0b111, "Priors must be at least 0 and finite, not nan for action 2"),
        ([float("inf"), 0.5, 0.5], 0b111, "Priors must be at least 0 and finite, not inf for action 0"),
        ([0.0, 0.0, 0.0], 0b111, "Priors must not be 0 for all legal actions"),
        ([0.0, 0.0, 1.0], 0b011, "Priors must not be 0 for all legal actions"),
    ],
)
def test_what_says_nothing_is_refused(priors, legal, words):
    with pytest.raises(ValueError, match=words):
        quantize_priors(priors, legal, 3)


@pytest.mark.parametrize("fanout", [4, 5])
def test_priors_reach_their_actions(fanout):
    shape = {"levels": 4, "banks": 8, "rows": 4, "nodes": 20, "reserve": 1}
    config = TreeConfig(fanout=fanout, group=2, workers=5, policy="puct", **shape)
    device = MCTSDevice(open_tree("reference", config))
    device.mcts_parameters(TreeParameters())
    device.request(device.clear(False, 0))
    priors = [100 * (action + 1) for action in range(fanout)]
    requests = device.priors(3, priors)
    assert len(requests) == (fanout + 1) // 2
    answers = device.request(device.select(3), *requests, device.backup(3, 0.0, False, 0b111))
    assert answers[0].status == Status.PENDING and {answer.status for answer in answers[1:]} == {Status.DONE}
    memory = device.backend.reference.memory()
    assert memory.edges["prior"][memory.used].tolist() == [priors]
    with pytest.raises(ValueError, match="Even prior must be from 0 to 65535, not 65536"):
        device.priors(3, [ONE, 0])
