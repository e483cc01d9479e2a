"""Programs of LearningGroup: weight grouping, steps forward, the way back to the gradients."""

from ...hw.soc.learninggroup.instructions import EVERY_CORE, Memory
from .learninggroup_backward import Backward
from .learninggroup_forward import Forward
from .learninggroup_gradients import Gradients
from .learninggroup_stage import Stage
from .program import Program

__all__ = ["Compiler"]


class Compiler(Stage):
    """Makes the programs of a network; parameters and members are those of a stage."""

    def __init__(self, hardware, network, **sizes):
        super().__init__(hardware, network, **sizes)
        self._forward, self._backward, self._gradients = (
            stage(hardware, network, **sizes) for stage in (Forward, Backward, Gradients)
        )

    def start(self):
        """Weight grouping of all layers; at first every agent that is there is heard."""
        program = Program("start", self.hardware)
        blocks = self.hardware.device.blocks
        for batch in range(self.batches):
            memory, base = self.state("spoke", 0, batch)
            program.load(("spoke", batch), blocks, memory=Memory(memory), core=EVERY_CORE, base=base * blocks)
        for name, place in self.map.layers.items():
            program.emit(
                "group", wait=("sparse",), find=1, encode=1, transpose=1,
                compress=int(not name.startswith("bias/")), walk=0, every_word=0,
                groups=place.groups, rows=place.rows, columns=place.columns,
                cores=sum(1 << core for core in place.cores), grouping_base=place.grouping, index_base=place.index,
                group_base=place.group, row_base=place.row, column_base=place.column, weight_base=place.weight,
                parameter_base=place.parameter,
            )  # fmt: skip
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
