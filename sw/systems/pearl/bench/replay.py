"""Cycles that batches take on the RTL of a replay device."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .....hw.cores.replay.requests import RequestKind
from .....hw.soc.pearl.config import PearlConfig
from ....device.replay_backends import DeviceSumTree, ReferenceSumTree, segment_width
from ....reference.replay.messages import pack_request

__all__ = ["BatchCounts", "count_batches"]

PACKET = 4096


@dataclass(frozen=True)
class BatchCounts:
    """Cycles of a batch.

    Parameters
    ----------
    sample, update : int
    leaves, depth : int
        Of the tree.
    """

    sample: int
    update: int
    leaves: int
    depth: int


def count_batches(config: PearlConfig, batch: int, seed: int = 0) -> BatchCounts:
    """Fill a tree with priorities at random, then sample and update a batch.

    Raises
    ------
    RuntimeError
        An answer is not the reference's.
    """
    rng = np.random.default_rng(seed)
    device, reference = DeviceSumTree(config), ReferenceSumTree(config.tree)
    cycles = {}
    try:
        priorities = rng.integers(0, 1 << config.priority_width, config.leaves)
        rows = [pack_request(RequestKind.INSERT, priority=priority) for priority in priorities.tolist()]
        for first in range(0, len(rows), PACKET):
            device.request(np.array(rows[first : first + PACKET], np.uint64))
        reference.reference.update(np.arange(config.leaves), priorities.astype(np.uint64))

        def both(name: str, call: Any) -> None:
            answers, expected = call(device), call(reference)
            if (answers != expected).any():
                raise RuntimeError(f"The device does not answer {name} as the reference does")
            cycles[name] = device.cycles

        changed = zip(
            rng.integers(config.leaves, size=batch).tolist(),
            rng.integers(0, 1 << config.priority_width, batch).tolist(),
            strict=True,
        )
        updates = [pack_request(RequestKind.UPDATE, index=index, priority=priority) for index, priority in changed]
        both("sample", lambda tree: tree.sample(batch, segment_width(batch)))
        both("update", lambda tree: tree.request(np.array(updates, np.uint64)))
        both("sample again", lambda tree: tree.sample(batch, 0))
    finally:
        device.close()
    return BatchCounts(cycles["sample"], cycles["update"], config.leaves, config.depth)
