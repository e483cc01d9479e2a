"""Counters of a search."""

import pytest

from rewardware.hw.cores.tree.records import COUNTERS, Field, Record
from rewardware.hw.cores.tree.search_counters import SearchCounters
from rewardware.sim.cocotb import simulate

# How often a request enters and none waits in a cycle, how often a request is of the kind of the one before, and the
# first kind.
PHASES = [
    (1.0, 0.0, 0.9, "selects"),
    (0.9, 0.0, 0.95, "backs_up"),
    (0.5, 0.0, 0.9, "selects"),
    (0.4, 0.3, 0.95, "selects"),
    (0.05, 0.0, 0.9, "selects"),
    (0.5, 0.05, 0.5, "selects"),
    # A pause that is longer than the narrow counters count, between requests of either kind.
    (1.0, 0.0, 1.0, "selects"),
    (0.0, 0.0, 1.0, "selects"),
    (1.0, 0.0, 1.0, "selects"),
    (1.0, 0.0, 1.0, "backs_up"),
    (0.0, 0.0, 1.0, "backs_up"),
    (1.0, 0.0, 1.0, "backs_up"),
]


# All counters begin again; the counters of a search differ from these in their width alone.
RECORDS = {f"{width} bits": Record(tuple(Field(field.name, width) for field in COUNTERS.fields)) for width in (5, 7)}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_search_counters(record):
    simulate(
        SearchCounters(record),
        bench="tests.hw.cores.tree.bench_search_counters",
        parameters={"phases": PHASES, "record": record},
        after_noise=True,
    )
