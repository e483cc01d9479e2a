"""Several streams to one, and one stream to whoever takes it."""

import pytest

from rewardware.hw.cores.stream.arbiter import StreamArbiter, StreamDispatcher
from rewardware.sim.cocotb import simulate
from tests.hw.cores.side_by_side import SideBySide

COUNTS = (1, 2, 3, 6)


def test_arbiters_and_dispatchers():
    arbiters = {f"arbiter_{count}": StreamArbiter(9, count) for count in COUNTS}
    dispatchers = {f"dispatcher_{count}": StreamDispatcher(9, count) for count in COUNTS}
    simulate(
        SideBySide(arbiters | dispatchers),
        bench="tests.hw.cores.stream.bench_arbiter",
        parameters={
            "arbiters": {name: unit.count for name, unit in arbiters.items()},
            "dispatchers": {name: unit.count for name, unit in dispatchers.items()},
        },
        after_noise=True,
    )


@pytest.mark.parametrize("component", [StreamArbiter, StreamDispatcher])
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
