"""Counters of a search."""

from rewardware.hw.cores.tree.search_counters import SearchCounters
from rewardware.sim.cocotb import simulate

# How often a request enters and none waits in a cycle, and how often a request is of the kind of the one before.
PHASES = [(1.0, 0.0, 0.9), (0.5, 0.0, 0.9), (0.4, 0.3, 0.95), (0.05, 0.0, 0.9), (0.5, 0.05, 0.5), (0.0, 0.0, 1.0)]


def test_search_counters():
    simulate(
        SearchCounters(),
        bench="tests.hw.cores.tree.bench_search_counters",
        parameters={"phases": PHASES},
        after_noise=True,
    )
