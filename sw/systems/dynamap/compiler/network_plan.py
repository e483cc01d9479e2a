"""A device's work for a whole network: places of feature maps, commands, and their order."""

from collections.abc import Iterator, Mapping

from .....hw.cores.convolution.shape import ConvolutionShape
from .....hw.soc.dynamap.config import DynamapConfig
from ....reference.convolution.layers import INPUT, Concatenation, sources
from ....reference.convolution.quantization import IntegerConvolution, QuantizedNetwork
from .convolution_tasks import ConvolutionPlan, Halves
from .fractional_tasks import FractionalPlan, FractionalWeights
from .kernel_buffer import LOAD, KernelBuffer
from .parameter_rows import ParameterRows
from .places import Map, place_maps
from .pooling_tasks import copy_task, pooling_tasks
from .products import Choice
from .schedule import Schedule, schedule
from .tasks import Task

__all__ = ["NetworkPlan"]

# Cycles of a store to the host besides those of its beats.
STORE = 8


class NetworkPlan:
    """A quantised network on a device, without the words of its programs and its weights.

    Parameters
    ----------
    hardware : DynamapConfig
    network : QuantizedNetwork
    choices : mapping of str to Choice
        How each convolution is computed, by its name.
    keep : bool
        All feature maps are given back, and not the outputs alone.

    Members
    -------
    places : Places
    outputs : tuple of str
        Layers whose words come back.
    plans : dict of str to ConvolutionPlan
        Plans of convolutions, by name.
    fractional : dict of str to FractionalPlan
        Plans of fractionally strided ones.
    parameters : ParameterRows
    kernel : KernelBuffer
    fractional_weights : FractionalWeights
    tasks : tuple of Task
    schedule : Schedule

    Raises
    ------
    ValueError
        The device cannot compute the network; the text says which layer, and what it lacks.
    """

    def __init__(
        self,
        hardware: DynamapConfig,
        network: QuantizedNetwork,
        choices: Mapping[str, Choice],
        *,
        keep: bool = False,
    ):
        if network.width != hardware.width:
            raise ValueError(
                f"Words of the network must have the {hardware.width} bits of device {hardware.name}, "
                f"not {network.width}"
            )
        if network.accumulator_width > hardware.sum_width:
            raise ValueError(
                f"Sums of the network must have at most the {hardware.sum_width} bits of device {hardware.name}, "
                f"not {network.accumulator_width}"
            )
        self.hardware, self.network = hardware, network
        self.places = place_maps(network, hardware.features, keep=keep)
        taken = {source for layer in network.layers for source in sources(layer)}
        self.outputs = tuple(layer.name for layer in network.layers if keep or layer.name not in taken)
        self.parameters = ParameterRows(hardware)
        self.plans = {
            layer.name: ConvolutionPlan(
                hardware, layer, choices[layer.name], self.parameters.add(layer.bias, layer.multiplier)
            )
            for layer in network.layers
            if isinstance(layer, IntegerConvolution) and isinstance(layer.shape, ConvolutionShape)
        }
        self.fractional = {
            layer.name: FractionalPlan(hardware, layer, self.parameters)
            for layer in network.layers
            if isinstance(layer, IntegerConvolution) and layer.name not in self.plans
        }
        matrices = [(matrix, plan.choice.dataflow) for plan in self.plans.values() for matrix in plan.products.matrices]
        self.kernel = KernelBuffer(hardware, matrices)
        self.fractional_weights = FractionalWeights(hardware, list(self.fractional.values()))
        self.tasks = tuple(self._tasks())
        self.schedule: Schedule = schedule(self.tasks, hardware.array, hardware.instruction_depth)

    def _tasks(self) -> Iterator[Task]:
        places, halves = self.places, Halves()
        yield self._transfer("load", places.maps[INPUT], ("input",))
        for layer in self.network.layers:
            if isinstance(layer, Concatenation):
                for source, into, first in places.copies:
                    if into == layer.name:
                        yield copy_task(
                            self.hardware, self._map_of(source), places.maps[into], places.inside(into, first),
                            self.parameters, layer.name,
                        )  # fmt: skip
            elif layer.name in self.fractional:
                yield from self.fractional[layer.name].tasks(places, self.fractional_weights)
            elif isinstance(layer, IntegerConvolution):
                yield from self.plans[layer.name].tasks(places, self.kernel, halves)
            else:
                yield from pooling_tasks(self.hardware, layer, places, self.parameters)
        for name in dict.fromkeys(places.targets[name][0] for name in self.outputs):
            yield self._transfer("store", places.maps[name], ("map", name))

    def _map_of(self, name: str) -> Map:
        return self.places.maps[self.places.targets[name][0]]

    def _transfer(self, instruction: str, feature_map: Map, packet: tuple[str, ...]) -> Task:
        region, lanes = self.hardware.host_map.region("features"), self.hardware.features.lanes
        rows = -(-feature_map.words // lanes)
        count = rows * region.parts
        lines = frozenset((feature_map.name, line) for line in range(feature_map.size[0]))
        return Task(
            instruction=instruction,
            engine="transfer",
            fields=lambda: {"memory": region.number, "base": feature_map.place // lanes * region.parts, "count": count},
            reads=lines if instruction == "store" else frozenset(),
            writes=lines if instruction == "load" else frozenset(),
            fills=True,
            users=frozenset({feature_map.name}),
            cycles=count + (LOAD if instruction == "load" else STORE),
            packet=packet,
        )
