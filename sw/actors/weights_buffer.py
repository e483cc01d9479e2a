"""Weights on their way from the learner to the actors: two copies in shared memory, one of them whole at any time."""

import time
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from ..core.shared_block import SharedBlock, fence

__all__ = ["WeightsBuffer"]

PAUSE_SECONDS = 1e-4


class WeightsBuffer:
    """The latest weights, for one process that publishes and any number that read, without a lock.

    Version v is written to copy v % 2 while readers have version v - 1, and is then made the published one. A reader
    that finds another version published after it has copied reads again: its copy may have been written to meanwhile.

    Parameters
    ----------
    arrays : sequence of numpy.ndarray
        The first weights, float32.
    """

    def __init__(self, arrays: Sequence[np.ndarray]):
        self._shapes = [array.shape for array in arrays]
        # Where each array begins, and the end of the last one.
        self._places = list(accumulate((array.size for array in arrays), initial=0))
        self._block = SharedBlock(
            {"version": (np.int64, (1,)), "step": (np.int64, (2,)), "values": (np.float32, (2, self._places[-1]))}
        )
        self.publish(0, arrays)

    @property
    def version(self) -> int:
        """Published so far; the first weights are version 1."""
        return int(self._block["version"][0])

    def publish(self, step: int, arrays: Sequence[np.ndarray]) -> None:
        """Make weights the latest.

        Parameters
        ----------
        step : int
            Environment steps taken so far, which readers get with them.
        arrays : sequence of numpy.ndarray
            Arrays with the shapes of the first weights.

        Raises
        ------
        ValueError
            Shapes are not those.
        """
        shapes = [array.shape for array in arrays]
        if shapes != self._shapes:
            raise ValueError(f"Weights must have shapes {self._shapes}, not {shapes}")
        version = self.version + 1
        copy = version % 2
        # A reader that sees any of what follows also sees what was published before it.
        fence()
        self._block["step"][copy] = step
        np.concatenate([array.reshape(-1) for array in arrays], out=self._block["values"][copy])
        fence()
        self._block["version"][0] = version

    def read(self, limit: float = 60.0) -> tuple[int, list[np.ndarray]]:
        """The step and the weights published last: copies.

        Parameters
        ----------
        limit : float
            Seconds.

        Raises
        ------
        TimeoutError
            They were published anew during each attempt.
        """
        until = time.monotonic() + limit
        while True:
            version = self.version
            fence()
            step, values = int(self._block["step"][version % 2]), self._block["values"][version % 2].copy()
            fence()
            if self.version == version:
                break
            if time.monotonic() >= until:
                raise TimeoutError(f"Weights were published faster than they could be read, for {limit:g} seconds")
            time.sleep(PAUSE_SECONDS)
        parts = zip(self._shapes, pairwise(self._places), strict=True)
        return step, [values[first:end].reshape(shape) for shape, (first, end) in parts]

    def close(self) -> None:
        """Let go of the memory."""
        self._block.close()
