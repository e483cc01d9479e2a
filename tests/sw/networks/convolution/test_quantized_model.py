"""A network on integers beside itself in real numbers."""

import numpy as np
import pytest

from rewardware.sw.networks.convolution.parameters import random_parameters
from rewardware.sw.networks.convolution.quantized_model import quantize_model
from rewardware.sw.reference.convolution.layers import forward
from tests.sw.systems.dynamap.networks import NETWORK, PICTURES, model_of


@pytest.mark.parametrize(("width", "sums", "part"), [(8, 32, 0.05), (16, 44, 2e-4)])
def test_both_have_the_same_outputs(width, sums, part):
    model = model_of(width)
    assert model.network.outputs == NETWORK.outputs == ("picture", "actions")
    assert (model.network.width, model.network.accumulator_width) == (width, sums)
    words = model.network.infer(model.network.to_words(PICTURES[0])).words
    real = model.real_outputs(PICTURES[0])
    for name, expected in forward(model.layers, PICTURES[0]).items():
        if name in NETWORK.outputs:
            np.testing.assert_array_equal(real[name], expected)
            apart = np.abs(model.network.to_numbers(name, words[name]) - expected).max()
            assert 0 < apart < part * np.abs(expected).max()
    assert list(real) == ["picture", "actions"]


def test_sums_may_have_another_width():
    parameters = random_parameters(NETWORK, 5)
    model = quantize_model(NETWORK, parameters, list(PICTURES), 8, accumulator_width=24)
    assert model.network.accumulator_width == 24
    with pytest.raises(ValueError, match="^Width must be 8 or 16, not 12$"):
        quantize_model(NETWORK, parameters, list(PICTURES), 12)
