"""The least and the greatest of a vector against NumPy's."""

import numpy as np
import pytest

from rewardware.sw.core.extent import extent


@pytest.mark.parametrize("kind", [np.float64, np.int64])
@pytest.mark.parametrize("count", [1, 2, 3, 65])
def test_equals_numpy(kind, count):
    generator = np.random.default_rng(count)
    for _ in range(50):
        values = (1000 * generator.normal(size=count)).astype(kind)
        assert extent(values) == (values.min(), values.max())


@pytest.mark.parametrize("place", range(4))
def test_a_number_that_is_none_shows_in_both(place):
    values = np.array([1.0, -np.inf, np.inf, 5])
    assert extent(values) == (-np.inf, np.inf)
    values[place] = np.nan
    assert np.isnan(extent(values)).all()
