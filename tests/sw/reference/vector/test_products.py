"""The reference of the matrix products against NumPy's float16, term by term, and against exact sums."""

from fractions import Fraction

import numpy as np

from rewardware.hw.cores.float.config import BINARY16
from rewardware.sw.reference.vector.products import accumulate, backward, forward, reduce_lanes, weight_gradient


def bits(values):
    return np.asarray(values, np.float16).view(np.uint16).astype(np.int64)


def numbers(patterns):
    return np.asarray(patterns).astype(np.uint16).view(np.float16)


def random(rng, shape):
    return rng.normal(size=shape).astype(np.float16)


def test_sums_are_made_one_term_after_the_other():
    rng = np.random.default_rng(0)
    x, w = random(rng, (50, 40)), random(rng, (50, 40))
    total = np.zeros(40, np.float16)
    for one, other in zip(x, w, strict=True):
        total = total + one * other
    assert (accumulate(BINARY16, bits(x), bits(w)) == bits(total)).all()


def test_masked_products():
    rng = np.random.default_rng(1)
    rows, columns = rng.integers(0, 4, 23), rng.integers(0, 5, 17)
    weights, x, d = random(rng, (23, 17)), random(rng, (23, 6)), random(rng, (17, 6))
    z = np.zeros((17, 6), np.float16)
    dx = np.zeros((23, 6), np.float16)
    for m in range(23):
        for n in range(17):
            if rows[m] == columns[n]:
                z[n] = z[n] + x[m] * weights[m, n]
                dx[m] = dx[m] + d[n] * weights[m, n]
    assert (forward(BINARY16, bits(x), bits(weights), rows, columns) == bits(z)).all()
    assert (backward(BINARY16, bits(d), bits(weights), rows, columns) == bits(dx)).all()


def test_lanes_are_added_neighbours_first():
    values = bits([2048, 1, 1, 1, -2048, 1, 0.5, 0.5])
    # 2048 + 1 is a tie and stays 2048; then 2048 + 2 on the one side, -2047 + 1 on the other.
    assert numbers(reduce_lanes(BINARY16, values)) == 2050 - 2046


def test_gradients_of_small_integers_are_exact():
    rng = np.random.default_rng(2)
    x, d = rng.integers(-3, 4, (3, 5, 2, 8)), rng.integers(-3, 4, (3, 7, 2, 8))
    rows, columns = np.array([0, 1, 0, 2, 1]), np.array([0, 0, 1, 1, 3, 0, 1])
    result = numbers(weight_gradient(BINARY16, bits(x), bits(d), rows, columns))
    for m in range(5):
        for n in range(7):
            expected = sum(Fraction(int(a)) * int(b) for a, b in zip(x[:, m].flat, d[:, n].flat, strict=True))
            assert result[m, n] == (expected if rows[m] == columns[n] else 0)


def test_a_group_without_rows_gives_zero():
    result = forward(BINARY16, bits(np.ones((2, 3))), bits(np.ones((2, 2))), np.array([0, 0]), np.array([1, 0]))
    assert (result == bits([[0, 0, 0], [2, 2, 2]])).all()
