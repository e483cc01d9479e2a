"""Where a search tree is: the reference, or a device."""

import contextlib
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

from ...hw.cores.tree.config import TreeConfig
from ...hw.cores.tree.records import COUNTERS, ROW_WIDTH, edge_record, node_record
from ...hw.soc.mcts.config import MCTSConfig
from ..core.backends import open_backend, options_at
from ..reference.tree.requests import Answer, Request
from ..reference.tree.search_tree import SearchTreeReference
from .lockstep_search_tree import LockstepTree
from .open import open_device
from .rows import from_words, to_words
from .search_tree_rows import pack_requests, unpack_answers

__all__ = ["DeviceTree", "ReferenceTree", "TreeBackend", "open_tree"]

# Far more than a request takes: clearing waits for the pipeline, a bank is assigned in a pass over all of them.
CYCLES_A_REQUEST = 4096
# Addresses of the program.
SERVE_ADDRESS, READ_ADDRESS = 0, 2


class TreeBackend(Protocol):
    """Where a tree is: requests go in, as many answers come out, in the same order.

    Members
    -------
    config : TreeConfig
    """

    config: TreeConfig

    def write_registers(self, registers: dict[str, int]) -> None:
        """Set the registers, by name; while the tree has no request under way."""
        ...

    def send(self, requests: Sequence[Request]) -> None:
        """Send requests."""
        ...

    def receive(self, count: int) -> list[Answer]:
        """The next answers."""
        ...

    def counters(self) -> dict[str, int]:
        """Counts of hardware since :meth:`write_registers`, by name; the reference has none."""
        ...

    def close(self) -> None:
        """Give it back."""
        ...


class ReferenceTree:
    """The NumPy reference as a :class:`TreeBackend`.

    Parameters
    ----------
    config : TreeConfig
    """

    def __init__(self, config: TreeConfig):
        self.config = config
        self.reference = SearchTreeReference(config)
        self._answers: deque[Answer] = deque()

    def write_registers(self, registers: dict[str, int]) -> None:
        """Set the registers; there is no tree until the next clear."""
        values: dict[str, Any] = dict(registers)
        self.reference = SearchTreeReference(self.config, **values)

    def send(self, requests: Sequence[Request]) -> None:
        """Do what the requests ask, one after another."""
        self._answers.extend(self.reference.apply(requests))

    def receive(self, count: int) -> list[Answer]:
        """The next answers."""
        return [self._answers.popleft() for _ in range(count)]

    def counters(self) -> dict[str, int]:
        """None: it has no cycles."""
        return {}

    def close(self) -> None:
        """Nothing is held."""


class DeviceTree:
    """A device as a :class:`TreeBackend`: the RTL in the simulator, or a board. Here alone requests become rows.

    Parameters
    ----------
    config : MCTSConfig
    where : str
        As :func:`.open.open_device` takes it.
    **options
        Options of :func:`.open.open_device`, ``transport`` among them.

    Members
    -------
    hardware : MCTSConfig
    device : ShellDevice
    cycles : int
        Cycles of all packets of requests so far.
    """

    def __init__(self, config: MCTSConfig, where: str = "sim", **options: Any):
        self.config = config.tree
        self.hardware = config
        self.cycles = 0
        self._answers: deque[Answer] = deque()
        instructions = config.shell.instruction_set
        with contextlib.ExitStack() as opened:
            self.device = open_device(where, config, **options)
            opened.callback(self.device.close)
            self.device.load_program([instructions.encode("serve"), instructions.encode("halt")], SERVE_ADDRESS)
            opened.pop_all()

    def write_registers(self, registers: dict[str, int]) -> None:
        """Set the registers; there is no tree until the next clear."""
        self.device.soft_reset()
        for name, value in registers.items():
            self.device.write_register(name, value)

    def send(self, requests: Sequence[Request]) -> None:
        """Send requests, and wait until all are answered."""
        if not requests:
            return
        self.device.send(to_words(pack_requests(self.config, requests)))
        report = self.device.run(SERVE_ADDRESS, cycle_limit=CYCLES_A_REQUEST * (len(requests) + 16))
        self.cycles += report.cycles
        self._answers.extend(unpack_answers(from_words(self.device.receive(len(requests)))))

    def receive(self, count: int) -> list[Answer]:
        """The next answers."""
        return [self._answers.popleft() for _ in range(count)]

    def counters(self) -> dict[str, int]:
        """Counts of the tree since :meth:`write_registers`."""
        return {part.name: self.device.read_register(part.name) for part in COUNTERS.fields}

    def read_nodes(self, base: int = 0, count: int | None = None) -> list[tuple[dict[str, int], list[dict[str, int]]]]:
        """Nodes as they are in the banks: fields of :func:`.node_record`, and of :func:`.edge_record` for each action.

        Parameters
        ----------
        base : int
            Number of the first.
        count : int or None
            None: up to the last row of the last bank.
        """
        config = self.hardware
        count = config.banks * config.rows - base if count is None else count
        instructions = config.shell.instruction_set
        program = [instructions.encode("read", base=base, count=count), instructions.encode("halt")]
        self.device.load_program(program, READ_ADDRESS)
        rows = count * config.flits * config.flit_rows
        self.device.run(READ_ADDRESS, cycle_limit=100_000 + 100 * rows)
        words = from_words(self.device.receive(rows)).tolist()
        node_fields, edge_fields = node_record(config), edge_record(config)
        nodes = []
        for number in range(count):
            edges: list[dict[str, int]] = []
            for flit in range(config.flits):
                start = (number * config.flits + flit) * config.flit_rows
                rows_of_flit = words[start : start + config.flit_rows]
                word = sum(row << ROW_WIDTH * index for index, row in enumerate(rows_of_flit))
                header = node_fields.unpack(word)
                word >>= node_fields.width
                for _ in range(config.lanes):
                    edges.append(edge_fields.unpack(word))
                    word >>= edge_fields.width
            nodes.append((header, edges[: config.fanout]))
        return nodes

    def close(self) -> None:
        """Give the device back."""
        self.device.close()


def open_tree(where: str, config: TreeConfig, **options: Any) -> TreeBackend:
    """Open a search tree, for :class:`.search_tree.MCTSDevice`.

    Parameters
    ----------
    where : str
        As :func:`.backends.parse_backend` takes it.
    config : TreeConfig
        For a device an :class:`...hw.soc.mcts.config.MCTSConfig`.
    **options
        Options of :func:`.open.open_device`; ``transport`` is that of backend ``"transport"``.

    Raises
    ------
    ValueError
        There is no such backend.
    """
    device = config if isinstance(config, MCTSConfig) else MCTSConfig(**vars(config))
    return open_backend(
        where,
        partial(ReferenceTree, device.tree),
        lambda place: DeviceTree(device, place, **options_at(place, options)),
        LockstepTree,
    )
