"""Drivers of learners: gradient steps of a DQN, of DDPG or of SAC, wherever the learner is."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from ....hw.cores.layer.config import BATCH_WIDTH
from ...device.driver import Driver
from ...device.learner_connection import matrices_of, numbers_of, words_of
from ...reference.learner.sac_learner import SACBatch
from ...reference.learner_batch import LearnerBatch
from ...reference.optimizer.float_adam import AdamRates
from .learner_backends import LearnerBackend

__all__ = ["DDPGLearnerDevice", "DQNLearnerDevice", "LearnerDevice", "SACLearnerDevice"]


class LearnerDevice(Driver, ABC):
    """Networks that take gradient steps, some with a target network; base of all learners' drivers.

    Numbers are rounded to ``config.arithmetic.format``; what it gives is float32, which holds them exactly.

    Everything given is checked before anything is sent: after an error the learner is as it was.

    Parameters
    ----------
    backend : LearnerBackend
        It is closed with this.
    *weights : sequence of array (inputs + 1, outputs)
        For each network, in the configuration's order, those of each layer, the bias as the last row; target networks
        begin as copies.

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
    steps: int

    def __init__(self, backend: LearnerBackend, *weights: Sequence[np.ndarray]):
        super().__init__(backend)
        arrays = self.config.arrays
        state = {name: np.zeros(arrays[name].parameters, np.float32) for name in self.config.state}
        for network, given in zip(self.config.networks, weights, strict=True):
            name = self.config.name_in(network, "weights")
            expected, shapes = list(arrays[name].shapes), [np.shape(matrix) for matrix in given]
            if shapes != expected:
                raise ValueError(f"{_words(name)} must have the shapes {expected}, not {shapes}")
            numbers = np.concatenate([np.asarray(matrix, np.float32).ravel() for matrix in given])
            both = (self.config.name_in(network, kind) for kind in ("weights", "target"))
            state |= {array: numbers for array in both if array in state}
        self.restore(state, 0)

    def _step(self, batch: LearnerBatch, learning_rates: Sequence[float], tau: float, **settings: float) -> np.ndarray:
        """A gradient step with a learning rate for each network; magnitudes of the TD errors, float32."""
        self._refuse_if_closed()
        self._check(batch)
        adam, step = self.config.optimizer == "adam", self.steps + 1
        rates = [AdamRates.of_step(step, learning_rate=rate) if adam else rate for rate in learning_rates]
        priorities = self.backend.step(batch, rates, tau, **settings)
        self.steps = step
        return numbers_of(self.config.arithmetic.format, priorities)

    def _check(self, batch: LearnerBatch) -> None:
        count = len(batch.rewards)
        if not 1 <= count < 1 << BATCH_WIDTH:
            raise ValueError(f"Number of samples must be from 1 to {(1 << BATCH_WIDTH) - 1}, not {count}")
        for field in fields(batch):
            values = np.asarray(getattr(batch, field.name))
            shape = (count, *self._shape(field.name))
            if values.shape != shape:
                raise ValueError(f"{_words(field.name)} must have the shape {shape}, not {values.shape}")
            if not np.isfinite(values).all():
                raise ValueError(f"{_words(field.name)} must be finite, not {values[~np.isfinite(values)][0]}")

    def _shape(self, field: str) -> tuple[int, ...]:
        """Shape of a sample's part of a batch."""
        if field in ("actions", "noises", "next_noises"):
            return self._action_shape
        return (self.config.observations,) if field.endswith("observations") else ()

    @property
    @abstractmethod
    def _action_shape(self) -> tuple[int, ...]:
        """Shape of a sample's action."""

    def weights(self) -> list[np.ndarray]:
        """Weights of the first network, which acts, by layer: float32, shape (inputs + 1, outputs), biases as last row.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        name = self.config.state[0]
        return matrices_of(self.config.arrays[name], self._stored(name))

    def state(self) -> dict[str, np.ndarray]:
        """Weights, targets and what the optimiser keeps, float32, each as one array of all numbers.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        return {array: self._stored(array) for array in self.config.state}

    def _stored(self, array: str) -> np.ndarray:
        """The numbers of an array, float32."""
        return numbers_of(self.config.arithmetic.format, self.backend.store(array))

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
            expected = self.config.arrays[array].parameters
            if numbers.shape != (expected,):
                raise ValueError(f"Array {array} must have {expected} numbers, not {numbers.shape}")
            if not np.isfinite(numbers).all():
                place = int(np.argmin(np.isfinite(numbers)))
                raise ValueError(f"Array {array} must be finite, not {numbers[place]} (number {place})")
        for array, numbers in found.items():
            self.backend.load(array, words_of(self.config.arithmetic.format, numbers))
        self.steps = steps


class DQNLearnerDevice(LearnerDevice):
    """A DQN's learner: an online network, and a target network that is a copy of it now and then.

    Parameters and errors: :class:`LearnerDevice`, with the weights of one network.
    """

    def step(self, batch: LearnerBatch, learning_rate: float, *, copy: bool = False) -> np.ndarray:
        """One gradient step; the magnitudes of the TD errors, float32, shape (batch,).

        Parameters
        ----------
        batch : LearnerBatch
        learning_rate : float
            Learning rate of this step.
        copy : bool
            The target network also gets the new weights.

        Raises
        ------
        ValueError
            Samples of another shape, numbers that are not finite, an action that there is not.
        DeviceError
            The device was closed.
        """
        return self._step(batch, [learning_rate], float(copy))

    @property
    def _action_shape(self) -> tuple[int, ...]:
        return ()

    def _check(self, batch: LearnerBatch) -> None:
        super()._check(batch)
        actions = self.config.learner.actions
        wrong = (batch.actions < 0) | (batch.actions >= actions)
        if wrong.any():
            raise ValueError(f"Actions must be from 0 to {actions - 1}, not {batch.actions[wrong][0]}")

    def copy_to_target(self) -> None:
        """The target network becomes what the online network is.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        self.backend.load("target", self.backend.store("weights"))


class DDPGLearnerDevice(LearnerDevice):
    """DDPG's learner: an actor, a critic, and target networks that follow both with every step.

    Parameters and errors: :class:`LearnerDevice`, with the weights of the actor, then those of the critic.
    """

    def step(
        self, batch: LearnerBatch, actor_learning_rate: float, critic_learning_rate: float, tau: float
    ) -> np.ndarray:
        """One gradient step of both networks; the magnitudes of the TD errors, float32, shape (batch,).

        Parameters
        ----------
        batch : LearnerBatch
        actor_learning_rate, critic_learning_rate : float
            Learning rates of this step.
        tau : float
            Share of the way to the new weights that the targets go.

        Raises
        ------
        ValueError
            Samples of another shape, numbers that are not finite.
        DeviceError
            The device was closed.
        """
        return self._step(batch, [actor_learning_rate, critic_learning_rate], tau)

    @property
    def _action_shape(self) -> tuple[int, ...]:
        return (self.config.action_rows,)


class SACLearnerDevice(LearnerDevice):
    """SAC's learner: an actor, two critics, target networks that follow these with every step, and a temperature.

    Parameters and errors: :class:`LearnerDevice`, with the weights of the actor, of both critics, and of the
    temperature a matrix (1, 1) with its logarithm.
    """

    def step(
        self,
        batch: SACBatch,
        actor_learning_rate: float,
        critic_learning_rate: float,
        tau: float,
        target_entropy: float,
    ) -> np.ndarray:
        """One gradient step of all networks; mean magnitudes of both TD errors, float32, shape (batch,).

        Parameters
        ----------
        batch : SACBatch
        actor_learning_rate, critic_learning_rate : float
            Learning rates of this step; the actor's is also that of the temperature.
        tau : float
            Share of the way to the new weights that the targets go.
        target_entropy : float
            Entropy that the temperature is learned for.

        Raises
        ------
        ValueError
            Samples of another shape, numbers that are not finite.
        DeviceError
            The device was closed.
        """
        rates = [actor_learning_rate, critic_learning_rate, critic_learning_rate, actor_learning_rate]
        return self._step(batch, rates, tau, target_entropy=target_entropy)

    @property
    def _action_shape(self) -> tuple[int, ...]:
        return (self.config.action_rows,)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
