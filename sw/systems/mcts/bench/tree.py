"""Searches on the RTL of the tree: what selections, backups and the assignment of banks take."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....measurement.bench import drawn_from

if TYPE_CHECKING:
    from ....reference.tree.requests import Request

__all__ = ["TreeCounts", "count_recording", "count_search", "search_packets"]

SEED = 1
# Constants of the score: c = sqrt(2), a virtual loss of a quarter.
REGISTERS = {"exploration": 5793, "loss": 1 << 14, "first_value": 0, "alternate": 0}


@dataclass(frozen=True, kw_only=True)
class TreeCounts:
    """Counts of a list of requests; the tree was given each packet of them back to back.

    Parameters
    ----------
    requests : int
        All of them; their answers were compared with the reference's, and were equal.
    selections, insertions, backups : int
        Requests that were no error.
    packets : tuple of int
        Cycles of each packet, from its first request to its last answer.
    interval, backup_interval : float
        Cycles between a selection, or a backup, and the one that entered right after it, the mean.
    assigning : int
        Cycles in which a bank was being assigned.
    """

    requests: int
    selections: int
    insertions: int
    backups: int
    packets: tuple[int, ...]
    interval: float
    backup_interval: float
    assigning: int

    @property
    def cycles(self) -> int:
        """Cycles of all packets."""
        return sum(self.packets)

    @property
    def operations(self) -> int:
        """Selections, insertions and backups."""
        return self.selections + self.insertions + self.backups


def count_search(config: Any, at_rest: bool = False) -> TreeCounts:
    """All workers select, then all back up, and so on, with as many simulations as nodes.

    Every state has all actions; rewards are random, in [-1, 1).

    Parameters
    ----------
    config : MCTSConfig
    at_rest : bool
        The clear, each turn's selections and each turn's backups are a packet, which is sent when all before it are
        answered; else everything is one.

    Raises
    ------
    DeviceError
        An answer is not the reference's.
    """
    packets = search_packets(config, config.nodes)
    return _count(config, REGISTERS, packets if at_rest else [[request for packet in packets for request in packet]])


def search_packets(config: Any, simulations: int) -> list[list["Request"]]:
    """The clear, and in turn a selection of each worker and a backup of each.

    Parameters
    ----------
    config : MCTSConfig
    simulations : int
        At most.
    """
    from .....hw.cores.tree.requests import RequestKind
    from ....reference.tree.requests import Request

    full, workers, rng = (1 << config.fanout) - 1, range(config.workers), random.Random(drawn_from(SEED))
    packets = [[Request(kind=RequestKind.CLEAR, legal=full)]]
    for _ in range(min(simulations, config.nodes) // config.workers):
        packets.append([Request(kind=RequestKind.SELECT, worker=worker) for worker in workers])
        backups = []
        for worker in workers:
            reward = rng.randrange(-1 << 12, 1 << 12)
            backups.append(Request(kind=RequestKind.BACKUP, worker=worker, reward=reward, legal=full))
        packets.append(backups)
    return packets


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
    return _count(config, recording.registers, [recording.requests])


def _count(config: Any, registers: dict[str, int], packets: "Sequence[Sequence[Request]]") -> TreeCounts:
    from .....hw.cores.tree.requests import RequestKind, Status
    from ....device.errors import DeviceError
    from ....device.search_tree_backends import DeviceTree, ReferenceTree
    from ....measurement.bench import say

    device, reference = DeviceTree(config), ReferenceTree(config.tree)
    requests, cycles = sum(map(len, packets)), []
    say(f"{config.name}: {requests} requests by {config.workers} workers on the RTL")
    try:
        for tree in (device, reference):
            tree.write_registers(registers)
        for packet in packets:
            before = device.cycles
            device.send(packet)
            cycles.append(device.cycles - before)
            reference.send(packet)
        counters = device.counters()
        answers, expected = device.receive(requests), reference.receive(requests)
    finally:
        device.close()
    if answers != expected:
        first = next(index for index, (got, right) in enumerate(zip(answers, expected, strict=True)) if got != right)
        raise DeviceError(f"{config.name}: answers differ from the reference's after {first} requests")
    ends = [(answer.kind, answer.status) for answer in expected]
    return TreeCounts(
        requests=requests,
        selections=counters["selections"],
        insertions=ends.count((RequestKind.SELECT, Status.INSERTED)),
        backups=ends.count((RequestKind.BACKUP, Status.DONE)),
        packets=tuple(cycles),
        interval=counters["interval_cycles"] / counters["intervals"],
        backup_interval=counters["backup_interval_cycles"] / counters["backup_intervals"],
        assigning=counters["assigning_cycles"],
    )
