"""Learners for IC3Net, which act and train: one interface, however it computes."""

from typing import Any, Protocol

import numpy as np

from ...algorithms.ic3net.ic3net_config import IC3NetConfig
from ...core.backends import parse_backend, require_link
from ...device.transport import Transport

__all__ = ["PYTORCH", "IC3NetLearner", "make_learner"]

# Beside the backends of every device.
PYTORCH = ("torch", "blocks")


class IC3NetLearner(Protocol):
    """IC3Net's two jobs for parallel episodes, and the state they work on."""

    def begin(self) -> None:
        """Makes the masks of an iteration and begins all episodes: hidden and cell states zero, everybody heard."""

    def step(self, observations: np.ndarray) -> np.ndarray:
        """Movements for observations, episodes x agents x elements; drawn by the policy, as are the gates."""

    def rewind(self) -> None:
        """Takes back `begin` and the steps since: the state is as it was before, what is drawn included."""

    def update(self, returns: np.ndarray, alive: np.ndarray) -> dict[str, Any]:
        """Backward through the steps since `begin`, then the update of weights and grouping matrices.

        Parameters
        ----------
        returns
            Steps x episodes x agents.
        alive
            Steps x episodes x agents: whether an agent acted.
        """

    def sparsity(self) -> float:
        """The share of weights that take no part since `begin`."""

    def counters(self) -> dict[str, Any]:
        """Further counts: cycles, comparisons."""

    def save(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Everything that acting and training depend on between iterations: arrays and plain numbers."""

    def load(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Takes back what `save` gave."""

    def close(self) -> None:
        """Lets go of the device, if there is one."""


def make_learner(
    backend: str,
    hardware: Any,
    observation_size: int,
    actions: int,
    agents: int,
    config: IC3NetConfig,
    generator: np.random.Generator,
    *,
    steps: int,
    lockstep_every: int = 100,
    transport: Transport | None = None,
) -> IC3NetLearner:
    """The learner of a backend's name, with initial weights from the generator: the same numbers for each backend.

    Parameters
    ----------
    backend
        ``"torch"``, ``"blocks"``, or as `parse_backend` takes it.
    hardware
        `LearningGroupHardware`; PyTorch needs none.
    observation_size, actions, agents, config, generator
        As of `IC3NetNetwork`.
    steps
        Length of an episode.
    lockstep_every
        Iterations from one comparison to the next.
    transport
        For backend ``"transport"``: an open link of one's own.

    Raises
    ------
    ValueError
        No such backend, or one that cannot do what the hyper-parameters say.
    """
    where = parse_backend(backend, PYTORCH)
    require_link(backend, transport)
    if backend == "torch":
        from ...algorithms.ic3net.ic3net_torch import TorchIC3NetLearner

        return TorchIC3NetLearner(observation_size, actions, agents, config, generator)
    if backend == "blocks":
        from ...algorithms.ic3net.ic3net_blocks import BlockIC3NetLearner

        return BlockIC3NetLearner(observation_size, actions, agents, config, generator)
    from .learner import LearningGroupLearner, network_of

    network = network_of(observation_size, actions, agents, config)
    return LearningGroupLearner.on(
        where, hardware, network, config, generator, steps=steps, lockstep_every=lockstep_every, transport=transport
    )
