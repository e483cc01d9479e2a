"""A batch of experiences for a gradient step, whatever learns from them."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from .arrays import ValueArray

__all__ = ["LearnerBatch"]


@dataclass(frozen=True, kw_only=True)
class LearnerBatch:
    """Samples, one a row; real numbers, which a learner in hardware rounds to its format.

    Parameters
    ----------
    observations, next_observations : array (batch, inputs)
    actions : array (batch, actions), or of int (batch,)
        Vectors, or numbers of actions.
    rewards, discounts : array (batch,)
        The discount is gamma, or 0 where the episode terminated. A truncated episode went on: only the clock stopped
        it, and its last observation still has a future worth learning.
    weights : array (batch,) or None
        Importance and 1 / batch; None where a learner weighs all alike.
    """

    observations: ValueArray
    actions: NDArray[Any]
    rewards: ValueArray
    discounts: ValueArray
    next_observations: ValueArray
    weights: ValueArray | None = None

    def __len__(self) -> int:
        return len(self.rewards)

    @property
    def noise_pairs(self) -> tuple[tuple[ValueArray, ValueArray], ...]:
        """Noise of actions at the observations and at the next ones, for learners that draw them."""
        return ()

    @property
    def shares(self) -> ValueArray:
        """The weights, for a learner that needs them.

        Raises
        ------
        ValueError
            There are none.
        """
        if self.weights is None:
            raise ValueError("This learner weighs its samples: `weights` must be an array, not None")
        return self.weights
