"""The reference as a whole against those of the units that the device is made of, bit for bit."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, BINARY32
from rewardware.hw.soc.learninggroup.config import Network, Rates
from rewardware.sw.reference.float import arithmetic as integers
from rewardware.sw.reference.float.conversion import from_numbers
from rewardware.sw.reference.learninggroup.arithmetic import ARITHMETICS
from rewardware.sw.reference.learninggroup.forward import choose, softmax
from rewardware.sw.reference.learninggroup.grouping import Grouping
from rewardware.sw.reference.learninggroup.rms_prop import rms_prop
from rewardware.sw.reference.optimizer import rms_prop as optimizer_unit
from rewardware.sw.reference.vector import products
from rewardware.sw.reference.vector import softmax as softmax_unit

HALF = ARITHMETICS["binary16"]


def to_bits(number_format, numbers):
    return from_numbers(number_format, np.asarray(numbers, np.float64))


def normal(generator, *shape):
    return HALF.numbers(generator.normal(size=shape))


@pytest.mark.parametrize("name", ["communication", "hidden"])
def test_products_are_those_of_the_matrix_engine(name):
    generator = np.random.default_rng(0)
    layer = Network(observation_size=5, hidden_size=6).layers[name]
    rows, columns = (generator.integers(0, 3, size) for size in (layer.rows, layer.columns))
    grouping = Grouping(layer, rows, columns, 3, 2, 6)
    weights = normal(generator, layer.rows, layer.columns)
    # Two batches of two blocks of four lanes.
    x, d = (normal(generator, size, 2, 8) for size in (layer.rows, layer.columns))
    bits = to_bits(BINARY16, weights), rows, columns
    expected = products.forward(BINARY16, to_bits(BINARY16, x), *bits)
    assert np.array_equal(to_bits(BINARY16, grouping.forward(HALF, x, weights)), expected)
    for core, part in enumerate(grouping.partial_sums(HALF, d, weights)):
        own = grouping.owners == core
        expected = products.backward(BINARY16, to_bits(BINARY16, d[own]), bits[0][:, own], rows, columns[own])
        assert np.array_equal(to_bits(BINARY16, part), expected)
    x, d = (normal(generator, 3, size, 2, 4) for size in (layer.rows, layer.columns))
    expected = products.weight_gradient(BINARY16, to_bits(BINARY16, x), to_bits(BINARY16, d), rows, columns)
    flat = (words.reshape(3, -1, 8) for words in (x, d))
    assert np.array_equal(to_bits(BINARY16, grouping.weight_gradient(HALF, *flat, dense=False)), expected)


def test_gradients_of_the_grouping_are_summed_core_by_core():
    generator = np.random.default_rng(3)
    layer = Network(observation_size=5, hidden_size=6).layers["hidden"]
    rows, columns = (generator.integers(0, 3, size) for size in (layer.rows, layer.columns))
    grouping = Grouping(layer, rows, columns, 3, 2, 6)
    weights, gradient = (normal(generator, layer.rows, layer.columns) for _ in range(2))
    gradient = np.where(grouping.mask, gradient, HALF.numbers(0))
    inputs, outputs = grouping.grouping_gradients(HALF, gradient, weights)
    terms = integers.multiply(BINARY16, to_bits(BINARY16, gradient), to_bits(BINARY16, weights))
    for row in range(layer.rows):
        parts = []
        for core in range(2):
            total = 0
            for column in np.flatnonzero((columns == rows[row]) & (grouping.owners == core)):
                total = integers.add(BINARY16, total, terms[row, column])
            parts.append(total)
        expected = integers.add(BINARY16, *parts)
        assert to_bits(BINARY16, inputs[row, rows[row]]) == expected
        assert not np.delete(inputs[row], rows[row]).any()
    for column in range(layer.columns):
        total = 0
        for row in np.flatnonzero(rows == columns[column]):
            total = integers.add(BINARY16, total, terms[row, column])
        assert to_bits(BINARY16, outputs[columns[column], column]) == total


@pytest.mark.parametrize("actions", [2, 5, 7])
def test_choices_are_those_of_the_softmax_unit(actions):
    generator = np.random.default_rng(1)
    logits = HALF.numbers(3 * generator.normal(size=(actions, 2, 64)))
    uniform = generator.integers(0, 2048, (2, 64))
    probabilities = softmax(HALF, logits)
    expected = softmax_unit.softmax(BINARY16, to_bits(BINARY16, logits))
    assert np.array_equal(to_bits(BINARY16, probabilities), expected)
    chosen = choose(HALF, probabilities, HALF.numbers(uniform / 2048))
    assert np.array_equal(chosen[0], softmax_unit.choose(BINARY16, expected, uniform))


@pytest.mark.parametrize(("name", "number_format"), [("binary16", BINARY16), ("binary32", BINARY32)])
def test_updates_are_those_of_the_optimizer_unit(name, number_format):
    generator = np.random.default_rng(2)
    arithmetic, rates = ARITHMETICS[name], Rates(learning_rate=0.002, alpha=0.97, epsilon=0.001)
    weight, gradient = (arithmetic.numbers(generator.normal(size=2000)) for _ in range(2))
    gradient *= arithmetic.numbers(2.0 ** generator.integers(-8, 4, 2000))
    square = arithmetic.numbers(generator.random(2000))
    results = rms_prop(arithmetic, weight, square, gradient, rates)

    def bits(number):
        return to_bits(number_format, arithmetic.numbers(number))

    constants = {"decay": 0.97, "one_minus_decay": 1 - 0.97, "learning_rate": 0.002, "epsilon": 0.001}
    expected = optimizer_unit.rms_prop(
        number_format,
        bits(weight),
        bits(square),
        bits(gradient),
        **{key: bits(value) for key, value in constants.items()},
    )
    for result, wanted in zip(results, expected, strict=True):
        assert np.array_equal(bits(result), wanted)
