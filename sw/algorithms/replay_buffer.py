"""Base of all replay buffers: the experiences themselves, and what is checked before one is kept."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.experience_checks import finite_array

__all__ = ["Batch", "ReplayBuffer"]


@dataclass(frozen=True)
class Batch:
    """Experiences that were sampled.

    Parameters
    ----------
    experiences : dict of numpy.ndarray
        By the names they were added with, each of shape (batch, ...).
    indices : numpy.ndarray
        Where they are in the buffer, int64.
    weights : numpy.ndarray
        Importance weights, float32.
    """

    experiences: dict[str, np.ndarray]
    indices: np.ndarray
    weights: np.ndarray


class ReplayBuffer(ABC):
    """Keeps the latest experiences in the host's memory; where the next ones go and which are drawn says a subclass.

    Memory is taken as it fills.

    Parameters
    ----------
    capacity : int
        Most experiences.
    shapes : dict of str to tuple of int, optional
        Shapes of an experience's values by name, which are kept as float32; otherwise names, shapes and types are those
        of the first experiences.
    """

    def __init__(self, capacity: int, shapes: Mapping[str, tuple[int, ...]] | None = None):
        self.capacity = capacity
        self._names = tuple(shapes or ())
        # For each value of an experience its name, and an array for all experiences.
        self._columns: dict[str, np.ndarray] = {}
        self._length = 0
        self._make_columns({name: np.zeros((0, *shape), np.float32) for name, shape in (shapes or {}).items()})

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
            Their indices, int64; an array also for one experience.

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
        indices = self._insert(count)
        for name, values in rows.items():
            self._columns[name][indices] = values
        self._length = min(self._length + count, self.capacity)
        return indices

    @abstractmethod
    def _insert(self, count: int) -> np.ndarray:
        """Where so many experiences go, which they do in any case."""

    @abstractmethod
    def sample(self, batch: int) -> Batch:
        """So many experiences.

        Raises
        ------
        ValueError
            The buffer is empty.
        """

    def _require_some(self) -> None:
        if not self._length:
            raise ValueError("There is nothing to sample: the buffer is empty")

    def _found(self, indices: np.ndarray) -> dict[str, np.ndarray]:
        """The experiences there."""
        return {name: values.take(indices, 0) for name, values in self._columns.items()}

    def _finite(self, name: str, values: Any) -> np.ndarray:
        column = self._columns.get(name)
        return finite_array(name.replace("_", " ").capitalize(), values, None if column is None else column.dtype)

    def _is_one(self, rows: Mapping[str, np.ndarray]) -> bool:
        """Whether those are the values of one experience."""
        known = bool(self._columns) and {name: values.shape for name, values in rows.items()} == self._shapes
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
            self._make_columns(rows)
        if given != self._shapes:
            raise ValueError(f"Experiences must have {self._shapes}, not {given}")
        return count

    def _make_columns(self, rows: Mapping[str, np.ndarray]) -> None:
        """Room for experiences like those."""
        self._columns = {
            name: np.zeros((self.capacity, *values.shape[1:]), values.dtype) for name, values in rows.items()
        }
        # Shapes of the values of an experience.
        self._shapes = {name: values.shape[1:] for name, values in rows.items()}

    def _experiences(self) -> dict[str, np.ndarray]:
        """All that are kept."""
        return {name: values[: self._length] for name, values in self._columns.items()}

    def _take_back(self, experiences: Mapping[str, np.ndarray]) -> None:
        """Restore the result of `_experiences`; a `KeyError` says which known name is missing."""
        given = {name: experiences[name] for name in self._names or experiences}
        self._make_columns(given)
        self._length = len(next(iter(given.values()), ()))
        for name, values in given.items():
            self._columns[name][: self._length] = values
