"""Groups of rows and columns."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16
from rewardware.hw.soc.learninggroup.config import Network
from rewardware.sw.reference.learninggroup.arithmetic import ARITHMETICS
from rewardware.sw.reference.learninggroup.grouping import Grouping, maximum_index
from rewardware.sw.reference.sparse.grouping import max_indexes

DOUBLE = ARITHMETICS["binary64"]


def test_the_lowest_of_equal_maxima_is_taken():
    infinity = np.inf
    rows = [[1, 3, 3], [-0.0, 0.0, 0.0], [0.0, -0.0, -1], [np.nan, -infinity, -infinity], [np.nan] * 3, [-infinity] * 3,
            [5, infinity, infinity], [-1, np.nan, -2]]  # fmt: skip
    assert maximum_index(np.array(rows)).tolist() == [1, 0, 0, 1, 0, 0, 1, 0]


def test_maxima_are_those_of_the_hardware():
    generator = np.random.default_rng(0)
    bits = generator.choice([0, 0x8000, 1, 0x3C00, 0x7BFF, 0x7C00, 0x7E00, 0xFC00, 0xFE01, 0xBC00], (1000, 5))
    numbers = bits.astype(np.uint16).view(np.float16)
    assert np.array_equal(maximum_index(numbers), max_indexes(BINARY16, bits.T)[0])


@pytest.mark.parametrize("name", ["encoder", "hidden", "value"])
@pytest.mark.parametrize("kind", ["random", "one", "apart"])
def test_products_are_those_of_the_masked_matrix(name, kind):
    generator = np.random.default_rng(1)
    groups, cores, hidden = 4, 3, 7
    layer = Network(observation_size=5, hidden_size=hidden).layers[name]
    rows, columns = (generator.integers(0, groups, size) for size in (layer.rows, layer.columns))
    if kind == "one":
        rows[:] = columns[:] = 2
    if kind == "apart":
        rows[:], columns[:] = 0, 1
    grouping = Grouping(layer, rows, columns, groups, cores, hidden)
    weights = generator.normal(size=(layer.rows, layer.columns))
    masked = np.where(rows[:, np.newaxis] == columns, weights, 0)
    assert np.array_equal(grouping.mask, masked != 0)
    x, d = (generator.normal(size=(size, 2, 3)) for size in (layer.rows, layer.columns))
    np.testing.assert_allclose(grouping.forward(DOUBLE, x, weights), np.einsum("mbs,mn->nbs", x, masked), atol=1e-12)
    parts = grouping.partial_sums(DOUBLE, d, weights)
    for core, part in enumerate(parts):
        own = np.where(grouping.owners == core, masked, 0)
        np.testing.assert_allclose(part, np.einsum("nbs,mn->mbs", d, own), atol=1e-12)
    counted = [np.count_nonzero(masked[:, grouping.owners == core]) for core in range(cores)]
    assert grouping.workloads().tolist() == counted
