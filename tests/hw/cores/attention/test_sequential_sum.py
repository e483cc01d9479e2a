"""Sequential sums against their reference: each number by its own stall, counts from one."""

import pytest

from rewardware.hw.cores.attention.sequential_sum import SequentialSum
from rewardware.hw.cores.float.config import BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE
from rewardware.sim.cocotb import simulate

HALF = FloatLaneConfig(format=BINARY16, adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize(("count", "config"), [(5, BINARY32_LANE), (2, HALF), (1, HALF)], ids=["five", "two", "one"])
def test_sequential_sum(count, config):
    core = SequentialSum(config, count)
    simulate(
        core,
        bench="tests.hw.cores.attention.bench_sequential_sum",
        parameters={"config": config, "count": count, "cycles": core.cycles},
        after_noise=True,
    )


@pytest.mark.parametrize(
    ("count", "error", "text"),
    [(0, ValueError, "Count must be at least 1, not 0"), (2.0, TypeError, "Count must be an integer, not 2.0")],
)
def test_counts_that_are_none_are_refused(count, error, text):
    with pytest.raises(error, match=text):
        SequentialSum(HALF, count)
