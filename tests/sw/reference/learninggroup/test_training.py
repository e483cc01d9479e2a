"""Results of an iteration: state, sampling, masked weights, flags."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.cores.random.xorshift import state_from_seed
from rewardware.sw.reference.learninggroup.arithmetic import ARITHMETICS
from rewardware.sw.reference.learninggroup.forward import choose, softmax
from rewardware.sw.reference.random.uniform import UniformReference

from .iterations import SMALL, make, play


def iterate(reference, seed):
    results = play(reference, seed=seed)
    reference.train(*results[4:])
    return results


def equal(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("optimizer_format", ["binary16", "binary32"])
def test_training_goes_on_from_a_saved_state(optimizer_format):
    config = dataclasses.replace(SMALL, optimizer_format=optimizer_format)
    reference, other = make(config), make(config, seed=5)
    before = reference.save()
    iterate(reference, 1)
    state = reference.save()
    assert not equal(before, state)
    other.load(state)
    for played, again in zip(iterate(reference, 2), iterate(other, 2), strict=True):
        assert np.array_equal(played, again)
    assert equal(reference.save(), other.save())
    if optimizer_format == "binary16":
        assert all(np.array_equal(state[name], state[name].astype(np.float16)) for name in reference.parameters)


def test_actions_follow_the_seed():
    def actions(seed):
        reference = make()
        state = reference.save()
        reference.load({**state, "random": make(seed=seed).save()["random"]})
        return play(reference)[1:3]

    assert np.array_equal(actions(1), actions(1)) and not np.array_equal(actions(1), actions(2))


@pytest.mark.parametrize("cores", [1, 3])
def test_heads_draw_from_the_generators_of_their_cores(cores):
    reference = make(dataclasses.replace(SMALL, cores=cores), agents=5, episodes=7, seed=2)
    generators = [UniformReference(state_from_seed(seed)) for seed in (4, 5)]
    expected = {"policy": [], "gate": []}
    for _ in range(reference.layout.batches):
        expected["policy"].append(generators[0].numbers(32) / 2048)
        expected["gate"].append(generators[min(cores - 1, 1)].numbers(32) / 2048)
    uniform = reference._draw()
    assert reference.layout.batches == 2 and all(np.array_equal(uniform[head], expected[head]) for head in expected)


def test_choices_have_their_probabilities():
    half = ARITHMETICS["binary16"]
    logits = half.numbers([[-1.0], [0.5], [2.0], [-9.0], [1.0]])[:, :, np.newaxis]
    probabilities = softmax(half, logits)
    expected = np.exp(logits[:, 0, 0]) / np.exp(logits[:, 0, 0]).sum()
    np.testing.assert_allclose(probabilities[:, 0, 0], expected, atol=2.0**-11)
    # Every uniform number there is, once: a choice comes as often as its probability says, to two numbers.
    uniform = half.numbers(np.arange(2048) / 2048)[np.newaxis]
    chosen = choose(half, np.broadcast_to(probabilities, (5, 1, 2048)), uniform)
    counts = np.bincount(chosen.reshape(-1), minlength=5)
    assert np.abs(counts - 2048 * expected).max() <= 2


@pytest.mark.parametrize("grouping_gradient", ["unmasked", "dense"])
def test_only_what_takes_part_changes(grouping_gradient):
    reference = make(groups=4, grouping_gradient=grouping_gradient)
    before = reference.save()
    iterate(reference, 1)
    after = reference.save()
    for name, grouping in reference.network.groupings.items():
        inputs, outputs = grouping.selections()
        if grouping_gradient == "dense":
            inputs, outputs = np.ones_like(inputs), np.ones_like(outputs)
        learning = {"weight": grouping.mask, "input_grouping": inputs, "output_grouping": outputs}
        for kind, learns in learning.items():
            for prefix in ("", "square/"):
                changed = before[f"{prefix}{kind}/{name}"] != after[f"{prefix}{kind}/{name}"]
                assert not (changed & ~learns).any()
            assert changed.any()


@pytest.mark.parametrize(("rate", "lost"), [(0.01, 0.0), (1e-7, 1.0)])
def test_steps_below_the_last_bit_are_counted_as_lost(rate, lost):
    reference = make(dataclasses.replace(SMALL, optimizer_format="binary16"), learning_rate=rate, epsilon=1e-3)
    before = reference.save()
    iterate(reference, 1)
    after = reference.save()
    weights = [name for name in reference.gradients if name.startswith("weight")]
    moving = sum(np.count_nonzero(reference.gradients[name]) for name in weights)
    stayed = sum(np.count_nonzero((reference.gradients[name] != 0) & (before[name] == after[name])) for name in weights)
    assert reference.lost_updates == stayed / moving == pytest.approx(lost, abs=0.1)


def test_bits_do_not_depend_on_the_cores_on_the_way_forward():
    two, three = (make(dataclasses.replace(SMALL, cores=cores), groups=3) for cores in (2, 3))
    for left, right in zip(play(two), play(three), strict=True):
        assert np.array_equal(left, right)


@pytest.mark.parametrize(
    ("name", "value", "first"),
    [
        ("input_grouping/hidden", np.nan, "hidden"),
        ("weight/communication", np.inf, "communication"),
        ("bias/gate", np.nan, "gate"),
        ("square/bias/value", np.inf, "value"),
    ],
)
def test_infinities_and_nan_are_flagged_with_their_layer(name, value, first):
    reference = make(groups=1)
    state = reference.save()
    state[name] = np.full_like(state[name], value)
    reference.load(state)
    assert reference.nonfinite_layers() == []
    iterate(reference, 1)
    assert reference.nonfinite_layers()[0] == first
    reference.load(make(groups=1).save())
    assert reference.nonfinite_layers() == []


def test_refusals():
    reference = make()
    observations = np.zeros((5, 3, 7))
    with pytest.raises(RuntimeError, match="An iteration begins with start, not with step"):
        reference.step(observations)
    reference.start()
    with pytest.raises(ValueError, match=r"Observations must have shape \(5, 3, 7\), not \(5, 7\)"):
        reference.step(observations[:, 0])
    reference.step(observations)
    with pytest.raises(ValueError, match=r"Returns must have shape \(1, 5, 3\), not \(5, 3\)"):
        reference.train(np.zeros((5, 3)), np.zeros((1, 5, 3)))
    state = reference.save()
    with pytest.raises(ValueError, match="State is not one of this network: it lacks bias/gate"):
        reference.load({name: value for name, value in state.items() if name != "bias/gate"})
    with pytest.raises(ValueError, match="State is not one of this network: it has bias/hidden"):
        reference.load({**state, "bias/hidden": 0})
    with pytest.raises(ValueError, match=r"State's bias/gate must have shape \(2,\), not \(3,\)"):
        reference.load({**state, "bias/gate": np.zeros(3)})
    with pytest.raises(ValueError, match="Groups must be at most 8 in configuration small, not 9"):
        make(groups=9)


def test_workloads_before_the_first_iteration():
    assert make().workloads() == [0] * SMALL.cores
