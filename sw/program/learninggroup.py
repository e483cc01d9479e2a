"""Programs of LearningGroup: weight grouping, steps forward, the way back to the gradients, update."""

from ...hw.soc.learninggroup.instructions import EVERY_CORE, Memory
from .learninggroup_backward import Backward
from .learninggroup_forward import Forward
from .learninggroup_gradients import Gradients
from .learninggroup_stage import Stage
from .learninggroup_update import Update
from .program import Program

__all__ = ["Compiler"]


class Compiler(Stage):
    """Makes the programs of a network; parameters and members are those of a stage."""

    def __init__(self, hardware, network, **sizes):
        super().__init__(hardware, network, **sizes)
        self._forward, self._backward, self._gradients, self._update = (
            stage(hardware, network, **sizes) for stage in (Forward, Backward, Gradients, Update)
        )

    def start(self):
        """Weight grouping of all layers; at first every agent that is there is heard."""
        program = Program("start", self.hardware)
        blocks = self.hardware.device.blocks
        for batch in range(self.batches):
            memory, base = self.state("spoke", 0, batch)
            program.load(("spoke", batch), blocks, memory=Memory(memory), core=EVERY_CORE, base=base * blocks)
        for name, place in self.map.layers.items():
            compress = int(not name.startswith("bias/"))
            self.sparse(program, place, wait=("sparse",), find=1, encode=1, transpose=1, compress=compress)
        return program.finish()

    def step(self, step):
        """One step forward of all batches: observations in, choices and values out."""
        program = Program(f"step {step}", self.hardware)
        self._forward.emit(program, step)
        return program.finish()

    def train(self, steps):
        """Backward through time, then the gradients of all weights and biases, of an iteration of ``steps`` steps."""
        program = Program(f"train over {steps} steps", self.hardware)
        self._backward.emit(program, steps)
        self._gradients.emit(program, steps)
        return program.finish()

    def update(self):
        """RMSprop of all parameters, by the gradients of the last training."""
        program = Program("update", self.hardware)
        self._update.emit(program)
        return program.finish()
