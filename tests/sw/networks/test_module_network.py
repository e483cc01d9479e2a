"""Modules of the user's that are no perceptrons: steps of autograd and Adam, agents that learn, refusals."""

import dataclasses

import numpy as np
import pytest
import torch
from torch import nn

from rewardware.sw.algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.checkpoint import CheckpointError
from rewardware.sw.networks.module_network import ModuleNetwork, require_module
from rewardware.sw.networks.network import Network
from rewardware.sw.networks.torch_networks import save_modules
from rewardware.sw.networks.user_network import perceptron_layers
from rewardware.sw.systems.pearl.ddpg import DDPG
from rewardware.sw.systems.pearl.dqn import DQN
from rewardware.sw.systems.pearl.sac import SAC

SETTINGS = {"learning_starts": 8, "train_freq": 2, "batch_size": 5, "gradient_steps": 1}
DQN_CONFIG, DDPG_CONFIG = DQNConfig(**SETTINGS), PrioritizedDDPGConfig(**SETTINGS)
SAC_CONFIG = PrioritizedSACConfig(**SETTINGS)
ENVIRONMENT = {DQN: "CartPole-v1", DDPG: "Pendulum-v1", SAC: "Pendulum-v1"}
CONFIG = {DQN: DQN_CONFIG, DDPG: DDPG_CONFIG, SAC: SAC_CONFIG}


class Residual(nn.Module):
    """Layers with a way around them, and one that no output depends on."""

    def __init__(self, inputs, outputs, seed=0):
        super().__init__()
        torch.manual_seed(seed)
        self.first, self.inner, self.last = nn.Linear(inputs, 7), nn.Linear(7, 7), nn.Linear(7, outputs, bias=False)
        self.norm, self.unused = nn.LayerNorm(7), nn.Linear(2, 2)

    def forward(self, values):
        values = torch.tanh(self.first(values))
        return self.last(self.norm(values + torch.nn.functional.gelu(self.inner(values))))


def own(kind):
    """Networks of an agent, by parameter."""
    if kind is DQN:
        return {"network": Residual(4, 2)}
    if kind is DDPG:
        return {"actor": Residual(3, 1), "critic": Residual(4, 1, 1)}
    return {"actor": Residual(3, 2), "critics": (Residual(4, 1, 1), Residual(4, 1, 2))}


def make(kind, **settings):
    return kind(ENVIRONMENT[kind], CONFIG[kind], **own(kind), hardware="small", **settings)


def values(rows, size, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=(rows, size)).astype(np.float32))


# Autograd needs what comes out of the second one, so that nobody may change it.
@pytest.mark.parametrize(
    "module", [Residual(4, 3), nn.Sequential(nn.Linear(4, 3), nn.Tanh())], ids=["residual", "tanh"]
)
def test_steps_are_those_of_autograd_and_adam(module):
    network = ModuleNetwork(module, 0.01)
    optimizer = torch.optim.Adam(module.parameters(), 0.01, fused=True)
    for step in range(4):
        inputs, targets = values(6, 4, step), values(6, 3, 10 + step)
        found, way = network(inputs[:, :1], inputs[:, 1:])
        expected = module(inputs)
        assert torch.allclose(found, expected, atol=1e-5)
        # The caller may change the outputs in place, as the actors' learners do.
        found.sub_(targets)
        network.learn(way, found)
        optimizer.zero_grad()
        (expected - targets).square().sum().div(2).backward()
        for parameter in module.parameters():
            parameter.grad = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        optimizer.step()
        for one, other in zip(network.parameters, module.parameters(), strict=True):
            assert torch.allclose(one, other, atol=1e-5)


def test_the_derivative_by_inputs_leaves_gradients_alone():
    module, inputs = Residual(4, 3), values(6, 4)
    network = ModuleNetwork(module, 0.01)
    _, way = network(inputs)
    found = network.input_derivative(way, torch.ones(6, 3))
    inputs.requires_grad_()
    module(inputs).sum().backward()
    assert torch.equal(found, inputs.grad) and all(parameter.grad is None for parameter in network.parameters)


def test_a_perceptron_learns_the_same_either_way():
    """Both have the same members: a perceptron as a module learns what it does by itself."""
    torch.manual_seed(2)
    module = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2))
    pair = Network(perceptron_layers(module), 0.02), ModuleNetwork(module, 0.02)
    followers = [network.copy() for network in pair]
    for step in range(5):
        ways = [network(values(4, 3, step)) for network in pair]
        assert torch.allclose(ways[0][0], ways[1][0], atol=1e-6)
        slopes = values(4, 2, 20 + step)
        derivatives = [network.input_derivative(network(values(4, 3, step))[1], slopes) for network in pair]
        assert torch.allclose(*derivatives, atol=1e-6)
        for network, follower, (_, way) in zip(pair, followers, ways, strict=True):
            network.learn(way, slopes.clone())
            follower.follow(network, 0.3)
        for one, other in ((pair[0], pair[1]), followers):
            pairs = zip(one.parameters, other.parameters, strict=True)
            assert all(torch.allclose(*each, atol=1e-5) for each in pairs)


@pytest.mark.parametrize("kind", [DQN, DDPG, SAC])
def test_agents_learn_with_modules_and_go_on_from_checkpoints(kind, tmp_path):
    with make(kind) as whole, make(kind) as begun:
        before = whole.learner.save()
        assert whole.pool is None
        whole.learn(30)
        begun.learn(17)
        begun.save(tmp_path / "begun.zip")
        after = whole.learner.save()
        assert any((array != before[name]).any() for name, array in after.items() if ".inner." in name)
        # No output depends on it.
        assert not any((array != before[name]).any() for name, array in after.items() if ".unused." in name)
        observation = whole.environment.observation
        assert np.array_equal(whole.predict(observation)[0], whole.predict(observation)[0])
        with kind.load(tmp_path / "begun.zip", **own(kind)) as resumed:
            resumed.learn(13)
            one, other = whole.learner.save(), resumed.learner.save()
            assert one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("kind", [DQN, DDPG, SAC])
def test_checkpoints_need_modules_like_theirs(kind, tmp_path, capsys):
    path = tmp_path / "checkpoint.zip"
    with make(kind) as agent:
        agent.save(path)
    first = next(iter(own(kind)))
    with pytest.raises(CheckpointError, match=rf"modules of the user's own alone: .* to load \({first}=\.\.\."):
        kind.load(path)
    other = {name: Residual(9, 1) if name != "critics" else (Residual(4, 1), Residual(4, 1)) for name in own(kind)}
    with pytest.raises(ValueError, match="does not take values of shape"):
        kind.load(path, **other)
    smaller = nn.Sequential(nn.Linear(4 if kind is DQN else 3, 1 if kind is DDPG else 2))
    with pytest.raises(CheckpointError, match=r"does not fit this network: Missing key\(s\) in state_dict"):
        kind.load(path, **own(kind) | {first: smaller})
    assert dispatch(["eval", str(path.parent), "--episodes", "1"]) == 2
    assert "modules of the user's own alone" in capsys.readouterr().err


def test_what_computes_perceptrons_alone_refuses_modules():
    with pytest.raises(ValueError, match="the network must be Linear, not Residual, .* the learner in hardware"):
        make(DQN, learner="small")
    for kind in (DDPG, SAC):
        with pytest.raises(ValueError, match="the actor must be Linear, not Residual, .*: actors have"):
            make(kind, actors=1)


def test_what_stands_behind_an_actor_is_not_computed_twice():
    torch.manual_seed(0)
    actor = nn.Sequential(nn.Linear(3, 4), nn.SiLU(), nn.Linear(4, 1), nn.Tanh())
    with DDPG("Pendulum-v1", DDPG_CONFIG, actor=actor, hardware="small") as agent:
        told = actor(values(5, 3)).detach().numpy()
        assert np.allclose(agent.learner.act(values(5, 3).numpy()), told, atol=1e-6)


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (nn.Flatten(), "must have parameters to learn, and Flatten has none"),
        (nn.Linear(4, 2).double(), "Parameter weight of the network must be float32 .*, not float64 on cpu"),
        (nn.Sequential(nn.Linear(4, 2), nn.Dropout(0.1)), "Layer 1 of the network, Dropout, draws or keeps averages"),
        (nn.Sequential(nn.Linear(4, 2), nn.BatchNorm1d(2)), "Layer 1 of the network, BatchNorm1d, draws or keeps"),
        (nn.Linear(4, 3), r"must make \(2, 2\) of values of shape \(2, 4\), not \(2, 3\)"),
        (nn.GRU(4, 2), r"must make \(2, 2\) of values of shape \(2, 4\), not tuple"),
        (nn.Linear(5, 2), r"does not take values of shape \(2, 4\): RuntimeError: mat1 and mat2"),
    ],
)  # fmt: skip
def test_modules_that_do_not_learn_are_refused(module, words):
    with pytest.raises(ValueError, match=words):
        require_module(module, "network", 4, 2)
    with pytest.raises(ValueError, match=words):
        DQN("CartPole-v1", network=module)


def test_a_parameter_that_is_no_number_is_refused():
    module = Residual(4, 2)
    with torch.no_grad():
        module.norm.bias[3] = torch.inf
    with pytest.raises(ValueError, match="Parameter norm.bias of the network has a number that is not finite"):
        DQN("CartPole-v1", network=module)


def test_modules_of_a_checkpoint_are_input(tmp_path):
    with DQN("CartPole-v1", dataclasses.replace(DQN_CONFIG), hardware="small") as agent:
        agent.modules = ["transport"]
        agent.save(tmp_path / "one.zip")
    with pytest.raises(CheckpointError, match=r"modules must be some of .*, critics, not \['transport'\]"):
        DQN.load(tmp_path / "one.zip")


class OnAnotherDevice:
    """A tensor that NumPy cannot read where it is, as those of a GPU."""

    def __init__(self, tensor):
        self.tensor = tensor

    def cpu(self):
        return self.tensor

    def numpy(self):
        raise TypeError("can't convert device type tensor to numpy")


def test_what_is_on_another_device_is_saved():
    module = nn.Linear(2, 1)
    expected = save_modules({"net": module})

    class Elsewhere(nn.Linear):
        def state_dict(self):
            return {name: OnAnotherDevice(tensor) for name, tensor in module.state_dict().items()}

    saved = save_modules({"net": Elsewhere(2, 1)})
    assert {name: array.tobytes() for name, array in saved.items()} == {
        name: array.tobytes() for name, array in expected.items()
    }
