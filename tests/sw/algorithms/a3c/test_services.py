"""Reference and PyTorch serve the same agents: answers, updates, going on with what the other left."""

import numpy as np
import pytest

from rewardware.sw.algorithms.a3c.service import AgentRequest, rates_of
from tests.sw.algorithms.a3c.requests import CONFIG, KINDS, SHAPE, make, play

OBSERVATION = np.arange(5, dtype=np.float32)


def assert_near(one, other, **tolerance):
    assert one.keys() == other.keys()
    for name, values in one.items():
        assert values.dtype == other[name].dtype == np.float32
        np.testing.assert_allclose(values, other[name], err_msg=name, **tolerance)


def test_both_answer_alike_over_many_updates():
    services = [make("reference"), make("torch")]
    first = services[0].parameters()
    reference, torch = play(services, np.random.default_rng(1), 30)
    assert [answer.trained for answer in reference] == [answer.trained for answer in torch]
    for one, other in zip(reference, torch, strict=True):
        assert one.agent == other.agent and one.trained == (one.value is None) == (one.probabilities is None)
        if one.trained:
            assert one.report == pytest.approx(other.report, rel=1e-3, abs=1e-4)
        else:
            assert one.probabilities.dtype == other.probabilities.dtype == np.float32
            assert one.probabilities.shape == (3,) and sum(one.probabilities) == pytest.approx(1, abs=1e-6)
            # After 90 updates; an update's rounding errors are some 1e-7 of its numbers.
            np.testing.assert_allclose(one.probabilities, other.probabilities, rtol=1e-3, atol=1e-4)
            assert one.value == pytest.approx(other.value, rel=1e-3, abs=1e-4)
    assert_near(services[0].save(), services[1].save(), rtol=2e-3, atol=2e-4)
    changed = [np.abs(values - first[name]).max() for name, values in services[0].parameters().items()]
    assert min(changed) > 1e-2


@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_infers_with_its_own_copy(kind):
    service = make(kind)
    requests = [AgentRequest(agent=agent, observation=OBSERVATION) for agent in range(3)]
    before = service.serve(requests)
    trained = service.serve([AgentRequest(agent=1, action=2, reward=1.0, train=True)])
    assert trained[0].trained and trained[0].probabilities is None
    after = service.serve(requests[:2])
    assert np.array_equal(after[0].probabilities, before[0].probabilities) and after[0].value == before[0].value
    assert not np.array_equal(after[1].probabilities, before[1].probabilities)
    state, parameters = service.save(), service.parameters()
    for name, values in parameters.items():
        assert np.array_equal(values, state[f"agent1.{name}"]) and not np.array_equal(values, state[f"agent2.{name}"])
    service.set_parameters({name: np.full_like(values, 0.5) for name, values in parameters.items()})
    assert all((values == 0.5).all() for name, values in service.save().items() if not name.startswith("square."))


@pytest.mark.parametrize("kind", KINDS)
def test_a_rollout_that_is_forgotten_is_as_if_it_had_not_been(kind):
    one, other = make(kind), make(kind)
    one.serve([AgentRequest(agent=0, observation=OBSERVATION)])
    one.serve([AgentRequest(agent=0, action=1, reward=5.0, observation=-OBSERVATION)])
    rollout = [
        AgentRequest(agent=0, forget=True, observation=OBSERVATION + 1),
        AgentRequest(agent=0, action=0, reward=2.0, observation=OBSERVATION + 2, train=True),
    ]
    for service in (one, other):
        for request in rollout:
            service.serve([request])
    assert all(np.array_equal(values, other.save()[name]) for name, values in one.save().items())


@pytest.mark.parametrize("saved", KINDS)
@pytest.mark.parametrize("loaded", KINDS)
def test_each_goes_on_with_what_the_other_left(saved, loaded):
    one, other = make(saved), make(loaded, seed=9)
    play([one], np.random.default_rng(2), 5)
    state = one.save()
    # Half a rollout, which is forgotten.
    other.serve([AgentRequest(agent=0, observation=OBSERVATION)])
    other.load(state)
    assert all(np.array_equal(values, other.save()[name]) for name, values in state.items())
    told = play([one, other], np.random.default_rng(3), 5)
    if saved == loaded:
        assert all(np.array_equal(values, other.save()[name]) for name, values in one.save().items())
    assert_near(one.save(), other.save(), rtol=1e-3, atol=1e-4)
    assert len(told[0]) == len(told[1])
    del state["agent2.layer1.bias"]
    with pytest.raises(KeyError, match=r"agent2\.layer1\.bias"):
        other.load(state)


@pytest.mark.parametrize("kind", KINDS)
def test_rates_are_those_of_the_requests_behind_them(kind):
    service = make(kind)
    before = service.parameters()
    service.set_rates(rates_of(CONFIG.__class__(**{**CONFIG.to_mapping(), "anneal_steps": 10}), steps=10))
    play([service], np.random.default_rng(4), 2)
    assert all(np.array_equal(values, before[name]) for name, values in service.parameters().items())
    service.set_rates(rates_of(CONFIG))
    play([service], np.random.default_rng(4), 1)
    assert not all(np.array_equal(values, before[name]) for name, values in service.parameters().items())


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_served_is_refused(kind):
    service = make(kind)
    with pytest.raises(ValueError, match="A request of agent 1 must have an observation, or train it"):
        service.serve([AgentRequest(agent=1)])
    for _ in range(5):
        service.serve([AgentRequest(agent=0, observation=OBSERVATION)])
    with pytest.raises(ValueError, match="Agent 0 must be trained: it has 5 observations"):
        service.serve([AgentRequest(agent=0, observation=OBSERVATION)])
    parameters = service.parameters()
    with pytest.raises(ValueError, match=r"Parameter layer1.weight must have shape \(7, 5\), not \(5, 7\)"):
        service.set_parameters({**parameters, "layer1.weight": parameters["layer1.weight"].T})
    with pytest.raises(ValueError, match=r"Parameter layer4.bias must have shape None, not \(2,\)"):
        service.set_parameters({**parameters, "layer4.bias": np.zeros(2)})


def test_first_parameters_are_within_their_layers_bounds():
    found = SHAPE.initial_parameters(np.random.default_rng(0))
    assert {name: values.shape for name, values in found.items()} == SHAPE.parameter_shapes
    assert SHAPE.parameter_shapes["layer3.weight"] == (4, 6)
    for name, values in found.items():
        limit = {"1": 5, "2": 7, "3": 6}[name[5]] ** -0.5
        assert limit / 3 < np.abs(values).max() <= limit
