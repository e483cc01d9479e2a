"""Networks on the device, layer by layer, against the reference: every word."""

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from rewardware.hw.cores.convolution.commands import Dataflow
from rewardware.sw.core.hardware import resolve_hardware
from rewardware.sw.mapping.convolution.algorithms import IM2COL, KN2ROW, Algorithm
from rewardware.sw.networks.convolution.convolutional_network import ConvolutionalNetwork
from rewardware.sw.networks.convolution.network_file import load_network
from rewardware.sw.networks.convolution.nodes import (
    AveragePooling,
    Concatenation,
    Convolution,
    FractionallyStridedConvolution,
    Input,
    MaxPooling,
)
from rewardware.sw.networks.convolution.parameters import random_parameters
from rewardware.sw.networks.convolution.quantized_model import quantize_model
from rewardware.sw.systems.dynamap.backends import network_on
from rewardware.sw.systems.dynamap.compiler.folded_input import fold_input
from rewardware.sw.systems.dynamap.compiler.network_program import NetworkProgram
from rewardware.sw.systems.dynamap.compiler.products import Choice
from rewardware.sw.systems.dynamap.device_network import DeviceNetwork

SMALL = resolve_hardware("small", "dynamap")
AROUND = ((1, 1), (1, 1))
NS, WS, IS = Dataflow
F23 = Algorithm(name="winograd", m=2, r=3)

# The branches have all algorithms, each with a part of a layer; one is also copied as another layer takes it.
NETWORK = ConvolutionalNetwork(
    name="inception",
    nodes=(
        Input(name="frames", channels=3, picture=(9, 8)),
        Convolution(name="first", source="frames", channels=7, kernel=(3, 3), padding=AROUND, relu=True),
        Convolution(name="one", source="first", channels=4, kernel=(1, 1), relu=True),
        Convolution(name="three", source="first", channels=9, kernel=(3, 3), padding=AROUND, relu=True),
        Convolution(name="five", source="first", channels=5, kernel=(5, 5), padding=((2, 2), (2, 2)), relu=True),
        MaxPooling(name="pool", source="first", kernel=(3, 3), padding=AROUND),
        Concatenation(name="joined", sources=("one", "three", "pool", "five")),
        Convolution(name="again", source="one", channels=2, kernel=(2, 3), stride=(3, 1)),
        Convolution(name="strided", source="joined", channels=8, kernel=(3, 3), stride=(2, 2), relu=True),
        # Without the padding, so that corners and sides have other divisors.
        AveragePooling(name="average", source="strided", kernel=(3, 3), padding=AROUND, include_padding=False),
        Convolution(name="actions", source="average", channels=10, kernel=(4, 3)),
    ),
)
RNG = np.random.default_rng(3)
PICTURES = RNG.normal(size=(3, 9, 8, 3))
MODEL = quantize_model(NETWORK, random_parameters(NETWORK, 5), list(PICTURES)).network
CHOICES = {
    "first": Choice(algorithm=IM2COL, dataflow=NS, parts=3),
    "one": Choice(algorithm=IM2COL, dataflow=WS, parts=2),
    "three": Choice(algorithm=F23, dataflow=WS, parts=2),
    "five": Choice(algorithm=KN2ROW, dataflow=IS, parts=2),
    "again": Choice(algorithm=KN2ROW, dataflow=WS),
    "strided": Choice(algorithm=KN2ROW, dataflow=NS),
    "actions": Choice(algorithm=IM2COL, dataflow=IS),
}


def require_equal(device, words):
    expected = MODEL.infer(words)
    found = device.infer(words)
    for name, tensor in found.items():
        np.testing.assert_array_equal(tensor, expected.words[name], err_msg=name)
    return found, sum(expected.saturated.values())


@pytest.mark.parametrize(
    "choices",
    [
        {},
        # The kernel of 5 x 5 in several rounds.
        {name: Choice(algorithm=F23, dataflow=way) for name, way in (("first", NS), ("three", IS), ("five", IS))},
    ],
    ids=["all algorithms", "Winograd"],
)
def test_every_layer(choices):
    saturated = 0
    with closing(DeviceNetwork(MODEL, SMALL, choices={**CHOICES, **choices}, keep=True)) as device:
        for picture in PICTURES:
            # Twice as large as those that the scales are for: words are saturated.
            found, more = require_equal(device, MODEL.to_words(np.clip(2 * picture, -4, 4)))
            saturated += more
            assert set(found) == {layer.name for layer in MODEL.layers}
        assert device.counters()["saturated"] == saturated > 0


def test_outputs_alone_in_places_that_are_used_again():
    with closing(network_on("rtl", "small")(MODEL)) as device:
        places = device.program.places.maps
        assert any(each.after for each in places.values())
        for picture in PICTURES:
            found, _ = require_equal(device, MODEL.to_words(picture))
            assert set(found) == {"again", "actions"}


def test_lockstep_compares_all_layers():
    with closing(network_on("lockstep", SMALL)(MODEL)) as running:
        running.infer(MODEL.to_words(PICTURES[0]))
        sizes = sum(tensor.size for name, tensor in MODEL.infer(MODEL.to_words(PICTURES[0])).words.items())
        assert running.counters()["lockstep_equal"] == sizes - PICTURES[0].size


def test_a_folded_picture():
    """Lines of a window as channels of a pixel: other inputs of the device, the same words of all layers."""
    nodes = (
        Input(name="frames", channels=3, picture=(11, 10)),
        Convolution(name="only", source="frames", channels=9, kernel=(5, 3), stride=(2, 2), padding=((2, 1), (1, 0))),
    )
    network, picture = ConvolutionalNetwork(name="folded", nodes=nodes), RNG.normal(size=(11, 10, 3))
    model = quantize_model(network, random_parameters(network, 5), [picture]).network
    folded, words = fold_input(model), model.to_words(picture)
    expected = model.infer(words).words["only"]
    np.testing.assert_array_equal(folded.network.infer(folded.words(words)).words["only"], expected)
    with closing(DeviceNetwork(model, SMALL)) as device:
        assert device.program.places.maps["input"].size == (5, 10, 15)
        np.testing.assert_array_equal(device.infer(words)["only"], expected)
    assert fold_input(folded.network) is None


@pytest.mark.parametrize(("share", "stays"), [(16, False), (64, True)])
def test_dcgan_whole(share, stays):
    """The generator with a part of its channels, whose weights are loaded for each pass, or stay."""
    nodes = tuple(
        replace(node, channels=max(node.channels // share, 3))
        if isinstance(node, FractionallyStridedConvolution)
        else node
        for node in load_network("dcgan").nodes
    )
    network, codes = ConvolutionalNetwork(name="dcgan", nodes=nodes), RNG.normal(size=(2, 1, 1, 100))
    model = quantize_model(network, random_parameters(network, 7), list(codes)).network
    with closing(DeviceNetwork(model, SMALL, keep=True)) as device:
        # Parameters, then weights.
        assert (len(device.program.setup[0].inputs) > 1) == stays
        for code in codes:
            words = model.to_words(code)
            expected, found = model.infer(words).words, device.infer(words)
            assert list(found) == [layer.name for layer in model.layers]
            for name, tensor in found.items():
                np.testing.assert_array_equal(tensor, expected[name], err_msg=name)


@pytest.mark.parametrize(("preset", "width"), [("small", 8), ("small-16", 16)])
def test_both_kinds_of_convolutions_share_a_feature_map(preset, width):
    nodes = (
        Input(name="code", channels=20, picture=(1, 2)),
        FractionallyStridedConvolution(name="up", source="code", channels=7, kernel=(4, 3), relu=True),
        Convolution(name="down", source="up", channels=5, kernel=(3, 3), padding=AROUND, relu=True),
        FractionallyStridedConvolution(name="again", source="down", channels=9, kernel=(2, 5), stride=(3, 2)),
    )
    network, code = ConvolutionalNetwork(name="mixed", nodes=nodes), RNG.normal(size=(1, 2, 20))
    model = quantize_model(network, random_parameters(network, 2), [code], width).network
    with closing(network_on("lockstep", resolve_hardware(preset, "dynamap"))(model)) as running:
        running.infer(model.to_words(code))
        counters = running.counters()
        assert counters["lockstep_equal"] == counters["lockstep_compared"] > 400


def test_all_kinds_of_layers_in_16_bits():
    model = quantize_model(NETWORK, random_parameters(NETWORK, 5), list(PICTURES), 16).network
    with closing(network_on("lockstep", resolve_hardware("small-16", "dynamap"))(model)) as running:
        for picture in PICTURES:
            running.infer(model.to_words(picture))
        counters = running.counters()
        assert counters["lockstep_equal"] == counters["lockstep_compared"] > 3000


def test_a_picture_of_another_size():
    with closing(DeviceNetwork(MODEL, SMALL, choices=CHOICES)) as device:
        with pytest.raises(ValueError, match=r"Picture must have the shape \(9, 8, 3\), not \(8, 9, 3\)"):
            device.infer(np.zeros((8, 9, 3), np.int64))
        require_equal(device, MODEL.to_words(PICTURES[1]))


def refused(nodes, message, **changes):
    network = ConvolutionalNetwork(name="refused", nodes=(Input(name="frames", channels=3, picture=(9, 8)), *nodes))
    model = quantize_model(network, random_parameters(network, 5), list(PICTURES), changes.pop("width", 8)).network
    hardware = changes.pop("hardware", SMALL)
    with pytest.raises(ValueError, match=message):
        NetworkProgram(hardware, model, {"only": Choice(**{"algorithm": IM2COL, "dataflow": NS, **changes})})


def test_what_the_device_cannot_compute():
    large = Convolution(name="only", source="frames", channels=1000, kernel=(1, 1))
    refused([large], "Feature maps must be at most 65536 words at a time on this device, not 72216")
    wide = Convolution(name="only", source="frames", channels=7000, kernel=(9, 8))
    refused([wide], "'only' needs 216 rows of the input buffer and 2334 of the accumulators for a pixel; device small")
    tiles = Convolution(name="only", source="frames", channels=200, kernel=(3, 3), padding=AROUND)
    told = "'only' needs 128 rows of the input buffer and 6400 of the accumulators for a tile; device small"
    refused([tiles], told, algorithm=F23, dataflow=IS)
    without = "Layer 'only': Winograd's algorithm must be NS or WS on device small, not IS"
    refused([tiles], without, algorithm=F23, dataflow=IS, hardware=replace(SMALL, turned_tiles=False))
    deep = Convolution(name="only", source="frames", channels=2, kernel=(1, 1))
    refused([deep], "Words of the network must have the 8 bits of device small, not 16", width=16)
    strided = FractionallyStridedConvolution(name="only", source="frames", channels=2, kernel=(2, 2))
    without = "Layer 'only' is fractionally strided, and device small has no engine for that"
    refused([strided], without, hardware=replace(SMALL, fractional=None))
    tall = FractionallyStridedConvolution(name="only", source="frames", channels=1, kernel=(300, 1))
    refused([tall], "Layer 'only': .* must be at most 255, not 308")
