"""Temporal-difference errors of action values and their loss's derivative, compiled: the arrays are too small for
NumPy, whose calls would take longer than the arithmetic."""

import numba
import numpy as np

__all__ = ["temporal_differences"]

_ONE, _ZERO = np.float32(1), np.float32(0)


@numba.njit(cache=True)
def temporal_differences(
    values: np.ndarray,
    taken: np.ndarray,
    rewards: np.ndarray,
    terminated: np.ndarray,
    next_values: np.ndarray,
    choosing: np.ndarray,
    discount: np.float32,
    weights: np.ndarray,
    huber: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values of the actions taken, their errors, and the loss's derivative by ``values``; all in binary32.

    Parameters
    ----------
    values
        The online network's, of every action, float32, shape (rows, actions).
    taken
        Numbers of the actions taken, int64, shape (rows,).
    rewards, terminated
        Shape (rows,), float32 and bool.
    next_values
        The target network's of the next observations, as ``values``.
    choosing
        Values whose greatest says which of ``next_values`` counts: the online network's for double Q-learning, else
        ``next_values``.
    discount
        Factor of that value, float32.
    weights
        Importance weights, float32, shape (rows,).
    huber
        Whether a row's loss is Huber's, else half the squared error; the loss is the weighted mean of the rows'.

    Returns
    -------
    chosen, errors
        Float32, shape (rows,).
    slopes
        Float32, shape (rows, actions): 0 where an action was not taken.
    """
    rows, actions = values.shape
    chosen, errors = np.empty(rows, np.float32), np.empty(rows, np.float32)
    slopes = np.zeros((rows, actions), np.float32)
    share = np.float32(1 / rows)
    for row in range(rows):
        best = choosing[row].argmax()
        following = _ZERO if terminated[row] else discount * next_values[row, best]
        action = taken[row]
        value = values[row, action]
        error = value - (rewards[row] + following)
        # Huber's derivative is that of half the squared error, up to an error of 1.
        slope = min(max(error, -_ONE), _ONE) if huber and abs(error) > _ONE else error
        chosen[row], errors[row] = value, error
        slopes[row, action] = weights[row] * share * slope
    return chosen, errors, slopes
