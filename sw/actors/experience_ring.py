"""The queue from an actor to the host: experiences in shared memory."""

import numpy as np

from ...hw.cores.checks import require_integer
from ..core.shared_block import SharedBlock, fence

__all__ = ["ExperienceRing"]


class ExperienceRing:
    """A bounded queue of records of a fixed size, for one process that puts and one that takes, without a lock.

    Each side alone writes its own counter, after the records are there (or are copied): whenever a process ends, what
    it put is in the queue whole or not at all. Nothing waits here; who finds no room, or nothing to take, comes again.

    Parameters
    ----------
    record : numpy.dtype
        Type of a record, with named fields.
    capacity : int
        Most records, at least 1.

    Raises
    ------
    TypeError, ValueError
        A parameter out of its range.

    Source: L. Lamport, "Specifying concurrent program modules", 1983 (two counters, each with one writer).
    """

    def __init__(self, record: np.dtype, capacity: int):
        require_integer("Capacity", capacity, 1)
        self.record, self.capacity = record, capacity
        counter = np.int64, (1,)
        self._block = SharedBlock({"put": counter, "taken": counter, "records": (record, (capacity,))})

    @property
    def available(self) -> int:
        """Records to take."""
        return int(self._block["put"][0] - self._block["taken"][0])

    @property
    def room(self) -> int:
        """Records that there is room for."""
        return self.capacity - self.available

    def put(self, records: np.ndarray) -> None:
        """Put records after the others, all at once.

        Raises
        ------
        ValueError
            They are of another type, larger ones say, or more than there is room for; none is put.
        """
        if records.dtype != self.record:
            raise ValueError(
                f"An experience must be a record of {self.record.itemsize} bytes, {self.record}, not of "
                f"{records.dtype.itemsize}, {records.dtype}"
            )
        if len(records) > self.room:
            raise ValueError(f"There is room for {self.room} of {self.capacity} experiences, not for {len(records)}")
        put = int(self._block["put"][0])
        self._block["records"][(put + np.arange(len(records))) % self.capacity] = records
        fence()
        self._block["put"][0] = put + len(records)

    def peek(self, count: int) -> np.ndarray:
        """Copies of the first records, which stay where they are.

        Raises
        ------
        ValueError
            There are fewer.
        """
        self._require(count)
        fence()
        return self._block["records"][(int(self._block["taken"][0]) + np.arange(count)) % self.capacity]

    def release(self, count: int) -> None:
        """Give the room of the first records back.

        Raises
        ------
        ValueError
            There are fewer.
        """
        self._require(count)
        fence()
        self._block["taken"][0] += count

    def _require(self, count: int) -> None:
        if count > self.available:
            raise ValueError(f"There are {self.available} experiences in the queue, not {count}")

    def close(self) -> None:
        """Let go of the memory."""
        self._block.close()
