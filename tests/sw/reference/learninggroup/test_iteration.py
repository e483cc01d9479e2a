"""The reference of LearningGroup against PyTorch's automatic differentiation in double precision."""

import dataclasses

import numpy as np
import pytest

from .iterations import SMALL, make, play
from .oracle import loss_and_gradients

PARAMETERS = ("weight", "bias", "input_grouping", "output_grouping")
# Several batches, a single agent, agents side by side in a block, groups without rows, an odd number of cores.
SHAPES = [
    {"groups": 1, "agents": 3, "episodes": 5},
    {"groups": 3, "agents": 3, "episodes": 5},
    {"groups": 4, "agents": 5, "episodes": 7},
    {"groups": 2, "agents": 1, "episodes": 3},
    {"groups": 8, "agents": 9, "episodes": 2},
    {"groups": 3, "agents": 2, "episodes": 9, "config": dataclasses.replace(SMALL, cores=3, blocks=1)},
]


def parameters_of(reference):
    return {name: value for name, value in reference.save().items() if name.split("/")[0] in PARAMETERS}


def compare_with_the_oracle(reference, tolerance, value_tolerance):
    parameters = parameters_of(reference)
    observations, policy, gate, values, returns, scales = play(reference)
    dense = reference.rates.grouping_gradient == "dense"
    coefficient = reference.rates.value_coefficient
    _, expected_values, expected = loss_and_gradients(
        parameters, observations, policy, gate, returns, scales, coefficient, dense
    )
    np.testing.assert_allclose(values, expected_values, rtol=0, atol=value_tolerance)
    reference.train(returns, scales)
    assert not reference.nonfinite_layers()
    for name, gradient in reference.gradients.items():
        kind, layer = name.split("/")
        if kind == "weight":
            gradient = np.where(reference.network.groupings[layer].mask, gradient, 0)
        largest = max(np.abs(expected[name]).max(), 1e-3)
        np.testing.assert_allclose(gradient, expected[name], rtol=0, atol=tolerance * largest, err_msg=name)
    assert set(reference.gradients) == set(parameters if reference.shape.groups > 1 else
                                           [name for name in parameters if "grouping" not in name])  # fmt: skip


@pytest.mark.parametrize("grouping_gradient", ["unmasked", "dense"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_are_those_of_autograd(shape, grouping_gradient):
    reference = make(**shape, arithmetic="binary64", grouping_gradient=grouping_gradient)
    compare_with_the_oracle(reference, 1e-11, 1e-12)


# Half the distance from 1 to the next number: what one rounding errs by.
UNITS = {"binary16": 2.0**-11, "binary32": 2.0**-24}


@pytest.mark.parametrize("shape", SHAPES[:3], ids=str)
@pytest.mark.parametrize("arithmetic", UNITS)
def test_gradients_are_near_those_of_autograd(shape, arithmetic):
    # Some ten roundings lie one after another in each of four steps; a few times that in units of the largest element.
    compare_with_the_oracle(make(**shape, arithmetic=arithmetic), 64 * UNITS[arithmetic], 4 * UNITS[arithmetic])
