"""Exact quotients: against Python's division, and the reference where sums have wrapped."""

import numpy as np
import pytest

from rewardware.hw.cores.convolution.quotient import ExactQuotient
from rewardware.hw.cores.convolution.quotient_config import QuotientConfig
from rewardware.sw.reference.convolution.winograd import F23, F43, quotient

from ..pipeline import check_pipeline


@pytest.mark.parametrize(
    ("divisor", "width"), [(F23.divisor, 32), (F43.divisor, 32), (F43.divisor, 47), (17, 9), (1, 5)], ids=str
)
def test_equals_division(divisor, width):
    config = QuotientConfig(divisor=divisor, width=width)
    rng = np.random.default_rng(width)
    high = 1 << config.result_width - 1
    quotients = np.concatenate([rng.integers(-high, high, 500), [-high, high - 1, 0, 1, -1]])
    # As accumulators of this width have them, whose upper bits are lost.
    dividends = [int(number) * divisor & (1 << width) - 1 for number in quotients]
    dividends = np.array([number - (number >> width - 1 << width) for number in dividends])
    assert (quotient(dividends, divisor, width) == quotients).all()
    check_pipeline(ExactQuotient(config), {"dividend": dividends}, {"quotient": quotients})


def test_latency():
    assert ExactQuotient(QuotientConfig(divisor=4)).latency == 0
    assert ExactQuotient(QuotientConfig(divisor=576)).latency == 4


@pytest.mark.parametrize(
    ("divisor", "width", "message"),
    [
        (0, 32, "Divisor must be from 1 to 65536, not 0"),
        (7, 32, r"Divisor must be a power of two, or one times 2\*\*k \+ 1, not 7"),
        (576, 6, "Width must be more than 6 bits for 576, not 6"),
    ],
)
def test_bad_configuration(divisor, width, message):
    with pytest.raises(ValueError, match=message):
        QuotientConfig(divisor=divisor, width=width)
