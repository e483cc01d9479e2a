"""Running sums: reads and writes as far apart as an adder makes them, whatever the stalls."""

import numpy as np
import pytest

from rewardware.hw.cores.layer.running_sums import RunningSums
from rewardware.hw.cores.layer.running_sums_config import RunningSumsConfig
from rewardware.sim.cocotb import simulate

from ..bench_play import Expected


@pytest.mark.parametrize(
    ("depth", "adder_depth", "interval", "latency"),
    [
        (7, 4, 4, 0),
        (1, 4, 4, 0),
        (70, 3, 4, 0),
        (5, 3, 5, 1),
        (67, 1, 3, 1),
    ],
)
def test_running_sums(depth, adder_depth, interval, latency):
    config = RunningSumsConfig(depth=depth, adder_depth=adder_depth, interval=interval)
    assert config.memory.latency == latency
    rng, count = np.random.default_rng(depth), 3000
    enable, address, last = np.zeros(count, bool), np.zeros(count, int), np.full(depth, -interval)
    for cycle in range(count):
        # Often a row that has just become free again.
        free = np.flatnonzero(cycle - last >= interval)
        near = free[np.argsort(last[free])[-2:]]
        enable[cycle] = len(free) and rng.random() < 0.9
        if enable[cycle]:
            address[cycle] = rng.choice(near if rng.random() < 0.8 else free)
            last[address[cycle]] = cycle
    enable[-1] = False
    data, late = rng.integers(1 << 16, size=count), adder_depth + 1
    table, expected = np.zeros(depth, np.int64), np.zeros(count, np.int64)
    for cycle in range(count):
        # Data come in the cycle after the read, with all that has been written by then.
        if cycle >= late and enable[cycle - late]:
            table[address[cycle - late]] = data[cycle]
        if cycle:
            expected[cycle - 1] = table[address[cycle - 1]]
    given = {
        "read__enable": enable,
        "read__address": address,
        "write__enable": np.concatenate([np.zeros(late, bool), enable[:-late]]),
        "write__address": np.concatenate([np.zeros(late, int), address[:-late]]),
        "write__data": data,
    }
    simulate(
        RunningSums(16, config),
        bench="tests.hw.cores.bench_play",
        parameters={"inputs": given, "outputs": {"read__data": Expected(expected, 1, enable)}},
    )


def test_bad_interval():
    with pytest.raises(ValueError, match="^Interval must be at least 4, not 3$"):
        RunningSumsConfig(depth=8, adder_depth=4, interval=3)
