"""A host's map of memories: equality with the reference while memories are busy, latency, documented errors."""

import pytest

from rewardware.hw.cores.memory.host_map import HostMap
from rewardware.hw.cores.memory.host_map_config import HostMapConfig, HostRegion
from rewardware.sim.cocotb import simulate

from .mapped_memories import CONFIGS, REGIONS, MappedMemories


@pytest.mark.parametrize("name", CONFIGS)
def test_equals_reference(name):
    config = CONFIGS[name]
    simulate(
        MappedMemories(config),
        bench="tests.hw.cores.memory.bench_host_map",
        parameters={"config": config, "latency": HostMap(config).latency, "stall": 0.3},
    )


def test_rows_of_block_memories_wait_before_one_is_chosen():
    latencies = {name: (config.read_latency, config.latency) for name, config in CONFIGS.items()}
    assert latencies == {"direct": (2, 3), "registered": (2, 4), "written": (2, 3), "single": (2, 3)}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"regions": ()}, "Number of regions must be at least 1, not 0"),
        ({"regions": REGIONS}, "Cores of states must be at most 1, not 3"),
        ({"regions": REGIONS, "core_width": 9}, "Core width must be from 1 to 8, not 9"),
        ({"regions": REGIONS, "core_width": 2, "modulus": 0}, "Modulus must be from 1 to 1024, not 0"),
        ({"regions": (REGIONS[0], REGIONS[0])}, "Regions must have different names, not 'weights' twice"),
        (
            {"regions": (REGIONS[0], HostRegion(name="other", number=0, width=1, depth=1))},
            "Regions must have different numbers, not 0 twice",
        ),
        (
            {"regions": (REGIONS[1], HostRegion(name="other", number=9, width=8, depth=1, parts=2)), "core_width": 2},
            "Regions with several parts in a row must have parts of the same width",
        ),
        (
            {"regions": (HostRegion(name="codes", number=0, width=1, depth=1, readable=False),)},
            "At least one region must be readable",
        ),
    ],
)
def test_bad_map_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        HostMapConfig(**fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"number": 256}, "Number must be from 0 to 255, not 256"),
        ({"width": 0}, "Width must be at least 1, not 0"),
        ({"depth": 0}, "Depth must be from 1 to 16777216, not 0"),
        ({"parts": 3}, "Parts must be a power of two, not 3"),
        ({"banks": 0}, "Banks must be from 1 to 64, not 0"),
        ({"cores": 65}, "Cores must be from 1 to 64, not 65"),
        ({"latency": 0}, "Latency must be from 1 to 4, not 0"),
        ({"settle": -1}, "Settle must be from 0 to 255, not -1"),
    ],
)
def test_bad_region_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        HostRegion(**{"name": "words", "number": 0, "width": 4, "depth": 4} | fields)


def test_regions_are_found_by_name():
    config = CONFIGS["direct"]
    assert config.region("moments") is REGIONS[2]
    with pytest.raises(ValueError, match="Region must be one of weights, states, moments, results, not 'errors'"):
        config.region("errors")
