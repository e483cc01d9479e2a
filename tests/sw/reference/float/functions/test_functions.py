"""The functions against float64: errors in units in the last place, order, special operands."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32, FloatFormat
from rewardware.sw.reference.float.conversion import from_numbers, to_numbers
from rewardware.sw.reference.float.functions.errors import errors, largest_error
from rewardware.sw.reference.float.functions.exponential import exponential
from rewardware.sw.reference.float.functions.logarithm import logarithm
from rewardware.sw.reference.float.functions.reciprocal import reciprocal
from rewardware.sw.reference.float.functions.sigmoid_tanh import hyperbolic_tangent, sigmoid, sigmoid_tanh
from rewardware.sw.reference.float.functions.square_root import reciprocal_square_root, square_root
from tests.hw.cores.float.functions.stimulus import FORMATS, WORST, operands

# The largest error in units in the last place: of 16-bit formats, of binary32.
LIMITS = {
    reciprocal: (0.56, 0.58),
    square_root: (0.54, 0.60),
    reciprocal_square_root: (0.55, 0.58),
    exponential: (0.58, 0.63),
    logarithm: (0.54, 0.64),
    sigmoid: (0.65, 0.67),
    hyperbolic_tangent: (0.73, 0.76),
}
functions = pytest.mark.parametrize("function", LIMITS, ids=lambda function: function.__name__)
formats = pytest.mark.parametrize("number_format", FORMATS, ids=str)


@functions
@formats
def test_error(function, number_format):
    limit = LIMITS[function][number_format in (BINARY32, BINARY32.flushing())]
    error, operand = largest_error(function, number_format, operands(number_format))
    assert error < limit, f"{function.__name__} of {operand:#x}"


def test_worst_operands():
    """Largest errors found by the search over all operands of binary32."""
    found = zip((hyperbolic_tangent, exponential, sigmoid, logarithm), WORST, strict=True)
    worst = [errors(function, BINARY32, np.array([operand]))[0] for function, operand in found]
    assert [round(error, 4) for error in worst] == [0.7530, 0.6210, 0.6673, 0.6345]


@functions
@pytest.mark.parametrize("number_format", [BINARY16, BFLOAT16, FloatFormat(exponent_bits=6, fraction_bits=9)], ids=str)
def test_order(function, number_format):
    """Functions rise or fall from number to number, over all of them; the logistic function but for single units."""
    falls = function in (reciprocal, reciprocal_square_root)
    positive = function(number_format, np.arange(number_format.infinity + 1))
    steps = np.diff(positive) * (-1 if falls else 1)
    assert (
        (steps >= 0).all() if function is not logarithm else (np.diff(to_numbers(number_format, positive)) >= 0).all()
    )
    if function in (exponential, sigmoid):
        negative = function(number_format, np.arange(number_format.infinity + 1) | number_format.sign_bit)
        back = np.diff(negative)
        assert back.max() <= (1 if function is sigmoid else 0)
        assert np.count_nonzero(back > 0) <= 16


@formats
def test_exact_results(number_format):
    exponents = np.arange(2 - number_format.bias, number_format.bias - 1)
    powers = from_numbers(number_format, 2.0**exponents)
    np.testing.assert_array_equal(reciprocal(number_format, powers), powers[::-1])
    roots = np.arange(1, 1 << (number_format.precision + 1) // 2)
    squares = from_numbers(number_format, roots.astype(float) ** 2)
    fits = to_numbers(number_format, squares) == roots.astype(float) ** 2
    np.testing.assert_array_equal(
        square_root(number_format, squares)[fits], from_numbers(number_format, roots.astype(float))[fits]
    )
    fours = from_numbers(number_format, 4.0 ** np.arange(0, number_format.bias // 2))
    halves = from_numbers(number_format, 0.5 ** np.arange(0, number_format.bias // 2))
    np.testing.assert_array_equal(reciprocal_square_root(number_format, fours), halves)


@formats
def test_special_operands(number_format):
    minus, infinity, nan = number_format.sign_bit, number_format.infinity, number_format.quiet_nan
    one, half = number_format.one, number_format.one - (1 << number_format.fraction_bits)
    minus_one = one | minus
    operand = np.array([0, minus, infinity, infinity | minus, nan, nan | minus, infinity | 1, one, minus_one])
    every = [nan, nan, nan]
    expected = {
        reciprocal: [infinity, infinity | minus, 0, minus, *every, one, minus_one],
        square_root: [0, minus, infinity, nan, *every, one, nan],
        reciprocal_square_root: [infinity, infinity | minus, 0, nan, *every, one, nan],
        exponential: [one, one, infinity, 0, *every],
        logarithm: [infinity | minus, infinity | minus, infinity, nan, *every, 0, nan],
        sigmoid: [half, half, one, 0, *every],
        hyperbolic_tangent: [0, minus, one, minus_one, *every],
    }
    for function, results in expected.items():
        got = function(number_format, operand[: len(results)])
        np.testing.assert_array_equal(got, results, function.__name__)


@formats
def test_subnormal_operands(number_format):
    bits = np.arange(1, number_format.smallest_normal, max(1, number_format.smallest_normal >> 12))
    zeros = np.zeros_like(bits)
    if number_format.gradual:
        np.testing.assert_array_equal(hyperbolic_tangent(number_format, bits), bits)
        assert (square_root(number_format, bits) > number_format.smallest_normal).all()
        return
    for function in LIMITS:
        np.testing.assert_array_equal(function(number_format, bits), function(number_format, zeros), function.__name__)


@formats
def test_tanh_is_odd_and_results_stay_in_their_ranges(number_format):
    bits = operands(number_format, 100_000)
    bits = bits[~np.isnan(to_numbers(number_format, bits))]
    tanh = hyperbolic_tangent(number_format, bits)
    np.testing.assert_array_equal(
        hyperbolic_tangent(number_format, bits ^ number_format.sign_bit), tanh ^ number_format.sign_bit
    )
    assert (tanh & number_format.sign_bit - 1).max() == number_format.one
    logistic = sigmoid(number_format, bits)
    assert logistic.min() == 0 and logistic.max() == number_format.one
    chosen = np.arange(bits.size) % 2
    np.testing.assert_array_equal(sigmoid_tanh(number_format, bits, chosen), np.where(chosen, tanh, logistic))


def test_shapes_and_scalars():
    bits = np.array([[0x3C00, 0x4000], [0xBC00, 0]], np.uint16)
    result = sigmoid_tanh(BINARY16, bits, [[True], [False]])
    assert result.shape == (2, 2)
    assert result[1, 1] == 0x3800
    assert exponential(BINARY16, 0) == 0x3C00
