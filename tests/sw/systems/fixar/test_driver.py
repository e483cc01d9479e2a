"""Driver and compiler against the reference, on an in-memory device that executes the instructions."""

import numpy as np
import pytest

from rewardware.hw.soc.fixar.config import Networks, Rates
from rewardware.sw.reference.fixar import FixarReference
from rewardware.sw.systems.fixar.driver import FixarDevice

from ...reference.ddpg_numbers import EVEN, NETWORKS, ODD, random_batch, random_state
from .fake_fixar import FakeFixar

RATES = Rates.of(noise=0.3)


def pair(config, networks, seed=0):
    state = random_state(config, networks, seed)
    device = FixarDevice(FakeFixar(config), config, networks, RATES)
    reference = FixarReference(config, networks, RATES)
    device.load(state)
    reference.load(state)
    return device, reference


def assert_equal(device, reference):
    expected, got = reference.save(), device.save()
    assert expected.keys() == got.keys()
    for name in expected:
        assert expected[name].dtype == got[name].dtype, name
        assert np.array_equal(expected[name], got[name]), name


@pytest.mark.parametrize("bits", [None, 16, 9])
@pytest.mark.parametrize(
    "config, observation_size, action_size, hidden_sizes",
    [(ODD, 5, 8, (21, 17)), (ODD, 3, 1, (13,)), (ODD, 4, 2, (9, 8, 7)), (EVEN, 7, 3, (25, 18)), (EVEN, 3, 9, (5, 20))],
)
def test_every_bit_is_the_references(config, observation_size, action_size, hidden_sizes, bits):
    networks = Networks(observation_size=observation_size, action_size=action_size, hidden_sizes=hidden_sizes)
    device, reference = pair(config, networks)
    assert_equal(device, reference)
    if bits:
        batch = random_batch(networks, 20, seed=99)
        assert np.array_equal(device.train(batch), reference.train(batch))
        device.freeze(bits)
        reference.freeze(bits)
    for number, size in enumerate((config.batch_limit, 1, config.chunk_size + 1)):
        batch = random_batch(networks, size, seed=number, scale=1.5)
        for count, noise in ((1, True), (min(size, config.cores + 2), True), (1, False), (size, False)):
            expected = reference.act(batch.observations[:count], noise)
            assert np.array_equal(device.act(batch.observations[:count], noise), expected)
        assert np.array_equal(device.train(batch), reference.train(batch))
        assert_equal(device, reference)
    if bits:
        assert reference.counters()["code_saturations"] > 0


def test_state_moves_between_device_and_reference():
    device, reference = pair(ODD, NETWORKS)
    reference.train(random_batch(NETWORKS, 30))
    reference.act(np.zeros((3, 5)), noise=True)
    reference.freeze(12)
    device.load(reference.save())
    assert_equal(device, reference)
    batch = random_batch(NETWORKS, 30, seed=1)
    assert np.array_equal(device.act(batch.observations, True), reference.act(batch.observations, True))
    assert np.array_equal(device.train(batch), reference.train(batch))
    assert_equal(device, reference)


def test_cleared_ranges_bring_full_precision_back():
    device, reference = pair(ODD, NETWORKS)
    for one in (device, reference):
        one.train(random_batch(NETWORKS, 30))
        one.freeze(8)
        one.clear_ranges()
        one.train(random_batch(NETWORKS, 30))
    assert_equal(device, reference)


def test_programs_stay_in_the_program_memory():
    device, _ = pair(ODD, NETWORKS)
    loaded = []
    write = device.device.load_program
    device.device.load_program = lambda words, address: (loaded.append(address), write(words, address))
    for _ in range(3):
        device.act(np.zeros((1, 5)), noise=True)
        device.train(random_batch(NETWORKS, 36))
    assert len(loaded) == 2
    device.train(random_batch(NETWORKS, 77))
    device.train(random_batch(NETWORKS, 76))
    assert len(loaded) == 4 and max(loaded) < ODD.instruction_depth


@pytest.mark.parametrize(
    "act, words",
    [
        (lambda device: device.act(np.full((1, 5), np.inf)), "Observations must be finite, not inf"),
        (lambda device: device.act(np.full((1, 5), 2048)), "Observations must be from -2048 to below 2048, not 2048.0"),
        (lambda device: device.act(np.zeros((1, 4))), r"Observations must have shape \(1, 5\), not \(1, 4\)"),
        (
            lambda device: device.train(random_batch(NETWORKS, 78)),
            "Batch must be from 1 to 77 in configuration odd, not 78",
        ),
        (lambda device: device.freeze(17), "Bits must be from 8 to 16, not 17"),
        (lambda device: device.load({}), "State is not one of configuration odd and these networks: it lacks weight"),
    ],
)
def test_bad_input_is_refused_before_anything_is_sent(act, words):
    device, _ = pair(ODD, NETWORKS)
    before = len(device.device.log)
    with pytest.raises(ValueError, match=words):
        act(device)
    assert len(device.device.log) == before and not device.device.sent


def test_networks_that_do_not_fit_are_refused():
    networks = Networks(observation_size=5, action_size=8, hidden_sizes=(30, 30))
    with pytest.raises(ValueError, match=r"actor \(13-30-30-8\) needs 318 weight rows, configuration odd has 204"):
        FixarDevice(FakeFixar(ODD), ODD, networks, RATES)
