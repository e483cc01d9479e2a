"""Counters of a search."""

import pytest

from rewardware.hw.cores.tree.records import COUNTERS, Field, Record
from rewardware.hw.cores.tree.search_counters import SearchCounters
from rewardware.sim.cocotb import simulate

# How often a request enters and none waits in a cycle, and how often a request is of the kind of the one before.
PHASES = [
    (1.0, 0.0, 0.9),
    (0.9, 0.0, 0.95),
    (0.5, 0.0, 0.9),
    (0.4, 0.3, 0.95),
    (0.05, 0.0, 0.9),
    (0.5, 0.05, 0.5),
    (0.0, 0.0, 1.0),
]


# Narrow ones begin again.
RECORDS = {"as in a search": COUNTERS, "narrow": Record(tuple(Field(field.name, 6) for field in COUNTERS.fields))}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_search_counters(record):
    simulate(
        SearchCounters(record),
        bench="tests.hw.cores.tree.bench_search_counters",
        parameters={"phases": PHASES, "record": record},
        after_noise=True,
    )
