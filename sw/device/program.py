"""A compiled program: instructions, the packets it takes and gives, and its listing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

__all__ = ["Hardware", "Packet", "Program"]


@dataclass(frozen=True)
class Packet:
    """One load or store: its key says what the rows are.

    Parameters
    ----------
    key : object
        A tuple, or a name.
    count : int
        Rows.
    """

    key: Any
    count: int


class Hardware(Protocol):
    """Part of a configuration that its programs need."""

    name: str

    @property
    def instruction_set(self) -> Any: ...
    @property
    def instruction_depth(self) -> int: ...


@dataclass
class Program:
    """Instructions with their packets; a system's compiler makes them.

    Parameters
    ----------
    name : str
    config : Hardware

    Members
    -------
    words : list of int
        Instructions.
    inputs, outputs : list of Packet
        Packets to send and rows that come back, in order.
    """

    name: str
    config: Any
    words: list[int] = field(default_factory=list)
    inputs: list[Packet] = field(default_factory=list)
    outputs: list[Packet] = field(default_factory=list)

    def emit(self, instruction: str, *, wait: Sequence[str] | str = (), **fields: int) -> None:
        self.words.append(self.config.instruction_set.encode(instruction, wait=wait, **fields))

    def load(self, key: Any, count: int, *, wait: Sequence[str] | str = (), **fields: int) -> None:
        self.emit("load", wait=wait, count=count, **fields)
        self.inputs.append(Packet(key, count))

    def store(self, key: Any, count: int, *, wait: Sequence[str] | str = (), **fields: int) -> None:
        self.emit("store", wait=wait, count=count, **fields)
        self.outputs.append(Packet(key, count))

    @property
    def fits(self) -> bool:
        """Whether the program memory holds it with one instruction more, that of its end."""
        return len(self.words) < self.config.instruction_depth

    def finish(self) -> Self:
        """Ends the program and checks that it fits in the program memory."""
        fits = self.fits
        self.emit("halt")
        if not fits:
            raise ValueError(
                f"Program {self.name} needs {len(self.words)} instructions, "
                f"configuration {self.config.name} has {self.config.instruction_depth}"
            )
        return self

    @property
    def decoded(self) -> list[Any]:
        """Instructions as names, waits and fields."""
        return [self.config.instruction_set.decode(word) for word in self.words]

    def listing(self) -> str:
        """Disassembly for people; fields that are zero are left out."""
        lines = [f"{self.name}: {len(self.words)} instructions"]
        for address, (name, waits, fields) in enumerate(self.decoded):
            parts = [name, *(f"{key}={value}" for key, value in fields.items() if value)]
            if waits:
                parts.append(f"wait={','.join(waits)}")
            lines.append(f"{address:5d}  {' '.join(parts)}")
        return "\n".join(lines)
