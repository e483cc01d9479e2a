"""Searches on the RTL of the tree: what a selection takes, and what the assignment of banks does."""

import random
from dataclasses import dataclass
from typing import Any

__all__ = ["TreeCounts", "count_search"]

SEED = 1
# Of the score: c = sqrt(2), a virtual loss of a quarter.
REGISTERS = {"exploration": 5793, "loss": 1 << 14, "first_value": 0, "alternate": 0}


@dataclass(frozen=True, kw_only=True)
class TreeCounts:
    """What a search took.

    Parameters
    ----------
    selections, nodes : int
    interval : float
        Cycles between a selection and the one that entered right behind it, the mean.
    assigning : int
        Cycles in which a bank was being assigned.
    requests : int
        Answers compared with the reference's, all of them equal.
    """

    selections: int
    nodes: int
    interval: float
    assigning: int
    requests: int


def count_search(config: Any) -> TreeCounts:
    """Search on the RTL and on its reference: all workers select, then all back up, with as many simulations as nodes.

    Every state has all actions; rewards are random, in [-1, 1).

    Parameters
    ----------
    config : MCTSConfig

    Raises
    ------
    DeviceError
        An answer is not the reference's.
    """
    import numpy as np

    from ...hw.cores.tree.records import RequestKind
    from ..device.errors import DeviceError
    from ..device.tree_backends import DeviceTree, ReferenceTree
    from ..reference.tree.messages import pack_request
    from .bench_rows import say

    device, reference = DeviceTree(config), ReferenceTree(config.tree)
    say(f"{config.name}: {config.nodes} nodes by {config.workers} workers on the RTL")
    full, workers, rng = (1 << config.fanout) - 1, range(config.workers), random.Random(SEED)
    requests = 0

    def send(rows: list[int]) -> None:
        nonlocal requests
        for tree in (device, reference):
            tree.send(np.array(rows, np.uint64))
        if device.receive(len(rows)).tolist() != reference.receive(len(rows)).tolist():
            raise DeviceError(f"{config.name}: answers differ from the reference's after {requests} requests")
        requests += len(rows)

    try:
        for tree in (device, reference):
            tree.write_registers(REGISTERS)
        send([pack_request(config, RequestKind.CLEAR, terminal=0, legal=full)])
        for _ in range(config.nodes // config.workers):
            send([pack_request(config, RequestKind.SELECT, worker) for worker in workers])
            rewards = [rng.randrange(-1 << 12, 1 << 12) for _ in workers]
            send(
                [
                    pack_request(config, RequestKind.BACKUP, worker, reward=reward, terminal=0, legal=full)
                    for worker, reward in zip(workers, rewards, strict=True)
                ]
            )
        counters = device.counters()
    finally:
        device.close()
    return TreeCounts(
        selections=counters["selections"],
        nodes=reference.reference.nodes,
        interval=counters["interval_cycles"] / counters["intervals"],
        assigning=counters["assigning_cycles"],
        requests=requests,
    )
