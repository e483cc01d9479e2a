"""What acts and trains for IC3Net: one interface, however it computes."""

from typing import Any, Protocol

import numpy as np

__all__ = ["IC3NetLearner"]


class IC3NetLearner(Protocol):
    """IC3Net's two jobs for parallel episodes, and the state they work on."""

    def begin(self) -> None:
        """Makes the masks of an iteration and begins all episodes: hidden and cell states zero, everybody heard."""

    def step(self, observations: np.ndarray) -> np.ndarray:
        """Movements for observations, episodes x agents x elements; drawn by the policy, as are the gates."""

    def update(self, returns: np.ndarray, active: np.ndarray) -> dict[str, float]:
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
