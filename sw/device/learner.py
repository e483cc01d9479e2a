"""Driver of the learner: gradient steps of a DQN, wherever it is."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from ...hw.cores.layer.config import BATCH_WIDTH
from ..reference.layer.dqn_learner import DQNBatch
from ..reference.optimizer.float_adam import AdamRates
from .driver import Driver
from .learner_backends import LearnerBackend

__all__ = ["LearnerDevice"]


class LearnerDevice(Driver):
    """An online network that takes gradient steps, and a target network, in binary32.

    Everything given is checked before anything is sent: after an error the learner is as it was.

    Parameters
    ----------
    backend : LearnerBackend
        It is closed with this.
    weights : sequence of array (inputs + 1, outputs)
        Of each layer, the bias as the last row; the target network begins as a copy.

    Members
    -------
    steps : int
        Gradient steps taken.

    Raises
    ------
    ValueError
        Weights of another shape, or that are not finite.

    Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, section 4.4.2.2.
    """

    holds = "learner"
    backend: LearnerBackend

    def __init__(self, backend: LearnerBackend, weights: Sequence[np.ndarray]):
        super().__init__(backend)
        layers = backend.config.learner.network.layers
        self._shapes = [(layer.rows, layer.outputs) for layer in layers]
        given = [np.shape(matrix) for matrix in weights]
        if given != self._shapes:
            raise ValueError(f"Weights must have the shapes {self._shapes}, not {given}")
        numbers = np.concatenate([np.asarray(matrix, np.float32).ravel() for matrix in weights])
        zeros = np.zeros_like(numbers)
        own = {"weights": numbers, "target": numbers}
        self.restore({array: own.get(array, zeros) for array in self.config.state}, 0)

    def step(self, batch: DQNBatch, learning_rate: float, *, copy: bool = False) -> np.ndarray:
        """One gradient step; the magnitudes of the TD errors, float32, shape (batch,).

        Parameters
        ----------
        batch : DQNBatch
        learning_rate : float
            Of this step.
        copy : bool
            The target network gets the new weights, too.

        Raises
        ------
        ValueError
            Samples of another shape, numbers that are not finite, an action that there is not.
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        self._check(batch)
        adam = self.config.optimizer == "adam"
        rates = AdamRates.of_step(self.steps + 1, learning_rate=learning_rate) if adam else learning_rate
        priorities = self.backend.step(batch, rates, copy)
        self.steps += 1
        return priorities.view(np.float32)

    def _check(self, batch: DQNBatch) -> None:
        inputs, actions, count = self.config.sizes[0], self.config.sizes[-1], len(batch.actions)
        if not 1 <= count < 1 << BATCH_WIDTH:
            raise ValueError(f"Number of samples must be from 1 to {(1 << BATCH_WIDTH) - 1}, not {count}")
        for field in fields(batch):
            values = np.asarray(getattr(batch, field.name))
            shape = (count, inputs) if field.name.endswith("observations") else (count,)
            if values.shape != shape:
                raise ValueError(f"{_words(field.name)} must have the shape {shape}, not {values.shape}")
            if not np.isfinite(values).all():
                raise ValueError(f"{_words(field.name)} must be finite, not {values[~np.isfinite(values)][0]}")
        wrong = (batch.actions < 0) | (batch.actions >= actions)
        if wrong.any():
            raise ValueError(f"Actions must be from 0 to {actions - 1}, not {batch.actions[wrong][0]}")

    def weights(self) -> list[np.ndarray]:
        """Those of the online network, float32, by layer: shape (inputs + 1, outputs), the bias as the last row.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        ends = np.cumsum([rows * outputs for rows, outputs in self._shapes])[:-1]
        parts = np.split(self.backend.store("weights").view(np.float32), ends)
        return [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]

    def copy_to_target(self) -> None:
        """The target network becomes what the online network is.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        self.backend.load("target", self.backend.store("weights"))

    def state(self) -> dict[str, np.ndarray]:
        """Weights, target and what the optimiser keeps, float32, each as one array of all numbers.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        return {array: self.backend.store(array).view(np.float32) for array in self.config.state}

    def restore(self, arrays: dict[str, np.ndarray], steps: int) -> None:
        """Take back what :meth:`state` gave, and the number of steps until then.

        Raises
        ------
        KeyError
            An array is missing.
        ValueError
            An array of another length, or numbers that are not finite.
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        found = {array: np.asarray(arrays[array], np.float32) for array in self.config.state}
        for array, numbers in found.items():
            if numbers.shape != (self.config.numbers,):
                raise ValueError(f"Array {array} must have {self.config.numbers} numbers, not {numbers.shape}")
            if not np.isfinite(numbers).all():
                place = int(np.argmin(np.isfinite(numbers)))
                raise ValueError(f"Array {array} must be finite, not {numbers[place]} (number {place})")
        for array, numbers in found.items():
            self.backend.load(array, numbers.view(np.uint32))
        self.steps = steps


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
