"""MAAC's accelerator behind a link that makes rows wait: the bits of the reference."""

import numpy as np
import pytest

from rewardware.hw.soc.presets import load_preset
from rewardware.sw.algorithms.maac.maac_shape import MAACShape
from rewardware.sw.algorithms.maac.parameters import initial_parameters
from rewardware.sw.systems.maac.backends import update_on
from tests.sw.algorithms.maac.batches import config_of, random_batch

SHAPE = MAACShape(sizes=(10, 5), counts=(5, 3), hidden_size=8, heads=2)


@pytest.mark.parametrize("preset", ["small", "small-device"])
def test_rows_with_stalls(preset):
    """Both streams wait at random, which changes cycles, and no bit."""
    hardware, config = load_preset(preset, "maac"), config_of(SHAPE)
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
    finally:
        device.close()
