"""Comparisons against NumPy's, and the two zeros."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, BINARY32
from rewardware.sw.reference.float.comparison import compare, maximum, minimum
from tests.hw.cores.float.operands import corners, pairs


@pytest.mark.parametrize(
    ("number_format", "integer", "real"),
    [(BINARY16, np.uint16, np.float16), (BINARY32, np.uint32, np.float32)],
    ids=str,
)
def test_equals_numpy(number_format, integer, real):
    a, b = (column.astype(integer) for column in pairs(corners(number_format)))
    x, y = a.view(real), b.view(real)
    with np.errstate(invalid="ignore"):
        less, equal, unordered = compare(number_format, a, b)
        assert (less == (x < y)).all() and (equal == (x == y)).all()
        assert (unordered == (np.isnan(x) | np.isnan(y))).all()
        # NumPy leaves open which zero it returns.
        zeros = (x == 0) & (y == 0)
        for ours, host in ((minimum, np.minimum(x, y)), (maximum, np.maximum(x, y))):
            expected = np.where(np.isnan(host), number_format.quiet_nan, host.view(integer))
            assert (ours(number_format, a, b) == expected)[~zeros].all()


def test_zeros_are_equal_and_yet_ordered():
    assert compare(BINARY16, 0x8000, 0)[1] and not compare(BINARY16, 0x8000, 0)[0]
    assert minimum(BINARY16, [0, 0x8000], [0x8000, 0]).tolist() == [0x8000, 0x8000]
    assert maximum(BINARY16, [0, 0x8000], [0x8000, 0]).tolist() == [0, 0]


def test_flushed_subnormals_are_zeros():
    flushing = BINARY16.flushing()
    assert compare(flushing, 0x8001, 1)[1]
    assert minimum(flushing, 0x8001, 1) == 0x8000
    assert maximum(flushing, 0x8001, 1) == 0
