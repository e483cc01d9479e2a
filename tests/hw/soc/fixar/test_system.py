"""The whole device on RTL against its reference: every bit of the state after every job."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from rewardware.hw.soc.fixar.config import Networks, Rates
from rewardware.hw.soc.presets import load_preset
from rewardware.sw.device.errors import DeviceFault, DeviceTimeout
from rewardware.sw.device.open import open_device
from rewardware.sw.reference.fixar import FixarReference
from rewardware.sw.systems.fixar.driver import FixarDevice

RATES = Rates.of(learning_rate_actor=1e-3, noise=0.3)


def configuration(name):
    """A preset; ``turns`` is one whose lanes are time-multiplexed."""
    if name == "turns":
        return dataclasses.replace(load_preset("tiny"), name=name, lane_interval=3, pipelined=True)
    return load_preset(name)


@pytest.fixture(scope="module", params=["tiny", "turns", "small"])
def config(request):
    return configuration(request.param)


def batch_of(networks, size, rng, spread=1.0):
    """Random transitions; a large ``spread`` reaches the ends of the number format."""

    def normal(*shape):
        return np.clip(rng.normal(scale=spread, size=shape), -2000, 2000)

    return SimpleNamespace(
        observations=normal(size, networks.observation_size),
        actions=rng.uniform(-1, 1, (size, networks.action_size)),
        rewards=normal(size),
        next_observations=normal(size, networks.observation_size),
        discounts=0.99 * (rng.random(size) < 0.8),
    )


def random_state(reference, rng, magnitude):
    """The reference's state with random weights up to ``magnitude`` words."""
    state = reference.save()
    for name, words in state.items():
        kind, *rest = name.split("/")
        if kind == "weight":
            fresh = rng.integers(-magnitude, magnitude, words.shape).astype(words.dtype)
            if rest[0].endswith("actor") and rest[1:] == ["0", "matrix"]:
                fresh[:, : reference.networks.action_size] = 0
            state[name] = fresh
    return state


def differences(reference, device):
    """Names of what is not equal, with the first differing element of each."""
    expected, got = reference.save(), device.save()
    assert expected.keys() == got.keys()
    found = []
    for name in expected:
        one, other = np.asarray(expected[name]), np.asarray(got[name])
        if not np.array_equal(one, other):
            index = tuple(np.argwhere(np.atleast_1d(one != other))[0])
            found.append(
                f"{name}{list(index)}: {np.atleast_1d(one)[index]} expected, got {np.atleast_1d(other)[index]}"
            )
    return found


def pair(config, networks, rng, *, magnitude=1 << 23, stall=0.0, seed=0):
    """A reference and a device in the same random state."""
    reference = FixarReference(config, networks, RATES, seed=11)
    device = FixarDevice(open_device("sim", config, stall=stall, seed=seed), config, networks, RATES, seed=11)
    state = random_state(reference, rng, magnitude)
    reference.load(state)
    device.load(state)
    return reference, device


NETWORKS = [
    Networks(observation_size=5, action_size=2, hidden_sizes=(21, 17)),
    Networks(observation_size=3, action_size=1, hidden_sizes=(30,)),
    Networks(observation_size=4, action_size=7, hidden_sizes=(13, 20, 7)),
    Networks(observation_size=1, action_size=1, hidden_sizes=(1, 1)),
]
BATCHES = [(1, 2), (7, 36), (41,), (64, 3)]


@pytest.mark.parametrize(("networks", "sizes"), list(zip(NETWORKS, BATCHES, strict=True)))
@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_jobs_equal_reference(config, networks, sizes, stall):
    """Acting and training before and after the quantisation delay, stalls on the streams or not."""
    rng = np.random.default_rng(len(sizes) + networks.input_size)
    reference, device = pair(config, networks, rng, stall=stall, seed=networks.input_size)
    with device.device:
        for bits in (None, 16, 9):
            if bits:
                reference.freeze(bits)
                device.freeze(bits)
            for count, noise in ((1, False), (1, True), (5, True)):
                observations = rng.normal(size=(count, networks.observation_size))
                assert np.array_equal(reference.act(observations, noise), device.act(observations, noise))
            for size in sizes:
                batch = batch_of(networks, size, rng)
                assert np.array_equal(reference.train(batch), device.train(batch))
                assert not differences(reference, device)


def test_saturating_values_equal_reference(config):
    """Weights, rewards and observations at the ends of their formats: everything clamps, and is counted the same."""
    rng = np.random.default_rng(5)
    networks = NETWORKS[0]
    reference, device = pair(config, networks, rng, magnitude=(1 << 31) - 1)
    with device.device:
        for bits in (None, 16):
            if bits:
                reference.freeze(bits)
                device.freeze(bits)
            for _ in range(2):
                batch = batch_of(networks, 23, rng, spread=1000)
                assert np.array_equal(reference.train(batch), device.train(batch))
                assert not differences(reference, device)
        counters = device.counters()
        assert counters == reference.counters()
        assert counters["result_saturations"] > 0
        assert counters["gradient_saturations"] > 0


def test_values_outside_frozen_range_are_counted(config):
    rng = np.random.default_rng(6)
    networks = NETWORKS[0]
    reference, device = pair(config, networks, rng)
    with device.device:
        for job in (reference, device):
            job.train(batch_of(networks, 8, np.random.default_rng(1)))
            job.freeze(12)
        wide = batch_of(networks, 20, rng, spread=30)
        assert np.array_equal(reference.train(wide), device.train(wide))
        assert not differences(reference, device)
        assert device.counters()["code_saturations"] == reference.counters()["code_saturations"] > 0


def test_state_survives_device(config):
    """A device loads the state that another one saved, and goes on with the same bits."""
    rng = np.random.default_rng(7)
    networks = NETWORKS[0]
    reference, device = pair(config, networks, rng)
    with device.device:
        reference.train(batch := batch_of(networks, 9, rng))
        device.train(batch)
        reference.freeze(14)
        device.freeze(14)
        state = device.save()
    other = FixarDevice(open_device("sim", config), config, networks, RATES)
    with other.device:
        other.load(state)
        assert not differences(reference, other)
        batch = batch_of(networks, 9, rng)
        assert np.array_equal(reference.train(batch), other.train(batch))
        assert not differences(reference, other)


class TestBadInput:
    """Each leaves a clear error and a device that goes on after a soft reset, in the state it had."""

    @pytest.fixture
    def jobs(self):
        rng = np.random.default_rng(8)
        networks = NETWORKS[0]
        reference, device = pair(configuration("tiny"), networks, rng)
        with device.device:
            yield SimpleNamespace(reference=reference, device=device, networks=networks, rng=rng)

    def recovers(self, jobs):
        jobs.device.device.soft_reset()
        assert not differences(jobs.reference, jobs.device)
        batch = batch_of(jobs.networks, 11, jobs.rng)
        assert np.array_equal(jobs.reference.train(batch), jobs.device.train(batch))
        assert not differences(jobs.reference, jobs.device)

    def packets(self, jobs):
        program = jobs.device.compiler.act(1)
        observations = np.zeros((1, jobs.networks.observation_size), np.int64)
        return jobs.device.place(program), program.pack(observations)

    def test_truncated_packet(self, jobs):
        address, (packet,) = self.packets(jobs)
        jobs.device.device.send(packet[:-1])
        with pytest.raises(DeviceFault, match="stream_underflow"):
            jobs.device.device.run(address, cycle_limit=10_000)
        self.recovers(jobs)

    def test_packet_too_long(self, jobs):
        address, (packet,) = self.packets(jobs)
        jobs.device.device.send(np.concatenate([packet, packet[:1]]))
        with pytest.raises(DeviceFault, match="stream_overflow"):
            jobs.device.device.run(address, cycle_limit=10_000)
        self.recovers(jobs)

    def test_missing_packet(self, jobs):
        address, _ = self.packets(jobs)
        with pytest.raises(DeviceTimeout, match="10000 cycles"):
            jobs.device.device.run(address, cycle_limit=10_000)
        self.recovers(jobs)

    def test_bad_instruction(self, jobs):
        jobs.device.addresses.clear()
        jobs.device.free_address = 0
        jobs.device.device.load_program([0x7], 100)
        with pytest.raises(DeviceFault, match="bad_instruction"):
            jobs.device.device.run(100, cycle_limit=10_000)
        self.recovers(jobs)

    @pytest.mark.parametrize(
        "fields",
        [
            {"name": "load", "memory": 0, "base": 0, "count": 4 * 204 + 1, "lanes": 6},
            {"name": "store", "memory": 6, "base": 1080, "count": 1},
            {"name": "adam", "network": 0, "base": 200, "count": 5},
        ],
    )
    def test_address_out_of_range(self, jobs, fields):
        config = configuration("tiny")
        words = [config.instruction_set.encode(fields.pop("name"), **fields), config.instruction_set.encode("halt")]
        jobs.device.addresses.clear()
        jobs.device.free_address = 0
        jobs.device.device.load_program(words, 100)
        with pytest.raises(DeviceFault, match="address_out_of_range"):
            jobs.device.device.run(100, cycle_limit=10_000)
        jobs.device.device.soft_reset()
        assert jobs.device.device.run(101, cycle_limit=10_000).errors == ()


def test_paper_configuration_equals_reference():
    """One step of the paper's configuration in both precisions, HalfCheetah's sizes, every bit."""
    networks = Networks(observation_size=17, action_size=6)
    rng = np.random.default_rng(9)
    reference, device = pair(configuration("paper"), networks, rng, magnitude=1 << 19)
    with device.device:
        for bits in (None, 16):
            if bits:
                reference.freeze(bits)
                device.freeze(bits)
            batch = batch_of(networks, 75, rng)
            assert np.array_equal(reference.train(batch), device.train(batch))
            assert not differences(reference, device)


def test_board_configuration_equals_reference():
    """One step of the ULX3S's configuration, every bit; its registers cost some cycles, at most 3 %."""
    networks = Networks(observation_size=3, action_size=1, hidden_sizes=(48, 32))
    cycles = []
    for pipelined in (False, True):
        rng = np.random.default_rng(10)
        config = dataclasses.replace(configuration("ulx3s"), pipelined=pipelined)
        reference, device = pair(config, networks, rng)
        with device.device:
            batch = batch_of(networks, 64, rng)
            assert np.array_equal(reference.train(batch), device.train(batch))
            cycles.append(device.report.cycles)
            assert not differences(reference, device)
    assert 100 * cycles[0] < 100 * cycles[1] <= 103 * cycles[0]
