"""A compiled program: instructions, the packets it takes and gives, and its listing."""

from dataclasses import dataclass, field

from ...hw.soc.fixar.config import FixarConfig
from .cycles import CycleModel
from .schedule import MatrixStep

__all__ = ["Packet", "Program"]


@dataclass(frozen=True)
class Packet:
    """One load or store: its key says what the rows are.

    Parameters
    ----------
    key : tuple
    count : int
        Rows.
    """

    key: tuple
    count: int


@dataclass
class Program:
    """Instructions with their packets; made by :class:`..fixar.Compiler`.

    Parameters
    ----------
    name : str
    config : FixarConfig

    Members
    -------
    words : list of int
        Instructions.
    inputs, outputs : list of Packet
        Packets to send and rows that come back, in order.
    """

    name: str
    config: FixarConfig
    words: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    model: CycleModel | None = field(default=None, repr=False)

    def emit(self, instruction, *, wait=(), **fields):
        self.words.append(self.config.instruction_set.encode(instruction, wait=wait, **fields))

    def load(self, key, count, *, wait=(), **fields):
        self.emit("load", wait=wait, count=count, **fields)
        self.inputs.append(Packet(key, count))

    def store(self, key, count, *, wait=(), **fields):
        self.emit("store", wait=wait, count=count, **fields)
        self.outputs.append(Packet(key, count))

    def matrix(self, step: MatrixStep, *, wait=()):
        self.emit("matrix", wait=(*step.wait, *wait), hold=int(step.hold), follow=int(step.follow), **step.fields)

    @property
    def fits(self):
        """Whether the program memory holds it with one instruction more, that of its end."""
        return len(self.words) < self.config.instruction_depth

    def finish(self):
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
    def decoded(self):
        return [self.config.instruction_set.decode(word) for word in self.words]

    def listing(self):
        """Disassembly for people; fields that are zero are left out."""
        lines = [f"{self.name}: {len(self.words)} instructions"]
        for address, (name, waits, fields) in enumerate(self.decoded):
            parts = [name, *(f"{key}={value}" for key, value in fields.items() if value)]
            if waits:
                parts.append(f"wait={','.join(waits)}")
            lines.append(f"{address:5d}  {' '.join(parts)}")
        return "\n".join(lines)

    def cycles(self):
        """The cycle model's account of the program."""
        if self.model is None:
            self.model = CycleModel(self.config).run(self.decoded)
        return self.model
