"""Rows of 64 bits over a stream of 32-bit words."""

import numpy as np

__all__ = ["from_words", "to_words"]


def to_words(rows: np.ndarray) -> np.ndarray:
    """uint64 of shape (n,) as uint32 of shape (n, 2), the low half first."""
    return np.ascontiguousarray(rows, dtype="<u8").view("<u4").reshape(len(rows), 2)


def from_words(words: np.ndarray) -> np.ndarray:
    """Back again."""
    return np.ascontiguousarray(words, dtype="<u4").view("<u8").reshape(-1)
