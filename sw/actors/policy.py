"""How an actor is told what to do."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

__all__ = ["Policy"]


class Policy(Protocol):
    """Actions with which experience is gathered; pickled for each actor."""

    def __call__(
        self, weights: Sequence[np.ndarray], observations: np.ndarray, step: int, generator: np.random.Generator
    ) -> np.ndarray:
        """Actions, one a row.

        Parameters
        ----------
        weights
            The latest of the learner.
        observations
            float32, shape (environments, elements).
        step
            Environment steps of all actors when the weights were published.
        generator
            Generator of the actor.
        """
        ...
