"""The whole-device reference against PyTorch in float64, fractions, and the paper's Algorithm 1."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
import torch

from rewardware.hw.soc.fixar.config import Networks, Rates
from rewardware.sw.reference.fixar import FixarReference, SixteenBit
from rewardware.sw.reference.fixar_state import initial_state, parameters_of, with_parameters

from .ddpg_numbers import EVEN, NETWORKS, ODD, random_batch, random_layers, random_state

torch.set_num_threads(1)

RATES = Rates.of(learning_rate_actor=1e-3, learning_rate_critic=2e-3, tau=0.01, noise=0.2)


class TorchTwin:
    """Actor, critic and targets in float64, with the weights of a state."""

    def __init__(self, state, config, networks):
        self.layers = {}
        for network in ("actor", "critic", "target_actor", "target_critic"):
            matrices, biases = parameters_of(state, config, networks, network)
            self.layers[network] = [
                (torch.tensor(matrix, requires_grad=True), torch.tensor(bias, requires_grad=True))
                for matrix, bias in zip(matrices, biases, strict=True)
            ]

    def forward(self, network, values):
        *hidden, last = self.layers[network]
        for matrix, bias in hidden:
            values = torch.relu(values @ matrix.T + bias)
        values = values @ last[0].T + last[1]
        return torch.tanh(values) if network.endswith("actor") else values[:, 0]

    def gradients(self, batch):
        """Temporal-difference errors, and gradients of both losses (sums over the batch) as nested lists."""
        state, action, reward, discount, following = (
            torch.tensor(np.asarray(values, np.float64))
            for values in (batch.observations, batch.actions, batch.rewards, batch.discounts, batch.next_observations)
        )
        with torch.no_grad():
            next_action = self.forward("target_actor", following)
            target = reward + discount * self.forward("target_critic", torch.cat([next_action, following], 1))
        error = self.forward("critic", torch.cat([action, state], 1)) - target
        critic = torch.autograd.grad((error**2).sum() / 2, [word for pair in self.layers["critic"] for word in pair])
        return error.detach().numpy(), [gradient.numpy() for gradient in critic]

    def actor_gradients(self, batch):
        state = torch.tensor(batch.observations)
        value = self.forward("critic", torch.cat([self.forward("actor", state), state], 1))
        actor = torch.autograd.grad(-value.sum(), [word for pair in self.layers["actor"] for word in pair])
        return [gradient.numpy() for gradient in actor]


def gradients_of(state, network, config):
    scale = 2.0**-config.gradient_fraction
    result = []
    for index in range(3):
        first = NETWORKS.layers(network)[index].first
        result.append(state[f"gradient/{network}/{index}/matrix"][:, first:] * scale)
        result.append(state[f"gradient/{network}/{index}/bias"] * scale)
    return result


def reference(config=ODD, networks=NETWORKS, rates=RATES, **options):
    device = FixarReference(config, networks, rates, **options)
    device.load(random_state(config, networks))
    return device


@pytest.mark.parametrize("config, size", [(ODD, 77), (ODD, 1), (EVEN, 33)])
def test_gradients_are_those_of_autograd(config, size):
    # Activations and errors are within a few 2^-20 of the real ones; a gradient is a sum of `size` of their products.
    tolerance = 2.0**-16 + size * 16 * 2.0**-20
    device = reference(config)
    twin = TorchTwin(device.save(), config, NETWORKS)
    batch = random_batch(NETWORKS, size)
    errors, critic = twin.gradients(batch)
    got = device.train(batch)
    assert np.abs(got - errors).max() < 16 * 2.0**-20
    after = device.save()
    for expected, words in zip(critic, gradients_of(after, "critic", config), strict=True):
        assert np.abs(words - expected).max() < tolerance
    # The actor's gradient is taken at the critic after its update.
    twin.layers["critic"] = TorchTwin(after, config, NETWORKS).layers["critic"]
    scale = 2.0 ** (RATES.actor_error_exponent - 20)
    for expected, words in zip(twin.actor_gradients(batch), gradients_of(after, "actor", config), strict=True):
        assert np.abs(words - scale * expected).max() < scale * tolerance


def test_codes_of_16_bits_hardly_change_the_gradients():
    batch = random_batch(NETWORKS, 60)
    whole, coded = reference(), reference()
    whole.train(batch)
    coded.train(batch)
    coded.freeze(16)
    for device in (whole, coded):
        device.load({**device.save(), **{k: v for k, v in random_state(ODD, NETWORKS).items() if "weight" in k}})
        device.train(batch)
    steps = max(device.ranges.maxima[slot] - device.ranges.minima[slot] for slot in range(5) for device in (coded,))
    tolerance = 60 * 64 * steps / 2**16 / 2**20
    for one, other in zip(
        gradients_of(whole.save(), "critic", ODD), gradients_of(coded.save(), "critic", ODD), strict=True
    ):
        assert 0 < np.abs(one - other).max() < tolerance


def test_one_step_is_that_of_adam_and_the_soft_update():
    device = reference()
    before = device.save()
    device.train(random_batch(NETWORKS, 77))
    after = device.save()
    for network, rate in (("actor", 1e-3), ("critic", 2e-3)):
        old, _ = parameters_of(before, ODD, NETWORKS, network)
        new, _ = parameters_of(after, ODD, NETWORKS, network)
        target, _ = parameters_of(before, ODD, NETWORKS, f"target_{network}")
        new_target, _ = parameters_of(after, ODD, NETWORKS, f"target_{network}")
        for index, gradient in enumerate(gradients_of(after, network, ODD)[::2]):
            # The first step of Adam is the learning rate against the gradient's sign, but for epsilon.
            large = np.abs(gradient) > 0.5
            step = (new[index] - old[index])[large]
            assert np.abs(step + rate * np.sign(gradient[large])).max() < 0.01 * rate
            moved = target[index] + 0.01 * (new[index] - target[index])
            assert np.abs(new_target[index] - moved).max() < 2.0**-22


def test_many_steps_follow_pytorch():
    """Twenty steps beside torch.optim.Adam on the same batches."""
    rates = Rates.of(learning_rate_actor=1e-4, learning_rate_critic=1e-3, tau=0.01)
    device = FixarReference(ODD, NETWORKS, rates)
    device.load(random_state(ODD, NETWORKS))
    twin = TorchTwin(device.save(), ODD, NETWORKS)
    words = {name: [word for pair in layers for word in pair] for name, layers in twin.layers.items()}
    optimizers = {
        name: torch.optim.Adam(words[name], lr=rate, eps=2.0**-16) for name, rate in (("actor", 1e-4), ("critic", 1e-3))
    }
    for number in range(20):
        batch = random_batch(NETWORKS, 50, seed=number)
        got = device.train(batch)
        errors, critic = twin.gradients(batch)
        for name, gradients in (("critic", critic), ("actor", None)):
            for word, gradient in zip(words[name], gradients or twin.actor_gradients(batch), strict=True):
                word.grad = torch.tensor(gradient)
            optimizers[name].step()
            with torch.no_grad():
                for word, target in zip(words[name], words[f"target_{name}"], strict=True):
                    target += 0.01 * (word - target)
        assert np.abs(got - errors).max() < 0.02
    state = device.save()
    for name, rate in (("actor", 1e-4), ("critic", 1e-3)):
        matrices, _ = parameters_of(state, ODD, NETWORKS, name)
        for matrix, (expected, _) in zip(matrices, twin.layers[name], strict=True):
            difference = np.abs(matrix - expected.detach().numpy())
            # A weight whose gradient is nearly zero goes either way at each step; the typical one follows closely.
            assert np.median(difference) < 0.05 * rate
            assert difference.max() < 2 * 20 * rate


def test_stored_codes_are_algorithm_1():
    device = reference()
    device.train(random_batch(NETWORKS, 77))
    device.freeze(11)
    generator = np.random.default_rng(3)
    for slot in range(5):
        low, high = device.ranges.minima[slot], device.ranges.maxima[slot]
        words = generator.integers(low - 1000, high + 1000, (3, 4))
        words[0] = low, high, 0, low - 1
        tensor = device.store(slot, words)
        delta = Fraction(abs(low) + abs(high), 2**11)
        zero = floor(-low / delta)
        for word, code, value in zip(words.flat, tensor.words.flat, tensor.values.flat, strict=True):
            clamped = min(max(int(word), low), high)
            expected = min(max(floor(clamped / delta) + zero, 0), 2**11 - 1)
            assert code == expected - zero
            assert value == floor((expected - zero) * delta)


def test_quantised_layer_against_fractions():
    device = reference(EVEN)
    device.train(random_batch(NETWORKS, 40))
    device.freeze(9)
    batch = random_batch(NETWORKS, 6, seed=9, scale=3.0)
    observations = np.floor(batch.observations * 2**20 + 0.5).astype(np.int64)
    before = device.counters()["code_saturations"]
    source = device.join(None, observations, monitor=False)
    outside = (observations < device.ranges.minima[0]) | (observations > device.ranges.maxima[0])
    assert device.counters()["code_saturations"] - before == outside.sum() > 0
    got = device.layer("critic", 0, source, 0)
    matrix, bias = device.parameters("critic", 0)
    delta = Fraction(source.parameters.scale, 2**9)
    for sample in range(6):
        for neuron in range(21):
            products = zip(matrix.words[neuron], source.words[sample], strict=True)
            total = sum(int(weight) * int(code) for weight, code in products)
            value = Fraction(total * delta, 2**24) + Fraction(int(bias[neuron]), 2**4)
            assert abs(got[sample, neuron] - value) <= Fraction(51, 100)  # one rounding, after a floor at 2^-7


def test_chunks_round_their_gradients_apart():
    """One rounding a chunk: the gradient of two chunks is the sum of the gradients of each, word by word."""
    batch = random_batch(NETWORKS, 60)
    parts = [slice(0, 36), slice(36, 60)]
    words = []
    for part in [slice(0, 60), *parts]:
        device = reference()
        device.train(type(batch)(**{name: values[part] for name, values in vars(batch).items()}))
        words.append(device.save()["gradient/critic/1/matrix"].astype(int))
    assert (words[0] == words[1] + words[2]).all()


def test_noise_repeats_with_its_seed():
    observations = random_batch(NETWORKS, 7).observations
    first, second = (FixarReference(ODD, NETWORKS, RATES, seed=seed) for seed in (4, 5))
    actions = [first.act(observations, noise=True) for _ in range(2)]
    assert (actions[0] != actions[1]).any()
    assert (actions[0] != second.act(observations, noise=True)).any()
    second.load(initial_state(ODD, NETWORKS, 4))
    assert (second.act(observations, noise=True) == actions[0]).all()
    assert (second.act(observations, noise=True) == actions[1]).all()
    assert (np.abs(actions[0]) <= 1).all()
    assert (first.act(observations) == 0).all()


def test_evaluation_changes_no_range():
    device = reference()
    device.act(100 * random_batch(NETWORKS, 50).observations)
    assert device.ranges.maxima == [0] * ODD.slots


@pytest.mark.parametrize("bits", [None, 16, 8])
def test_state_comes_back(bits):
    device, other = reference(), reference()
    device.train(random_batch(NETWORKS, 20))
    if bits:
        device.freeze(bits)
    other.load(device.save())
    for number in range(2):
        batch = random_batch(NETWORKS, 30, seed=number, scale=2.0)
        assert (device.act(batch.observations, True) == other.act(batch.observations, True)).all()
        assert (device.train(batch) == other.train(batch)).all()
    one, two = device.save(), other.save()
    assert all((one[name] == two[name]).all() for name in one)


def test_parameters_round_trip():
    generator = np.random.default_rng(0)
    matrices, biases = random_layers(NETWORKS, "actor", generator)
    state = with_parameters(initial_state(ODD, NETWORKS), ODD, NETWORKS, "actor", matrices, biases)
    got, got_biases = parameters_of(state, ODD, NETWORKS, "actor")
    for one, other in zip([*matrices, *biases], [*got, *got_biases], strict=True):
        assert np.abs(one - other).max() <= 2.0**-25
    assert (state["weight/actor/0/matrix"][:, :8] == 0).all()


def test_16_bits_from_the_start_hardly_move():
    """The failing case: updates smaller than half a step of the weights round to nothing."""
    batch = random_batch(NETWORKS, 50)
    rates = Rates.of(learning_rate_actor=1e-4, learning_rate_critic=1e-4)
    moved = []
    for sixteen_bit in (None, SixteenBit()):
        device = FixarReference(ODD, NETWORKS, rates, sixteen_bit=sixteen_bit)
        device.load(random_state(ODD, NETWORKS))
        device.train(batch)
        before = device.save()["weight/critic/1/matrix"]
        device.train(batch)
        moved.append((device.save()["weight/critic/1/matrix"] != before).mean())
    assert moved[0] > 0.9 and moved[1] < 0.01
    assert (device.save()["weight/critic/1/matrix"] % (1 << 12) == 0).all()


@pytest.mark.parametrize(
    "field, value, error, words",
    [
        ("weight_fraction", 16, ValueError, "Weight fraction must be from 0 to 15, not 16"),
        ("error_fraction", 1.5, TypeError, "Error fraction must be an integer, not 1.5"),
    ],
)
def test_sixteen_bit_formats_are_checked(field, value, error, words):
    with pytest.raises(error, match=words):
        SixteenBit(**{field: value})


def test_saturations_are_counted():
    device = reference()
    state = device.save()
    state["weight/critic/2/bias"] = np.array([2**31 - 1], np.int32)
    state["weight/critic/1/matrix"] = np.full((17, 21), 2**31 - 1, np.int32)
    device.load(state)
    device.train(random_batch(NETWORKS, 10, scale=400.0))
    counts = device.counters()
    assert counts["result_saturations"] > 0 and counts["gradient_saturations"] > 0


def spoil(batch, name, value):
    getattr(batch, name).flat[3] = value
    return batch


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("observations", np.nan, "Observations must be finite, not nan"),
        ("next_observations", np.inf, "Next observations must be finite, not inf"),
        ("rewards", 2048.0, "Rewards must be from -2048 to below 2048, not 2048.0"),
        ("actions", -3000.0, "Actions must be from -2048 to below 2048, not -3000.0"),
    ],
)
def test_bad_input_leaves_the_state(name, value, words):
    device = reference()
    before = device.save()
    with pytest.raises(ValueError, match=words):
        device.train(spoil(random_batch(NETWORKS, 10), name, value))
    after = device.save()
    assert all((before[key] == after[key]).all() for key in before)


def test_other_bad_input():
    device = reference()
    with pytest.raises(ValueError, match="Batch must be from 1 to 77 in configuration odd, not 78"):
        device.train(random_batch(NETWORKS, 78))
    with pytest.raises(ValueError, match="Observations must be finite, not nan"):
        device.act(np.full((1, 5), np.nan))
    with pytest.raises(ValueError, match=r"Observations must be rows of 5, not an array \(5,\)"):
        device.act(np.zeros(5))
    with pytest.raises(ValueError, match="Bits must be from 8 to 16, not 7"):
        device.freeze(7)
    with pytest.raises(ValueError, match=r"gradient/actor/0/matrix must have shape \(21, 13\), not \(20, 13\)"):
        other = Networks(observation_size=5, action_size=8, hidden_sizes=(20, 17))
        device.load({**device.save(), "gradient/actor/0/matrix": np.zeros((20, other.input_size))})
    with pytest.raises(ValueError, match="it has weight/actor/3/matrix"):
        other = Networks(observation_size=5, action_size=8, hidden_sizes=(21, 17, 9))
        device.load(initial_state(ODD, other))
