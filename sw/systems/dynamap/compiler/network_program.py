"""A whole network as programs of a device."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .....hw.cores.convolution.shape import ConvolutionShape
from .....hw.soc.dynamap.config import DynamapConfig
from ....device.program import Program
from ....reference.arrays import IntegerArray
from ....reference.convolution.layers import INPUT, Concatenation, sources
from ....reference.convolution.quantization import IntegerConvolution, QuantizedNetwork
from .convolution_tasks import ConvolutionPlan, Halves
from .fractional_tasks import FractionalPlan, FractionalWeights
from .kernel_buffer import LOAD, KernelBuffer
from .kernel_rows import beats_of, kernel_row_count, kernel_rows
from .parameter_rows import ParameterRows
from .places import Map, place_maps
from .pooling_tasks import copy_task, pooling_tasks
from .products import Choice, Matrix
from .schedule import Issue, Schedule, schedule
from .tasks import Task

__all__ = ["NetworkProgram"]

# Cycles of a store to the host beside those of its beats.
STORE = 8


class NetworkProgram:
    """A quantised network on a device: places, commands, and what the host sends.

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
    schedule : Schedule
    inference : tuple of Program
        One behind the other; their packets are ``("input",)``, ``("weights", ...)`` and ``("map", name)``.
    setup : tuple of Program
        Before the first inference: parameters, and weights where the device holds all of them.

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
        self._parameters = ParameterRows(hardware)
        self._plans = {
            layer.name: ConvolutionPlan(
                hardware, layer, choices[layer.name], self._parameters.add(layer.bias, layer.multiplier)
            )
            for layer in network.layers
            if isinstance(layer, IntegerConvolution) and isinstance(layer.shape, ConvolutionShape)
        }
        self._fractional = {
            layer.name: FractionalPlan(hardware, layer, self._parameters)
            for layer in network.layers
            if isinstance(layer, IntegerConvolution) and layer.name not in self._plans
        }
        matrices = [
            (matrix, plan.choice.dataflow) for plan in self._plans.values() for matrix in plan.products.matrices
        ]
        self._matrices: dict[tuple[str, int], Matrix] = {
            (matrix.layer, matrix.number): matrix for matrix, _ in matrices
        }
        self._kernel = KernelBuffer(hardware, matrices)
        self._fractional_weights = FractionalWeights(hardware, list(self._fractional.values()))
        self.tasks = tuple(self._tasks())
        self.schedule: Schedule = schedule(self.tasks, hardware.array)
        self.inference = tuple(self._programs(self.schedule.issues))
        self.setup = tuple(self._setup())

    def _tasks(self) -> Iterator[Task]:
        places, halves = self.places, Halves()
        yield self._transfer("load", places.maps[INPUT], ("input",))
        for layer in self.network.layers:
            if isinstance(layer, Concatenation):
                for source, into, first in places.copies:
                    if into == layer.name:
                        yield copy_task(
                            self.hardware, self._map_of(source), places.maps[into], places.inside(into, first),
                            self._parameters, layer.name,
                        )  # fmt: skip
            elif layer.name in self._fractional:
                yield from self._fractional[layer.name].tasks(places, self._fractional_weights)
            elif isinstance(layer, IntegerConvolution):
                yield from self._plans[layer.name].tasks(places, self._kernel, halves)
            else:
                yield from pooling_tasks(self.hardware, layer, places, self._parameters)
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

    def _programs(self, issues: tuple[Issue, ...]) -> Iterator[Program]:
        """Programs that fit the program memory: each ends when all that it began is complete."""
        program, issued = Program("inference", self.hardware), dict.fromkeys(self.hardware.instruction_set.engines, 0)
        for issue in issues:
            waits = [(engine, left) for engine, left in issue.waits if issued[engine]]
            separate = [(engine, left) for engine, left in waits if left]
            if len(program.words) + len(separate) + 1 >= self.hardware.instruction_depth:
                yield program.finish()
                program, issued = Program("inference", self.hardware), dict.fromkeys(issued, 0)
                waits, separate = [], []
            for engine, left in separate:
                program.emit("wait", wait=(engine,), outstanding=left)
            task, all_of = issue.task, tuple(engine for engine, left in waits if not left)
            issued[task.engine] += 1
            if task.packet is None:
                program.emit(task.instruction, wait=all_of, **task.fields())
            else:
                move = program.load if task.instruction == "load" else program.store
                move(task.packet, wait=all_of, **task.fields())
        yield program.finish()

    def _setup(self) -> Iterator[Program]:
        region = self.hardware.host_map.region("parameters")
        program = Program("setup", self.hardware)
        rows = len(self._parameters.words)
        program.load(("parameters",), rows * region.parts, memory=region.number, base=0)
        for (layer, number), row in (self._fractional_weights.resident or {}).items():
            region = self.hardware.host_map.region("fractional_weights")
            plan = self._fractional[layer]
            if not program.fits:
                yield program.finish()
                program = Program("setup", self.hardware)
            count = plan.rows(plan.passes[number]) * region.parts
            program.load(("fractional weights", layer, number), count, memory=region.number, base=row * region.parts)
        if self._kernel.resident is not None:
            for (layer, number), (half, row) in self._kernel.resident.items():
                region = self.hardware.host_map.region(f"weights_{half}")
                if not program.fits:
                    yield program.finish()
                    program = Program("setup", self.hardware)
                products, channels = self._matrices[layer, number].shape
                key = ("weights", layer, number, (0, products), (0, channels))
                dataflow = self._plans[layer].choice.dataflow
                count = kernel_row_count(self.hardware.array, dataflow, products, channels) * region.parts
                program.load(key, count, memory=region.number, base=row * region.parts)
        yield program.finish()

    def channels(self, name: str) -> int:
        """Of a layer's output."""
        return self.places.channels[name]

    def packet(self, key: Any, words: IntegerArray | None = None) -> np.ndarray:
        """Beats that the host sends for a load.

        Parameters
        ----------
        key
            Of the packet.
        words
            Of the picture, for ``("input",)``.
        """
        if key == ("input",):
            assert words is not None
            lanes = self.hardware.features.lanes
            table = np.pad(words.reshape(-1), (0, -words.size % lanes)).reshape(-1, lanes)
            return beats_of(self.hardware.host_map.region("features"), table, self.hardware.width)
        if key == ("parameters",):
            return beats_of(self.hardware.host_map.region("parameters"), self._parameters.words, 1)
        if key[0] == "fractional weights":
            _, layer, number = key
            plan = self._fractional[layer]
            region = self.hardware.host_map.region("fractional_weights")
            return beats_of(region, plan.weights(number), plan.unit.engine.operand_width)
        return beats_of(
            self.hardware.host_map.region("weights_0"), self._weights(key), self.hardware.array.array.weight_width
        )

    def _weights(self, key: Any) -> IntegerArray:
        _, layer, number, (top, bottom), (left, right) = key
        weights = self._matrices[layer, number].weights()[top:bottom, left:right]
        return kernel_rows(self.hardware.array, self._plans[layer].choice.dataflow, weights)
