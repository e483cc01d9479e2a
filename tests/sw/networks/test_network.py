"""Passes of perceptrons against their reference by equality: widths about those of panels, threads, vectors."""

import platform
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from rewardware.hw.cores.float.config import BINARY32
from rewardware.sw.networks import network as network_module
from rewardware.sw.networks.initialization import initial_layers
from rewardware.sw.networks.module_network import ModuleNetwork
from rewardware.sw.networks.native.library import load_passes
from rewardware.sw.networks.network import Network, shared_passes
from rewardware.sw.networks.torch_networks import build_network
from rewardware.sw.reference.float.host import to_bits

from .perceptron_reference import backward, bfloat16, binary32, forward, fused, layers_of

# Flags that leave the processor shorter vectors, where it has such ones.
X86 = platform.machine() == "x86_64"
SHORTER = [("-mno-avx512f",), ("-mno-avx512f", "-mno-avx2")] if X86 else []
WITHOUT_BFLOAT16 = [("-mno-avx512bf16",)] if X86 else []
FACTORS = {"binary32": binary32, "bfloat16": bfloat16}
SHAPES = [((1, 1), 1), ((3, 1), 1), ((1, 5, 2), 7), ((33, 31, 16, 17), 13), ((17, 70, 33), 9), ((4, 64, 2), 32)]


def numbers(generator, *shape):
    return torch.from_numpy(generator.normal(size=shape).astype(np.float32))


def same(found, expected):
    """Whether all bits are the same; any NaN is like another."""
    return np.array_equal(to_bits(BINARY32, found.numpy()), to_bits(BINARY32, np.asarray(expected)))


def vector_of(network):
    """All parameters as the reference reads them: the weights of a layer (inputs x outputs), then its biases."""
    return np.concatenate([part.t().numpy().reshape(-1) for part in network.parameters])


def check(network, sizes, inputs, slopes, factor=binary32):
    """Both passes, to the last bit, and that the derivative by the inputs leaves the gradients alone."""
    layers = layers_of(vector_of(network), sizes)
    with np.errstate(all="ignore"):
        kept = forward(layers, inputs.numpy(), factor)
        gradients, by_inputs = backward(layers, kept, slopes.numpy(), factor)
    found, way = network(inputs)
    assert same(found, kept[-1])
    network.differentiate(way, slopes)
    assert same(network.optimizer.gradients, gradients)
    assert same(network.input_derivative(network(inputs)[1], slopes), by_inputs)
    assert same(network.optimizer.gradients, gradients)


@pytest.mark.parametrize("flags", [(), *SHORTER], ids=" ".join)
@pytest.mark.parametrize(("sizes", "rows"), SHAPES)
def test_passes_are_those_of_the_reference(sizes, rows, flags, monkeypatch):
    monkeypatch.setattr(network_module, "native_library", lambda: load_passes(*flags))
    generator = np.random.default_rng(0)
    network = Network(initial_layers(sizes, generator), 1e-3)
    for _ in range(2):
        check(network, sizes, numbers(generator, rows, sizes[0]), numbers(generator, rows, sizes[-1]))


@pytest.mark.parametrize("flags", [(), *WITHOUT_BFLOAT16, *SHORTER], ids=" ".join)
@pytest.mark.parametrize(("sizes", "rows"), SHAPES)
def test_passes_in_bfloat16_are_those_of_the_reference(sizes, rows, flags, monkeypatch):
    """The same bits with the processor's instruction and without."""
    monkeypatch.setattr(network_module, "native_library", lambda: load_passes(*flags))
    generator = np.random.default_rng(8)
    network = Network(initial_layers(sizes, generator), 1e-3, "bfloat16")
    for scale in (1, 1, 1e-36):
        inputs = numbers(generator, rows, sizes[0]) * scale
        check(network, sizes, inputs, numbers(generator, rows, sizes[-1]), bfloat16)


def test_the_library_knows_whether_the_processor_has_the_instruction():
    assert not any(load_passes(*flags).has_bfloat16() for flags in (*WITHOUT_BFLOAT16, *SHORTER))
    flags = Path("/proc/cpuinfo").read_text().split() if X86 else []
    assert load_passes().has_bfloat16() == ("avx512_bf16" in flags)


def test_bfloat16_is_that_of_pytorch():
    generator = np.random.default_rng(9)
    given = generator.integers(0, 1 << 32, 100_000, dtype=np.uint32).view(np.float32)
    given = given[(np.abs(given) >= np.finfo(np.float32).tiny) | (given == 0)]
    assert same(torch.from_numpy(given).bfloat16().float(), bfloat16(given))
    assert np.signbit(bfloat16(np.float32([-1e-40]))).all() and not bfloat16(np.float32([-1e-40])).any()


@pytest.mark.parametrize("precision", FACTORS)
def test_numbers_at_the_ends_of_their_range_are_those_of_the_reference(precision):
    """Infinities, no numbers, zeros of both signs, the largest and the least: alone, and where they meet."""
    generator, sizes = np.random.default_rng(1), (5, 19, 35, 3)
    special = np.array([np.inf, -np.inf, np.nan, 0, -0.0, 3.4e38, -3.4e38, 1e-45, -1e-38, 1], np.float32)
    for share in (0.01, 0.3):
        layers = initial_layers(sizes, generator)
        for part in (part for layer in layers for part in layer):
            part[...] = np.where(generator.random(part.shape) < share, generator.choice(special, part.shape), part)
        inputs, slopes = (torch.from_numpy(generator.choice(special, (11, size))) for size in (5, 3))
        for given in (inputs, numbers(generator, 11, 5)):
            check(Network(layers, 1e-3, precision), sizes, given, slopes, FACTORS[precision])


@pytest.mark.parametrize("left_out", [[0], [1, 2, 11], range(13), [3, 12]])
def test_rows_without_a_derivative_have_none_by_the_inputs(left_out):
    """Among rows that have one, which stay as they are."""
    generator, sizes = np.random.default_rng(6), (5, 19, 35, 3)
    layers = initial_layers(sizes, generator)
    inputs, slopes = numbers(generator, 13, 5), numbers(generator, 13, 3)
    slopes[:, 1] = 0
    slopes[list(left_out)] = 0
    check(Network(layers, 1e-3), sizes, inputs, slopes)
    # Weights that are no numbers would make some of zeros.
    layers[1][0][:] = np.nan
    network = Network(layers, 1e-3)
    found = network.input_derivative(network(inputs)[1], slopes).isnan().all(1)
    assert found.tolist() == [row not in left_out for row in range(13)]


@pytest.mark.parametrize("kind", [Network, lambda layers, rate: ModuleNetwork(build_network(layers), rate)])
def test_gradients_may_be_those_of_the_first_rows(kind):
    generator = np.random.default_rng(7)

    def eighths(*shape):
        """Numbers of few bits: sums of their products are exact, in whatever order PyTorch adds them."""
        return (generator.integers(-16, 17, shape) / 8).astype(np.float32)

    layers = [(eighths(19, 5), eighths(19)), (eighths(3, 19), eighths(3))]
    inputs, slopes, found = torch.from_numpy(eighths(11, 5)), torch.from_numpy(eighths(4, 3)), []
    for rows in (11, 4):
        network = kind(layers, 1e-3)
        network.learn(network(inputs[:rows])[1], slopes)
        found.append(network.parameters)
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


def test_a_pass_of_no_rows_gives_none():
    network = Network(initial_layers((4, 9, 2), np.random.default_rng(2)), 1e-3)
    network.optimizer.gradients[:] = 1
    found, way = network(torch.empty(0, 4))
    assert found.shape == (0, 2)
    assert network.input_derivative(network(torch.empty(0, 4))[1], torch.empty(0, 2)).shape == (0, 4)
    network.differentiate(way, torch.empty(0, 2))
    assert not network.optimizer.gradients.any()


@pytest.mark.parametrize("precision", FACTORS)
def test_several_threads_have_the_same_bits(precision):
    generator = np.random.default_rng(1)
    layers = initial_layers((23, 256, 256, 1), generator)
    inputs, slopes = numbers(generator, 256, 23), numbers(generator, 256, 1)
    found, threads = [], torch.get_num_threads()
    try:
        for count in (1, 2, 3):
            torch.set_num_threads(count)
            network = Network(layers, 1e-2, precision)
            follower = network.copy()
            with shared_passes():
                assert torch.get_num_threads() == 1
                for _ in range(20):
                    outputs, way = network(inputs)
                    network.learn(way, slopes)
                    back = network.input_derivative(network(inputs)[1], slopes)
                    follower.follow(network, 0.1)
            assert torch.get_num_threads() == count
            found.append([outputs, back, *network.parameters, *follower.parameters])
    finally:
        torch.set_num_threads(threads)
    for others in found[1:]:
        assert all(torch.equal(one, other) for one, other in zip(found[0], others, strict=True))


def test_passes_have_pytorchs_threads_meanwhile(monkeypatch):
    """Also where what is done with them fails."""
    told, threads = [], torch.get_num_threads()
    monkeypatch.setattr(network_module, "native_library", lambda: SimpleNamespace(set_threads=told.append))
    try:
        torch.set_num_threads(3)
        with pytest.raises(KeyError), shared_passes():
            assert told == [3] and torch.get_num_threads() == 1
            raise KeyError
        assert told == [3, 1] and torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(threads)


def test_values_side_by_side_are_one_input():
    generator = np.random.default_rng(2)
    network = Network(initial_layers((7, 9, 2), generator), None)
    values = numbers(generator, 5, 7)
    # Columns and rows that are not side by side in memory.
    wide = torch.cat((values, values), 1)
    expected = network(values)[0]
    for given in ((values[:, :3], values[:, 3:]), (wide[:, :7],), (values.t().contiguous().t(),)):
        assert torch.equal(network(*given)[0], expected)
    slopes = numbers(generator, 5, 2)
    expected = network.input_derivative(network(values)[1], slopes)
    assert torch.equal(network.input_derivative(network(values)[1], slopes.t().contiguous().t()), expected)


def test_a_pass_is_kept_until_it_is_let_go():
    """Passes at the same time have memories of their own; one that is let go gives its memory to the next."""
    generator = np.random.default_rng(3)
    network = Network(initial_layers((4, 8, 3), generator), 1e-3)
    one, other, slopes = numbers(generator, 6, 4), numbers(generator, 6, 4), numbers(generator, 6, 3)
    expected = network.input_derivative(network(one)[1], slopes)
    first, second = network(one)[1], network(other)[1]
    assert first.memory.data_ptr() != second.memory.data_ptr()
    assert torch.equal(network.input_derivative(first, slopes), expected)
    place = first.memory.data_ptr()
    del first
    again = network(one)[1]
    assert again.memory.data_ptr() == place
    del again
    # A pass of more rows needs more.
    larger = network(numbers(generator, 60, 4))[1].memory
    assert larger.data_ptr() != place and len(larger) > len(second.memory)


@pytest.mark.parametrize("layer", [0, 1])
def test_what_is_no_number_stays_none(layer):
    """A network that has gone astray says so: a ReLU does not hide it."""
    generator = np.random.default_rng(4)
    layers = initial_layers((3, 40, 40, 2), generator)
    layers[layer][0][5, 1] = np.nan
    network = Network(layers, None)
    assert torch.isnan(network(numbers(generator, 4, 3))[0]).all()


@pytest.mark.parametrize("precision", FACTORS)
def test_a_copy_multiplies_as_the_network_does(precision):
    generator = np.random.default_rng(10)
    network = Network(initial_layers((17, 33, 2), generator), 1e-3, precision)
    inputs = numbers(generator, 9, 17)
    expected = forward(layers_of(vector_of(network), (17, 33, 2)), inputs.numpy(), FACTORS[precision])[-1]
    assert same(network.copy()(inputs)[0], expected)


# Parameters of the second network are shared among threads.
@pytest.mark.parametrize("sizes", [(5, 33, 2), (64, 520, 2)])
def test_a_follower_goes_a_part_of_the_way(sizes):
    generator = np.random.default_rng(5)
    leader, follower = (Network(initial_layers(sizes, generator), None) for _ in range(2))
    one, other = vector_of(follower), vector_of(leader)
    follower.follow(leader, 0.1)
    assert same(torch.from_numpy(vector_of(follower)), fused(np.float32(0.1), other - one, one))
    assert np.array_equal(vector_of(leader), other)
    copied = follower.copy()
    assert all(torch.equal(*pair) for pair in zip(copied.parameters, follower.parameters, strict=True))
    follower.follow(leader, 1.0)
    assert not any(torch.equal(*pair) for pair in zip(copied.parameters, follower.parameters, strict=True))
