"""Sum trees in software: what the replay manager is held against."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ....measurement.bench import comparison_library, drawn_from

__all__ = ["BATCH", "CONTENDERS", "fastest_tree"]

BATCH = 256
# Batches before the first one comes again, those between two looks at the clock, and looks.
BATCHES, WINDOW, WINDOWS = 400, 20, 40
SEED = 1

Operation = Callable[[int], Any]


def _tianshou(leaves: int, batches: dict[str, np.ndarray]) -> dict[str, Operation]:
    tree = comparison_library("tianshou.data.utils.segtree").SegmentTree(leaves)
    tree[np.arange(leaves)] = batches["filling"]
    draws, indices, priorities = batches["draws"], batches["indices"], batches["priorities"]
    return {
        "sample": lambda number: tree.get_prefix_sum_idx(draws[number] * tree.reduce()),
        "update": lambda number: tree.__setitem__(indices[number], priorities[number]),
    }


def _cpprb(leaves: int, batches: dict[str, np.ndarray]) -> dict[str, Operation]:
    buffer = comparison_library("cpprb").PrioritizedReplayBuffer(leaves, {"x": {}}, alpha=1.0, eps=0.0)
    buffer.add(x=np.zeros(leaves), priorities=batches["filling"])
    indices, priorities = batches["indices"], batches["priorities"]
    return {
        "sample": lambda _: buffer.sample(BATCH, beta=0.0),
        "update": lambda number: buffer.update_priorities(indices[number], priorities[number]),
    }


# How each is told; torchrl's C++ does not load with the PyTorch of the lock file.
CONTENDERS: dict[str, tuple[Callable[[int, dict[str, np.ndarray]], dict[str, Operation]], str]] = {
    "tianshou": (_tianshou, "tianshou's SegmentTree (numba)"),
    "cpprb": (_cpprb, "cpprb's PrioritizedReplayBuffer (C++), its weights and a column of one number included"),
}


def fastest_tree(operation: str, leaves: int) -> dict[str, Any]:
    """Microseconds that a batch takes the fastest of the contenders, by the processor's time.

    Parameters
    ----------
    operation : str
        ``"sample"`` or ``"update"``.
    leaves : int
    """
    rng = np.random.default_rng(drawn_from(SEED))
    shape = BATCHES, BATCH
    batches = {
        "filling": rng.random(leaves),
        "draws": rng.random(shape),
        "indices": rng.integers(leaves, size=shape),
        "priorities": rng.random(shape),
    }
    found = {name: _microseconds(make(leaves, batches)[operation]) for name, (make, _) in CONTENDERS.items()}
    best = min(found, key=lambda name: found[name])
    each = ", ".join(f"{CONTENDERS[name][1]} {value:.1f} us" for name, value in found.items())
    how = f"double precision, one thread, {BATCH} of {leaves} leaves, another batch each time: {each}"
    return {"value": found[best], "how": how}


def _microseconds(operation: Operation) -> float:
    """Microseconds per call, in the fastest of several windows: other work on the machine only slows."""
    seconds = []
    for window in range(WINDOWS):
        first = window * WINDOW % BATCHES
        start = time.process_time()
        for number in range(first, first + WINDOW):
            operation(number)
        seconds.append(time.process_time() - start)
    return min(seconds) / WINDOW * 1e6
