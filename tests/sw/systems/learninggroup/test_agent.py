"""IC3Net: the network against plain PyTorch, the loss against its formula, training that repeats and goes on."""

import numpy as np
import pytest
import torch

from rewardware.sw.algorithms.ic3net import grouped_product
from rewardware.sw.algorithms.ic3net.ic3net_config import IC3NetConfig
from rewardware.sw.algorithms.ic3net.ic3net_torch import IC3NetNetwork, TorchIC3NetLearner
from rewardware.sw.core.checkpoint import CheckpointError, write_checkpoint
from rewardware.sw.core.environments.predator_prey_config import PredatorPreyConfig
from rewardware.sw.systems.learninggroup.agent import IC3Net

SMALL = PredatorPreyConfig(size=3, predators=2, steps=8)


def config(**values):
    return IC3NetConfig(**{"hidden_size": 12, "episodes": 5, **values})


def test_step_is_a_mean_of_others_two_linear_layers_and_an_lstm_cell():
    generator = np.random.default_rng(0)
    network = IC3NetNetwork(7, 5, 3, config(), generator)
    weights, biases = network.effective_weights(), network.biases
    observations, hidden, cell = (
        torch.from_numpy(generator.standard_normal((5, 3, size)).astype(np.float32)) for size in (7, 12, 12)
    )
    spoke = torch.from_numpy(generator.integers(0, 2, (5, 3)).astype(np.float32))
    reference = torch.nn.LSTMCell(12, 12)
    with torch.no_grad():
        reference.weight_ih.copy_(weights["input"].T)
        reference.weight_hh.copy_(weights["hidden"].T)
        reference.bias_ih.copy_(biases["input"])
        reference.bias_hh.zero_()
    new_hidden, new_cell = network(weights, observations, spoke, hidden, cell)
    logs, gate_logs, value = network.heads(weights, new_hidden)
    for episode in range(5):
        for agent in range(3):
            others = [other for other in range(3) if other != agent]
            heard = sum(spoke[episode, other] * hidden[episode, other] for other in others) / 2
            x = observations[episode, agent] @ weights["encoder"] + heard @ weights["communication"]
            x = (x + biases["encoder"])[None]
            h, c = reference(x, (hidden[episode, agent][None], cell[episode, agent][None]))
            torch.testing.assert_close(new_hidden[episode, agent], h[0])
            torch.testing.assert_close(new_cell[episode, agent], c[0])
            policy = h[0] @ weights["policy"] + biases["policy"]
            torch.testing.assert_close(logs[episode, agent], torch.log(torch.softmax(policy, 0)))
            assert torch.allclose(gate_logs[episode, agent].exp().sum(), torch.tensor(1.0))
            torch.testing.assert_close(value[episode, agent], (h[0] @ weights["value"] + biases["value"])[0])


def test_a_single_agent_hears_nothing():
    network = IC3NetNetwork(4, 5, 1, config(), np.random.default_rng(0))
    weights = network.effective_weights()
    state = torch.randn(2, 1, 12), torch.randn(2, 1, 12)
    silent = network(weights, torch.zeros(2, 1, 4), torch.zeros(2, 1), *state)
    assert torch.equal(network(weights, torch.zeros(2, 1, 4), torch.ones(2, 1), *state)[0], silent[0])


def test_loss_is_policy_gradient_with_a_baseline():
    """Against the formula, a step, an episode and an agent at a time."""
    generator = np.random.default_rng(1)
    learner = TorchIC3NetLearner(4, 5, 2, config(value_coefficient=0.3, episodes=3), generator)
    learner.begin()
    observations = generator.standard_normal((4, 3, 2, 4)).astype(np.float32)
    moves = [learner.step(rows) for rows in observations]
    gates = [choice[1] for choice in learner._choices]
    returns = generator.standard_normal((4, 3, 2))
    alive = np.ones((4, 3, 2), bool)
    alive[2:, 1] = False
    alive[3, 2, 0] = False
    network = learner.network
    weights = network.effective_weights()
    hidden = cell = torch.zeros(3, 2, 12)
    spoke, loss = torch.ones(3, 2), torch.tensor(0.0)
    for t in range(4):
        hidden, cell = network(weights, torch.from_numpy(observations[t]), spoke, hidden, cell)
        spoke = gates[t].float()
        policy, gate, value = network.heads(weights, hidden)
        for episode in range(3):
            for agent in np.flatnonzero(alive[t, episode]):
                advantage = returns[t, episode, agent] - value[episode, agent]
                log = policy[episode, agent, moves[t][episode, agent]] + gate[episode, agent, gates[t][episode, agent]]
                loss = loss - log * advantage.detach() + 0.3 * advantage**2
    loss = loss / alive.any(axis=2).sum()
    expected = torch.autograd.grad(loss, list(network.parameters()))
    report = learner.update(returns, alive)
    assert report["loss"] == pytest.approx(loss.item(), rel=1e-5)
    for parameter, gradient in zip(network.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("least", [0, 10**9], ids=["blocks", "whole"])
@pytest.mark.parametrize("gradient", ["unmasked", "dense"])
@pytest.mark.parametrize(("groups", "agents"), [(1, 3), (3, 2), (7, 1), (40, 3)])
def test_blocks_have_the_gradients_of_autograd(groups, agents, gradient, least, monkeypatch):
    """Forward, backward through time, loss and grouping: written out by hand against PyTorch's autograd."""
    monkeypatch.setattr(grouped_product, "LEAST_ELEMENTS", least)
    task = PredatorPreyConfig(size=3, predators=agents, vision=1, steps=5, mode="mixed")
    settings = config(groups=groups, grouping_gradient=gradient, value_coefficient=0.2, loss_scale=4.0)
    one, other = (IC3Net(task, settings, backend=backend) for backend in ("torch", "blocks"))
    (expected,), (found,) = records_of(one, 1), records_of(other, 1)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-5)
    for (name, parameter), twin in zip(
        one.learner.network.named_parameters(), other.learner.network.parameters(), strict=True
    ):
        size = parameter.grad.abs().max().item()
        torch.testing.assert_close(twin.grad, parameter.grad, rtol=1e-4, atol=1e-5 * size, msg=name)


def test_blocks_have_no_other_sparsity_and_precision():
    for values, words in (
        ({"sparsity": "magnitude"}, "sparsity must be 'grouping' on backend blocks, not 'magnitude'"),
        ({"precision": "half"}, "precision must be 'float32' on backend blocks, not 'half'"),
        ({"entropy_coefficient": 0.1}, "entropy_coefficient must be 0 on backend blocks, not 0.1"),
    ):
        with pytest.raises(ValueError, match=words):
            IC3Net(SMALL, config(**values), backend="blocks")


def test_choices_follow_the_probabilities():
    learner = TorchIC3NetLearner(4, 5, 1, config(), np.random.default_rng(0))
    probabilities = torch.tensor([0.5, 0.0, 0.3, 0.2, 0.0])
    choices = learner._choose(torch.log(probabilities).expand(20_000, 5))
    shares = np.bincount(choices.numpy(), minlength=5) / 20_000
    assert shares == pytest.approx(probabilities.numpy(), abs=0.015) and shares[1] == shares[4] == 0


@pytest.mark.parametrize("precision", ["mixed", "half"])
def test_half_precision_is_on_its_grid(precision):
    agent = IC3Net(SMALL, config(precision=precision, loss_scale=256.0, groups=2))
    agent.learn(3)
    arrays, _ = agent.learner.save()
    on_grid = [np.array_equal(values, values.astype(np.float16).astype(np.float32)) for values in arrays.values()]
    assert all(on_grid) == (precision == "half")
    hidden, cell = agent.learner._states[-1]
    assert torch.equal(hidden, hidden.half().float()) and torch.equal(cell, cell.half().float())


def test_gradients_that_are_not_finite_are_named():
    agent = IC3Net(SMALL, config(precision="mixed", loss_scale=1e9))
    with pytest.raises(FloatingPointError, match="The gradient of .* is not finite in iteration"):
        agent.learn(3)


def records_of(agent, iterations):
    records = []
    agent.learn(iterations, lambda _, record: records.append(record))
    return records


@pytest.mark.parametrize(
    "values",
    [
        {"groups": 3},
        {"groups": 2, "grouping_gradient": "dense"},
        {"sparsity": "magnitude"},
        {"sparsity": "group-sparse"},
    ],
    ids=str,
)
def test_same_seed_same_bits_and_a_checkpoint_goes_on(values, tmp_path):
    settings = config(seed=4, pruning_iterations=6, **values)
    whole = IC3Net(SMALL, settings)
    expected = records_of(whole, 6)
    begun = IC3Net(SMALL, settings)
    assert records_of(begun, 3) == expected[:3]
    begun.save(tmp_path / "checkpoint.zip")
    resumed = IC3Net.load(tmp_path / "checkpoint.zip")
    assert records_of(resumed, 3) == expected[3:]
    for name, values in whole.learner.save()[0].items():
        assert np.array_equal(values, resumed.learner.save()[0][name]), name
    assert records_of(IC3Net(SMALL, config(seed=5)), 3) != expected[:3]


def test_nothing_is_lost_after_the_end_of_an_episode():
    """Mixed mode: no penalty on the prey; whoever is not there at the end paid for every step."""
    agent = IC3Net(PredatorPreyConfig(size=2, predators=1, steps=8, mode="mixed"), config(episodes=200))
    (record,) = records_of(agent, 1)
    assert 0.1 < record["success"] < 1 and -0.4 * (1 - record["success"]) - 0.35 * record["success"] <= record["return"]
    assert record["success"] == record["arrived"]


def test_callback_stops():
    agent = IC3Net(SMALL, config())
    agent.learn(10, lambda agent, _: agent.iterations < 2)
    assert agent.iterations == 2


@pytest.mark.parametrize("groups", [1, 3])
def test_learns_to_find_the_prey(groups):
    agent = IC3Net(SMALL, config(hidden_size=32, episodes=32, groups=groups, learning_rate=0.003 * groups**0.5))
    records = records_of(agent, 250)
    first, last = (np.mean([record["success"] for record in part]) for part in (records[:30], records[-30:]))
    assert last > first + 0.25
    sparsity = records[0]["sparsity"]
    assert sparsity == 0 if groups == 1 else 0.5 < sparsity < 0.8


def test_refuses_what_it_cannot_train(tmp_path):
    with pytest.raises(ValueError, match="'simple' cannot be made: .* Levels of Predator-Prey are easy, medium, hard"):
        IC3Net("simple")
    with pytest.raises(ValueError, match="Backend must be torch, blocks, reference, .*, not 'abacus'"):
        IC3Net("easy", backend="abacus")
    write_checkpoint(tmp_path / "other.zip", {}, {"agent": "ddpg"})
    with pytest.raises(CheckpointError, match="checkpoint of 'ddpg', not of 'ic3net'"):
        IC3Net.load(tmp_path / "other.zip")
    write_checkpoint(tmp_path / "bare.zip", {}, {"agent": "ic3net"})
    with pytest.raises(CheckpointError, match="lacks backend"):
        IC3Net.load(tmp_path / "bare.zip")
