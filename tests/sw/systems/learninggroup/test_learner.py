"""IC3Net on LearningGroup's reference: first weights, agreement with PyTorch, training that goes on, refusals."""

import dataclasses

import numpy as np
import pytest
import torch

from rewardware.hw.soc.presets import read_preset
from rewardware.sw.algorithms.ic3net.ic3net_config import IC3NetConfig
from rewardware.sw.algorithms.ic3net.ic3net_torch import IC3NetNetwork, TorchIC3NetLearner
from rewardware.sw.core.environments.predator_prey_config import PredatorPreyConfig
from rewardware.sw.systems.learninggroup.agent import IC3Net
from rewardware.sw.systems.learninggroup.learner import LearningGroupLearner, initial_parameters, network_of

TASK = PredatorPreyConfig(size=3, predators=2, steps=6)
SMALL = read_preset("small", "learninggroup").hardware


def config(**values):
    defaults = {"hidden_size": 12, "episodes": 5, "groups": 3, "loss_scale": 64.0, "precision": "mixed"}
    return IC3NetConfig(**{**defaults, **values})


def agent(**values):
    return IC3Net(TASK, config(**values), backend="reference", hardware=SMALL)


def names_in_pytorch(name):
    """Name in PyTorch of a parameter of the device."""
    kind, layer = name.split("/")
    return f"biases.{layer}" if kind == "bias" else f"weights.{layer}.{kind}"


@pytest.mark.parametrize("groups", [1, 3])
def test_first_weights_are_those_of_pytorch(groups):
    settings = config(groups=groups)
    parameters = initial_parameters(network_of(7, 5, 2, settings), settings, np.random.default_rng(3))
    network = IC3NetNetwork(7, 5, 2, settings, np.random.default_rng(3))
    expected = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    for name, value in parameters.items():
        if groups > 1 or "grouping" not in name:
            assert np.array_equal(value, expected.pop(names_in_pytorch(name))), name
    assert not expected


@pytest.mark.parametrize("grouping_gradient", ["unmasked", "dense"])
def test_an_update_is_near_that_of_pytorch(grouping_gradient):
    """Same weights, same observations, same choices: the gradients agree as far as binary16 goes."""
    settings = config(grouping_gradient=grouping_gradient)
    sizes = 7, 5, 2, settings
    device = LearningGroupLearner.on(
        "reference", SMALL, network_of(*sizes), settings, np.random.default_rng(0), steps=1
    )
    other = TorchIC3NetLearner(*sizes[:3], dataclasses.replace(settings, precision="float32"), np.random.default_rng(0))
    generator = np.random.default_rng(1)
    observations = generator.integers(0, 2, (4, 5, 2, 7)).astype(np.float32)
    returns = generator.normal(size=(4, 5, 2))
    alive = np.ones((4, 5, 2), bool)
    alive[2:, 3] = False
    alive[3, 1, 0] = False
    device.begin()
    other.begin()
    for row in observations:
        other.step(row)
        movements = device.step(row)
        # The other learner must have chosen the same as the device.
        gates = device.engine.layout.unpack(device.engine.steps[-1].actions["gate"])[..., 0]
        other._choices[-1] = torch.from_numpy(movements), torch.from_numpy(gates)
        other._spoke = other._choices[-1][1].float()
    masks = {name: grouping.mask for name, grouping in device.engine.network.groupings.items()}
    assert device.sparsity() == pytest.approx(other.sparsity())
    device.update(returns, alive)
    other.update(returns, alive)
    expected = {name: parameter.grad.numpy() for name, parameter in other.network.named_parameters()}
    for name, gradient in device.engine.gradients.items():
        if name.startswith("weight"):
            gradient = np.where(masks[name.split("/")[1]], gradient, 0)
        wanted = expected[names_in_pytorch(name)]
        np.testing.assert_allclose(gradient, wanted, rtol=0, atol=0.02 * np.abs(wanted).max(), err_msg=name)


def records_of(learning, iterations):
    records = []
    learning.learn(iterations, lambda _, record: records.append(record))
    return records


@pytest.mark.parametrize("precision", ["mixed", "half"])
def test_same_seed_same_bits_and_a_checkpoint_goes_on(precision, tmp_path):
    device = dataclasses.replace(SMALL.device, optimizer_format={"mixed": "binary32", "half": "binary16"}[precision])
    hardware = dataclasses.replace(SMALL, device=device)
    whole = IC3Net(TASK, config(precision=precision), backend="reference", hardware=hardware)
    expected = records_of(whole, 4)
    begun = IC3Net(TASK, config(precision=precision), backend="reference", hardware=hardware)
    assert records_of(begun, 2) == expected[:2]
    begun.save(tmp_path / "checkpoint.zip")
    resumed = IC3Net.load(tmp_path / "checkpoint.zip")
    assert resumed.hardware == hardware
    assert records_of(resumed, 2) == expected[2:]
    for name, values in whole.learner.save()[0].items():
        assert np.array_equal(values, resumed.learner.save()[0][name]), name


def test_workloads_are_reported_for_every_core():
    (record,) = records_of(agent(), 1)
    weights = sum(
        layer.rows * layer.columns for layer in network_of(TASK.observation_size, 5, 2, config()).layers.values()
    )
    assert len(record["workloads"]) == SMALL.device.cores
    assert sum(record["workloads"]) == round((1 - record["sparsity"]) * weights)


def test_learns_to_find_the_prey():
    settings = config(hidden_size=24, episodes=32, learning_rate=0.006)
    learning = IC3Net(dataclasses.replace(TASK, steps=8), settings, backend="reference", hardware="paper")
    records = records_of(learning, 200)
    first, last = (np.mean([record["success"] for record in part]) for part in (records[:25], records[-25:]))
    assert last > first + 0.15


def test_infinities_stop_training_and_name_the_layer():
    with pytest.raises(FloatingPointError, match="Layer policy.* met an infinity or NaN in iteration 1; a smaller"):
        agent(loss_scale=1e9).learn(3)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"precision": "half"}, "precision must be 'mixed' with configuration small, whose optimizer has binary32"),
        ({"groups": 1, "sparsity": "magnitude"}, "sparsity must be 'grouping' on LearningGroup, not 'magnitude'"),
        ({"entropy_coefficient": 0.1}, "entropy_coefficient must be 0 on LearningGroup, not 0.1"),
        ({"groups": 9}, "Groups must be at most 8 in configuration small, not 9"),
        (
            {"hidden_size": 33},
            "Layer input must have at most 128 rows and columns in configuration small, not 33 x 132",
        ),
        (
            {"episodes": 100},
            "2 agents x 100 episodes need more than the 2 batches of 16 vectors in configuration small",
        ),
    ],
)
def test_what_the_device_cannot_do(values, words):
    with pytest.raises(ValueError, match=words):
        agent(**values)
