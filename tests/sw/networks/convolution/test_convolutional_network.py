"""Graphs of convolutional networks: shapes, counts, and what is refused with which words."""

import pytest
import torch
from torch import nn

from rewardware.hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape
from rewardware.sw.networks.convolution.convolutional_network import ConvolutionalNetwork
from rewardware.sw.networks.convolution.network_file import load_network
from rewardware.sw.networks.convolution.nodes import (
    Addition,
    AveragePooling,
    Concatenation,
    Convolution,
    FractionallyStridedConvolution,
    Input,
    MaxPooling,
)

PICTURE = Input(name="picture", channels=3, picture=(13, 11))


def network(*nodes):
    return ConvolutionalNetwork(name="small", nodes=(PICTURE, *nodes))


def convolution(name="a", source="picture", **settings):
    return Convolution(name=name, source=source, **{"channels": 5, "kernel": (3, 3), **settings})


@pytest.mark.parametrize(
    ("node", "module"),
    [
        (
            convolution(kernel=(3, 2), stride=(2, 3), padding=((1, 1), (0, 0))),
            nn.Conv2d(3, 5, (3, 2), (2, 3), (1, 0)),
        ),
        (
            FractionallyStridedConvolution(
                name="a",
                source="picture",
                channels=5,
                kernel=(5, 4),
                stride=(2, 3),
                padding=((2, 2), (1, 1)),
                output_padding=(1, 2),
            ),
            nn.ConvTranspose2d(3, 5, (5, 4), (2, 3), (2, 1), (1, 2)),
        ),
        (
            MaxPooling(name="a", source="picture", kernel=(3, 3), stride=(2, 2), ceil_mode=True),
            nn.MaxPool2d(3, 2, ceil_mode=True),
        ),
        (
            AveragePooling(name="a", source="picture", kernel=(4, 3), stride=(3, 2), padding=((2, 2), (1, 1))),
            nn.AvgPool2d((4, 3), (3, 2), (2, 1)),
        ),
    ],
    ids=["convolution", "fractionally strided", "maximum", "average"],
)
def test_feature_maps_have_the_shapes_of_pytorch(node, module):
    with torch.no_grad():
        given = module(torch.zeros(1, 3, 13, 11)).shape[1:]
    found = network(node).feature_maps["a"]
    assert (found.channels, *found.picture) == tuple(given)
    assert network(node).parameters == sum(each.numel() for each in module.parameters())


def test_padding_of_each_side():
    found = network(convolution(padding=((0, 1), (2, 3)), stride=(1, 2))).feature_maps["a"]
    assert str(found) == "5 x 12 x 7"


def test_joins_and_outputs():
    nodes = (
        convolution("a", padding=((1, 1), (1, 1))),
        convolution("b", padding=((1, 1), (1, 1)), channels=7),
        Concatenation(name="c", sources=("a", "b", "a")),
        Addition(name="d", sources=("a", "a"), relu=True),
    )
    found = network(*reversed(nodes))
    assert {name: str(each) for name, each in found.feature_maps.items()} == {
        "picture": "3 x 13 x 11", "a": "5 x 13 x 11", "b": "7 x 13 x 11", "c": "17 x 13 x 11", "d": "5 x 13 x 11",
    }  # fmt: skip
    assert sorted(found.outputs) == ["c", "d"] and found.consumers["a"] == ("d", "d", "c", "c")
    assert sorted(found.layers) == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "convolutions", "parameters", "multiply_accumulates"),
    [
        # Caffe's model has the same number of parameters.
        ("googlenet", 57, 6_998_552, 1_582_671_872),
        ("inception-v4", 149, 42_648_232, 12_253_974_624),
    ],
)
def test_networks_of_the_package(name, convolutions, parameters, multiply_accumulates):
    """Convolutions, and after them a linear layer."""
    found = load_network(name)
    assert list(found.convolutions)[-1] == "linear" and found.outputs == ("linear",)
    assert len(found.convolutions) == convolutions + 1
    assert (found.parameters, found.multiply_accumulates) == (parameters, multiply_accumulates)


def test_the_modules_of_inception_v4_have_as_many_convolutions_as_in_the_paper():
    found = load_network("inception-v4")
    counts = {}
    for name in found.convolutions:
        module = name.partition("/")[0]
        counts[module] = counts.get(module, 0) + 1
    modules = [f"a{i}" for i in range(1, 5)] + [f"b{i}" for i in range(1, 8)] + [f"c{i}" for i in range(1, 4)]
    expected = dict.fromkeys(modules[:4], 7) | dict.fromkeys(modules[4:], 10)
    assert counts == expected | {"stem": 11, "reduction-a": 4, "reduction-b": 6, "linear": 1}
    maps = {name: str(found.feature_maps[f"{name}/concatenation"]) for name in ("a4", "b7", "c3")}
    assert maps == {"a4": "384 x 35 x 35", "b7": "1024 x 17 x 17", "c3": "1536 x 8 x 8"}


def test_the_small_networks_of_the_package_are_those_of_pytorch():
    atari = nn.Sequential(
        nn.Conv2d(4, 32, 8, 4), nn.Conv2d(32, 64, 4, 2), nn.Conv2d(64, 64, 3), nn.Flatten(), nn.Linear(3136, 512),
        nn.Linear(512, 18),
    )  # fmt: skip
    dcgan = nn.Sequential(
        nn.ConvTranspose2d(100, 1024, 4),
        *(
            nn.ConvTranspose2d(given, channels, 5, 2, 2, 1)
            for given, channels in ((1024, 512), (512, 256), (256, 128), (128, 3))
        ),
    )
    for name, module, picture in (("atari", atari, (4, 84, 84)), ("dcgan", dcgan, (100, 1, 1))):
        found, counted = load_network(name), []

        def count(layer, given, result, counted=counted):
            weights = (
                layer.weight[0].numel() if isinstance(layer, nn.Conv2d | nn.Linear) else layer.weight[:, 0].numel()
            )
            pixels = result if isinstance(layer, nn.Conv2d | nn.Linear) else given[0]
            # Every output of a convolution takes as many products as it has weights; every input of one that is
            # fractionally strided goes into as many.
            counted.append(
                weights * (pixels.numel() if pixels is result else layer.out_channels * pixels[0, 0].numel())
            )

        for layer in module:
            if not isinstance(layer, nn.Flatten):
                layer.register_forward_hook(count)
        with torch.no_grad():
            shape = module(torch.zeros(1, *picture)).shape[1:]
        last = found.feature_maps[found.outputs[0]]
        assert (last.channels, *last.picture)[: len(shape)] == tuple(shape)
        assert found.parameters == sum(each.numel() for each in module.parameters())
        assert found.multiply_accumulates == sum(counted)


def test_layers_know_their_pictures():
    shapes = load_network("dcgan").layers
    assert all(isinstance(shape, FractionallyStridedShape) for shape in shapes.values())
    hidden = load_network("atari").layers["hidden"]
    assert hidden == ConvolutionShape(input_channels=64, output_channels=512, picture=(7, 7), kernel=(7, 7))


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([convolution(source="pictur")], "Node 'a' takes 'pictur', which is not a node: did you mean 'picture'?"),
        ([convolution(), convolution()], "Node names must differ, and these occur twice: a"),
        (
            [convolution(source="b"), convolution("b", source="a")],
            "The network has a cycle: ",
        ),
        ([Input(name="x", channels=1, picture=(1, 1))], "A network must have one input, not 2: picture, x"),
        (
            [convolution(kernel=(3, 12))],
            "Node 'a': Kernel must be no larger than the padded picture (11), not 12",
        ),
        ([convolution(stride=(0, 1))], "Node 'a': Stride must be at least 1, not 0"),
        ([convolution(channels=0)], "Node 'a': Output channels must be at least 1, not 0"),
        (
            [convolution(), Concatenation(name="b", sources=("picture", "a"))],
            "Node 'b': Pictures of all sources must be equal, not 13 x 11 of 'picture', 11 x 9 of 'a'",
        ),
        (
            [convolution(padding=((1, 1), (1, 1))), Addition(name="b", sources=("picture", "a"))],
            "Node 'b': Feature maps of all sources must be equal, not 3 x 13 x 11 of 'picture', 5 x 13 x 11 of 'a'",
        ),
    ],
)
def test_what_is_refused(nodes, words):
    with pytest.raises(ValueError) as error:
        network(*nodes)
    assert words in str(error.value)


def test_a_network_without_an_input():
    with pytest.raises(ValueError, match="^A network must have one input, not 0: no node is one$"):
        ConvolutionalNetwork(name="none", nodes=())


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: convolution(relu=1), TypeError, "ReLU must be of the kind bool, not 1"),
        (lambda: convolution(source=3), TypeError, "Source must be of the kind str, not 3"),
        (lambda: Addition(name="a", sources=()), ValueError, "Sources must be at least one node, not none"),
        (lambda: Addition(name="a", sources="b"), TypeError, "Sources must be of the kind tuple, not 'b'"),
        (lambda: Input(name="a", channels=0, picture=(1, 1)), ValueError, "Channels must be at least 1, not 0"),
        (lambda: Input(name="a", channels=1, picture=3), TypeError, "Picture must be a pair of integers, not 3"),
        (lambda: network(convolution(kernel=3)), TypeError, "Node 'a': Kernel must be a pair of integers, not 3"),
    ],
)
def test_fields_of_the_wrong_kind(make, error, words):
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value) == words
