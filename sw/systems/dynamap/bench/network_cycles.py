"""Cycles of layers and networks on the device's RTL, with small arrays, beside those of their schedules."""

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from .....hw.cores.convolution.shape import ConvolutionShape
from .....hw.soc.dynamap.config import DynamapConfig
from ....core.lockstep import require_equal
from ....measurement.bench import drawn_from, make_row, say
from ....networks.convolution.convolutional_network import ConvolutionalNetwork
from ....networks.convolution.nodes import AveragePooling, Concatenation, Convolution, Input, MaxPooling
from ....networks.convolution.parameters import random_parameters
from ....networks.convolution.quantized_model import quantize_model
from ....reference.convolution.quantization import IntegerConvolution, QuantizedNetwork
from ..compiler.choice import choose, choose_alike, layer_cycles, ways
from ..compiler.convolution_tasks import ConvolutionPlan
from ..compiler.products import Choice
from .counted_cycles import CountedCycles, error_row

__all__ = [
    "ARRAYS", "LAYERS", "NETWORK", "POOLED", "count_layers", "count_mappings", "layer_error", "mapped_gain",
    "network_error", "quantized",
]  # fmt: skip

_COMMON: dict[str, Any] = {"sum_width": 40, "parameter_rows": 64, "turned_tiles": True}
# No side of an array is a power of two. Buffers are small, so that layers are computed in parts, and weights of some
# come several times.
ARRAYS = {
    f"{config.rows} x {config.columns}": config
    for config in (
        DynamapConfig(
            rows=5, columns=3, drains=1, transforms=((2, 3),), feature_rows=1024, input_rows=1000, weight_rows=200,
            sum_rows=512, stream_width=32, **_COMMON,
        ),
        DynamapConfig(
            rows=7, columns=6, drains=2, transforms=((2, 3), (4, 3)), feature_rows=512, input_rows=1050,
            weight_rows=300, sum_rows=1000, **_COMMON,
        ),
        DynamapConfig(
            rows=11, columns=5, drains=4, transforms=((2, 3),), feature_rows=512, input_rows=770, weight_rows=250,
            sum_rows=900, **_COMMON,
        ),
    )
}  # fmt: skip
# Parts of a layer's output, at least.
PARTS = (1, 3)

Layer = Convolution | MaxPooling | AveragePooling


def _alone(channels: int, picture: tuple[int, int], layer: Layer) -> ConvolutionalNetwork:
    size = "x".join(map(str, picture))
    return ConvolutionalNetwork(
        name=f"{layer.name}, {channels} channels of {size}",
        nodes=(Input(name="input", channels=channels, picture=picture), layer),
    )


_AROUND = ((1, 1), (1, 1))
# Networks of one layer each.
LAYERS = (
    _alone(3, (11, 9), Convolution(name="3x3", source="input", channels=7, kernel=(3, 3), padding=_AROUND, relu=True)),
    _alone(17, (8, 7), Convolution(name="3x3", source="input", channels=13, kernel=(3, 3), padding=_AROUND)),
    _alone(20, (9, 9), Convolution(name="1x1", source="input", channels=9, kernel=(1, 1))),
    _alone(
        9,
        (13, 12),
        Convolution(
            name="5x5, stride 2", source="input", channels=10, kernel=(5, 5), stride=(2, 2), padding=((2, 2), (2, 2))
        ),
    ),
    # Winograd's algorithm in several rounds.
    _alone(4, (9, 10), Convolution(name="5x5", source="input", channels=6, kernel=(5, 5), padding=((2, 2), (2, 2)))),
    _alone(6, (7, 9), Convolution(name="1x7, stride 1x2", source="input", channels=8, kernel=(1, 7), stride=(1, 2))),
    _alone(150, (1, 1), Convolution(name="linear", source="input", channels=20, kernel=(1, 1))),
    _alone(
        10,
        (9, 8),
        MaxPooling(name="max pooling 3x3, stride 2", source="input", kernel=(3, 3), stride=(2, 2), ceil_mode=True),
    ),
    _alone(10, (9, 8), AveragePooling(name="average pooling 3x2", source="input", kernel=(3, 2), stride=(1, 2))),
)
# A whole network: branches of different kernels, one of them also taken by another layer, poolings and a linear layer.
NETWORK = ConvolutionalNetwork(
    name="inception",
    nodes=(
        Input(name="frames", channels=3, picture=(9, 8)),
        Convolution(name="first", source="frames", channels=7, kernel=(3, 3), padding=_AROUND, relu=True),
        Convolution(name="one", source="first", channels=4, kernel=(1, 1), relu=True),
        Convolution(name="three", source="first", channels=9, kernel=(3, 3), padding=_AROUND, relu=True),
        Convolution(name="five", source="first", channels=5, kernel=(5, 5), padding=((2, 2), (2, 2)), relu=True),
        MaxPooling(name="pool", source="first", kernel=(3, 3), padding=_AROUND),
        Concatenation(name="joined", sources=("one", "three", "pool", "five")),
        Convolution(name="strided", source="joined", channels=8, kernel=(3, 3), stride=(2, 2), relu=True),
        AveragePooling(name="average", source="strided", kernel=(4, 3)),
        Convolution(name="actions", source="average", channels=10, kernel=(1, 1)),
    ),
)

# A network whose poolings wait for the memory of feature maps, and the host for them.
POOLED = ConvolutionalNetwork(
    name="pooled",
    nodes=(
        Input(name="frames", channels=2, picture=(12, 10)),
        Convolution(name="first", source="frames", channels=4, kernel=(1, 1), relu=True),
        MaxPooling(name="pool", source="first", kernel=(3, 3), padding=_AROUND),
        Convolution(name="three", source="first", channels=5, kernel=(3, 3), padding=_AROUND, relu=True),
        Convolution(name="one", source="pool", channels=5, kernel=(1, 1), relu=True),
        Concatenation(name="joined", sources=("three", "one")),
        Convolution(name="scores", source="joined", channels=3, kernel=(1, 1)),
        MaxPooling(name="peaks", source="joined", kernel=(2, 2), stride=(2, 2)),
    ),
)


def layer_error() -> dict[str, Any]:
    """How far modelled cycles of layers by themselves are off the RTL's: the largest error."""
    return error_row([one for name in ARRAYS for one in count_layers(name)], _where())


def network_error() -> dict[str, Any]:
    """The same of whole networks, mapped and with one algorithm and dataflow for all layers."""
    found = {
        network.name: [one for name in ARRAYS for one in count_mappings(name, network).values()]
        for network in (NETWORK, POOLED)
    }
    told = ", ".join(f"{max(one.error for one in each):.3f} % of {name}" for name, each in found.items())
    return error_row([one for each in found.values() for one in each], f"at most {told}; {_where()}")


def mapped_gain() -> dict[str, Any]:
    """Counted cycles that the mapping of a network saves against the best single algorithm and dataflow, in percent.

    The least of all arrays.
    """
    gains, told = [], []
    for name in ARRAYS:
        found = dict(count_mappings(name, NETWORK))
        mapped = found.pop("mapped").counted
        way = min(found, key=lambda way: found[way].counted)
        gains.append(100 * (1 - mapped / found[way].counted))
        told.append(f"on {name} elements {mapped} cycles mapped against {found[way].counted} with {way}")
    return make_row(round(min(gains), 2), "%", "counted", f"least of {len(gains)}: {', '.join(told)}; {_where()}")


@functools.cache
def count_layers(name: str, networks: tuple[ConvolutionalNetwork, ...] = LAYERS) -> tuple[CountedCycles, ...]:
    """Cycles of networks of one layer, by each algorithm and dataflow that there is for it, whole and in parts.

    Parameters
    ----------
    name : str
        Name of an array.
    networks : tuple of ConvolutionalNetwork
        With one layer each.

    Raises
    ------
    LockstepError
        A word is not the reference's.
    """
    hardware = ARRAYS[name]
    with _counter(name) as count:
        return tuple(
            count(f"{network.name}{told}", model, words, choices)
            for network in networks
            for model, words in [quantized(network)]
            for told, choices in _ways_of_layer(hardware, model)
        )


@functools.cache
def count_mappings(name: str, network: ConvolutionalNetwork) -> dict[str, CountedCycles]:
    """Cycles of a network: mapped, and then by each algorithm and dataflow where it can be.

    Parameters
    ----------
    name : str
        Name of an array.
    network : ConvolutionalNetwork

    Raises
    ------
    LockstepError
        A word is not the reference's.
    """
    hardware = ARRAYS[name]
    model, words = quantized(network)
    # The picture is not folded for any: that is no algorithm's merit.
    choices = {"mapped": choose(hardware, model)}
    for algorithm, dataflow in ways(hardware):
        choices[f"{algorithm} {dataflow!s}"] = choose_alike(hardware, model, (algorithm, dataflow))
    with _counter(name) as count:
        return {way: count(f"{network.name}, {way}", model, words, found) for way, found in choices.items()}


def quantized(network: ConvolutionalNetwork) -> tuple[QuantizedNetwork, np.ndarray]:
    """On integers, with random parameters, and the words of a random picture."""
    random = np.random.default_rng(drawn_from(0))
    given = network.nodes[0]
    assert isinstance(given, Input)
    picture = random.normal(size=(*given.picture, given.channels))
    model = quantize_model(network, random_parameters(network, drawn_from(0)), [picture]).network
    return model, model.to_words(picture)


def _ways_of_layer(hardware: DynamapConfig, model: QuantizedNetwork) -> Iterator[tuple[str, dict[str, Choice]]]:
    """Choices for the layer, no two of which are computed alike, and a name of each."""
    (layer,) = model.layers
    if not isinstance(layer, IntegerConvolution):
        yield "", {}
        return
    assert isinstance(layer.shape, ConvolutionShape)
    found = {}
    for (algorithm, dataflow), parts in itertools.product(ways(hardware, layer.shape), PARTS):
        choice = Choice(algorithm=algorithm, dataflow=dataflow, parts=parts)
        with contextlib.suppress(ValueError):  # the device cannot compute it so
            layer_cycles(hardware, layer, choice)
            count = len(ConvolutionPlan(hardware, layer, choice, 0).parts)
            found[f": {algorithm} {dataflow!s}, {count} parts"] = {layer.name: choice}
    yield from found.items()


@contextlib.contextmanager
def _counter(
    name: str,
) -> Iterator[Callable[[str, QuantizedNetwork, np.ndarray, Mapping[str, Choice]], CountedCycles]]:
    """Opens a device with an array, and gives what counts the cycles of a network on it."""
    from ....device.simulation import SimulationTransport
    from ..device_network import DeviceNetwork

    hardware = ARRAYS[name]
    say(f"networks on {name} elements")
    with contextlib.closing(SimulationTransport(hardware)) as transport:

        def count(
            what: str, model: QuantizedNetwork, words: np.ndarray, choices: Mapping[str, Choice]
        ) -> CountedCycles:
            # Every network is another device's user, and leaves the link open for the next one.
            device = DeviceNetwork(model, hardware, "transport", transport=transport, choices=choices)
            found = device.infer(words)
            told = f"{what}, on {name} elements"
            expected = model.infer(words).words
            require_equal(told, {output: expected[output] for output in model.outputs}, found)
            return CountedCycles(what=told, counted=device.cycles, modelled=device.program.schedule.cycles)

        yield count


def _where() -> str:
    arrays = ", ".join(f"{name} with {config.drains}" for name, config in ARRAYS.items())
    return f"arrays {arrays} drain chains; every word compared"
