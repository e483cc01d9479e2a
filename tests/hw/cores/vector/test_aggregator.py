"""The aggregator against its reference."""

import pytest

from rewardware.hw.cores.vector.aggregator import Aggregator
from rewardware.hw.cores.vector.aggregator_config import AggregatorConfig
from rewardware.sim.cocotb import simulate

ROWS = {"source_rows": 64, "target_rows": 37}


@pytest.mark.parametrize(
    "config",
    [
        AggregatorConfig(lanes=4, address_bits=7, source_rows=40, target_rows=37),
        AggregatorConfig(cores=2, lanes=3, blocks=3, width=1, adder_depth=2, address_bits=6, **ROWS),
        AggregatorConfig(cores=1, lanes=5, blocks=2, width=2, address_bits=6, **ROWS),
    ],
    ids=["three cores", "two cores, three blocks", "one core"],
)
def test_aggregator(config):
    aggregator = Aggregator(config)
    simulate(
        aggregator,
        bench="tests.hw.cores.vector.bench_aggregator",
        parameters={"config": config, "latency": aggregator.latency},
        after_noise=True,
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cores": 0}, "Cores must be from 1 to 16, not 0"),
        ({"blocks": 4, "width": 3}, r"Width must be a divisor of blocks \(4\), not 3"),
    ],
)
def test_configuration(settings, words):
    with pytest.raises(ValueError, match=words):
        AggregatorConfig(**settings)
