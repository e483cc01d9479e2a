"""Parameters as words of a device's memories, and back."""

from collections.abc import Sequence

import numpy as np

from ....hw.cores.a3c.config import A3CConfig, AgentLayer

__all__ = ["from_words", "to_words", "words_of"]

Arrays = dict[str, np.ndarray]


def to_words(config: A3CConfig, parameters: Arrays) -> np.ndarray:
    """Words (words, width) of float32 parameters by name; places that are no parameters hold +0."""
    parts = []
    for number, layer in enumerate(config.layers, 1):
        parts.append(words_of(parameters[f"layer{number}.weight"], layer.width))
        parts.append(words_of(parameters[f"layer{number}.bias"], layer.width))
    return np.concatenate(parts)


def from_words(config: A3CConfig, words: np.ndarray) -> Arrays:
    """Parameters by name of words (words, width)."""
    found: Arrays = {}
    for number, layer in enumerate(config.layers, 1):
        found[f"layer{number}.weight"], found[f"layer{number}.bias"] = _layer(layer, words)
    return found


def words_of(numbers: np.ndarray, width: int) -> np.ndarray:
    """Numbers along the last axis in words, filled up with +0."""
    absent = -numbers.shape[-1] % width
    filled = np.pad(numbers, (*((0, 0),) * (numbers.ndim - 1), (0, absent)))
    return filled.reshape(-1, width)


def _layer(layer: AgentLayer, words: np.ndarray) -> Sequence[np.ndarray]:
    """Weights and biases."""
    weights = words[layer.first_word : layer.first_bias_word].reshape(layer.outputs, -1)[:, : layer.inputs]
    biases = words[layer.first_bias_word : layer.first_word + layer.words].ravel()[: layer.outputs]
    return weights.copy(), biases.copy()
