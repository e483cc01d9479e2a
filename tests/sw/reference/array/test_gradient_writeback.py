"""Reference of the gradient write-back."""

import numpy as np

from rewardware.sw.reference.array.gradient_writeback import write_back_gradients


def test_adds_saturates_and_counts():
    stored = np.array([(1 << 31) - 1, -5, 7, 0])
    high = np.array([2, 3, -4, 1 << 50])
    rule = {"half_rule": False, "shift": 1}
    words, count = write_back_gradients(stored, np.zeros(4, np.int64), high, accumulate=True, **rule)
    assert words.tolist() == [(1 << 31) - 1, -3, 5, (1 << 31) - 1] and count == 2
    words, count = write_back_gradients(stored, np.zeros(4, np.int64), high, accumulate=False, **rule)
    assert words.tolist() == [1, 2, -2, (1 << 31) - 1] and count == 1
