"""Arrays to single elements, and elements to arrays."""

import pytest

from rewardware.hw.cores.stream.array_elements import ArrayElements, ElementArray
from rewardware.sim.cocotb import simulate
from tests.hw.cores.side_by_side import SideBySide

COUNTS = (1, 2, 5)


def test_elements_and_arrays():
    units = {f"elements_{count}": ArrayElements(7, count) for count in COUNTS}
    units |= {f"array_{count}": ElementArray(7, count) for count in COUNTS}
    assert all(unit.count == int(name.partition("_")[2]) for name, unit in units.items())
    simulate(
        SideBySide(units),
        bench="tests.hw.cores.stream.bench_array_elements",
        parameters={"counts": COUNTS},
        after_noise=True,
    )


@pytest.mark.parametrize("component", [ArrayElements, ElementArray])
@pytest.mark.parametrize(
    ("count", "error", "message"),
    [
        (0, ValueError, "Count must be at least 1, not 0"),
        ("two", TypeError, "Count must be an integer, not 'two'"),
    ],
)
def test_bad_counts(component, count, error, message):
    with pytest.raises(error, match=f"^{message}$"):
        component(5, count)
