"""Evaluators, which may take a rollout's place."""

from collections.abc import Sequence
from typing import Protocol

from ..core.environments.state_environment import StateEnvironment

__all__ = ["Evaluator"]


class Evaluator(Protocol):
    """Priors and value of a state, as of AlphaZero's network; any callable.

    It is called once for each simulation whose episode has not ended, in the process that runs the simulation; for
    simulations in processes it is pickled, once for each of them, so a class that holds much should pickle how it is
    made (``__reduce__``).

    Source: D. Silver et al., *A general reinforcement learning algorithm that masters chess, shogi, and Go through
    self-play*, Science 362, 2018.
    """

    def __call__(self, environment: StateEnvironment, /) -> tuple[Sequence[float], float]:
        """Look at a state.

        Parameters
        ----------
        environment : StateEnvironment
            In the state. It may be stepped: it is restored before it is used again.

        Returns
        -------
        priors : sequence of float
            How good each of the ``environment.actions`` looks, at least 0; only ratios matter, and only those of legal
            actions.
        value : float
            Sum of rewards to be expected from here on, as the player has it whose turn it is.
        """
        ...
