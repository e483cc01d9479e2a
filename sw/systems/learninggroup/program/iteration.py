"""Programs of LearningGroup: weight grouping, steps forward, the way back to the gradients, update."""

from .....hw.soc.learninggroup.config import Network
from .....hw.soc.learninggroup.hardware import LearningGroupHardware
from ....device.program import Program
from ....mapping.overlap import Overlap
from .backward import Backward
from .forward import Forward
from .gradients import Gradients
from .stage import Stage
from .update import Update

__all__ = ["Compiler"]


class Compiler(Stage):
    """Makes the programs of a network; parameters and members are those of a stage."""

    def __init__(self, hardware: LearningGroupHardware, network: Network, **sizes: int):
        super().__init__(hardware, network, **sizes)
        self._forward = Forward(hardware, network, **sizes)
        self._backward = Backward(hardware, network, **sizes)
        self._gradients = Gradients(hardware, network, **sizes)
        self._update = Update(hardware, network, **sizes)

    def group_biases(self, program: Program) -> None:
        """The lists of biases, which are layers of one row of ones: once, for they never change."""
        overlap = self.overlap()
        for key in self.map.layers:
            if key.startswith("bias/"):
                self.group(overlap, key)
        overlap.write(program)

    def start(self) -> Program:
        """Weight grouping of all layers; episodes without a past, and the beginning of their first step."""
        overlap = self.overlap()
        # First what the first step begins with; the large ones one after the other, so that one is encoded while
        # another is compressed, between small ones, for the engine is not full as it begins and ends.
        first = ("communication", "hidden", "input")
        for name in (*first, *(name for name in self.network.layers if name not in first)):
            self.group(overlap, name)
        self._forward.begin(overlap)
        return self._finish(Program("start", self.hardware), overlap)

    def step(self, step: int) -> Program:
        """One step forward of all batches: observations in, choices and values out.

        What the next step needs no observations for follows at once: it keeps the matrix engine busy to the end.
        """
        overlap = self.overlap()
        for batch in range(self.batches):
            self._forward.observe(overlap, step, batch)
        if step + 1 < self.map.steps:
            for batch in range(self.batches):
                self._forward.ahead(overlap, step + 1, batch)
        return self._finish(Program(f"step {step}", self.hardware), overlap)

    def backward(self, steps: int) -> list[Program]:
        """Backward through time: returns and scales in; the errors of all layers stay.

        Programs, to be run in order: as few as there must be for each to fit in the instruction memory.
        """
        overlap = self.overlap()
        self._backward.emit(overlap, steps)
        most, count = len(overlap.operations), 1
        while True:
            programs = [Program(f"backward over {steps} steps", self.hardware) for _ in range(count)]
            for program, part in zip(programs, overlap.parts(count), strict=True):
                part.write(program)
            if count >= most or all(program.fits for program in programs):
                return [program.finish() for program in programs]
            count += 1

    def learn(self, steps: int) -> Program:
        """Gradients of all weights and biases, from the errors of ``steps`` steps, and RMSprop of all parameters.

        A layer is updated while the gradients of the next ones are made.
        """
        overlap = self.overlap()
        self._gradients.emit(overlap, steps)
        self._update.emit(overlap)
        return self._finish(Program(f"learn from {steps} steps", self.hardware), overlap)

    def _finish(self, program: Program, overlap: Overlap) -> Program:
        overlap.write(program)
        return program.finish()
