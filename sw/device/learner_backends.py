"""Where a learner is: the reference, or a device."""

from functools import partial
from typing import Any, Protocol

import numpy as np

from ...hw.soc.pearl.learner_config import PearlLearnerConfig
from ..mapping.layer_pipeline import step_cycles, units
from ..reference.float.conversion import from_numbers
from ..reference.float.host import from_bits, to_bits
from ..reference.layer.dqn_learner import DQNBatch, DQNLearnerReference
from ..reference.optimizer.float_adam import AdamRates
from .device import RunReport
from .open import open_backend, open_device

__all__ = ["MANY_UNITS", "DeviceLearner", "LearnerBackend", "ReferenceLearner", "open_learner"]

# Units from which on a simulator is built faster if each kind of them is compiled by itself.
MANY_UNITS = 64
# A run may take so many times the model's cycles, and so many more.
PATIENCE, PATIENCE_CYCLES = 4, 100_000


class LearnerBackend(Protocol):
    """Where a learner is. Numbers are bit patterns of binary32, uint32; those of an array in the hardware's order.

    Members
    -------
    config : PearlLearnerConfig
    """

    config: PearlLearnerConfig

    def load(self, array: str, numbers: np.ndarray) -> None:
        """Set an array, one of ``config.state``; shape (numbers,)."""
        ...

    def store(self, array: str) -> np.ndarray:
        """The numbers of an array, shape (numbers,)."""
        ...

    def step(self, batch: DQNBatch, rates: AdamRates | float, copy: bool = False) -> np.ndarray:
        """A gradient step with the rates, real numbers; magnitudes of the TD errors, shape (batch,).

        With ``copy`` the target network gets the new weights, too.
        """
        ...

    def close(self) -> None:
        """Give it back."""
        ...


class ReferenceLearner:
    """The NumPy reference as a :class:`LearnerBackend`.

    Parameters
    ----------
    config : PearlLearnerConfig
    """

    def __init__(self, config: PearlLearnerConfig):
        self.config = config
        layers = config.learner.network.layers
        self._shapes = [(layer.rows, layer.outputs) for layer in layers]
        self._format = config.learner.network.arithmetic.format
        self.reference = DQNLearnerReference(config.learner, [np.zeros(shape) for shape in self._shapes])

    def _holder(self, array: str) -> tuple[Any, bool]:
        """Whose attribute an array is, and whether it is kept as values, not as bit patterns."""
        moment = array in self.config.learner.updates[0].numbers.state
        return self.reference if array == "target" else self.reference.online, not moment

    def load(self, array: str, numbers: np.ndarray) -> None:
        """Set an array."""
        ends = np.cumsum([rows * outputs for rows, outputs in self._shapes])[:-1]
        parts = np.split(np.asarray(numbers, np.int64), ends)
        matrices = [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]
        holder, values = self._holder(array)
        setattr(holder, array, [from_bits(self._format, matrix) for matrix in matrices] if values else matrices)

    def store(self, array: str) -> np.ndarray:
        """The numbers of an array."""
        holder, values = self._holder(array)
        matrices = getattr(holder, array)
        if values:
            matrices = [to_bits(self._format, matrix) for matrix in matrices]
        return np.concatenate([matrix.ravel() for matrix in matrices]).astype(np.uint32)

    def step(self, batch: DQNBatch, rates: AdamRates | float, copy: bool = False) -> np.ndarray:
        """A gradient step."""
        priorities = self.reference.step(batch, rates)
        if copy:
            self.reference.copy_to_target()
        return to_bits(self._format, priorities).astype(np.uint32)

    def close(self) -> None:
        """Nothing is held."""


class DeviceLearner:
    """A device as a :class:`LearnerBackend`: the RTL in the simulator, or a board.

    Parameters
    ----------
    config : PearlLearnerConfig
    where : str
        As :func:`.open.open_device` takes it.
    **options
        Those of :func:`.open.open_device`.

    Members
    -------
    device : ShellDevice
    cycles : int
        Of the last gradient step, from the start of its program to its end.
    report : RunReport or None
        Of the last program.
    """

    def __init__(self, config: PearlLearnerConfig, where: str = "sim", **options: Any):
        self.config = config
        if where == "sim":
            options = {"hierarchical": units(config.learner) > MANY_UNITS} | options
        self.device = open_device(where, config, **options)
        self.cycles = 0
        self.report: RunReport | None = None
        self._instructions = config.shell.instruction_set
        self._places = {name: place for place, name in enumerate(config.learner.arrays)}
        self._rates: dict[str, int] = {}

    def load(self, array: str, numbers: np.ndarray) -> None:
        """Set an array."""
        self.device.send(_rows(numbers))
        self._run("load", PATIENCE * self.config.numbers, array=self._places[array])

    def store(self, array: str) -> np.ndarray:
        """The numbers of an array."""
        self._run("store", PATIENCE * self.config.numbers, array=self._places[array])
        return self._receive(self.config.numbers)

    def step(self, batch: DQNBatch, rates: AdamRates | float, copy: bool = False) -> np.ndarray:
        """A gradient step."""
        self._set_rates(rates)
        count = len(batch.actions)
        self.device.send(_samples(batch))
        cycles = PATIENCE * step_cycles(self.config.learner, count)
        self.cycles = self._run("step", cycles, count=count, copy=int(copy)).cycles
        return self._receive(count)

    def _set_rates(self, rates: AdamRates | float) -> None:
        number_format = self.config.learner.network.arithmetic.format
        if isinstance(rates, AdamRates):
            bits = vars(rates.rounded(number_format))
        else:
            bits = {"rate": from_numbers(number_format, rates)}
        for name, value in bits.items():
            # Most are the same in every step.
            if self._rates.get(name) != int(value):
                self.device.write_register(name, int(value))
                self._rates[name] = int(value)

    def _run(self, instruction: str, cycles: int, **arguments: int) -> RunReport:
        encode = self._instructions.encode
        self.device.load_program([encode(instruction, **arguments), encode("halt")])
        self.report = self.device.run(cycle_limit=cycles + PATIENCE_CYCLES)
        return self.report

    def _receive(self, count: int) -> np.ndarray:
        return np.ascontiguousarray(self.device.receive(count)[:, 0])

    def close(self) -> None:
        """Give the device back."""
        self.device.close()


def _rows(numbers: np.ndarray) -> np.ndarray:
    """A number a row."""
    return np.stack([numbers, np.zeros_like(numbers)], axis=1).astype(np.uint32)


def _samples(batch: DQNBatch) -> np.ndarray:
    """Rows of samples, as :mod:`...hw.soc.pearl.learner_records` has them."""

    def bits(numbers: np.ndarray) -> np.ndarray:
        return np.asarray(numbers, np.float32).view(np.uint32)

    observed = np.stack([bits(batch.observations), bits(batch.next_observations)], axis=2)
    outcome = np.stack([bits(batch.rewards), bits(batch.discounts)], axis=1)
    choice = np.stack([bits(batch.weights), np.asarray(batch.actions, np.uint32)], axis=1)
    return np.concatenate([observed, outcome[:, None], choice[:, None]], axis=1).reshape(-1, 2)


def open_learner(where: str, config: PearlLearnerConfig, **options: Any) -> LearnerBackend:
    """Open a learner, for :class:`.learner.LearnerDevice`.

    Parameters
    ----------
    where : str
        ``"reference"``; ``"rtl"``, the RTL in the simulator; ``"uart:PORT"``, a board.
    config : PearlLearnerConfig
    **options
        Of a device, as :func:`.open.open_device` takes them.

    Raises
    ------
    ValueError
        There is no such backend.
    """
    return open_backend(where, partial(ReferenceLearner, config), partial(DeviceLearner, config), **options)
