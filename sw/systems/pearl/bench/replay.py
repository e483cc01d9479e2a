"""Cycles that batches take on the RTL of a replay device."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .....hw.cores.replay.requests import RequestKind
from .....hw.soc.pearl.config import PearlConfig
from ....core.lockstep import require_equal
from ....device.replay_backends import DeviceSumTree, ReferenceSumTree, SumTreeBackend, segment_width
from ....measurement.bench import drawn_from
from ....reference.replay.requests import Answers, Requests

__all__ = ["BatchCounts", "count_batches"]

PACKET = 4096


@dataclass(frozen=True)
class BatchCounts:
    """Cycles of a batch.

    Parameters
    ----------
    sample, update : int
    leaves, depth : int
        Leaves and depth of the tree.
    """

    sample: int
    update: int
    leaves: int
    depth: int


def count_batches(config: PearlConfig, batch: int, seed: int = 0) -> BatchCounts:
    """Fill a tree with priorities at random, then sample and update a batch.

    Raises
    ------
    LockstepError
        An answer is not the reference's.
    """
    rng = np.random.default_rng(drawn_from(seed))
    device, reference = DeviceSumTree(config), ReferenceSumTree(config.tree)
    cycles = {}
    try:
        priorities = rng.integers(0, 1 << config.priority_width, config.leaves)
        insertions = Requests.of(RequestKind.INSERT, config.leaves, priority=priorities)
        for first in range(0, config.leaves, PACKET):
            device.request(insertions.part(first, first + PACKET))
        reference.reference.update(np.arange(config.leaves), priorities.astype(np.uint64))

        def both(name: str, call: Callable[[SumTreeBackend], Answers]) -> None:
            answers, expected = call(device), call(reference)
            require_equal(f"The device's answer to {name}", expected.columns(), answers.columns())
            cycles[name] = device.cycles

        changed = {
            "index": rng.integers(config.leaves, size=batch),
            "priority": rng.integers(0, 1 << config.priority_width, batch),
        }
        updates = Requests.of(RequestKind.UPDATE, batch, **changed)
        both("sample", lambda tree: tree.sample(batch, segment_width(batch)))
        both("update", lambda tree: tree.request(updates))
        both("sample again", lambda tree: tree.sample(batch, 0))
    finally:
        device.close()
    return BatchCounts(cycles["sample"], cycles["update"], config.leaves, config.depth)
