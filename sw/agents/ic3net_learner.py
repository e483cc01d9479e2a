"""What acts and trains for IC3Net: one interface, however it computes."""

from typing import Any, Protocol

import numpy as np

from .ic3net_config import IC3NetConfig

__all__ = ["BACKENDS", "PYTORCH", "IC3NetLearner", "make_learner"]

PYTORCH = ("torch", "blocks")
BACKENDS = (*PYTORCH, "reference")


class IC3NetLearner(Protocol):
    """IC3Net's two jobs for parallel episodes, and the state they work on."""

    def begin(self) -> None:
        """Makes the masks of an iteration and begins all episodes: hidden and cell states zero, everybody heard."""

    def step(self, observations: np.ndarray) -> np.ndarray:
        """Movements for observations, episodes x agents x elements; drawn by the policy, as are the gates."""

    def update(self, returns: np.ndarray, active: np.ndarray) -> dict[str, Any]:
        """Backward through the steps since `begin`, then the update of weights and grouping matrices.

        Parameters
        ----------
        returns
            Steps x episodes x agents.
        active
            Steps x episodes: whether an episode was still going on.
        """

    def sparsity(self) -> float:
        """The share of weights that take no part since `begin`."""

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
) -> IC3NetLearner:
    """The learner of a backend's name, with initial weights from the generator: the same numbers for each backend.

    Raises
    ------
    ValueError
        No such backend, or one that cannot do what the hyper-parameters say.
    """
    if backend not in BACKENDS:
        raise ValueError(f"Backend must be {', '.join(BACKENDS[:-1])} or {BACKENDS[-1]}, not {backend!r}")
    if backend == "torch":
        from .ic3net_torch import TorchIC3NetLearner

        return TorchIC3NetLearner(observation_size, actions, agents, config, generator)
    if backend == "blocks":
        from .ic3net_blocks import BlockIC3NetLearner

        return BlockIC3NetLearner(observation_size, actions, agents, config, generator)
    from .learninggroup_learner import LearningGroupLearner

    return LearningGroupLearner.on_reference(hardware, observation_size, actions, agents, config, generator)
