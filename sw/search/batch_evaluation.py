"""A batch of positions through an evaluator, and into the formats of the tree."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .position_evaluator import EvaluationError, Planes, PositionEvaluator
from .search_scores import fixed_priors
from .tree_search import SearchError

__all__ = ["ask", "evaluate_checked", "evaluate_fixed", "require_evaluation", "require_shapes"]


def ask(evaluator: PositionEvaluator, planes: Planes, legal: NDArray[np.bool_]) -> tuple[Any, Any]:
    """Ask the evaluator; its priors and values as they come.

    Raises
    ------
    SearchError
        It failed.
    """
    try:
        priors, values = evaluator.evaluate(planes, legal)
    except Exception as error:
        raise SearchError(f"The evaluator failed with {type(error).__name__}: {error}") from error
    return priors, values


def evaluate_checked(
    evaluator: PositionEvaluator, planes: Planes, legal: NDArray[np.bool_]
) -> tuple[NDArray[np.floating], NDArray[np.float32]]:
    """Priors and values as the evaluator gives them.

    Raises
    ------
    EvaluationError
        Its result is no evaluation.
    SearchError
        It failed.
    """
    priors, values = ask(evaluator, planes, legal)
    require_shapes(priors, values, legal)
    require_evaluation(priors, values, legal)
    return priors, values.astype(np.float32, copy=False)


def evaluate_fixed(
    evaluator: PositionEvaluator, planes: Planes, legal: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Priors of 16 fraction bits, and values; errors as of :func:`evaluate_checked`."""
    priors, values = evaluate_checked(evaluator, planes, legal)
    return fixed_priors(priors, legal), values


def require_shapes(priors: Any, values: Any, legal: NDArray[np.bool_]) -> None:
    """Refuse what are no arrays of a batch's shape.

    Raises
    ------
    EvaluationError
        Which, and what it is.
    """
    for name, array, shape in (("Priors", priors, legal.shape), ("Values", values, legal.shape[:1])):
        if not isinstance(array, np.ndarray) or array.shape != shape:
            found = array.shape if isinstance(array, np.ndarray) else type(array).__name__
            raise EvaluationError(f"{name} of an evaluator must be an array of shape {shape}, not {found}")


def require_evaluation(priors: NDArray[Any], values: NDArray[Any], legal: NDArray[np.bool_]) -> None:
    """Refuse numbers that are no evaluation.

    Raises
    ------
    EvaluationError
        Priors that are negative, infinite or NaN, or all 0 where an action is legal; a value that is not finite.
    """
    looked_at = np.where(legal, priors, 0)
    wrong = ~((looked_at >= 0) & (looked_at < np.inf))
    if wrong.any():
        position, action = np.argwhere(wrong)[0]
        raise EvaluationError(
            f"Priors of an evaluator must be at least 0 and finite, not {priors[position, action]:g} for action "
            f"{action}"
        )
    if not looked_at.any(axis=1).all():
        raise EvaluationError("Priors of an evaluator must not be 0 for all legal actions of a position")
    if not np.isfinite(values).all():
        raise EvaluationError(f"Values of an evaluator must be finite, not {values[~np.isfinite(values)][0]:g}")
