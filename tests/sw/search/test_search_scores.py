"""Priors and rewards in the formats of the tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardware.sw.core.environments.legal_actions import action_bits
from rewardware.sw.device.priors import quantize_priors
from rewardware.sw.device.search_tree_numbers import fixed_reward
from rewardware.sw.search.native.evaluation import evaluate_words
from rewardware.sw.search.position_evaluator import UniformEvaluator
from rewardware.sw.search.search_config import SearchConfig
from rewardware.sw.search.search_scores import fixed_priors, mixed_priors

NO_PLANES = np.zeros((1, 1, 1, 1), np.float32)


class Given(UniformEvaluator):
    """Gives what it was given."""

    def __init__(self, priors):
        self.priors = priors

    def evaluate(self, planes, legal):
        return self.priors, np.zeros(len(legal), np.float32)


WEIGHTS = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 2.0**-149, 2.0**127, 0.333251953125]),
    st.floats(0, 2.0**127, width=32),
    st.floats(0, 1, width=32),
)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.integers(1, 40))
def test_priors_are_those_of_one_row_at_a_time(data, actions):
    rows = data.draw(st.integers(1, 3))
    priors = np.array(data.draw(st.lists(WEIGHTS, min_size=rows * actions, max_size=rows * actions)), np.float32)
    legal = np.array(data.draw(st.lists(st.booleans(), min_size=rows * actions, max_size=rows * actions)))
    priors, legal = priors.reshape(rows, actions), legal.reshape(rows, actions)
    legal[:, 0], priors[:, 0] = True, np.maximum(priors[:, 0], 1e-3)
    expected = [
        list(quantize_priors(row.tolist(), action_bits(allowed), actions))
        for row, allowed in zip(priors, legal, strict=True)
    ]
    assert fixed_priors(priors, legal).tolist() == expected
    assert evaluate_words(Given(priors), NO_PLANES, legal)[0].tolist() == expected


@pytest.mark.parametrize("weights", [(1, 131071), (3, 131069), (1, 2**17 - 1, 0), (5, 2**17 - 5)])
def test_priors_in_the_middle_of_two(weights):
    """Odd multiples of half a unit go up, however exact."""
    priors = np.array([weights], np.float32)
    legal = np.ones(priors.shape, np.bool_)
    expected = list(quantize_priors(priors[0].tolist(), action_bits(legal[0]), len(weights)))
    assert fixed_priors(priors, legal).tolist() == [expected]
    assert evaluate_words(Given(priors), NO_PLANES, legal)[0].tolist() == [expected]


def test_rewards_round_to_even():
    assert [fixed_reward(unit / 8192) for unit in (1, 3, -1, -3, 2)] == [0, 2, 0, -2, 1]
    assert fixed_reward(-8.0) == -32768
    for value in (8.0, 8 - 2**-14, -8.001, float("nan")):
        with pytest.raises(ValueError, match=r"Reward must be in \[-8, 8\)"):
            fixed_reward(value)


def test_constants():
    found = SearchConfig(exploration=1.5, virtual_loss=0.25, first_value=-1.0).parameters.registers()
    assert found == {"exploration": 6144, "loss": 16384, "first_value": -65536, "alternate": 1}
    for name, value in (("exploration", 15.99999), ("virtual_loss", 0.999999), ("first_value", 7.999999)):
        with pytest.raises(ValueError, match=rf"{name.replace('_', ' ').capitalize()} must be in"):
            SearchConfig(**{name: value})


def test_mixed_priors_without_noise_are_as_they_were():
    priors, legal = np.array([[0.25, 3.0, 7.0]]), np.array([[True, True, False]])
    assert mixed_priors(priors, legal, None, 0.25).tolist() == [[0.25, 3.0, 0.0]]
    mixed = mixed_priors(priors, legal, [np.array([1.0, 0.0, 0.0])], 0.5)
    assert mixed.tolist() == [[0.5 * 0.25 / 3.25 + 0.5, 0.5 * 3 / 3.25, 0.0]]
