"""A network on integers against the same one in real numbers, within what each rounding can make of it."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from rewardware.hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape, PoolingShape
from rewardware.sw.reference.convolution import pooling
from rewardware.sw.reference.convolution.algorithms import ALGORITHMS
from rewardware.sw.reference.convolution.layers import (
    AveragePooling,
    Concatenation,
    Convolution,
    MaxPooling,
    forward,
)
from rewardware.sw.reference.convolution.quantization import quantize

from .shapes import from_torch, to_torch


def convolution(rng, name, source, shape, **options):
    """Random weights, those of channel 0 far smaller than the others."""
    size = (*shape.kernel, shape.input_channels, shape.output_channels)
    kernels = rng.normal(size=size).astype(np.float32) / np.float32(np.sqrt(np.prod(size[:3])))
    kernels[..., 0] *= np.float32(1e-4)
    return Convolution(
        name=name,
        source=source,
        shape=shape,
        kernels=kernels,
        bias=rng.normal(size=size[3]).astype(np.float32) / 4,
        **options,
    )


def shape_of(channels, picture, kernel, **options):
    return ConvolutionShape(
        input_channels=channels[0], output_channels=channels[1], picture=picture, kernel=kernel, **options
    )


def inception(rng):
    """A stem, a block of four branches as GoogLeNet has it, an average, and a dense layer."""
    around = {"padding": ((1, 1), (1, 1))}
    stem = shape_of((3, 6), (19, 15), (7, 7), stride=(2, 2), padding=((3, 3), (3, 3)))
    halves = {"stride": (2, 2), "ceil_mode": True}
    first_pool = PoolingShape(channels=6, picture=(10, 8), kernel=(3, 3), **halves)
    return [
        convolution(rng, "stem", "input", stem, rectified=True),
        MaxPooling(name="pool", source="stem", shape=first_pool),
        convolution(rng, "one", "pool", shape_of((6, 4), (5, 4), (1, 1)), rectified=True),
        convolution(rng, "three", "pool", shape_of((6, 5), (5, 4), (3, 3), **around), rectified=True),
        convolution(rng, "row", "three", shape_of((5, 3), (5, 4), (1, 7), padding=((0, 0), (3, 3))), rectified=True),
        MaxPooling(name="near", source="pool", shape=PoolingShape(channels=6, picture=(5, 4), kernel=(3, 3), **around)),
        convolution(rng, "behind", "near", shape_of((6, 3), (5, 4), (1, 1)), rectified=True),
        Concatenation(name="block", sources=("one", "three", "row", "behind")),
        AveragePooling(name="average", source="block", include_padding=False,
                       shape=PoolingShape(channels=15, picture=(5, 4), kernel=(2, 2), **halves)),
        convolution(rng, "actions", "average", shape_of((15, 4), (3, 2), (3, 2))),
    ]  # fmt: skip


def generator(rng):
    """Two layers of DCGAN's generator, narrow."""
    sides = {"kernel": (4, 4), "stride": (2, 2), "padding": ((1, 1), (1, 1))}
    return [
        convolution(rng, "first", "input", FractionallyStridedShape(
            input_channels=5, output_channels=4, picture=(4, 3), **sides), rectified=True),
        convolution(rng, "second", "first", FractionallyStridedShape(
            input_channels=4, output_channels=3, picture=(8, 6), **sides, output_padding=(1, 0))),
    ]  # fmt: skip


def sums(layer, kernels, picture):
    """The sums of a layer with other kernels, in real numbers and without a bias."""
    other = Convolution(name="sums", source="input", shape=layer.shape, kernels=kernels, bias=0 * layer.bias)
    return forward([other], picture)["sums"]


def error_of_convolution(layer, integer, network, error, numbers, words):
    """The error of what comes in times integer kernels; half a unit of each weight times its real input; half a unit of
    the bias, of the multiplier times the sum, and of the result."""
    unit, scale = integer.weight_scales * network.scales[layer.source], network.scales[layer.name]
    passed = sums(layer, np.abs(integer.kernels) * integer.weight_scales, error)
    of_weights = sums(layer, np.broadcast_to(integer.weight_scales / 2, layer.kernels.shape), np.abs(numbers))
    of_multiplier = np.abs(sums(layer, integer.kernels, words) + integer.bias) * 2.0 ** -(integer.shift + 1) * scale
    return passed + of_weights + unit / 2 + of_multiplier + scale / 2


def bounds(layers, network, numbers, words):
    """How far a number of each tensor can be from its real one, layer after layer.

    Saturation only comes nearer: no real number of a calibration picture is beyond the range.
    """
    errors = {"input": np.full(numbers["input"].shape, network.scales["input"] / 2)}
    for layer, integer in zip(layers, network.layers, strict=True):
        if isinstance(layer, Concatenation):
            error = np.concatenate([errors[source] for source in layer.sources], axis=2)
        elif isinstance(layer, MaxPooling):
            error = pooling.max_pool(layer.shape, errors[layer.source])
        elif isinstance(layer, AveragePooling):
            of_multiplier = np.abs(pooling.window_sums(layer.shape, words[layer.source])) * 2.0 ** -(integer.shift + 1)
            divisors = pooling.divisors(layer.shape, layer.include_padding)[..., None]
            error = pooling.window_sums(layer.shape, errors[layer.source]) / divisors
            error = error + (of_multiplier + 0.5) * network.scales[layer.name]
        else:
            taken = errors[layer.source], numbers[layer.source], words[layer.source]
            error = error_of_convolution(layer, integer, network, *taken)
        errors[layer.name] = error
    return errors


@pytest.mark.parametrize(("width", "accumulator_width", "typical"), [(8, 32, 0.03), (16, 44, 0.03 / 128)])
@pytest.mark.parametrize(("make", "size"), [(inception, (19, 15, 3)), (generator, (4, 3, 5))])
def test_near_the_real_network(make, size, width, accumulator_width, typical):
    """Every number is within its bound, and with 8 bits the root mean square within 3 % of the tensor's largest number.

    A network of 16 bits has scales 258 times as fine; its root mean square is held to a 128th.
    """
    rng = np.random.default_rng(width)
    layers = make(rng)
    pictures = rng.normal(size=(4, *size))
    network = quantize(layers, pictures, width=width, accumulator_width=accumulator_width)
    for picture in pictures:
        numbers = forward(layers, picture)
        inference = network.infer(network.to_words(picture))
        errors = bounds(layers, network, numbers, inference.words)
        for name, bound in errors.items():
            distance = np.abs(network.to_numbers(name, inference.words[name]) - numbers[name])
            assert (distance <= bound * (1 + 1e-9)).all(), name
            assert np.sqrt((distance**2).mean()) <= typical * np.abs(numbers[name]).max(), name


def test_words_are_the_nearest():
    """Words of every weight and bias of a layer are the nearest ones."""
    layers = inception(np.random.default_rng(5))
    network = quantize(layers, [np.random.default_rng(6).normal(size=(19, 15, 3))])
    for layer, integer in zip(layers, network.layers, strict=True):
        if isinstance(layer, Convolution):
            unit = integer.weight_scales * network.scales[layer.source]
            np.testing.assert_array_less(np.abs(integer.bias - layer.bias / unit), 0.5 + 1e-9)
            np.testing.assert_array_less(np.abs(integer.kernels - layer.kernels / integer.weight_scales), 0.5 + 1e-9)
            ratios = integer.weight_scales * network.scales[layer.source] / network.scales[layer.name]
            np.testing.assert_array_less(np.abs(integer.multiplier - ratios * 2.0**integer.shift), 0.5 + 1e-9)


def test_same_words_by_every_algorithm():
    rng = np.random.default_rng(3)
    layers = [layer for layer in inception(rng) if layer.name != "stem"]
    layers[0] = MaxPooling(name="pool", source="input", shape=layers[0].shape)
    picture = rng.normal(size=(10, 8, 6))
    network = quantize(layers, [picture])
    first, *others = (network.infer(network.to_words(picture), algorithm) for algorithm in ALGORITHMS.values())
    for other in others:
        for name, words in first.words.items():
            np.testing.assert_array_equal(other.words[name], words)


def test_the_real_network_is_pytorchs():
    """Three convolutions and a dense layer, as of an Atari policy, narrow."""
    torch.manual_seed(1)
    modules = nn.Sequential(
        nn.Conv2d(4, 5, 8, stride=4), nn.ReLU(), nn.Conv2d(5, 6, 4, stride=2), nn.ReLU(),
        nn.Conv2d(6, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 1 * 2, 3),
    )  # fmt: skip
    picture = np.random.default_rng(1).random((36, 44, 4)).astype(np.float32)
    layers, source, batch = [], "input", to_torch(picture)
    with torch.no_grad():
        expected = modules(batch)[0].numpy()
        for index, module in enumerate(modules):
            if isinstance(module, nn.Conv2d):
                kernels = module.weight.permute(2, 3, 1, 0).numpy()
            elif isinstance(module, nn.Linear):
                kernels = module.weight.reshape(3, 6, 1, 2).permute(2, 3, 1, 0).numpy()
            else:
                continue
            side = from_torch(modules[:index](batch)).shape[:2] if isinstance(module, nn.Conv2d) else (1, 2)
            stride = getattr(module, "stride", (1, 1))
            shape = shape_of(kernels.shape[2:], side, kernels.shape[:2], stride=stride)
            rectified = isinstance(module, nn.Conv2d)
            layers.append(Convolution(name=str(index), source=source, shape=shape, kernels=kernels,
                                      bias=module.bias.numpy(), rectified=rectified))  # fmt: skip
            source = str(index)
    np.testing.assert_allclose(forward(layers, picture)[source].reshape(-1), expected, atol=1e-5)
    network = quantize(layers, [picture], width=16, accumulator_width=44)
    result = network.to_numbers(source, network.infer(network.to_words(picture)).words[source])
    np.testing.assert_allclose(result.reshape(-1), expected, atol=1e-3)


def test_what_is_always_zero():
    """Channels without weights, some with a bias alone, and a layer without anything."""
    shape = shape_of((1, 3), (2, 2), (1, 1))
    kernels, bias = np.zeros((1, 1, 1, 3)), np.array([0.0, 1e6, 0.5])
    kernels[..., 2] = 0.5
    layers = [
        Convolution(name="some", source="input", shape=shape, kernels=kernels, bias=bias),
        Convolution(name="none", source="input", shape=shape, kernels=kernels * 0, bias=bias * 0),
    ]
    picture = np.ones((2, 2, 1))
    network = quantize(layers, [picture])
    inference = network.infer(network.to_words(picture))
    assert not inference.words["none"].any() and not any(inference.saturated.values())
    assert network.to_numbers("some", inference.words["some"])[0, 0].tolist() == [0.0, 1e6, 0.0]


def test_saturation_is_counted():
    shape = shape_of((1, 1), (1, 2), (1, 1))
    layer = Convolution(name="layer", source="input", shape=shape, kernels=np.ones((1, 1, 1, 1)), bias=np.zeros(1))
    network = quantize([layer], [np.ones((1, 2, 1))])
    words = np.array([[[-128], [127]]])
    assert network.infer(words).saturated == {"layer": 0}
    doubled = replace(network.layers[0], shift=network.layers[0].shift - 1)
    inference = replace(network, layers=(doubled,)).infer(words)
    assert inference.saturated == {"layer": 2} and inference.words["layer"].reshape(-1).tolist() == [-128, 127]


def test_refuses():
    shape = shape_of((1, 1), (1, 1), (1, 1))
    parts = {"shape": shape, "kernels": np.ones((1, 1, 1, 1)), "bias": np.ones(1)}
    layer, picture = Convolution(name="a", source="input", **parts), np.ones((1, 1, 1))
    unknown = Convolution(name="b", source="c", **parts)
    infinite = Convolution(name="a", source="input", **{**parts, "bias": np.array([np.inf])})
    for layers, words in (
        ([unknown], "Source of 'b' must be one of input, not 'c'"),
        ([layer, layer], "Layer names must differ, and there are two of 'a'"),
        ([infinite], "Activations of 'a' must be finite"),
    ):
        with pytest.raises(ValueError, match=f"^{words}$"):
            quantize(layers, [picture])
    with pytest.raises(ValueError, match="^Picture must be finite$"):
        quantize([layer], [picture]).to_words(picture * np.nan)
    with pytest.raises(ValueError, match="^Calibration must have at least one picture, not 0$"):
        quantize([layer], [])
    with pytest.raises(ValueError, match="^Width must be from 2 to 16, not 17$"):
        quantize([layer], [picture], width=17)
    with pytest.raises(ValueError, match=r"^Bias must have the shape \(1,\), not \(2,\)$"):
        Convolution(name="a", source="input", **{**parts, "bias": np.ones(2)})
