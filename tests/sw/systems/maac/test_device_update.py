"""MAAC's updates on its RTL: the bits of the reference, states there and back, refusals."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY32
from rewardware.hw.soc.presets import load_preset
from rewardware.sw.algorithms.maac.host_policies import HostPolicies
from rewardware.sw.algorithms.maac.maac_shape import MAACShape
from rewardware.sw.algorithms.maac.parameters import initial_parameters
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.device.learner_connection import words_of
from rewardware.sw.systems.maac.backends import update_on
from rewardware.sw.systems.maac.device_update import hardware_for
from tests.sw.algorithms.maac.batches import config_of, random_batch

HARDWARE = load_preset("small", "maac")
# This preset also updates the policies.
DEVICE = load_preset("small-device", "maac")
# The second agent has fewer elements to observe, and fewer actions.
SHAPE = MAACShape(sizes=(10, 5), counts=(5, 3), hidden_size=8, heads=2)
CONFIG = config_of(SHAPE)


def opened(backend, seed=1, hardware=HARDWARE):
    return update_on(backend, hardware)(SHAPE, CONFIG, *initial_parameters(SHAPE, np.random.default_rng(seed)))


@pytest.fixture(scope="module")
def lockstep():
    update = opened("lockstep")
    yield update
    update.close()


@pytest.fixture(scope="module")
def whole():
    """All of an update on the device."""
    update = opened("lockstep", hardware=DEVICE)
    yield update
    update.close()


def restart(update, seed=1):
    """Restart with the first parameters."""
    fresh = opened("reference", seed)
    update.load(*fresh.save())
    return fresh


def test_updates_have_the_bits_of_the_reference(lockstep):
    """Batches of one experience and of many, policies that change, targets that follow."""
    fresh, before = restart(lockstep), lockstep.compared
    for seed, rows in enumerate((1, 16, 3, 40)):
        batch = random_batch(SHAPE, rows=rows, seed=seed)
        forward, report = lockstep.update(batch)
        expected, wanted = fresh.update(batch)
        assert report == wanted
        assert all((getattr(forward, name) == values).all() for name, values in vars(expected).items())
        policies, _ = initial_parameters(SHAPE, np.random.default_rng(seed + 50))
        for part in (lockstep, fresh):
            part.take_policies(policies)
    counters = lockstep.counters()
    assert counters["lockstep_compared"] == counters["lockstep_equal"] > before + 4 * 2000
    assert counters["device_cycles"] > 60 * HARDWARE.learner.experience_cycles


def test_a_device_goes_on_with_a_checkpoint_of_pytorch(lockstep):
    torch = update_on("torch")(SHAPE, CONFIG, *initial_parameters(SHAPE, np.random.default_rng(7)))
    torch.update(random_batch(SHAPE, seed=3))
    lockstep.load(*torch.save())
    arrays, rest = lockstep.device.save()
    assert rest == {"steps": 1} and arrays.keys() == torch.save()[0].keys()
    assert all((arrays[name] == values).all() for name, values in torch.save()[0].items())
    lockstep.update(random_batch(SHAPE, seed=4))


def test_the_first_number_that_differs_is_named(lockstep):
    restart(lockstep)
    other, _ = initial_parameters(SHAPE, np.random.default_rng(9))
    lockstep.device.take_policies(other)
    with pytest.raises(LockstepError, match=r"Update \d+, forward pass: RTL differs .* in first\[0, 0, "):
        lockstep.update(random_batch(SHAPE))
    restart(lockstep)


def test_a_loss_that_is_not_finite(lockstep):
    restart(lockstep)
    batch = random_batch(SHAPE)
    batch.rewards[2, 1] = np.inf
    with pytest.raises(FloatingPointError, match="The critic's loss must be finite, not inf"):
        lockstep.device.update(batch)
    # It goes on with what it is given then.
    restart(lockstep)
    lockstep.update(random_batch(SHAPE, seed=2))


def test_states_of_other_formats_are_rounded():
    """A state of PyTorch goes on in 16 bits, and a state in 16 bits comes back as it is."""
    hardware = dataclasses.replace(HARDWARE, format="bfloat16")
    torch, short = opened("torch", hardware=None), opened("reference", hardware=hardware)
    torch.update(random_batch(SHAPE, seed=3))
    arrays, rest = torch.save()
    short.load(arrays, rest)
    found, about = short.save()
    assert about == rest and found.keys() == arrays.keys()
    for name, values in arrays.items():
        assert found[name].dtype == np.float32
        assert (words_of(BINARY32, found[name]) & 0xFFFF == 0).all(), name
        assert np.abs(found[name] - values).max() <= 2**-8 * np.abs(values).max(), name
    short.update(random_batch(SHAPE, seed=4))
    again = opened("reference", seed=2, hardware=hardware)
    again.load(found, about)
    again.update(random_batch(SHAPE, seed=4))
    assert all((values == short.save()[0][name]).all() for name, values in again.save()[0].items())


def test_updates_of_policies_have_the_bits_of_the_reference(whole):
    fresh = opened("reference", hardware=DEVICE)
    for seed, rows in enumerate((1, 16, 3, 40)):
        batch = random_batch(SHAPE, rows=rows, seed=seed)
        (forward, report), (nothing, wanted) = whole.update(batch), fresh.update(batch)
        assert forward is None and nothing is None
        assert report == wanted and report.keys() > {"policy_loss", "entropy", "advantage"}
    for given, expected in ((whole.device.save(), fresh.save()), (whole.device.save_policies(), fresh.save_policies())):
        assert given[1] == expected[1] == {"steps": 4} and given[0].keys() == expected[0].keys()
        assert all((given[0][name] == values).all() for name, values in expected[0].items())
    assert whole.counters()["lockstep_steps"] == 4


def test_a_device_goes_on_with_policies_that_the_host_has_updated(whole):
    parameters = initial_parameters(SHAPE, np.random.default_rng(7))
    torch, host = update_on("torch")(SHAPE, CONFIG, *parameters), HostPolicies(SHAPE, CONFIG, parameters[0])
    batch = random_batch(SHAPE, seed=3)
    host.update(batch.observations, torch.update(batch)[0])
    torch.take_policies(host.parameters)
    whole.load(*torch.save())
    whole.load_policies(*host.save())
    arrays, rest = whole.device.save_policies()
    expected, about = host.save()
    assert rest == about == {"steps": 1} and arrays.keys() == expected.keys()
    assert all((arrays[name] == values).all() for name, values in expected.items())
    whole.update(random_batch(SHAPE, seed=4))


def test_the_first_number_of_the_policies_that_differs_is_named(whole):
    arrays, rest = whole.reference.save_policies()
    whole.device.load_policies({name: 2 * values for name, values in arrays.items()}, rest)
    with pytest.raises(LockstepError, match=r"Update \d+, policies: RTL differs from the reference in first.weight\["):
        whole.update(random_batch(SHAPE))
    whole.device.load(*whole.reference.save())
    whole.device.load_policies(*whole.reference.save_policies())
    whole.update(random_batch(SHAPE, seed=2))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"observations": 11}, "Observations of accelerator small must be those of the agents, 10, not 11"),
        ({"actions": 4}, "Actions of accelerator small must be those of the agents, 5, not 4"),
        ({"heads": 4}, "Heads of accelerator small must be those of the agents, 2, not 4"),
    ],
)
def test_an_accelerator_for_others_is_refused(change, words):
    with pytest.raises(ValueError, match=f"^{words}$"):
        opened("rtl", hardware=dataclasses.replace(HARDWARE, **change))


def test_without_an_accelerator_it_has_a_unit_a_layer():
    hardware = hardware_for(SHAPE)
    assert (hardware.policy_units, hardware.critic_units) == ((1,) * 3, (1,) * 7)
    with pytest.raises(ValueError, match="^Backend 'torch' has no accelerator: omit it$"):
        update_on("torch", HARDWARE)
    with pytest.raises(ValueError, match="^Backend must be torch, reference, rtl, lockstep, uart.*, not 'gpu'$"):
        update_on("gpu")
