"""The transfer engine with a host's map and memories: equality with the reference, refusals, cycles, reset."""

import pytest

from rewardware.hw.cores.memory.host_map import access_layout
from rewardware.hw.soc.shell.transfer_config import TransferConfig
from rewardware.sim.cocotb import simulate
from tests.hw.cores.memory.mapped_memories import CONFIGS as MAPS

from .transferred_memories import CONFIGS, TransferredMemories


@pytest.mark.parametrize("name", CONFIGS)
def test_equals_reference(name):
    config = CONFIGS[name]
    simulate(
        TransferredMemories(config),
        bench="tests.hw.soc.shell.bench_transfer_engine",
        parameters={"config": config, "access": access_layout(config.host)},
        after_noise=True,
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"width": 32}, "Width must be at least 33, not 32"),
        ({"address_width": 3}, "Address width must be from 5 to 32, not 3"),
        ({"option_width": 257}, "Option width must be from 0 to 256, not 257"),
        ({"copy_rows": -1}, "Copy rows must be from 0 to 16777216, not -1"),
    ],
)
def test_bad_configuration_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        TransferConfig(**{"host": MAPS["direct"], "width": 40, "address_width": 8} | fields)
