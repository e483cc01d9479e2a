"""A3C's device: memories there and back, and packets of requests."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....hw.cores.a3c.host_regions import copy_address_width
from ....hw.cores.a3c.records import REQUEST, answer_rows
from ....hw.soc.a3c.config import A3CSystemConfig
from ....hw.soc.a3c.instructions import INSTRUCTION_SET, Memory
from ...device.device import RunReport
from ...device.open import open_device
from ...reference.a3c.rates import A3CRates
from ...reference.float.conversion import from_numbers

__all__ = ["AgentsConnection"]

# A run may take so many times the cycles that it should, and so many more.
PATIENCE, PATIENCE_CYCLES = 4, 100_000


class AgentsConnection:
    """The RTL in the simulator, or a board.

    Numbers are bit patterns, uint32: a row has the numbers of a word.

    Parameters
    ----------
    config : A3CSystemConfig
    where : str
        As :func:`...device.open.open_device` takes it.
    **options
        Options of :func:`...device.open.open_device`.

    Members
    -------
    device : ShellDevice
    cycles : int
        Cycles of all serving so far, from the start of each program to its end.
    """

    def __init__(self, config: A3CSystemConfig, where: str = "sim", **options: Any):
        self.config = config
        self.device = open_device(where, config, **options)
        self.cycles = 0

    def load(self, memory: Memory, words: np.ndarray, base: int = 0) -> None:
        """Load words into a memory; central parameters also go to all agents."""
        self.device.send(np.ascontiguousarray(words))
        self._run(len(words), "load", memory=memory, base=base, count=len(words))

    def store(self, memory: Memory, base: int = 0) -> np.ndarray:
        """All words of the central parameters or the mean squares, or of a copy of the parameters."""
        words = self.config.words
        self._run(words, "store", memory=memory, base=base, count=words)
        return self.device.receive(words)

    def copy_base(self, agent: int) -> int:
        """Where an agent's copy of the parameters begins."""
        return agent << copy_address_width(self.config)

    def set(self, rates: A3CRates) -> None:
        """Registers to the numbers of requests from now on."""
        named = vars(rates)
        bits = from_numbers(self.config.arithmetic.format, list(named.values())).tolist()
        for name, value in zip(named, bits, strict=True):
            self.device.write_register(name, value)

    def serve(self, requests: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Answers to requests, all of them packets, in the order in which they come."""
        self.begin()
        for packet in requests:
            self.send(packet)
        self.end(len(requests))
        return [self.receive() for _ in requests]

    def begin(self) -> None:
        """Requests may be sent, and answers come, until the end."""
        self._load_program("serve")
        self.device.start()

    def send(self, request: np.ndarray) -> None:
        """A request's packet, while it serves."""
        self.device.send(request)

    def receive(self) -> np.ndarray:
        """The next answer, whosever it is; waited for."""
        return self.device.receive(answer_rows(self.config))

    def end(self, requests: int) -> None:
        """Wait until all are answered, so many at the most."""
        row = np.zeros((1, self.config.width), np.uint32)
        row[0, 0] = REQUEST.pack({field.name: int(field.name == "ends") for field in REQUEST.fields})
        self.device.send(row)
        # As if each were a training, one after the other.
        cycles = requests * (2 + 2 * self.config.steps) * (self.config.words + 500)
        self.cycles += self.device.finish(PATIENCE * cycles + PATIENCE_CYCLES).cycles

    def _load_program(self, instruction: str, **arguments: int) -> None:
        self.device.load_program([INSTRUCTION_SET.encode(instruction, **arguments), INSTRUCTION_SET.encode("halt")])

    def _run(self, cycles: int, instruction: str, **arguments: int) -> RunReport:
        """One instruction, in so many cycles and some more at the most."""
        self._load_program(instruction, **arguments)
        return self.device.run(cycle_limit=PATIENCE * cycles + PATIENCE_CYCLES)

    def close(self) -> None:
        """Give the device back."""
        self.device.close()
