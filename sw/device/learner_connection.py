"""A learner as a device: arrays there and back, settings, steps."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...hw.cores.float.config import FloatFormat
from ...hw.cores.learner.learner_engine_config import LearnerArray
from ...hw.soc.learner.config import LearnerSystemConfig
from ..reference.float.host import from_bits, to_bits
from .device import RunReport
from .open import open_device

__all__ = ["LearnerConnection", "element_rows", "matrices_of", "numbers_of", "words_of"]

# A run may take so many times the model's cycles, and so many more.
PATIENCE, PATIENCE_CYCLES = 4, 100_000


class LearnerConnection:
    """The RTL of a learner in the simulator, or a board; base of every learner's.

    Numbers are bit patterns of ``config.arithmetic.format``, uint32; those of an array in the hardware's order.

    Parameters
    ----------
    config : LearnerSystemConfig
    where : str
        As :func:`.open.open_device` takes it.
    **options
        Options of :func:`.open.open_device`, ``transport`` among them.

    Members
    -------
    device : ShellDevice
    cycles : int
        Cycles of the last gradient step, from the start of its program to its end.
    report : RunReport or None
        Report of the last program.
    """

    def __init__(self, config: LearnerSystemConfig, where: str = "sim", **options: Any):
        self.device = open_device(where, config, **options)
        self.cycles = 0
        self.report: RunReport | None = None
        self._format = config.arithmetic.format
        self._arrays = config.arrays
        self._instructions = config.instruction_set
        self._places = {name: place for place, name in enumerate(config.arrays)}
        self._registers: dict[str, int] = {}

    def load(self, array: str, numbers: np.ndarray) -> None:
        """Set an array."""
        self.device.send(element_rows(numbers))
        self.run("load", PATIENCE * len(numbers), array=self._places[array])

    def store(self, array: str) -> np.ndarray:
        """The numbers of an array."""
        numbers = self._arrays[array].parameters
        self.run("store", PATIENCE * numbers, array=self._places[array])
        return np.ascontiguousarray(self.device.receive(numbers)[:, 0])

    def step_rows(
        self, rows: np.ndarray, results: int, cycles: int, settings: dict[str, float], **arguments: int
    ) -> np.ndarray:
        """A gradient step.

        Parameters
        ----------
        rows
            Rows of its samples.
        results
            Rows that come of them.
        cycles
            Cycles that it should take.
        settings
            Registers, real numbers.
        **arguments
            Arguments of the instruction.
        """
        self.set(settings)
        self.device.send(rows)
        self.cycles = self.run("step", PATIENCE * cycles, **arguments).cycles
        return self.device.receive(results)

    def set(self, settings: dict[str, float]) -> None:
        """Registers to the numbers of a step; most are the same in every step."""
        bits = words_of(self._format, list(settings.values()))
        for name, value in zip(settings, bits.tolist(), strict=True):
            if self._registers.get(name) != value:
                self.device.write_register(name, value)
                self._registers[name] = value

    def run(self, instruction: str, cycles: int, **arguments: int) -> RunReport:
        """One instruction, in so many cycles and some more at the most."""
        encode = self._instructions.encode
        self.device.load_program([encode(instruction, **arguments), encode("halt")])
        self.report = self.device.run(cycle_limit=cycles + PATIENCE_CYCLES)
        return self.report

    def close(self) -> None:
        """Give the device back."""
        self.device.close()


def matrices_of(array: LearnerArray, numbers: np.ndarray) -> list[np.ndarray]:
    """The numbers of an array as matrices, one a layer; before rows and outputs sets of parameters, where there are."""
    ends = np.cumsum([math.prod(shape) for shape in array.shapes])[:-1]
    return [part.reshape(shape) for part, shape in zip(np.split(numbers, ends), array.shapes, strict=True)]


def words_of(number_format: FloatFormat, numbers: ArrayLike) -> np.ndarray:
    """The bit patterns nearest to real numbers, uint32: a number a word, a narrower one in its low bits."""
    return to_bits(number_format, numbers).astype(np.uint32)


def numbers_of(number_format: FloatFormat, words: ArrayLike) -> np.ndarray:
    """The float32 that words of :func:`words_of` mean; exact."""
    return from_bits(number_format, words).astype(np.float32)


def element_rows(numbers: np.ndarray) -> np.ndarray:
    """A number a row."""
    return np.stack([numbers, np.zeros_like(numbers)], axis=1).astype(np.uint32)
