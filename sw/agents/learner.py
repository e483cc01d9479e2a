"""What acts and trains: one interface, four ways to run it."""

from typing import Any, Protocol

import numpy as np

from .ddpg_config import DDPGConfig
from .replay_buffer import Batch

__all__ = ["BACKENDS", "Learner", "make_learner"]

# With the options that each takes. Any other name is the address of a device.
BACKENDS = {"reference": ("array", "sixteen_bit"), "rtl": (), "lockstep": ("array",), "torch": ("threads",)}


class Learner(Protocol):
    """DDPG's two jobs, and the state they work on."""

    def act(self, observations: np.ndarray, noise: bool) -> np.ndarray:
        """Actions in [-1, 1] for rows of observations, with exploration noise if asked."""

    def train(self, batch: Batch) -> np.ndarray:
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
        """What was counted: cycles, saturations, comparisons."""

    def tally(self) -> dict[str, Any]:
        """What was counted outside the state, as plain numbers."""

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
    **options: Any,
) -> Learner:
    """The learner of a backend's name, with initial weights from the seed: the same numbers for each backend.

    Raises
    ------
    ValueError
        No such backend, or one without such an option.
    """
    if backend not in BACKENDS and ":" not in backend:
        names = ", ".join(BACKENDS)
        raise ValueError(f"Backend must be {names}, or a device such as uart:/dev/ttyUSB0, not {backend!r}")
    strange = [name for name in options if name not in BACKENDS.get(backend, ())]
    if strange:
        raise ValueError(f"Backend {backend} has no option {', '.join(strange)}")
    if backend == "torch":
        from .torch_ddpg import TorchLearner

        return TorchLearner(observation_size, action_size, config, **options)
    from .fixar_learner import FixarLearner

    make = FixarLearner.on_reference
    if backend == "reference":
        return make(hardware, observation_size, action_size, config, **options)
    address = "sim" if backend in ("rtl", "lockstep") else backend
    device = FixarLearner.on_device(address, hardware, observation_size, action_size, config)
    if backend != "lockstep":
        return device
    from .lockstep import Lockstep

    return Lockstep(make(hardware, observation_size, action_size, config, **options), device, lockstep_every)
