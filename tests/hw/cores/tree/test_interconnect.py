"""The stage-bank interconnect under random traffic, and its configuration."""

import pytest
from amaranth.lib import data

from rewardware.hw.cores.tree.interconnect import StageBankInterconnect
from rewardware.hw.cores.tree.interconnect_config import InterconnectConfig
from rewardware.sim.cocotb import simulate
from tests.hw.cores.tree.run_traffic import run_phases


@pytest.mark.parametrize(
    ("stages", "banks", "interconnect", "concentration"),
    [
        (3, 5, "butterfly", 1),
        (5, 12, "butterfly", 1),
        (5, 12, "butterfly", 4),
        (3, 5, "butterfly4", 1),
        (5, 12, "butterfly4", 1),
        (3, 5, "butterfly4", 2),
        (5, 12, "butterfly4", 2),
    ],
)
def test_traffic(stages, banks, interconnect, concentration):
    traffic(stages, banks, interconnect, concentration)


@pytest.mark.parametrize(("stages", "banks"), [(3, 5), (5, 12)])
def test_traffic_of_crossbars(stages, banks):
    traffic(stages, banks, "crossbar", 1)


def traffic(stages, banks, interconnect, concentration):
    config = InterconnectConfig(stages=stages, banks=banks, interconnect=interconnect, concentration=concentration)
    request = data.StructLayout({"value": 30, "stage": range(stages)})
    response = data.StructLayout({"value": 30, "bank": range(banks)})
    simulate(
        StageBankInterconnect(config, request, response),
        bench="tests.hw.cores.tree.bench_interconnect",
        parameters={"config": config},
        after_noise=True,
    )


@pytest.mark.parametrize("interconnect", ["butterfly", "butterfly4", "crossbar"])
def test_much_traffic(interconnect):
    config = InterconnectConfig(stages=9, banks=21, interconnect=interconnect)
    sent, received = run_phases(config, cycles=4000)
    assert sent[-1, -1] == received[-1, -1] > 40_000


def test_latency_is_that_of_the_layers():
    latencies = {
        (32, "butterfly", 1): (5, 6),
        (32, "butterfly4", 1): (3, 4),
        (32, "butterfly4", 2): (3, 3),
        (32, "butterfly", 4): (4, 4),
        (17, "butterfly4", 1): (3, 4),
        (16, "butterfly4", 1): (2, 3),
        (2, "butterfly4", 1): (1, 2),
        (32, "crossbar", 1): (1, 1),
    }
    for (stages, interconnect, concentration), expected in latencies.items():
        config = InterconnectConfig(stages=stages, banks=128, interconnect=interconnect, concentration=concentration)
        assert (config.request_latency, config.response_latency) == expected


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"stages": 1}, "Number of stages must be from 2 to 64, not 1"),
        ({"stages": 16, "banks": 15}, "Number of banks must be from 16 to 1024, not 15"),
        ({"concentration": 16}, "Concentration must be from 1 to 8, not 16"),
        ({"concentration": 3}, "Concentration must be a power of two, not 3"),
        ({"interconnect": "crossbar", "concentration": 2}, "Concentration of a crossbar must be 1, not 2"),
        ({"interconnect": "ring"}, "Interconnect must be one of butterfly, butterfly4, crossbar, not 'ring'"),
    ],
)
def test_configuration_says_what_is_allowed(settings, message):
    with pytest.raises(ValueError, match=message):
        InterconnectConfig(**settings)
