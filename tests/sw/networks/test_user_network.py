"""Networks of the user's: those that backends compute, and clear refusals of the others."""

import numpy as np
import pytest
import torch
from torch import nn

from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.networks.user_network import perceptron_layers
from rewardware.sw.systems.pearl.ddpg import DDPG
from rewardware.sw.systems.pearl.dqn import DQN

CONFIG = DQNConfig(double_q=False, max_grad_norm=float("inf"), learning_starts=8, train_freq=4, batch_size=5)


def network(hidden=(5, 3), inputs=4, outputs=2):
    torch.manual_seed(3)
    sizes = (inputs, *hidden, outputs)
    layers = [
        part for one, other in zip(sizes[:-1], sizes[1:], strict=True) for part in (nn.Linear(one, other), nn.ReLU())
    ]
    return nn.Sequential(nn.Sequential(*layers[:2]), *layers[2:-1])


def test_layers_are_those_of_the_network():
    found = network()
    layers = perceptron_layers(found)
    assert [weight.shape for weight, _ in layers] == [(5, 4), (3, 5), (2, 3)]
    values = np.random.default_rng(0).normal(size=(7, 4)).astype(np.float32)
    told = values
    for place, (weight, bias) in enumerate(layers):
        told = told @ weight.T + bias
        told = told if place == 2 else told.clip(0)
    assert np.allclose(told, found(torch.from_numpy(values)).detach().numpy(), atol=1e-6)


@pytest.mark.parametrize("learner", [None, "small"])
def test_an_agent_begins_with_it_and_leaves_it_alone(learner):
    own = network()
    before = {name: value.clone() for name, value in own.state_dict().items()}
    observations = np.random.default_rng(1).normal(size=(20, 4)).astype(np.float32)
    told = own(torch.from_numpy(observations)).detach().numpy()
    with DQN("CartPole-v1", CONFIG, network=own, hardware="small", learner=learner) as agent:
        assert agent.config.hidden_sizes == (5, 3)
        assert np.allclose(agent.learner.values(observations), told, atol=1e-5)
        agent.learn(20)
        assert not np.allclose(agent.learner.values(observations), told, atol=1e-5)
    assert all(torch.equal(before[name], value) for name, value in own.state_dict().items())


class Own(nn.Module):
    def forward(self, values):
        return values


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Own(), "Layer 0 of the network must be Linear, not Own, as Linear and ReLU take turns"),
        (nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2)), "Layer 1 of the network must be ReLU, not Tanh"),
        (nn.Sequential(nn.Linear(4, 2)), "must end with Linear and have a hidden layer, not be 1 layers"),
        (nn.Sequential(nn.Linear(4, 5), nn.ReLU()), "must end with Linear and have a hidden layer, not be 2 layers"),
        (nn.Sequential(nn.Linear(4, 5, bias=False), nn.ReLU(), nn.Linear(5, 2)), "Layer 0 .* must have a bias"),
        (nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(6, 2)), "Layer 2 .* takes 6 values, and 5 come"),
        (network(inputs=3), "must take the 4 elements of an observation and give 2 values, one an action, not take 3"),
        (network(outputs=3), "not take 4 and give 3"),
    ],
)  # fmt: skip
def test_what_a_learner_in_hardware_does_not_compute_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        DQN("CartPole-v1", CONFIG, network=given, hardware="small", learner="small")


def test_a_weight_that_is_no_number_is_refused():
    given = network()
    with torch.no_grad():
        given[1].weight[0, 0] = torch.nan
    with pytest.raises(ValueError, match="Layer 2 of the network has a weight that is not finite"):
        perceptron_layers(given)
    with pytest.raises(TypeError, match=r"must be a torch\.nn\.Module, not dict"):
        perceptron_layers({})


def test_where_there_is_no_such_parameter_it_is_refused():
    with pytest.raises(TypeError, match="network"):
        DDPG("Pendulum-v1", network=network())
