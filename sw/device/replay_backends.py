"""Where a sum tree is: the reference, or a device."""

import contextlib
from functools import partial
from typing import Any, Protocol

import numpy as np

from ...hw.cores.replay.config import DRAW_WIDTH, SumTreeConfig
from ...hw.cores.replay.requests import RequestKind
from ...hw.soc.pearl.config import PearlConfig
from ..core.backends import open_backend, options_at
from ..reference.replay.draws import DrawReference
from ..reference.replay.requests import Answers, Requests
from ..reference.replay.sum_tree import SumTreeReference
from .lockstep_sum_tree import LockstepSumTree
from .open import open_device
from .replay_rows import pack_beats, pack_requests, unpack_answers
from .rows import from_words, to_words

__all__ = ["DeviceSumTree", "ReferenceSumTree", "SumTreeBackend", "open_sum_tree", "segment_width"]

# Far more than a request takes.
CYCLES_A_REQUEST = 64
SERVE_ADDRESS, OTHER_ADDRESS = 0, 2


def segment_width(count: int) -> int:
    """Width of a segment of a stratified batch, 48 fraction bits; 0 if the only segment is the whole."""
    return (1 << DRAW_WIDTH) // count if count > 1 else 0


class SumTreeBackend(Protocol):
    """Where a sum tree is.

    Members
    -------
    config : SumTreeConfig
    """

    config: SumTreeConfig

    def request(self, requests: Requests) -> Answers:
        """Answers to requests."""
        ...

    def sample(self, count: int, segment: int) -> Answers:
        """Answers to samples with draws of its own, and after them the total's: ``count + 1``."""
        ...

    def seed(self, state: int) -> None:
        """Set the generator of the draws."""
        ...

    def clear(self) -> None:
        """Make all priorities zero."""
        ...

    def close(self) -> None:
        """Give it back."""
        ...


class ReferenceSumTree:
    """The NumPy reference as a :class:`SumTreeBackend`.

    Parameters
    ----------
    config : SumTreeConfig
    """

    def __init__(self, config: SumTreeConfig):
        self.config = config
        self.reference = SumTreeReference(config)
        self.draws = DrawReference()

    def request(self, requests: Requests) -> Answers:
        """Answers to requests."""
        return self.reference.serve(requests)

    def sample(self, count: int, segment: int) -> Answers:
        """Answers to samples and the total's."""
        draws = np.zeros(count + 1, np.uint64)
        draws[:-1] = self.draws.draws(count, segment)
        requests = Requests.of(RequestKind.SAMPLE, count + 1, draw=draws)
        requests.kind[-1] = RequestKind.TOTAL
        return self.request(requests)

    def seed(self, state: int) -> None:
        """Set the generator."""
        self.draws = DrawReference(state)

    def clear(self) -> None:
        """Make all priorities zero."""
        self.reference.clear()

    def close(self) -> None:
        """Nothing is held."""


class DeviceSumTree:
    """A device as a :class:`SumTreeBackend`: the RTL in the simulator, or a board. Here alone requests become rows.

    Parameters
    ----------
    config : PearlConfig
    where : str
        As :func:`.open.open_device` takes it.
    **options
        Options of :func:`.open.open_device`, ``transport`` among them.

    Members
    -------
    device : ShellDevice
    cycles : int
        Cycles of the last instruction, from its start to its end.
    """

    def __init__(self, config: PearlConfig, where: str = "sim", **options: Any):
        self.config = config.tree
        self.cycles = 0
        self._instructions = instructions = config.shell.instruction_set
        with contextlib.ExitStack() as opened:
            self.device = open_device(where, config, **options)
            opened.callback(self.device.close)
            self.device.load_program([instructions.encode("serve"), instructions.encode("halt")], SERVE_ADDRESS)
            opened.pop_all()

    def request(self, requests: Requests) -> Answers:
        """Answers to requests."""
        if not len(requests):
            return Answers.join([])
        self.device.send(to_words(pack_beats(pack_requests(requests), self.config.lanes)))
        return self._run(SERVE_ADDRESS, len(requests))

    def sample(self, count: int, segment: int) -> Answers:
        """Answers to samples and the total's."""
        return self._do("sample", rows=count + 1, count=count, segment=segment)

    def seed(self, state: int) -> None:
        """Set the generator."""
        self._do("seed", state=state)

    def clear(self) -> None:
        """Make all priorities zero."""
        self._do("clear")

    def _do(self, instruction: str, rows: int = 0, **arguments: int) -> Answers:
        encode = self._instructions.encode
        self.device.load_program([encode(instruction, **arguments), encode("halt")], OTHER_ADDRESS)
        return self._run(OTHER_ADDRESS, rows)

    def _run(self, address: int, rows: int) -> Answers:
        limit = CYCLES_A_REQUEST * (rows + 64) + 2 * self.config.leaves
        self.cycles = self.device.run(address, cycle_limit=limit).cycles
        if not rows:
            return Answers.join([])
        # After them may be answers that fill up the last beat.
        return unpack_answers(from_words(self.device.receive(-(-rows // self.config.lanes)))[:rows])

    def close(self) -> None:
        """Give the device back."""
        self.device.close()


def open_sum_tree(where: str, config: SumTreeConfig, **options: Any) -> SumTreeBackend:
    """Open a sum tree, for :class:`.replay.ReplayDevice`.

    Parameters
    ----------
    where : str
        As :func:`.backends.parse_backend` takes it.
    config : SumTreeConfig
        For a board a :class:`...hw.soc.pearl.config.PearlConfig`.
    **options
        Options of :func:`.open.open_device`; ``transport`` is that of backend ``"transport"``.

    Raises
    ------
    ValueError
        There is no such backend.
    """
    device = config if isinstance(config, PearlConfig) else PearlConfig(**vars(config))
    return open_backend(
        where,
        partial(ReferenceSumTree, device.tree),
        lambda place: DeviceSumTree(device, place, **options_at(place, options)),
        LockstepSumTree,
    )
