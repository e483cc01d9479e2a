"""Searches on the RTL of the tree: what selections, backups and the assignment of banks take."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["TreeCounts", "count_recording", "count_search"]

SEED = 1
# Of the score: c = sqrt(2), a virtual loss of a quarter.
REGISTERS = {"exploration": 5793, "loss": 1 << 14, "first_value": 0, "alternate": 0}


@dataclass(frozen=True, kw_only=True)
class TreeCounts:
    """What a list of requests took that the tree was given without a gap.

    Parameters
    ----------
    requests : int
        All of them; their answers were compared with the reference's, and were equal.
    selections, insertions, backups : int
        That were no error.
    cycles : int
        From the first request to the last answer.
    interval, backup_interval : float
        Cycles between a selection, or a backup, and the one that entered right behind it, the mean.
    assigning : int
        Cycles in which a bank was being assigned.
    """

    requests: int
    selections: int
    insertions: int
    backups: int
    cycles: int
    interval: float
    backup_interval: float
    assigning: int

    @property
    def operations(self) -> int:
        """Selections, insertions and backups."""
        return self.selections + self.insertions + self.backups


def count_search(config: Any) -> TreeCounts:
    """All workers select, then all back up, and so on, with as many simulations as nodes.

    Every state has all actions; rewards are random, in [-1, 1).

    Parameters
    ----------
    config : MCTSConfig

    Raises
    ------
    DeviceError
        An answer is not the reference's.
    """
    from ...hw.cores.tree.records import RequestKind
    from ..reference.tree.messages import pack_request

    full, workers, rng = (1 << config.fanout) - 1, range(config.workers), random.Random(SEED)
    rows = [pack_request(config, RequestKind.CLEAR, terminal=0, legal=full)]
    for _ in range(config.nodes // config.workers):
        rows += [pack_request(config, RequestKind.SELECT, worker) for worker in workers]
        for worker in workers:
            reward = rng.randrange(-1 << 12, 1 << 12)
            rows.append(pack_request(config, RequestKind.BACKUP, worker, reward=reward, terminal=0, legal=full))
    return _count(config, REGISTERS, np.array(rows, np.uint64))


def count_recording(config: Any, recording: Any) -> TreeCounts:
    """The requests of a recording.

    Parameters
    ----------
    config : MCTSConfig
        Its tree is that of the recording.
    recording : Recording

    Raises
    ------
    DeviceError
        An answer is not the reference's.
    """
    return _count(config, recording.registers, recording.requests)


def _count(config: Any, registers: dict[str, int], rows: np.ndarray) -> TreeCounts:
    from ...hw.cores.tree.records import RequestKind, Status
    from ..device.errors import DeviceError
    from ..device.tree_backends import DeviceTree, ReferenceTree
    from ..reference.tree.messages import Answer
    from .bench_rows import say

    device, reference = DeviceTree(config), ReferenceTree(config.tree)
    say(f"{config.name}: {len(rows)} requests by {config.workers} workers on the RTL")
    try:
        for tree in (device, reference):
            tree.write_registers(registers)
            tree.send(rows)
        counters, cycles = device.counters(), device.cycles
        answers, expected = device.receive(len(rows)), reference.receive(len(rows))
    finally:
        device.close()
    different = np.flatnonzero(answers != expected)
    if len(different):
        raise DeviceError(f"{config.name}: answers differ from the reference's after {different[0]} requests")
    ends = [(answer.kind, answer.status) for answer in map(Answer.unpack, expected.tolist())]
    return TreeCounts(
        requests=len(rows),
        selections=counters["selections"],
        insertions=ends.count((RequestKind.SELECT, Status.INSERTED)),
        backups=ends.count((RequestKind.BACKUP, Status.DONE)),
        cycles=cycles,
        interval=counters["interval_cycles"] / counters["intervals"],
        backup_interval=counters["backup_interval_cycles"] / counters["backup_intervals"],
        assigning=counters["assigning_cycles"],
    )
