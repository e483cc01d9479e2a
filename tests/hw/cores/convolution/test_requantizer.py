"""Requantisation: equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.convolution.requantizer import Requantizer
from rewardware.hw.cores.convolution.requantizer_config import RequantizerConfig
from rewardware.sw.reference.convolution.requantization import requantize

from ..pipeline import check_pipeline


@pytest.mark.parametrize(("sum_width", "width"), [(32, 8), (47, 16), (11, 5)])
def test_equals_reference(sum_width, width):
    rng = np.random.default_rng(width)
    count, limit = 1500, 1 << sum_width - 1
    corners = [-limit, limit - 1, -1, 0, 1]
    # Sums of all sizes, so that as many words are in the range as out of it.
    size = 1 << rng.integers(1, sum_width, count)
    inputs = {
        "total": np.clip(rng.integers(-size, size), -limit, limit - 1),
        "bias": rng.integers(-limit, limit, count) >> rng.integers(0, sum_width, count),
        "multiplier": rng.choice([0, 1, 65535, 32768, *rng.integers(0, 1 << 16, 20)], count),
        "shift": rng.choice([0, 1, 15, 63, *rng.integers(8, 32, 20)], count),
        "rectifies": rng.integers(0, 2, count),
    }
    inputs["total"][:25], inputs["bias"][:25] = np.repeat(corners, 5), np.tile(corners, 5)
    # Ties, of both signs.
    ties = slice(100, 200)
    inputs["shift"][ties], inputs["multiplier"][ties], inputs["bias"][ties] = 1, 1, 0
    inputs["total"][ties] = np.arange(-50, 50)
    words, saturated = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for index in range(count):
        row = {name: int(values[index]) for name, values in inputs.items()}
        found = requantize(
            np.array([row["total"]]),
            bias=row["bias"],
            multiplier=row["multiplier"],
            shift=row["shift"],
            rectified=bool(row["rectifies"]),
            output_width=width,
            accumulator_width=sum_width,
        )
        words[index], saturated[index] = found[0][0], found[1]
    assert 0.1 < saturated.mean() < 0.9
    component = Requantizer(RequantizerConfig(sum_width=sum_width, width=width))
    check_pipeline(component, inputs, {"word": words, "saturated": saturated})


def test_bad_configuration():
    with pytest.raises(ValueError, match="Sum width must be from 2 to 47, not 48"):
        RequantizerConfig(sum_width=48)
    with pytest.raises(ValueError, match="Width must be from 2 to 8, not 9"):
        RequantizerConfig(sum_width=8, width=9)
