"""Rows of 64 bits over a stream of 32-bit words."""

import math

import numpy as np

__all__ = ["from_words", "to_words"]


def to_words(rows: np.ndarray) -> np.ndarray:
    """uint64 of shape (n,) as uint32 of shape (n, 2), the low half first; of (n, lanes) as (n, 2 lanes)."""
    return np.ascontiguousarray(rows, dtype="<u8").view("<u4").reshape(len(rows), 2 * math.prod(rows.shape[1:]))


def from_words(words: np.ndarray) -> np.ndarray:
    """Back again, to shape (n,) or (n lanes,)."""
    return np.ascontiguousarray(words, dtype="<u4").view("<u8").reshape(-1)
