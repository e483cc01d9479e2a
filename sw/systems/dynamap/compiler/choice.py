"""Choice of algorithm, dataflow and parts for each convolution on a device: by the cycles that its commands take."""

import math
from collections.abc import Iterator, Mapping

from .....hw.cores.convolution.commands import Dataflow
from .....hw.cores.convolution.shape import ConvolutionShape
from .....hw.soc.dynamap.config import DynamapConfig
from ....mapping.convolution.algorithms import IM2COL, KN2ROW, Algorithm, algorithms_of
from ....reference.convolution.layers import INPUT, sources
from ....reference.convolution.quantization import IntegerConvolution, QuantizedNetwork
from .convolution_tasks import ConvolutionPlan, Halves
from .folded_input import FoldedInput, fold_input
from .kernel_buffer import KernelBuffer
from .network_plan import NetworkPlan
from .places import Map, Places, map_sizes, place_maps
from .products import Choice
from .schedule import schedule

__all__ = ["Way", "choose", "choose_alike", "choose_folding", "layer_cycles", "ways"]

# Parts of an output that are tried.
PARTS = (1, 2, 3, 4, 6, 8, 12, 16)
# A choice that takes more than so many times the cycles of another one is not tried.
MOST = 1.1
# Commands that may be scheduled, in all, to try changes of a network's choices.
TRIAL_TASKS = 60_000

Way = tuple[Algorithm, Dataflow]


def choose(hardware: DynamapConfig, network: QuantizedNetwork) -> dict[str, Choice]:
    """How each convolution is computed, for few cycles of the whole network by its schedule.

    It begins with the best of these: for each layer the choice of the fewest cycles with nothing beside it, and one
    algorithm and dataflow for all layers. Layers share the transfer of weights and overlap, so then choices of single
    layers are changed, first those by which the layer itself loses least, and a change that helps the network stays.

    Raises
    ------
    ValueError
        The device cannot compute the network in any way; the text says why not by im2col.
    """
    options = {layer.name: _options(hardware, layer, MOST) for layer in _convolutions(network)}
    starts = [{name: _fewest(found) for name, found in options.items()}]
    starts += [_alike(options, way) for way in ways(hardware)]
    trials = _Trials(hardware, network)
    for start in starts:
        trials.add(start)
    if trials.best is None:
        raise trials.refusals[0]
    changes = [(name, choice) for name, found in options.items() for choice in found]
    changes.sort(key=lambda change: options[change[0]][change[1]] - min(options[change[0]].values()))
    helped = True
    while helped:
        helped = False
        for name, choice in changes:
            if trials.tasks < TRIAL_TASKS and trials.best[name] != choice:
                helped |= trials.add({**trials.best, name: choice})
    return trials.best


def choose_alike(hardware: DynamapConfig, network: QuantizedNetwork, way: Way) -> dict[str, Choice]:
    """One algorithm and dataflow for all convolutions, im2col and NS where it cannot be: what a choice is held against.

    Parts are those of the fewest cycles of a layer by itself.

    Raises
    ------
    ValueError
        There is a layer that the device cannot compute in any way; the text says why not by im2col.
    """
    return _alike({layer.name: _options(hardware, layer) for layer in _convolutions(network)}, way)


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
            cycles = min(_options(hardware, first, 1).values())
            place_maps(each, hardware.features, keep=False)
        except ValueError:
            if each is network:
                raise
            return None
        found.append(cycles + rows * hardware.host_map.region("features").parts)
    return folded if found[0] < found[1] else None


def ways(hardware: DynamapConfig, shape: ConvolutionShape | None = None) -> list[Way]:
    """All algorithms with all of their dataflows, or those that can compute a layer of a shape; first im2col and NS."""
    winograd = tuple(Algorithm(name="winograd", m=m, r=r) for m, r in hardware.transforms)
    return [
        (algorithm, dataflow)
        for algorithm in (algorithms_of(shape, winograd) if shape else (IM2COL, KN2ROW, *winograd))
        for dataflow in Dataflow
        if not algorithm.m or dataflow != Dataflow.INPUT_STATIONARY or hardware.turned_tiles
    ]


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


def _convolutions(network: QuantizedNetwork) -> Iterator[IntegerConvolution]:
    """The convolutions that the array computes. For fractionally strided ones there is nothing to choose."""
    for layer in network.layers:
        if isinstance(layer, IntegerConvolution) and isinstance(layer.shape, ConvolutionShape):
            yield layer


def _options(hardware: DynamapConfig, layer: IntegerConvolution, most: float = math.inf) -> dict[Choice, int]:
    """Choices for a layer, and the cycles that it takes with them by itself: at most so many times the fewest.

    ``most`` spares the schedules of choices that cannot be good.
    """
    assert isinstance(layer.shape, ConvolutionShape)
    found: dict[Choice, int] = {}
    refusal: ValueError | None = None
    for algorithm, dataflow in ways(hardware, layer.shape):
        counts: dict[int, int] = {}
        for parts in PARTS:
            choice = Choice(algorithm=algorithm, dataflow=dataflow, parts=parts)
            try:
                plan = ConvolutionPlan(hardware, layer, choice, 0)
                count = len(plan.parts)
                if count in counts:
                    continue
                if found and plan.least_cycles > most * min(found.values()):
                    break
                counts[count] = found[choice] = layer_cycles(hardware, layer, choice)
            except ValueError as error:
                refusal = refusal or error
                break
    if not found:
        assert refusal is not None
        raise refusal
    return found


def _fewest(options: Mapping[Choice, int]) -> Choice:
    return min(options, key=lambda choice: options[choice])


def _alike(options: Mapping[str, Mapping[Choice, int]], way: Way) -> dict[str, Choice]:
    found = {}
    for name, every in options.items():
        first = next(iter(every))
        for wanted in (way, (first.algorithm, first.dataflow)):
            alike = {each: cycles for each, cycles in every.items() if (each.algorithm, each.dataflow) == wanted}
            if alike:
                found[name] = _fewest(alike)
                break
    return found


class _Trials:
    """Choices that were tried for a network: those of the fewest cycles, and how many commands were scheduled."""

    def __init__(self, hardware: DynamapConfig, network: QuantizedNetwork):
        self._hardware, self._network = hardware, network
        self._cycles = self.tasks = 0
        self.best: dict[str, Choice] | None = None
        self.refusals: list[ValueError] = []

    def add(self, choices: dict[str, Choice]) -> bool:
        """Tries further ones, and says whether they are the best so far."""
        try:
            plan = NetworkPlan(self._hardware, self._network, choices)
        except ValueError as error:
            self.refusals.append(error)
            return False
        self.tasks += len(plan.tasks)
        if self.best is not None and plan.schedule.cycles >= self._cycles:
            return False
        self.best, self._cycles = choices, plan.schedule.cycles
        return True
