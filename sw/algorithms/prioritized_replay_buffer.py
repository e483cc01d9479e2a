"""A replay buffer whose priorities are on a device."""

import contextlib
from typing import Any, Self

import numpy as np

from ...hw.cores.checks import require_integer
from ...hw.cores.replay.config import SumTreeConfig
from ..core.checkpoint import prefixed, under
from ..core.extent import extent
from ..device.replay import ReplayDevice
from ..device.replay_backends import open_sum_tree
from .replay_buffer import Batch, ReplayBuffer

__all__ = ["PrioritizedReplayBuffer"]


class PrioritizedReplayBuffer(ReplayBuffer):
    """Keeps the latest experiences; each is sampled as often as its priority is large.

    Experiences are in the host's memory, priorities in a sum tree. A new experience has the greatest priority that
    there has been, so that it is seen soon.

    Parameters
    ----------
    capacity : int
        Most experiences (2 to 2**24).
    alpha : float
        Exponent of priorities, 0 or more; 0: all alike.
    beta : float
        Exponent of importance weights, from 0 to 1.
    device : str or ReplayDevice
        ``"reference"``; ``"rtl"``, the RTL in the simulator; ``"uart:PORT"``, a board; or an open device with at least
        that capacity. It is closed with the buffer.
    epsilon : float
        Added to priorities, so that none is 0.
    seed : int
        Seed of the draws; not with an open device.

    Raises
    ------
    TypeError, ValueError
        A parameter out of its range.

    Source: T. Schaul et al., "Prioritized experience replay", 2016, section 3.
    """

    def __init__(
        self,
        capacity: int,
        alpha: float = 0.6,
        beta: float = 0.4,
        *,
        device: str | ReplayDevice = "reference",
        epsilon: float = 1e-3,
        seed: int = 0,
    ):
        require_integer("Capacity", capacity, 2)
        for name, value, most in (("Alpha", alpha, np.inf), ("Beta", beta, 1), ("Epsilon", epsilon, np.inf)):
            if not 0 <= value <= most:
                raise ValueError(f"{name} must be {'at least 0' if most == np.inf else 'from 0 to 1'}, not {value}")
        super().__init__(capacity)
        self.alpha, self.beta, self.epsilon = alpha, beta, epsilon
        if isinstance(device, str):
            with contextlib.ExitStack() as opened:
                backend = open_sum_tree(device, SumTreeConfig(leaves=capacity))
                opened.callback(backend.close)
                device = ReplayDevice(backend, seed)
                opened.pop_all()
        elif device.config.leaves != capacity:
            raise ValueError(f"Capacity must be that of the device, {device.config.leaves}, not {capacity}")
        self.device = device
        self._greatest = 1.0

    def _insert(self, count: int) -> np.ndarray:
        return self.device.insert(np.full(count, self._priorities(np.array([self._greatest]))[0]))

    def sample(self, batch: int, *, beta: float | None = None, stratified: bool = True) -> Batch:
        """Experiences with importance weights ``(n * p / total) ** -beta`` over the greatest of the batch.

        Parameters
        ----------
        batch : int
            How many.
        beta : float or None
            Instead of the buffer's, which algorithms raise to 1.
        stratified : bool
            One of each of ``batch`` parts of the total.

        Raises
        ------
        ValueError
            The buffer is empty.
        """
        self._require_some()
        samples = self.device.sample(batch, stratified=stratified)
        weights = (self._length * samples.priorities / samples.total) ** -(self.beta if beta is None else beta)
        return Batch(self._found(samples.indices), samples.indices, (weights / weights.max()).astype(np.float32))

    def update_priorities(self, indices: np.ndarray, priorities: np.ndarray) -> None:
        """Set priorities, such as the absolute values of temporal-difference errors.

        Parameters
        ----------
        indices : numpy.ndarray
            Indices of a batch.
        priorities : numpy.ndarray
            0 or more; what is stored is ``(priority + epsilon) ** alpha``.

        Raises
        ------
        ValueError
            A priority that is negative, not finite, or over the format of the tree; an index where nothing is.
        """
        values = np.asarray(priorities, np.float64).reshape(-1)
        least, greatest = extent(values) if values.size else (0.0, 0.0)
        if not least >= 0:
            raise ValueError(f"Priorities must be at least 0, not {values[~(values >= 0)][0]:g}")
        self._require_kept(indices)
        self.device.update(indices, self._priorities(values))
        self._greatest = max(self._greatest, greatest)

    def forget(self, indices: np.ndarray) -> None:
        """Give experiences the priority 0, with which they are never sampled; their places stay taken.

        Raises
        ------
        ValueError
            An index that is no experience's.
        """
        self._require_kept(indices)
        self.device.update(indices, np.zeros(len(indices)))

    def _require_kept(self, indices: np.ndarray) -> None:
        given = np.asarray(indices).reshape(-1)
        # Others are no indices, as the device says.
        if given.size and given.dtype.kind in "iu" and (largest := extent(given)[1]) >= self._length:
            raise ValueError(f"Indices must be below the {self._length} experiences, not {largest}")

    def _priorities(self, values: np.ndarray) -> np.ndarray:
        return (values + self.epsilon) ** self.alpha

    def clear(self) -> None:
        """Forget all experiences; the draws go on."""
        self.device.clear()
        self._length = 0

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Experiences and priorities as arrays, and the rest as plain numbers; the same for every device.

        From it another buffer of that capacity, on whatever device, goes on with the same batches.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        priorities, device = self.device.state()
        rest = {"length": self._length, "greatest": self._greatest, "device": device}
        return prefixed("experiences", self._experiences()) | prefixed("device", priorities), rest

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Take back what :meth:`state` gave.

        Raises
        ------
        ValueError
            It is of a buffer with another capacity.
        DeviceError
            The device was closed.
        """
        self.device.restore(under("device", arrays), rest["device"])
        self._greatest = rest["greatest"]
        self._take_back(under("experiences", arrays))

    def close(self) -> None:
        """Give the device back."""
        self.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
