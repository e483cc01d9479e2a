"""Learners, which act and train: one interface, four ways to run it."""

from typing import Any, Protocol

import numpy as np

from ...algorithms.ddpg_config import DDPGConfig
from ...core.backends import open_backend, options_at, parse_backend, require_link
from ...device.transport import Transport
from ...reference.learner_batch import LearnerBatch

__all__ = ["PYTORCH", "Learner", "make_learner"]

# Beside the backends of every device.
PYTORCH = ("torch",)
# That a backend takes; of a pair those of its reference, which has to be the device, without words of 16 bits.
OPTIONS = {"reference": ("array", "sixteen_bit"), "lockstep": ("array",)}


class Learner(Protocol):
    """DDPG's two jobs, and the state they work on."""

    def act(self, observations: np.ndarray, noise: bool) -> np.ndarray:
        """Actions in [-1, 1] for rows of observations, with exploration noise if asked."""

    def train(self, batch: LearnerBatch) -> np.ndarray:
        """One DDPG step; the temporal-difference errors of the batch."""

    def freeze(self, bits: int) -> None:
        """From now on activations are codes of so many bits, in the ranges seen until now."""

    def save(self) -> dict[str, np.ndarray]:
        """Everything that acting and training depend on."""

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""

    def layers(self, network: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """Weights (outputs x inputs, of the critic's first the action's columns first) and biases, as float64."""

    def set_layers(
        self, actor: list[tuple[np.ndarray, np.ndarray]], critic: list[tuple[np.ndarray, np.ndarray]]
    ) -> None:
        """Begins anew with these networks: targets are copies, moments zero."""

    def counters(self) -> dict[str, Any]:
        """Counts of cycles, saturations and comparisons."""

    def tally(self) -> dict[str, Any]:
        """Counts outside the state, as plain numbers."""

    def restore_tally(self, tally: dict[str, Any]) -> None:
        """Takes back what `tally` gave."""

    def close(self) -> None:
        """Lets go of the device, if there is one."""


def make_learner(
    backend: str,
    hardware: Any,
    observation_size: int,
    action_size: int,
    config: DDPGConfig,
    *,
    lockstep_every: int = 100,
    transport: Transport | None = None,
    **options: Any,
) -> Learner:
    """The learner of a backend's name, with initial weights from the seed: the same numbers for each backend.

    Raises
    ------
    ValueError
        No such backend, or one without such an option.
    """
    where = parse_backend(backend, PYTORCH)
    require_link(backend, transport)
    allowed = OPTIONS.get("lockstep" if where.pair else where.name, ())
    strange = [name for name in options if name not in allowed]
    if strange:
        raise ValueError(f"Backend {backend} has no option {', '.join(strange)}")
    if where.name in PYTORCH:
        from ...algorithms.torch_ddpg import TorchLearner

        return TorchLearner(observation_size, action_size, config, **options)
    from .fixar_learner import FixarLearner
    from .lockstep import FixarLockstep

    shape = hardware, observation_size, action_size, config
    learner: Learner = open_backend(
        where,
        lambda: FixarLearner.on_reference(*shape, **options),
        lambda place: FixarLearner.on_device(place, *shape, **options_at(place, {"transport": transport})),
        lambda reference, device: FixarLockstep(reference, device, lockstep_every),
    )
    return learner
