"""Roots of new trees: what a position is, and what the evaluator says of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.environments.board_environment import BoardEnvironment
from ..core.environments.legal_actions import action_mask
from .batch_evaluation import evaluate_checked
from .position_evaluator import Planes, PositionEvaluator
from .search_config import MOST_SIMULATIONS, SearchConfig
from .search_scores import fixed_priors, mixed_priors

__all__ = ["Root", "begin_roots", "observed", "simulations_of"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Root:
    """The root of a tree.

    Parameters
    ----------
    state : object
        Saved by the environment.
    legal : bool array (actions,)
    priors : int64 array (actions,)
        16 fraction bits, noise included.
    value : float
        As the player has it whose turn it is.
    """

    state: Any
    legal: NDArray[np.bool_]
    priors: NDArray[np.int64]
    value: float


def begin_roots(
    environment: BoardEnvironment,
    evaluator: PositionEvaluator,
    states: Sequence[Any],
    noise: Sequence[NDArray[np.float64]] | None,
    fraction: float,
) -> list[Root]:
    """Evaluate positions as one batch.

    Raises
    ------
    ValueError
        A position without a legal action; more or fewer noises than positions; no evaluation.
    SearchError
        The evaluator failed.
    """
    if noise is not None and len(noise) != len(states):
        raise ValueError(f"There must be as much noise as there are positions, {len(states)}, not {len(noise)}")
    if not states:
        return []
    planes, legal = observed(environment, states)
    for position, allowed in enumerate(legal):
        if not allowed.any():
            raise ValueError(f"Position {position} has no legal action: its game of {environment.name} has ended")
    priors, values = evaluate_checked(evaluator, planes, legal)
    fixed = fixed_priors(mixed_priors(priors, legal, noise, fraction), legal)
    return [
        Root(state=state, legal=allowed, priors=own, value=float(value))
        for state, allowed, own, value in zip(states, legal, fixed, values, strict=True)
    ]


def observed(environment: BoardEnvironment, states: Sequence[Any]) -> tuple[Planes, NDArray[np.bool_]]:
    """Planes (batch, channels, rows, columns) and legal actions (batch, actions) of positions."""
    planes = np.empty((len(states), *environment.observation_shape), np.float32)
    legal = np.empty((len(states), environment.actions), np.bool_)
    for position, state in enumerate(states):
        environment.restore(state)
        planes[position] = environment.observation()
        legal[position] = action_mask(environment.legal_actions(), environment.actions)
    return planes, legal


def simulations_of(config: SearchConfig, simulations: int | None) -> int:
    """The number of simulations of a search.

    Raises
    ------
    ValueError
        Fewer than 1, or more than a node counts.
    """
    count = config.simulations if simulations is None else simulations
    if not 1 <= count <= MOST_SIMULATIONS:
        raise ValueError(f"Simulations must be from 1 to {MOST_SIMULATIONS}, not {count}")
    return count
