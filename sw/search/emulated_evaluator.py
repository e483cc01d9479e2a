"""An evaluator that takes the time of an accelerator, and none of the processor's."""

import threading
import time

import numpy as np
from numpy.typing import NDArray

from .position_evaluator import Planes

__all__ = ["EmulatedEvaluator"]

# Odd constants of a multiplicative hash (Fibonacci hashing).
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
SEED = 1


class EmulatedEvaluator:
    """Stands for a network on an accelerator, to measure searches with: its times are emulated, there is no network.

    A call may come from several threads at once. Transfers pass one after another and take ``latency`` each;
    computations go on beside each other, as in streams of a GPU, and take ``position`` for each position of a batch.
    Meanwhile the calling thread sleeps, without a core and without the interpreter's lock. Priors and values are hashes
    of the position: equal for equal positions, whatever batch they are in.

    Parameters
    ----------
    latency : float
        Seconds of a transfer: L of equation 5.4.
    position : float
        Seconds of computing for each position of a batch.

    Raises
    ------
    ValueError
        A time is negative.
    """

    def __init__(self, latency: float, position: float):
        if latency < 0 or position < 0:
            raise ValueError(f"Times of an emulated evaluator must be at least 0, not {latency:g} and {position:g}")
        self.latency, self.position = latency, position
        self._lock, self._link_free = threading.Lock(), 0.0
        self._multipliers: dict[int, NDArray[np.uint64]] = {}

    @classmethod
    def of_microseconds(cls, text: str) -> "EmulatedEvaluator":
        """An evaluator by its two times in microseconds, as ``"200,10"``.

        Raises
        ------
        ValueError
            The text is not two numbers, or one is negative.
        """
        try:
            latency, position = (float(part) for part in text.split(","))
        except ValueError:
            raise ValueError(
                f"Times of an emulated evaluator must be two numbers of microseconds, such as 200,10, not {text!r}"
            ) from None
        return cls(1e-6 * latency, 1e-6 * position)

    def evaluate(self, planes: Planes, legal: NDArray[np.bool_], /) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Hashes of the positions, when their time has passed: priors in [1, 2), values in [-1, 1)."""
        with self._lock:
            self._link_free = max(self._link_free, time.perf_counter()) + self.latency
            ready = self._link_free + self.position * len(planes)
        hashed = self._hashes(planes)
        values = (hashed >> np.uint64(40)).astype(np.float32) / np.float32(2**23) - np.float32(1)
        of_actions = hashed[:, None] * self._odd_numbers(legal.shape[1])
        priors = (of_actions >> np.uint64(41)).astype(np.float32) / np.float32(2**23) + np.float32(1)
        # Even a sleep of no time takes some.
        if (left := ready - time.perf_counter()) > 0:
            time.sleep(left)
        return priors, values

    def _hashes(self, planes: Planes) -> NDArray[np.uint64]:
        bits = np.ascontiguousarray(planes).reshape(len(planes), -1).view(np.uint32)
        mixed = (bits * self._odd_numbers(bits.shape[1])).sum(axis=1, dtype=np.uint64)
        return (mixed ^ mixed >> np.uint64(29)) * MULTIPLIER

    def _odd_numbers(self, count: int) -> NDArray[np.uint64]:
        if count not in self._multipliers:
            drawn = np.random.default_rng(SEED).integers(1 << 63, size=count, dtype=np.uint64)
            self._multipliers[count] = drawn << np.uint64(1) | np.uint64(1)
        return self._multipliers[count]

    def close(self) -> None:
        """Nothing is held."""
