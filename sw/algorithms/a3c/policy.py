"""How actions come from parameters and probabilities, on the host."""

import numpy as np

from .a3c_shape import Arrays

__all__ = ["draw", "draw_scored", "scores"]


def draw(probabilities: np.ndarray, generator: np.random.Generator) -> int:
    """An action by inverse transform: the first whose cumulative probability exceeds a uniform number.

    Parameters
    ----------
    probabilities
        Float32; summed up in float64, whose total need not be 1.
    generator
        Gives one number of 24 bits, so that the product with the total is below it.
    """
    cumulative = np.cumsum(probabilities, dtype=np.float64)
    return int(np.searchsorted(cumulative, float(generator.random(dtype=np.float32)) * cumulative[-1], side="right"))


def draw_scored(logits: np.ndarray, generator: np.random.Generator) -> int:
    """An action by `draw`, from logits of the actions."""
    return draw(np.exp(logits - logits.max()), generator)


def scores(parameters: Arrays, observations: np.ndarray) -> np.ndarray:
    """Logits of the actions, rows x actions, for observations, rows x elements; float32."""
    rows, layers = observations, len(parameters) // 2
    for number in range(1, layers + 1):
        rows = rows @ parameters[f"layer{number}.weight"].T + parameters[f"layer{number}.bias"]
        if number < layers:
            rows = np.maximum(rows, 0)
    return rows[:, :-1]
