"""A3C's agents on the RTL: lockstep with the reference, what a checkpoint needs, what a device is not for."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.soc.presets import read_preset
from rewardware.sw.algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from rewardware.sw.algorithms.a3c.a3c_shape import A3CShape
from rewardware.sw.algorithms.a3c.service import AgentRequest, rates_of
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.device.errors import DeviceFault
from rewardware.sw.systems.a3c.backends import service_on
from rewardware.sw.systems.a3c.device_service import require_suitable

HARDWARE = read_preset("small", "a3c").hardware
SHAPE = A3CShape(observation_size=4, actions=2, hidden_sizes=(10, 7))
CONFIG = A3CHyperParameters(agents=3, hidden_sizes=(10, 7), learning_rate=0.01, rms_prop_epsilon=1e-3)


class Play:
    """Agents whose environments are random numbers: the next request of each."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        # Whoever played before may have left agents in the middle of rollouts.
        self.steps, self.known = [None] * CONFIG.agents, set()

    def request(self, agent):
        """Request of a rollout that goes on, ends, or is begun anew in its middle."""
        random, steps = self.random, self.steps[agent]
        forget = steps is not None and random.random() < 0.05
        if steps is None or forget:
            self.steps[agent], forget = 0, forget or agent not in self.known
            self.known.add(agent)
            return AgentRequest(agent=agent, forget=forget, observation=self.observation())
        train = steps + 1 == CONFIG.rollout_steps or random.random() < 0.2
        self.steps[agent] = None if train else steps + 1
        seen = None if train and random.random() < 0.5 else self.observation()
        action, reward = int(random.integers(SHAPE.actions)), float(random.normal())
        return AgentRequest(agent=agent, action=action, reward=reward, observation=seen, train=train)

    def observation(self):
        """An agent's observation."""
        return self.random.normal(size=SHAPE.observation_size).astype(np.float32)

    def requests(self):
        """Requests of some agents, in any order."""
        agents = self.random.permutation(CONFIG.agents)[: self.random.integers(1, CONFIG.agents + 1)]
        return [self.request(int(agent)) for agent in agents]


@pytest.fixture(scope="module")
def lockstep():
    parameters = SHAPE.initial_parameters(np.random.default_rng(3))
    service = service_on("lockstep", HARDWARE, stall=0.2, seed=5)(SHAPE, CONFIG, parameters)
    yield service
    service.close()


def test_every_answer_is_the_reference_s(lockstep):
    play = Play(1)
    answers = [answer for _ in range(150) for answer in lockstep.serve(play.requests())]
    trained = [answer.agent for answer in answers if answer.trained]
    assert len(trained) > 20 and trained != sorted(trained)
    lockstep.save()
    counters = lockstep.counters()
    assert counters["lockstep_compared"] == counters["lockstep_equal"] > 4000 and counters["cycles"] > 20_000


def test_it_goes_on_from_what_was_saved(lockstep):
    play = Play(2)
    for _ in range(20):
        lockstep.serve(play.requests())
    saved = lockstep.save()
    # Agents' copies differ, which loading central parameters alone would not give back.
    assert any((saved[name] != saved[name.replace("agent0", "agent1")]).any() for name in saved if "agent0" in name)
    for _ in range(20):
        lockstep.serve(play.requests())
    # In the middle of rollouts, which are forgotten.
    lockstep.load(saved)
    for name, values in lockstep.device.save().items():
        np.testing.assert_array_equal(values, saved[name])
    again = Play(4)
    for _ in range(20):
        lockstep.serve(again.requests())
    lockstep.save()
    # All agents at the same parameters again; rollouts under way are of the old ones, and go on.
    lockstep.set_parameters(SHAPE.initial_parameters(np.random.default_rng(8)))
    lockstep.set_rates(rates_of(dataclasses.replace(CONFIG, learning_rate=0.1, entropy_coefficient=0.5)))
    lockstep.save()


def test_a_wrong_parameter_of_the_device_is_found(lockstep):
    device = lockstep.device
    right = device.parameters()
    wrong = {name: values.copy() for name, values in right.items()}
    wrong["layer3.bias"][-1] += 1
    device.set_parameters(wrong)
    with pytest.raises(LockstepError, match="value"):
        lockstep.serve([AgentRequest(agent=0, forget=True, observation=Play(0).observation())])
    device.set_parameters(right)


def test_a_request_that_is_none_stops_the_device_and_not_for_good(lockstep):
    device = lockstep.device
    with pytest.raises(DeviceFault, match="address_out_of_range"):
        device.serve([AgentRequest(agent=1, forget=True, action=1, reward=0.0, train=True)])
    device.connection.device.soft_reset()
    seen = Play(0).observation()
    requests = [AgentRequest(agent=agent, forget=True, observation=seen) for agent in range(CONFIG.agents)]
    assert len(device.serve(requests)) == CONFIG.agents


@pytest.mark.parametrize(
    ("shape", "config", "words"),
    [
        ({"actions": 3}, {}, "Actions of device small must be those of the network, 3, not 2"),
        ({"hidden_sizes": (10, 8)}, {}, r"Sizes of device small must be those of the network, \(4, 10, 8\), not"),
        ({}, {"agents": 4}, "Agents of device small must be at least 4, not 3"),
        ({}, {"rollout_steps": 6}, "Steps of a rollout of device small must be at least 6, not 5"),
    ],
)
def test_a_device_of_something_else_is_refused(shape, config, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        require_suitable(HARDWARE, dataclasses.replace(SHAPE, **shape), dataclasses.replace(CONFIG, **config))


def test_pytorch_has_no_device():
    with pytest.raises(ValueError, match="^Backend 'torch' has no accelerator: omit it$"):
        service_on("torch", HARDWARE)


def test_a_configuration_comes_back_from_what_a_checkpoint_has_of_it():
    assert type(HARDWARE)(**dataclasses.asdict(HARDWARE)) == HARDWARE
