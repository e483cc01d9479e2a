"""The wide multiplier against Python's integers."""

import numpy as np
import pytest
from amaranth.hdl import signed, unsigned

from rewardware.hw.cores.fixed.wide_multiplier import WideMultiplier
from tests.hw.cores.pipeline import check_pipeline


def bounds(shape):
    return (-(1 << shape.width - 1), (1 << shape.width - 1) - 1) if shape.signed else (0, (1 << shape.width) - 1)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # Operands have one part, two or three; the last one has a part's full width, or one bit.
        (signed(18), unsigned(17)),
        (signed(32), signed(32)),
        (unsigned(18), signed(36)),
        (unsigned(35), unsigned(33)),
        (signed(1), signed(19)),
    ],
)
def test_product(a, b):
    rng = np.random.default_rng(a.width)
    columns = []
    for shape in (a, b):
        least, greatest = bounds(shape)
        corners = [least, least + 1, -1, 0, 1, greatest - 1, greatest]
        columns.append([value for value in corners if least <= value <= greatest])
    pairs = [(one, other) for one in columns[0] for other in columns[1]]
    limits = bounds(a), bounds(b)
    pairs += [tuple(int(rng.integers(*limit, endpoint=True)) for limit in limits) for _ in range(200)]
    check_pipeline(
        WideMultiplier(a, b),
        {"a": [one for one, _ in pairs], "b": [other for _, other in pairs]},
        {"product": [one * other for one, other in pairs]},
    )
