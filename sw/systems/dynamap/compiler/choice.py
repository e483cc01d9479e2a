"""Which algorithm, dataflow and parts each convolution gets on a device: by the cycles that its commands take."""

from collections.abc import Iterator

from .....hw.cores.convolution.commands import Dataflow
from .....hw.cores.convolution.shape import ConvolutionShape
from .....hw.soc.dynamap.config import DynamapConfig
from ....mapping.convolution.algorithms import Algorithm, algorithms_of
from ....reference.convolution.layers import INPUT, sources
from ....reference.convolution.quantization import IntegerConvolution, QuantizedNetwork
from .convolution_tasks import ConvolutionPlan, Halves
from .folded_input import FoldedInput, fold_input
from .kernel_buffer import KernelBuffer
from .places import Map, Places, map_sizes, place_maps
from .products import Choice
from .schedule import schedule

__all__ = ["candidates", "choose", "choose_folding", "layer_cycles"]

# Parts of an output that are tried.
PARTS = (1, 2, 3, 4, 6, 8, 12, 16)


def choose(hardware: DynamapConfig, network: QuantizedNetwork) -> dict[str, Choice]:
    """The choice of the fewest cycles for each convolution, with nothing beside it.

    Raises
    ------
    ValueError
        There is a layer that the device cannot compute in any way; the text says why not by im2col.
    """
    return {
        layer.name: _best(hardware, layer)
        for layer in network.layers
        if isinstance(layer, IntegerConvolution) and isinstance(layer.shape, ConvolutionShape)
    }


def choose_folding(hardware: DynamapConfig, network: QuantizedNetwork) -> FoldedInput | None:
    """The network with a folded picture, if loading that and its first convolution take fewer cycles."""
    folded = fold_input(network)
    if folded is None:
        return None
    found = []
    for each in (folded.network, network):
        first = next(layer for layer in each.layers if INPUT in sources(layer))
        assert isinstance(first, IntegerConvolution)
        lines, columns, channels = map_sizes(each)[INPUT]
        rows = -(-lines * columns * channels // hardware.features.lanes)
        try:
            cycles = layer_cycles(hardware, first, _best(hardware, first))
            place_maps(each, hardware.features, keep=False)
        except ValueError:
            if each is network:
                raise
            return None
        found.append(cycles + rows * hardware.host_map.region("features").parts)
    return folded if found[0] < found[1] else None


def candidates(hardware: DynamapConfig, shape: ConvolutionShape) -> Iterator[Choice]:
    """All that there is to choose from; im2col, the first one, can compute what can be computed."""
    winograd = tuple(Algorithm(name="winograd", m=m, r=r) for m, r in hardware.transforms)
    for algorithm in algorithms_of(shape, winograd):
        for dataflow in Dataflow:
            if not algorithm.m or dataflow != Dataflow.INPUT_STATIONARY:
                for parts in PARTS:
                    yield Choice(algorithm=algorithm, dataflow=dataflow, parts=parts)


def layer_cycles(hardware: DynamapConfig, layer: IntegerConvolution, choice: Choice) -> int:
    """Modelled cycles of a convolution, with nothing beside it and weights that are there, if they fit.

    Raises
    ------
    ValueError
        The device cannot compute it so.
    """
    plan = ConvolutionPlan(hardware, layer, choice, 0)
    maps = {
        INPUT: Map(name=INPUT, size=(*plan.shape.picture, plan.shape.input_channels), place=0),
        layer.name: Map(name=layer.name, size=(*plan.shape.output, plan.shape.output_channels), place=0),
    }
    places = Places(
        maps=maps,
        targets={layer.source: (INPUT, 0), layer.name: (layer.name, 0)},
        copies=(),
        channels={name: each.size[2] for name, each in maps.items()},
    )
    kernel = KernelBuffer(hardware, [(matrix, choice.dataflow) for matrix in plan.products.matrices])
    return schedule(list(plan.tasks(places, kernel, Halves())), hardware.array).cycles


def _best(hardware: DynamapConfig, layer: IntegerConvolution) -> Choice:
    found: list[tuple[int, Choice]] = []
    refusal: ValueError | None = None
    seen = set()
    assert isinstance(layer.shape, ConvolutionShape)
    for choice in candidates(hardware, layer.shape):
        try:
            parts = len(ConvolutionPlan(hardware, layer, choice, 0).parts)
            if (choice.algorithm, choice.dataflow, parts) in seen:
                continue
            seen.add((choice.algorithm, choice.dataflow, parts))
            found.append((layer_cycles(hardware, layer, choice), choice))
        except ValueError as error:
            refusal = refusal or error
    if not found:
        assert refusal is not None
        raise refusal
    return min(found, key=lambda each: each[0])[1]
