"""Actors and critics of the user's for DDPG and SAC: their values, what is refused, and checkpoints."""

import gymnasium
import numpy as np
import pytest
import torch
from torch import nn

from rewardware.sw.algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.systems.agents import load_agent
from rewardware.sw.systems.pearl.ddpg import DDPG
from rewardware.sw.systems.pearl.sac import SAC
from tests.sw.core.environments.environments import Drift

SETTINGS = {"learning_starts": 8, "train_freq": 4, "batch_size": 5, "gradient_steps": 1}
DDPG_CONFIG, SAC_CONFIG = PrioritizedDDPGConfig(**SETTINGS), PrioritizedSACConfig(**SETTINGS)
ALONE = {"hardware": "small", "actors": None}
# Pendulum-v1 has three elements of an observation and one of an action.
OBSERVED, ACTIONS = 3, 1


def perceptron(*sizes, last=(), seed=0):
    torch.manual_seed(seed)
    parts = [part for pair in zip(sizes[:-1], sizes[1:], strict=True) for part in (nn.Linear(*pair), nn.ReLU())]
    return nn.Sequential(*parts[:-1], *last)


def inputs(rows=20, seed=1):
    generator = np.random.default_rng(seed)
    observations, actions = (generator.uniform(-1, 1, (rows, size)).astype(np.float32) for size in (OBSERVED, ACTIONS))
    return torch.from_numpy(observations), torch.from_numpy(actions)


def values_of(critic, observations, actions):
    with torch.no_grad():
        return critic(torch.cat((observations, actions), 1))


def state_of(*networks):
    return [value.clone() for network in networks for value in network.state_dict().values()]


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        assert np.array_equal(one[name], other[name]), name


@pytest.mark.parametrize("last", [(), (nn.Tanh(),)], ids=["linear", "tanh"])
def test_ddpg_begins_with_both_and_leaves_them_alone(last):
    actor, critic = perceptron(3, 6, 5, 1, last=last), perceptron(4, 7, 1, seed=1)
    before, (observations, actions) = state_of(actor, critic), inputs()
    with torch.no_grad():
        told = actor(observations) if last else actor(observations).tanh()
    with DDPG("Pendulum-v1", DDPG_CONFIG, actor=actor, critic=critic, **ALONE) as agent:
        assert (agent.config.hidden_sizes, agent.config.critic_sizes) == ((6, 5), (7,))
        learner = agent.learner
        assert np.allclose(learner.act(observations.numpy()), told, atol=1e-6)
        for found in (learner.critics[0], learner.target_critics[0]):
            assert torch.allclose(found(observations, actions)[0], values_of(critic, observations, actions), atol=1e-6)
        assert torch.equal(learner.target_actor.parameters[0], before[0])
        action, _ = agent.predict(observations.numpy()[0])
        assert np.allclose(action, 2 * told[0], atol=1e-6)
        agent.learn(20)
        assert not np.allclose(learner.act(observations.numpy()), told, atol=1e-6)
    assert all(torch.equal(one, other) for one, other in zip(before, state_of(actor, critic), strict=True))


def test_sac_begins_with_all_three_and_leaves_them_alone():
    actor = perceptron(3, 6, 2)
    critics = perceptron(4, 7, 5, 1, seed=1), perceptron(4, 7, 5, 1, seed=2)
    before, (observations, actions) = state_of(actor, *critics), inputs()
    with torch.no_grad():
        told = actor(observations)[:, :1].tanh()
    with SAC("Pendulum-v1", SAC_CONFIG, actor=actor, critics=critics, **ALONE) as agent:
        assert (agent.config.hidden_sizes, agent.config.critic_sizes) == ((6,), (7, 5))
        learner = agent.learner
        assert np.allclose(learner.act(observations.numpy()), told, atol=1e-6)
        for own, found, target in zip(critics, learner.critics, learner.target_critics, strict=True):
            values = values_of(own, observations, actions)
            assert torch.allclose(found(observations, actions)[0], values, atol=1e-6)
            assert torch.allclose(target(observations, actions)[0], values, atol=1e-6)
        agent.learn(20)
        assert not np.allclose(learner.act(observations.numpy()), told, atol=1e-6)
    assert all(torch.equal(one, other) for one, other in zip(before, state_of(actor, *critics), strict=True))


def test_one_alone_leaves_the_others_as_they_are():
    with (
        DDPG("Pendulum-v1", DDPG_CONFIG, **ALONE) as plain,
        DDPG("Pendulum-v1", DDPG_CONFIG, actor=perceptron(3, 6, 1), **ALONE) as agent,
    ):
        assert (agent.config.hidden_sizes, agent.config.critic_sizes) == ((6,), DDPG_CONFIG.hidden_sizes)
        # Only shapes are compared: networks of other sizes draw other numbers.
        assert agent.learner.critics[0].parameters[0].shape == plain.learner.critics[0].parameters[0].shape
    first = DDPG_CONFIG.hidden_sizes
    own = perceptron(3, *first, 1)
    for given in ({"actor": own}, {"critic": perceptron(4, *first, 1)}):
        with (
            DDPG("Pendulum-v1", DDPG_CONFIG, **ALONE) as plain,
            DDPG("Pendulum-v1", DDPG_CONFIG, **given, **ALONE) as agent,
        ):
            other = ("critic_1" if "actor" in given else "actor") + ".0.weight"
            mine = ("actor" if "actor" in given else "critic_1") + ".0.weight"
            one, two = plain.learner.save(), agent.learner.save()
            assert np.array_equal(one[other], two[other]) and not np.array_equal(one[mine], two[mine])
            assert agent.config == DDPG_CONFIG
    with SAC("Pendulum-v1", SAC_CONFIG, critics=[perceptron(4, 7, 1), perceptron(4, 7, 1, seed=1)], **ALONE) as agent:
        assert (agent.config.hidden_sizes, agent.config.critic_sizes) == (SAC_CONFIG.hidden_sizes, (7,))
        agent.learn(12)


def test_the_learner_in_hardware_begins_with_both():
    """Weights and targets are those of the modules, to the bit; networks that it does not have are refused."""
    actor, critic = perceptron(8, 5, 2, last=[nn.Tanh()]), perceptron(10, 5, 1, seed=1)
    settings = {"hardware": "small", "learner": "small", "actors": None}
    observations = np.random.default_rng(0).uniform(-1, 1, (9, 8)).astype(np.float32)
    with torch.no_grad():
        told = actor(torch.from_numpy(observations))
    with DDPG(Wide(), DDPG_CONFIG, actor=actor, critic=critic, **settings) as agent:
        assert agent.config.hidden_sizes == (5,) and agent.config.critic_hidden_sizes is None
        assert np.allclose(agent.learner.act(observations), told, atol=1e-6)
        state = agent.learner.save()
        for name, network in (("actor", actor), ("critic", critic)):
            for kind in ("weights", "target"):
                assert np.array_equal(state[f"{name}_{kind}"], numbers_of(network)), (name, kind)
        agent.learn(14)
        assert not np.allclose(agent.learner.act(observations), told, atol=1e-6)
    for given, words in (
        ({"actor": perceptron(8, 6, 2)}, "Learner small has the actor 8-5-2, not 8-6-2"),
        ({"actor": actor, "critic": perceptron(10, 4, 5, 1)}, "Learner small has the critic 10-5-1, not 10-4-5-1"),
    ):
        with pytest.raises(ValueError, match=words):
            DDPG(Wide(), DDPG_CONFIG, **given, **settings)


def test_the_learner_of_sac_in_hardware_begins_with_all():
    actor, critics = perceptron(8, 5, 4), [perceptron(10, 4, 1, seed=seed) for seed in (1, 2)]
    settings = {"hardware": "small", "learner": "small", "actors": None}
    with SAC(Wide(), SAC_CONFIG, actor=actor, critics=critics, **settings) as agent:
        assert (agent.config.hidden_sizes, agent.config.critic_hidden_sizes) == ((5,), (4,))
        state = agent.learner.save()
    assert np.array_equal(state["actor_weights"], numbers_of(actor))
    for number, critic in enumerate(critics, 1):
        for kind in ("weights", "target"):
            assert np.array_equal(state[f"critic_{number}_{kind}"], numbers_of(critic)), (number, kind)
    assert state["temperature_weights"] == np.log(np.float32(SAC_CONFIG.temperature))


def numbers_of(network):
    """Parameters of all layers, inputs x outputs, the bias as the last row."""
    layers = [part for part in network if isinstance(part, nn.Linear)]
    with torch.no_grad():
        return np.concatenate([np.vstack([layer.weight.numpy().T, layer.bias.numpy()]).ravel() for layer in layers])


class Wide(Drift):
    """Environment of the sizes of learner `small`: eight elements of an observation, two of an action."""

    observation_space = gymnasium.spaces.Box(-10, 10, (8,), np.float32)

    def reset(self, *, seed=None, options=None):
        place, info = super().reset(seed=seed)
        return np.tile(place, 4), info

    def step(self, action):
        place, *rest = super().step(action)
        return np.tile(place, 4), *rest


@pytest.mark.parametrize(
    ("kind", "config", "networks"),
    [
        (DDPG, DDPG_CONFIG, {"actor": (3, 6, 5, 1), "critic": (4, 7, 1)}),
        (SAC, SAC_CONFIG, {"actor": (3, 6, 2), "critics": (4, 7, 5, 1)}),
    ],
)
def test_checkpoints_go_on_without_the_modules(kind, config, networks, tmp_path):
    given = {name: perceptron(*sizes) for name, sizes in networks.items()}
    if kind is SAC:
        given["critics"] = [given["critics"], perceptron(*networks["critics"], seed=5)]
    with kind("Pendulum-v1", config, **given, **ALONE) as whole:
        whole.learn(30)
        with kind("Pendulum-v1", config, **given, **ALONE) as begun:
            begun.learn(18)
            begun.save(tmp_path / "begun.zip")
        with load_agent(tmp_path / "begun.zip") as resumed:
            assert resumed.config == whole.config
            resumed.learn(12)
            assert_same(resumed.learner.save(), whole.learner.save())


def test_actors_in_processes_take_them():
    with DDPG(
        "Pendulum-v1", DDPG_CONFIG, actor=perceptron(3, 6, 1), hardware="small", actors=1, environments=2
    ) as agent:
        agent.learn(24)
        assert [part.shape for part in agent.learner.weights()] == [(6, 3), (6,), (1, 6), (1,)]
        assert agent.counters()["gradient_steps"] > 0


class Own(nn.Module):
    def forward(self, values):
        return values


CRITIC = perceptron(4, 7, 1)


@pytest.mark.parametrize(
    ("kind", "given", "error", "words"),
    [
        (DDPG, {"actor": Own(), "actors": 1}, ValueError, "Layer 0 of the actor must be Linear, not Own, as Linear"),
        (DDPG, {"actor": [1]}, TypeError, "An actor must be a torch.nn.Module, not list"),
        (
            DDPG, {"critic": perceptron(4, 7, 1, last=[nn.Tanh()]), "actors": 1}, ValueError,
            "Layer 3 of the critic must be ReLU",
        ),
        (
            DDPG, {"actor": nn.Sequential(nn.Linear(3, 1)), "actors": 1}, ValueError,
            "An actor must end with Linear and have a",
        ),
        (
            DDPG, {"actor": perceptron(3, 6, 2)}, ValueError,
            "The actor must take the 3 elements of an observation and give 1 values, one an element of an action, "
            "not take 3 and give 2",
        ),
        (
            DDPG, {"critic": perceptron(3, 6, 1)}, ValueError,
            "A critic must take the 3 elements of an observation and behind them the 1 of an action, 4 in all, and "
            "give 1 value, not take 3 and give 1",
        ),
        (
            SAC, {"actor": perceptron(3, 6, 2, last=[nn.Tanh()]), "actors": 1}, ValueError,
            "Layer 3 of the actor must be ReLU",
        ),
        (SAC, {"actor": perceptron(3, 6, 1)}, ValueError, "give 2 values, a mean and a logarithm of a standard"),
        (SAC, {"critics": CRITIC}, TypeError, "critics must be two networks, as (one, other), not Sequential"),
        (SAC, {"critics": [CRITIC]}, ValueError, "critics must be 2 networks, not 1"),
        (SAC, {"critics": [CRITIC, CRITIC]}, ValueError, "not one of them twice: they would never differ"),
        (
            SAC, {"critics": (CRITIC, perceptron(4, 6, 1))}, ValueError,
            "Critics must have hidden layers of the same sizes, not (7,) and (6,)",
        ),
        (SAC, {"critics": (CRITIC, perceptron(4, 7, 2))}, ValueError, "give 1 value, not take 4 and give 2"),
    ],
)  # fmt: skip
def test_what_they_cannot_begin_with_is_refused(kind, given, error, words):
    with pytest.raises(error) as refused:
        kind("Pendulum-v1", **ALONE | given)
    assert words in str(refused.value)


def test_critics_have_sizes_of_their_own_on_the_command_line(tmp_path, capsys):
    command = (
        "train pearl --algo sac --env Pendulum-v1 --hidden-sizes 6 --critic-hidden-sizes 7,5 --steps 16 --actors 1"
    )
    more = (
        "--environments 2 --learning-starts 4 --train-freq 4 --batch-size 4 --config small --evaluation-episodes 1 -q"
    )
    assert dispatch([*command.split(), *more.split(), "--out", str(tmp_path)]) == 0
    with load_agent(tmp_path) as agent:
        assert [critic.parameters[0].shape for critic in agent.learner.critics] == [(7, 4), (7, 4)]
        assert agent.learner.actor.parameters[0].shape == (6, 3)
    with pytest.raises(ValueError, match=r"critic_hidden_sizes must name at least one layer, not \(\)"):
        PrioritizedDDPGConfig(critic_hidden_sizes=())
