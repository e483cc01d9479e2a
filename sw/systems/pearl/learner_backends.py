"""Where a learner is: the reference, or a device."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from ....hw.cores.float.config import FloatFormat
from ....hw.cores.learner.learner_config import DDPGLearnerConfig, DQNLearnerConfig
from ....hw.cores.learner.sac_learner_config import SACLearnerConfig, SACNetwork
from ....hw.soc.pearl.learner_config import PearlLearnerConfig
from ...core.backends import open_backend, options_at
from ...device.learner_connection import LearnerConnection, matrices_of, words_of
from ...mapping.layer_pipeline import step_cycles
from ...reference.float.host import from_bits, to_bits
from ...reference.learner.ddpg_learner import DDPGLearnerReference
from ...reference.learner.dqn_learner import DQNLearnerReference
from ...reference.learner.sac_learner import SACLearnerReference
from ...reference.learner_batch import LearnerBatch
from ...reference.optimizer.float_adam import AdamRates
from .lockstep_learner import LockstepLearner

__all__ = ["DeviceLearner", "LearnerBackend", "Rates", "ReferenceLearner", "open_learner"]

# What a gradient step takes of each network: Adam's rates, or the learning rate.
Rates = Sequence[AdamRates | float]


class LearnerBackend(Protocol):
    """Where a learner is.

    Numbers are bit patterns of ``config.arithmetic.format``, uint32; those of an array in the hardware's order.

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

    def step(self, batch: LearnerBatch, rates: Rates, tau: float, **settings: float) -> np.ndarray:
        """A gradient step; magnitudes of the TD errors, shape (batch,).

        Parameters
        ----------
        batch : LearnerBatch
        rates : sequence of AdamRates or float
            Rates of each of ``config.networks``, real numbers.
        tau : float
            Share of the way to the new weights that targets go; of a DQN 0, or 1, which is a copy.
        **settings : float
            ``target_entropy`` of SAC.
        """
        ...

    def close(self) -> None:
        """Give it back."""
        ...


@dataclass(frozen=True)
class _Reference:
    """The reference of a kind of learner.

    Parameters
    ----------
    reference : type
        Made of the configuration and weights of each network.
    networks : tuple of str
        Attributes of it, in the order of the configuration's networks.
    step : function
        Function of it, a batch, rates, tau and settings: a gradient step, which gives the magnitudes of the TD errors.
    """

    reference: Callable[..., Any]
    networks: tuple[str, ...]
    step: Callable[..., np.ndarray]


def _dqn_step(reference: DQNLearnerReference, batch: LearnerBatch, rates: Rates, tau: float) -> np.ndarray:
    priorities = reference.step(batch, rates[0])
    if tau:
        reference.copy_to_target()
    return priorities


def _ddpg_step(reference: DDPGLearnerReference, batch: LearnerBatch, rates: Rates, tau: float) -> np.ndarray:
    actor_rates, critic_rates = rates
    return reference.step(batch, actor_rates, critic_rates, tau)


# By the configuration of the learner.
REFERENCES = {
    DQNLearnerConfig: _Reference(DQNLearnerReference, ("online",), _dqn_step),
    DDPGLearnerConfig: _Reference(DDPGLearnerReference, ("actor", "critic"), _ddpg_step),
    SACLearnerConfig: _Reference(
        SACLearnerReference, tuple(network.name.lower() for network in SACNetwork), SACLearnerReference.step
    ),
}


class ReferenceLearner:
    """The NumPy reference as a :class:`LearnerBackend`.

    Parameters
    ----------
    config : PearlLearnerConfig
    """

    def __init__(self, config: PearlLearnerConfig):
        self.config = config
        self._format = config.arithmetic.format
        zeros = [
            [np.zeros((layer.rows, layer.outputs)) for layer in network.layers] for network in config.networks.values()
        ]
        kind = REFERENCES[type(config.learner)]
        self._step = kind.step
        self.reference = kind.reference(config.learner, *zeros)
        self._networks = [getattr(self.reference, network) for network in kind.networks]

    def _holder(self, array: str) -> tuple[Any, str, bool]:
        """Owner and name of an array's attribute, and whether it is kept as values, not as bit patterns."""
        entry = self.config.arrays[array]
        if entry.kind == "target":
            return self.reference, array, True
        return self._networks[entry.network], entry.kind, entry.kind == "weights"

    def load(self, array: str, numbers: np.ndarray) -> None:
        """Set an array."""
        matrices = matrices_of(self.config.arrays[array], np.asarray(numbers, np.int64))
        holder, name, values = self._holder(array)
        setattr(holder, name, [from_bits(self._format, matrix) for matrix in matrices] if values else matrices)

    def store(self, array: str) -> np.ndarray:
        """The numbers of an array."""
        holder, name, values = self._holder(array)
        matrices = getattr(holder, name)
        if values:
            matrices = [to_bits(self._format, matrix) for matrix in matrices]
        return np.concatenate([matrix.ravel() for matrix in matrices]).astype(np.uint32)

    def step(self, batch: LearnerBatch, rates: Rates, tau: float, **settings: float) -> np.ndarray:
        """A gradient step."""
        priorities = self._step(self.reference, batch, rates, tau, **settings)
        return words_of(self._format, priorities)

    def close(self) -> None:
        """Nothing is held."""


class DeviceLearner(LearnerConnection):
    """A device as a :class:`LearnerBackend`: the RTL in the simulator, or a board.

    Parameters
    ----------
    config : PearlLearnerConfig
    where, **options
        As of :class:`.LearnerConnection`.
    """

    def __init__(self, config: PearlLearnerConfig, where: str = "sim", **options: Any):
        self.config = config
        super().__init__(config, where, **options)

    def step(self, batch: LearnerBatch, rates: Rates, tau: float, **settings: float) -> np.ndarray:
        """A gradient step."""
        count = len(batch.rewards)
        numbers = self._rates(rates) | settings
        arguments = {"count": count}
        if "tau" in self.config.learner.settings:
            numbers |= {"tau": tau, "policy_slope": -1 / count}
        else:
            arguments["copy"] = int(tau)
        cycles = step_cycles(self.config.learner, count)
        found = self.step_rows(_samples(self._format, batch), count, cycles, numbers, **arguments)
        return np.ascontiguousarray(found[:, 0])

    def _rates(self, rates: Rates) -> dict[str, float]:
        """Rates of all networks, by register."""
        return {
            self.config.name_in(network, name): value
            for network, given in zip(self.config.networks, rates, strict=True)
            for name, value in (vars(given) if isinstance(given, AdamRates) else {"learning_rate": given}).items()
        }


def _samples(number_format: FloatFormat, batch: LearnerBatch) -> np.ndarray:
    """Rows of samples, as :mod:`...hw.cores.learner.learner_records` has them."""
    words = partial(words_of, number_format)

    def pairs(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.stack([one, other], axis=-1).reshape(len(one), -1, 2)

    weights = words(batch.shares)
    chosen = np.zeros_like(weights)
    rows = [pairs(words(batch.observations), words(batch.next_observations))]
    if batch.actions.ndim > 1:
        actions = words(batch.actions)
        rows.append(pairs(actions, np.zeros_like(actions)))
    else:
        chosen = np.asarray(batch.actions, np.uint32)
    rows += [pairs(words(noises), words(next_noises)) for noises, next_noises in batch.noise_pairs]
    rows += [pairs(words(batch.rewards), words(batch.discounts)), pairs(weights, chosen)]
    return np.concatenate(rows, axis=1).reshape(-1, 2)


def open_learner(where: str, config: PearlLearnerConfig, **options: Any) -> LearnerBackend:
    """Open a learner, for the drivers in :mod:`.learner`.

    Parameters
    ----------
    where : str
        As :func:`.backends.parse_backend` takes it.
    config : PearlLearnerConfig
    **options
        Options of :func:`.open.open_device`; ``transport`` is that of backend ``"transport"``.

    Raises
    ------
    ValueError
        There is no such backend.
    """
    return open_backend(
        where,
        partial(ReferenceLearner, config),
        lambda place: DeviceLearner(config, place, **options_at(place, options)),
        LockstepLearner,
    )
