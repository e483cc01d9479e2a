"""A whole network as programs of a device."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .....hw.soc.dynamap.config import DynamapConfig
from ....device.program import Program
from ....reference.arrays import IntegerArray
from ....reference.convolution.quantization import QuantizedNetwork
from .fractional_tasks import FRACTIONAL
from .kernel_rows import beats_of, kernel_row_count, kernel_rows
from .network_plan import NetworkPlan
from .products import Choice
from .schedule import Issue

__all__ = ["NetworkProgram"]


class NetworkProgram(NetworkPlan):
    """A quantised network on a device: places, programs, and what the host sends.

    Parameters
    ----------
    hardware, network, choices, keep
        As of :class:`.NetworkPlan`.

    Members
    -------
    inference : tuple of Program
        One after the other; their packets are ``("input",)``, ``("weights", ...)`` and ``("map", name)``.
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
        super().__init__(hardware, network, choices, keep=keep)
        self._matrices = {
            (matrix.layer, matrix.number): matrix for plan in self.plans.values() for matrix in plan.products.matrices
        }
        self.inference = tuple(map(self._program, self.schedule.programs))
        self.setup = tuple(self._setup())

    def _program(self, issues: Sequence[Issue]) -> Program:
        program = Program("inference", self.hardware)
        for issue in issues:
            for engine, left in issue.waits:
                if left:
                    program.emit("wait", wait=(engine,), outstanding=left)
            task, all_of = issue.task, tuple(engine for engine, left in issue.waits if not left)
            if task.packet is None:
                program.emit(task.instruction, wait=all_of, **task.fields())
            else:
                move = program.load if task.instruction == "load" else program.store
                move(task.packet, wait=all_of, **task.fields())
        return program.finish()

    def _setup(self) -> Iterator[Program]:
        program = Program("setup", self.hardware)
        for key, name, base, rows in self._resident():
            if not program.fits:
                yield program.finish()
                program = Program("setup", self.hardware)
            region = self.hardware.host_map.region(name)
            program.load(key, rows * region.parts, memory=region.number, base=base * region.parts)
        yield program.finish()

    def _resident(self) -> Iterator[tuple[Any, str, int, int]]:
        """Data that stay: keys of the packets, memories, first rows and numbers of rows."""
        yield ("parameters",), "parameters", 0, len(self.parameters.words)
        for (layer, number), (half, row) in (self.kernel.resident or {}).items():
            products, channels = self._matrices[layer, number].shape
            rows = kernel_row_count(self.hardware.array, self.plans[layer].choice.dataflow, products, channels)
            yield ("weights", layer, number, (0, products), (0, channels)), f"weights_{half}", row, rows
        for (layer, number), row in (self.fractional_weights.resident or {}).items():
            plan = self.fractional[layer]
            yield (*FRACTIONAL, layer, number), "fractional_weights", row, plan.rows(plan.passes[number])

    def channels(self, name: str) -> int:
        """Channels of a layer's output."""
        return self.places.channels[name]

    def packet(self, key: Any, words: IntegerArray | None = None) -> np.ndarray:
        """Beats that the host sends for a load.

        Parameters
        ----------
        key
            Key of the packet.
        words
            Words of the picture, for ``("input",)``.
        """
        if key == ("input",):
            assert words is not None
            lanes = self.hardware.features.lanes
            table = np.pad(words.reshape(-1), (0, -words.size % lanes)).reshape(-1, lanes)
            return beats_of(self.hardware.host_map.region("features"), table, self.hardware.width)
        if key == ("parameters",):
            return beats_of(self.hardware.host_map.region("parameters"), self.parameters.words, 1)
        if key[:1] == FRACTIONAL:
            _, layer, number = key
            plan, region = self.fractional[layer], self.hardware.host_map.region("fractional_weights")
            return beats_of(region, plan.weights(number), plan.unit.engine.operand_width)
        return beats_of(
            self.hardware.host_map.region("weights_0"), self._weights(key), self.hardware.array.array.weight_width
        )

    def _weights(self, key: Any) -> IntegerArray:
        _, layer, number, (top, bottom), (left, right) = key
        weights = self._matrices[layer, number].weights()[top:bottom, left:right]
        return kernel_rows(self.hardware.array, self.plans[layer].choice.dataflow, weights)
