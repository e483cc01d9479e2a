"""A program of FIXAR: matrix instructions of layers, and the cycles that a model counts for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ....device.program import Program
from .cycles import CycleModel
from .schedule import MatrixStep

__all__ = ["FixarProgram"]


@dataclass
class FixarProgram(Program):
    """A :class:`.Program`; made by :class:`.Compiler`."""

    _model: CycleModel | None = field(default=None, init=False, repr=False)

    def matrix(self, step: MatrixStep, *, wait: Sequence[str] = ()) -> None:
        """Append a layer's matrix instruction, with what its place among others makes it wait for."""
        self.emit("matrix", wait=(*step.wait, *wait), hold=int(step.hold), follow=int(step.follow), **step.fields)

    def cycles(self) -> CycleModel:
        """The cycle model's account of the program."""
        if self._model is None:
            self._model = CycleModel(self.config).run(self.decoded)
        return self._model
