"""A3C's learner: rollouts and their ends, environments that are lost, asynchronous runs done again bit for bit."""

import os
import signal
from fractions import Fraction

import numpy as np
import pytest

from rewardware.sw.actors.environment_processes import EnvironmentProcesses
from rewardware.sw.actors.in_process_environments import InProcessEnvironments
from rewardware.sw.algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from rewardware.sw.algorithms.a3c.a3c_learner import A3CLearner
from rewardware.sw.algorithms.a3c.a3c_shape import A3CShape
from rewardware.sw.algorithms.a3c.reference_service import ReferenceAgentsService
from rewardware.sw.algorithms.a3c.torch_service import TorchAgentsService
from rewardware.sw.core.environments.environment import DiscreteEnvironment
from tests.sw.actors.cut import Cut
from tests.sw.algorithms.counting import Counting

CONFIG = A3CHyperParameters(agents=3, hidden_sizes=(6, 5), rollout_steps=3, learning_rate=0.01, anneal_steps=500)
SHAPE = A3CShape(observation_size=2, actions=3, hidden_sizes=(6, 5))
SERVICES = {"reference": ReferenceAgentsService, "torch": TorchAgentsService}


class Listening(ReferenceAgentsService):
    """Keeps what it was asked."""

    def serve(self, requests):
        self.heard = [*getattr(self, "heard", []), *requests]
        return super().serve(requests)


class Backwards(ReferenceAgentsService):
    """Is ready with the last first, as a device may be."""

    def serve(self, requests):
        return super().serve(requests[::-1])


def learner(environment=Cut, kind=InProcessEnvironments, service=ReferenceAgentsService, config=CONFIG):
    environments = kind(environment, DiscreteEnvironment, config.agents, config.seed)
    return A3CLearner(SHAPE, config, service, environments)


def go(one, steps):
    records = []
    while one.steps < steps:
        records += one.round()
    return records


def assert_same(one, other):
    (arrays, rest), (others, about) = one.state(), other.state()
    assert rest == about and arrays.keys() == others.keys()
    for mine, yours in ((arrays, others), (one.save(), other.save())):
        for name, values in mine.items():
            assert np.array_equal(values, yours[name]), name


def test_rollouts_end_behind_their_steps_and_with_episodes():
    """Requests of every agent, step by step."""
    one = learner(service=Listening)
    records = go(one, 300)
    assert [record["step"] for record in records] == list(range(1, len(records) + 1))
    kinds = set()
    for agent in range(3):
        steps, sought = 0, None
        heard = [request for request in one.service.heard if request.agent == agent]
        for request, following in zip(heard, heard[1:], strict=False):
            assert not request.forget and (request.action is None) == (steps == 0 and not request.train)
            if request.action is None:
                # A rollout begins, where the one before was cut or with an episode.
                assert sought is None or np.array_equal(request.observation, sought)
                steps = 1
                continue
            if request.train:
                ended = request.observation is None
                cut = not ended and request.observation[1] == Cut.LIMIT
                assert (ended or cut or steps == 3) and steps <= 3
                kinds.add("ended" if ended else "cut" if cut else "full")
                begins = following.observation[1] == 0
                assert begins == (ended or cut)
                sought = None if ended or cut else request.observation
                steps = 0
            else:
                steps += 1
    assert kinds == {"ended", "cut", "full"}
    returns = [(record["return"], record["length"]) for record in records if "return" in record]
    assert returns and all(told == length * (length + 1) / 2 for told, length in returns)
    assert one.updates == sum(request.train for request in one.service.heard)
    assert {"entropy", "value", "advantage", "learning_rate"} <= one.statistics().keys()
    # The binary32 number next to it.
    exact = Fraction(1, 100) * Fraction(500 - one.steps, 500)
    assert np.float32(one.statistics()["learning_rate"]) == np.float32(float(exact))


def test_rewards_are_scaled_then_clipped_for_learning_and_told_as_they_are():
    config = A3CHyperParameters(**{**CONFIG.to_mapping(), "reward_scale": 0.75, "reward_limit": 2.0})
    one = learner(service=Listening, config=config)
    records = go(one, 120)
    heard = [request for request in one.service.heard if request.action is not None]
    told = [record["reward"] for record in records]
    assert [request.reward for request in heard] == [min(0.75 * reward, 2.0) for reward in told]
    assert min(told) < 2 and max(told) > 3
    returns = [(record["return"], record["length"]) for record in records if "return" in record]
    assert returns and all(found == length * (length + 1) / 2 for found, length in returns)


@pytest.mark.parametrize("service", SERVICES.values())
def test_same_seed_same_bits_and_a_state_goes_on(service):
    # Scaled once: rollouts under way are asked for again with what is learned from.
    config = A3CHyperParameters(**{**CONFIG.to_mapping(), "reward_scale": 0.5})
    whole, part, resumed = (learner(service=service, config=config) for _ in range(3))
    expected = go(whole, 240)
    begun = go(part, 103)
    arrays, rest = part.state()
    # A reward that counts is under way.
    assert any(len(agent["rewards"]) > 0 and len(agent["actions"]) > 1 for agent in rest["agents"])
    resumed.load(part.save())
    resumed.restore(arrays, rest)
    resumed.environments.restore(*part.environments.state())
    assert begun + go(resumed, 240) == expected
    assert_same(whole, resumed)
    other = learner(service=service, config=A3CHyperParameters(**{**config.to_mapping(), "seed": 1}))
    assert go(other, 240) != expected


@pytest.mark.parametrize("service", [ReferenceAgentsService, Backwards])
def test_an_asynchronous_run_is_done_again_bit_for_bit(service):
    one = learner(kind=EnvironmentProcesses, service=service)
    try:
        go(one, 60)
        os.kill(one.environments.process_ids[1], signal.SIGKILL)
        go(one, 200)
        assert one.environments.restarts == 1
        # A checkpoint in between changes nothing.
        arrays, rest = one.environments.state()
        go(one, 260)
        again = learner()
        again.replay(one.order)
        assert_same(one, again)
        assert again.environments.restarts == 1 and again.dropped == one.dropped
    finally:
        one.close()


def test_of_a_lost_environment_nothing_is_counted_twice():
    one = learner(Counting, service=Listening)
    go(one, 50)
    steps, half = one.steps, len(one._agents[1].rewards)
    while not half:
        one.round()
        steps, half = one.steps, len(one._agents[1].rewards)
    one.environments.lose(1)
    one.service.heard.clear()
    records = one.round()
    (request,) = [request for request in one.service.heard if request.agent == 1]
    assert request.forget and request.action is None and request.observation[1] == 0 and not request.train
    assert one.dropped == half and len(records) == one.steps - steps
    go(one, 200)
    assert one.counters() == {"updates": one.updates, "restarts": 1, "dropped": half}


def test_divergence_is_told():
    one = learner()
    go(one, 20)
    one.service.set_parameters({name: values * np.float32(np.nan) for name, values in one.service.parameters().items()})
    with pytest.raises(FloatingPointError, match=r"agent . after \d+ updates must be finite, not \[nan"):
        go(one, 60)
