"""The address generator against its reference."""

import pytest

from rewardware.hw.cores.sparse.address_generator import AddressGenerator, bit_vector
from rewardware.hw.cores.sparse.config import SparseConfig
from rewardware.hw.cores.sparse.lists import table_entry
from rewardware.sim.cocotb import simulate

from .variants import CONFIGS


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_address_generator(config):
    generator = AddressGenerator(config)
    simulate(
        generator,
        bench="tests.hw.cores.sparse.bench_address_generator",
        parameters={
            "config": config,
            "layers": 30,
            "group_cycles": generator.group_cycles,
            "table_layout": table_entry(config),
            "vectors_layout": bit_vector(config),
        },
        after_noise=True,
    )


def test_configuration_is_kept():
    config = SparseConfig()
    assert AddressGenerator(config).config is config
