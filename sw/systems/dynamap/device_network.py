"""A quantised network on the device."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ....hw.soc.dynamap.config import DynamapConfig
from ...core.hardware import resolve_hardware
from ...device.device import RunReport
from ...device.open import open_device
from ...device.program import Program
from ...reference.arrays import IntegerArray
from ...reference.convolution.layers import INPUT
from ...reference.convolution.quantization import QuantizedNetwork
from .compiler.choice import choose, choose_folding
from .compiler.kernel_rows import words_of
from .compiler.network_program import NetworkProgram
from .compiler.places import map_sizes
from .compiler.products import Choice

__all__ = ["DeviceNetwork"]

# A run may take so many times the cycles that it should, and so many more.
PATIENCE, PATIENCE_CYCLES = 4, 200_000


class DeviceNetwork:
    """Infers on the RTL in the simulator, or on a board.

    Parameters
    ----------
    network : QuantizedNetwork
    hardware : DynamapConfig, str, mapping or None
        The device, the name of its preset, a YAML file, or its fields; None: preset ``small``.
    where, **options
        Place and options of :func:`...device.open.open_device`.
    choices : mapping of str to Choice, or None
        How each convolution is computed; None: as :func:`.choose` chooses.
    keep : bool
        Give the words of all layers, and not those of the outputs alone.

    Members
    -------
    program : NetworkProgram
    report : RunReport or None
        Report of the last program of the last inference.

    Raises
    ------
    ValueError
        The device cannot compute the network.
    DeviceError
        There is no such device, or one that was built for something else.
    """

    def __init__(
        self,
        network: QuantizedNetwork,
        hardware: DynamapConfig | str | Mapping[str, Any] | None = None,
        where: str = "sim",
        *,
        choices: Mapping[str, Choice] | None = None,
        keep: bool = False,
        **options: Any,
    ):
        built: DynamapConfig = resolve_hardware(hardware or "small", "dynamap")
        self.network, self.hardware = network, built
        self._folded = None if choices else choose_folding(built, network)
        computed = self._folded.network if self._folded else network
        self._picture = map_sizes(network)[INPUT]
        self.program = NetworkProgram(built, computed, choices or choose(built, computed), keep=keep)
        self.cycles = self.inferences = 0
        self.busy: dict[str, int] = dict.fromkeys(built.instruction_set.engines, 0)
        self._loaded: Program | None = None
        self.device = open_device(where, built, **options)
        try:
            for program in self.program.setup:
                self._run(program, None)
        except BaseException:
            self.device.close()
            raise

    def infer(self, words: IntegerArray) -> dict[str, IntegerArray]:
        """Words of the outputs, or of all layers, for those of a picture (lines, columns, channels)."""
        if words.shape != self._picture:
            raise ValueError(f"Picture must have the shape {self._picture}, not {words.shape}")
        if self._folded:
            words = self._folded.words(words)
        maps: dict[str, IntegerArray] = {}
        for program in self.program.inference:
            report = self._run(program, words)
            self.cycles += report.cycles
            for engine, cycles in report.busy.items():
                self.busy[engine] += cycles
            for packet in program.outputs:
                maps[packet.key[1]] = self._received(packet.key[1], packet.count)
        self.inferences += 1
        return {name: self._output(name, maps) for name in self.program.outputs}

    def _received(self, name: str, beats: int) -> IntegerArray:
        found, region = self.program.places.maps[name], self.hardware.host_map.region("features")
        words = words_of(region, self.device.receive(beats), self.hardware.width, self.hardware.features.lanes)
        return words.reshape(-1)[: found.words].reshape(found.size)

    def _output(self, name: str, maps: Mapping[str, IntegerArray]) -> IntegerArray:
        """The words of a layer, which may be some channels of a concatenation."""
        into, first = self.program.places.targets[name]
        return maps[into][:, :, first : first + self.program.channels(name)]

    def _run(self, program: Program, words: IntegerArray | None) -> RunReport:
        if program is not self._loaded:
            self.device.load_program(program.words)
            self._loaded = program
        for packet in program.inputs:
            self.device.send(np.ascontiguousarray(self.program.packet(packet.key, words)))
        beats = sum(packet.count for packet in (*program.inputs, *program.outputs))
        limit = PATIENCE * (self.program.schedule.cycles + beats) + PATIENCE_CYCLES
        return self.device.run(cycle_limit=limit)

    def counters(self) -> dict[str, Any]:
        """Inferences, their clock cycles, those in which each engine worked, and words that were saturated."""
        saturated = self.device.read_register("saturated")
        return {"inferences": self.inferences, "cycles": self.cycles, "busy": dict(self.busy), "saturated": saturated}

    def close(self) -> None:
        """Give the device back."""
        self.device.close()
