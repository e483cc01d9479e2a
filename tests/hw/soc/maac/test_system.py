"""MAAC's accelerator behind a link that makes rows wait: the bits of the reference."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.soc.presets import load_preset
from rewardware.sw.algorithms.maac.maac_shape import MAACShape
from rewardware.sw.algorithms.maac.parameters import initial_parameters
from rewardware.sw.systems.maac.backends import update_on
from tests.sw.algorithms.maac.batches import config_of, random_batch

SHAPE = MAACShape(sizes=(10, 5), counts=(5, 3), hidden_size=8, heads=2)


SMALL = load_preset("small", "maac")
# What the preset of a board has: 16 bits, and lanes that layers share, here of networks with several units.
SHARED = dataclasses.replace(
    SMALL, format="bfloat16_flush", adder_depth=3, multiplier_depth=2, update_interval=2, shared_update=True
)
HARDWARE = {"small": SMALL, "small-device": load_preset("small-device", "maac"), "shared": SHARED}


@pytest.mark.parametrize("hardware", HARDWARE.values(), ids=HARDWARE)
def test_rows_with_stalls(hardware):
    """Both streams wait at random, which changes cycles, and no bit."""
    config = config_of(SHAPE)
    parameters = initial_parameters(SHAPE, np.random.default_rng(1))
    reference = update_on("reference", hardware)(SHAPE, config, *parameters)
    device = update_on("rtl", hardware, stall=0.4, seed=5)(SHAPE, config, *parameters)
    try:
        for seed, rows in enumerate((12, 1, 5)):
            batch = random_batch(SHAPE, rows=rows, seed=seed)
            (forward, report), (expected, wanted) = device.update(batch), reference.update(batch)
            assert report == wanted
            if hardware.learner.updates_policies:
                forward, expected = (part.save_policies()[0] for part in (device, reference))
            else:
                forward, expected = vars(forward), vars(expected)
            assert all((forward[name] == values).all() for name, values in expected.items())
            if not hardware.learner.updates_policies:
                policies, _ = initial_parameters(SHAPE, np.random.default_rng(seed + 50))
                for part in (device, reference):
                    part.take_policies(policies)
            given, expected = device.save()[0], reference.save()[0]
            assert given.keys() == expected.keys()
            assert all((given[name] == values).all() for name, values in expected.items())
    finally:
        device.close()


def test_a_configuration_says_what_it_is_made_from():
    """Layers that share lanes are other hardware; a format that the optimiser cannot learn in is refused."""
    assert dataclasses.replace(SMALL, shared_update=True).configuration_hash != SMALL.configuration_hash
    with pytest.raises(ValueError, match="^Format must be one of bfloat16, .*, not 'binary16'"):
        dataclasses.replace(SMALL, format="binary16")
    with pytest.raises(TypeError, match="^Shared update must be of the kind bool, not 1$"):
        dataclasses.replace(SMALL, shared_update=1)
