"""Networks from PyTorch and back."""

import numpy as np
import pytest
import torch
from torch import nn

from rewardware.sw.algorithms.ddpg_config import DDPGConfig
from rewardware.sw.systems.fixar.agent import FixarDDPG
from rewardware.sw.systems.fixar.torch_exchange import export_actor, export_critic, import_networks

SIZES = (11, 13)
BACKENDS = ("torch", "reference")


def sequential(inputs: int, outputs: int, last: list[nn.Module]) -> nn.Sequential:
    torch.manual_seed(3)
    hidden = [nn.Linear(inputs, SIZES[0]), nn.ReLU(), nn.Linear(*SIZES), nn.ReLU(), nn.Linear(SIZES[1], outputs)]
    return nn.Sequential(*hidden, *last)


def agent(backend: str, seed: int = 0) -> FixarDDPG:
    return FixarDDPG(
        "Pendulum-v1", DDPGConfig(hidden_sizes=SIZES, batch_size=8, seed=seed), hardware="tiny", backend=backend
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_imported_policy_is_the_one_in_pytorch(backend):
    one, actor, critic = agent(backend), sequential(3, 1, [nn.Tanh()]), sequential(4, 1, [])
    import_networks(one, actor.state_dict(), critic.state_dict())
    observations = np.random.default_rng(0).normal(size=(9, 3)).astype(np.float32)
    with torch.no_grad():
        expected = 2 * actor(torch.from_numpy(observations)).numpy()
    # 2^-24 a weight and 2^-20 an activation, a few of them summed.
    assert np.abs(one.predict(observations)[0] - expected).max() < 3e-5


@pytest.mark.parametrize("backend", BACKENDS)
def test_critics_inputs_are_put_in_order(backend):
    one, critic = agent(backend), sequential(4, 1, [])
    import_networks(one, sequential(3, 1, []).state_dict(), critic.state_dict())
    first = one.learner.layers("critic")[0][0]
    expected = critic[0].weight.detach().numpy()
    assert np.allclose(first[:, 0], expected[:, 3], atol=2**-24) and np.allclose(
        first[:, 1:], expected[:, :3], atol=2**-24
    )
    other = agent(backend)
    import_networks(other, export_actor(one), export_critic(one, action_first=True), action_first=True)
    assert np.array_equal(other.learner.layers("critic")[0][0], first)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_round_trip_gives_the_same_state(backend, dtype):
    one, other = agent(backend, 1), agent(backend, 2)
    import_networks(other, export_actor(one, dtype), export_critic(one, dtype))
    for name, value in one.learner.save().items():
        if name != "noise":
            assert np.array_equal(value, other.learner.save()[name]), name


def test_exported_networks_load_into_modules():
    one = agent("torch")
    sequential(3, 1, [nn.Tanh()]).load_state_dict(export_actor(one, torch.float32))
    sequential(4, 1, []).load_state_dict(export_critic(one, torch.float32))


def test_prefixed_state_is_taken():
    one, other = agent("torch"), agent("torch", 5)
    actor = {f"mu.{key}": value for key, value in export_actor(one).items()}
    critic = {f"qf0.{key}": value for key, value in export_critic(one).items()}
    import_networks(other, actor, critic)
    assert torch.equal(export_critic(one)["4.weight"], export_critic(other)["4.weight"])


def spoiled(**changes):
    state = {**sequential(3, 1, []).state_dict()}
    for key, value in changes.items():
        state[key.replace("_", ".")] = value
    return {key: value for key, value in state.items() if value is not None}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("state", "words"),
    [
        (sequential(4, 1, []).state_dict(), r"The actor's '0.weight' must be of shape \(11, 3\), not \(11, 4\)"),
        (spoiled(**{"2_bias": torch.full((13,), torch.nan)}), "The actor's '2.bias' must be finite, and has nan"),
        (spoiled(**{"2_bias": None}), "The actor's state has no '2.bias'"),
        (spoiled(**{"9_scale": torch.zeros(1)}), "The actor's state has '9.scale'"),
        (spoiled(**{"9_weight": torch.zeros(1)}), "The actor's state has 4 linear layers, the agent's network 3"),
    ],
)
def test_unfit_state_is_refused_and_nothing_changes(backend, state, words):
    one = agent(backend)
    before = one.learner.save()
    with pytest.raises(ValueError, match=words):
        import_networks(one, state, sequential(4, 1, []).state_dict())
    assert all(np.array_equal(before[name], value) for name, value in one.learner.save().items())


def test_weights_outside_the_words_are_refused():
    one = agent("reference")
    before = one.learner.save()
    actor = spoiled(**{"0_weight": torch.full((11, 3), 200.0)})
    with pytest.raises(ValueError, match="Layer 0 of the actor: weights must be from -128 to below 128, not 200.0"):
        import_networks(one, actor, sequential(4, 1, []).state_dict())
    assert all(np.array_equal(before[name], value) for name, value in one.learner.save().items())
