"""Memory that several processes share."""

import threading
from multiprocessing.shared_memory import SharedMemory
from typing import Any

import numpy as np

__all__ = ["SharedBlock", "fence"]

_order = threading.Lock()


def fence() -> None:
    """Let what was written before be seen before what is written after.

    Processors of the x86 kind keep that order anyway; on others, taking a lock that was let go does.
    """
    with _order:
        pass
    with _order:
        pass


class SharedBlock:
    """Arrays in shared memory, zero at first. Pickled for another process, it is the same memory there.

    Parameters
    ----------
    fields : dict of str to tuple
        Type and shape of each array.
    name : str or None
        Name of memory that there is; ``None``: new memory, which goes when this is closed.
    """

    def __init__(self, fields: dict[str, tuple[Any, tuple[int, ...]]], name: str | None = None):
        self._fields = fields
        layout = np.dtype([(field, *kind) for field, kind in fields.items()], align=True)
        assert layout.fields is not None
        self._memory = SharedMemory(name=name, create=name is None, size=layout.itemsize)
        self._new = name is None
        self._arrays = {
            field: np.ndarray(shape, kind, self._memory.buf, layout.fields[field][1])
            for field, (kind, shape) in fields.items()
        }

    def __getitem__(self, field: str) -> np.ndarray:
        return self._arrays[field]

    def __reduce__(self) -> tuple[Any, ...]:
        return SharedBlock, (self._fields, self._memory.name)

    def close(self) -> None:
        """Let go of the memory; who made it ends it for all that come later."""
        # Arrays that are still in use elsewhere would keep it.
        if self._arrays:
            self._arrays = {}
            self._memory.close()
            if self._new:
                self._memory.unlink()
