"""A replay buffer whose priorities are on a device."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...hw.cores.checks import require_integer
from ...hw.cores.replay.config import SumTreeConfig
from ..core.checkpoint import prefixed, under
from ..core.experience_checks import finite_array
from ..device.replay import ReplayDevice
from ..device.replay_backends import open_sum_tree

__all__ = ["Batch", "PrioritizedReplayBuffer"]


@dataclass(frozen=True)
class Batch:
    """Experiences that were sampled.

    Parameters
    ----------
    experiences : dict of numpy.ndarray
        By the names they were added with, each of shape (batch, ...).
    indices : numpy.ndarray
        For :meth:`PrioritizedReplayBuffer.update_priorities`, int64.
    weights : numpy.ndarray
        Importance weights, float32: ``(n * p / total) ** -beta`` over the greatest of the batch.
    """

    experiences: dict[str, np.ndarray]
    indices: np.ndarray
    weights: np.ndarray


class PrioritizedReplayBuffer:
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
        Of the draws; not with an open device.

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
        self.capacity, self.alpha, self.beta, self.epsilon = capacity, alpha, beta, epsilon
        if isinstance(device, str):
            with contextlib.ExitStack() as opened:
                backend = open_sum_tree(device, SumTreeConfig(leaves=capacity))
                opened.callback(backend.close)
                device = ReplayDevice(backend, seed)
                opened.pop_all()
        elif device.config.leaves != capacity:
            raise ValueError(f"Capacity must be that of the device, {device.config.leaves}, not {capacity}")
        self.device = device
        # Of each experience's values the name, an array for all, and the shape of one.
        self._columns: dict[str, np.ndarray] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._length = 0
        self._greatest = 1.0

    def __len__(self) -> int:
        return self._length

    def add(self, **experience: Any) -> np.ndarray:
        """Add experiences, each behind the last one; when the buffer is full the oldest goes.

        Parameters
        ----------
        **experience
            By name, always the same ones: arrays of shape (count, ...), all of the same count. Or one experience,
            without the first dimension: if one of its values at least is a number, or all have the shapes of those
            before.

        Returns
        -------
        numpy.ndarray
            Their indices, int64; of one experience, too, an array.

        Raises
        ------
        ValueError
            Names or shapes are not those of the first experiences; more experiences than there is room for; a value
            that is not finite.
        """
        rows = {name: self._finite(name, values) for name, values in experience.items()}
        if self._is_one(rows):
            rows = {name: values[np.newaxis] for name, values in rows.items()}
        count = self._check(rows)
        indices = self.device.insert(np.full(count, self._priorities(np.array([self._greatest]))[0]))
        for name, values in rows.items():
            self._columns[name][indices] = values
        self._length = min(self._length + count, self.capacity)
        return indices

    def sample(self, batch: int, *, beta: float | None = None, stratified: bool = True) -> Batch:
        """Experiences with importance weights.

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
        if not self._length:
            raise ValueError("There is nothing to sample: the buffer is empty")
        samples = self.device.sample(batch, stratified=stratified)
        weights = (self._length * samples.priorities / samples.total) ** -(self.beta if beta is None else beta)
        found = {name: values.take(samples.indices, 0) for name, values in self._columns.items()}
        return Batch(found, samples.indices, (weights / weights.max()).astype(np.float32))

    def update_priorities(self, indices: np.ndarray, priorities: np.ndarray) -> None:
        """Set priorities, such as the absolute values of temporal-difference errors.

        Parameters
        ----------
        indices : numpy.ndarray
            Of a batch.
        priorities : numpy.ndarray
            0 or more; what is stored is ``(priority + epsilon) ** alpha``.

        Raises
        ------
        ValueError
            A priority that is negative, not finite, or over the format of the tree; an index where nothing is.
        """
        values = np.asarray(priorities, np.float64)
        if values.size and not values.min() >= 0:
            raise ValueError(f"Priorities must be at least 0, not {values[~(values >= 0)][0]:g}")
        self._require_kept(indices)
        self.device.update(indices, self._priorities(values))
        if values.size:
            self._greatest = max(self._greatest, float(values.max()))

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
        if len(indices) and (largest := np.asarray(indices).max()) >= self._length:
            raise ValueError(f"Indices must be below the {self._length} experiences, not {largest}")

    def _priorities(self, values: np.ndarray) -> np.ndarray:
        return (values + self.epsilon) ** self.alpha

    def _finite(self, name: str, values: Any) -> np.ndarray:
        column = self._columns.get(name)
        return finite_array(name.replace("_", " ").capitalize(), values, None if column is None else column.dtype)

    def _is_one(self, rows: Mapping[str, np.ndarray]) -> bool:
        """Whether those are the values of one experience."""
        known = bool(self._shapes) and {name: values.shape for name, values in rows.items()} == self._shapes
        return known or any(values.ndim == 0 for values in rows.values())

    def _check(self, rows: Mapping[str, np.ndarray]) -> int:
        """How many there are, after all is found well-formed; makes the columns."""
        counts = {len(values) for values in rows.values()}
        if len(counts) != 1 or 0 in counts:
            raise ValueError("Experiences must be arrays with the same number of rows, one at least")
        (count,) = counts
        if count > self.capacity:
            raise ValueError(f"There must be at most {self.capacity} experiences at once, not {count}")
        given = {name: values.shape[1:] for name, values in rows.items()}
        if not self._columns:
            self._shapes = given
            self._columns = {
                name: np.zeros((self.capacity, *given[name]), values.dtype) for name, values in rows.items()
            }
        if given != self._shapes:
            raise ValueError(f"Experiences must have {self._shapes}, not {given}")
        return count

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
        columns = {name: values[: self._length] for name, values in self._columns.items()}
        rest = {"length": self._length, "greatest": self._greatest, "device": device}
        return prefixed("experiences", columns) | prefixed("device", priorities), rest

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
        self._length, self._greatest = rest["length"], rest["greatest"]
        self._columns, self._shapes = {}, {}
        for name, values in under("experiences", arrays).items():
            self._shapes[name] = values.shape[1:]
            self._columns[name] = np.zeros((self.capacity, *values.shape[1:]), values.dtype)
            self._columns[name][: self._length] = values

    def close(self) -> None:
        """Give the device back."""
        self.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
