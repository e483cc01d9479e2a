"""Programs of LearningGroup: a step forward."""

from ...hw.cores.vector.elementwise_config import Combination, Destination, Function, Operand
from ...hw.soc.learninggroup.config import HEADS
from ...hw.soc.learninggroup.instructions import Memory
from .learninggroup_map import GATES
from .learninggroup_stage import Stage

__all__ = ["Forward"]


class Forward(Stage):
    """A step forward of all batches."""

    def emit(self, program, step):
        """One step forward of all batches: observations in, choices and values out."""
        where, blocks = self.map, self.hardware.device.blocks
        for batch in range(self.batches):
            frame = where.frame(step, batch)
            base = frame * where.activation_frame + where.observation
            for core in range(self.hardware.device.cores):
                program.load(
                    ("observation", batch, core), where.inputs * blocks,
                    memory=Memory.ACTIVATION, core=core, base=base * blocks,
                )  # fmt: skip
        self.product(program, "encoder", step, where.observation, wait=("transfer",))
        self.product(program, "hidden", step, where.h)
        for batch in range(self.batches):
            self._communicate(program, step, batch)
        self.product(program, "communication", step, where.heard, wait=("elementwise",))
        for batch in range(self.batches):
            self._join(program, step, batch, first=batch == 0)
        self.product(program, "input", step, where.x, wait=("elementwise",))
        for batch in range(self.batches):
            self._cell(program, step, batch, first=batch == 0)
        for head in HEADS:
            self.product(program, head, step + 1, where.h, wait=("elementwise",))
        for batch in range(self.batches):
            self._heads(program, step, batch)

    def _communicate(self, program, step, batch):
        """q = h * a; totals over the agents; r = (total + (-q)) * w, to all cores."""
        where, units = self.map, self.map.units
        spoke = (*self.state("spoke", step, batch), 0)
        own = (Operand.STATE_2, where.temporary)
        self.apply(
            program, a=self.state("h", step, batch), b=spoke, first=Combination.MULTIPLY, features=units,
            to=((Destination.STATE_2, where.temporary, 1, 0),), wait=("transfer",),
        )  # fmt: skip
        total = self.total(program)
        self.apply(
            program, a=total, b=own, first=Combination.SUBTRACT, c=(Operand.SCALAR, where.share, 0),
            second=Combination.MULTIPLY, features=units,
            to=((Destination.ACTIVATION, where.frame(step, batch) * where.activation_frame + where.heard, 1, 0),),
        )  # fmt: skip

    def _join(self, program, step, batch, first):
        """x = (encoder + communication) + b, to all cores."""
        where, units = self.map, self.map.units
        self.apply(
            program, a=self.result("encoder", batch), features=units,
            to=((Destination.STATE_0, where.temporary, 1, 0),), wait=("matrix",) if first else (),
        )  # fmt: skip
        self.apply(
            program, a=(Operand.STATE_0, where.temporary), b=self.result("communication", batch),
            first=Combination.ADD, c=(Operand.SCALAR, where.biases["encoder"]), second=Combination.ADD,
            features=units,
            to=((Destination.ACTIVATION, where.frame(step, batch) * where.activation_frame + where.x, 1, 0),),
        )  # fmt: skip

    def _cell(self, program, step, batch, first):
        """The LSTM's gates, cell and hidden state."""
        where, units = self.map, self.map.units
        self.apply(
            program, a=self.result("hidden", batch), features=GATES * units,
            to=((Destination.STATE_1, where.temporary, 1, 0),), wait=("matrix",) if first else (),
        )  # fmt: skip
        for number, (gate, function) in enumerate(
            (("i", Function.SIGMOID), ("f", Function.SIGMOID), ("g", Function.TANH), ("o", Function.SIGMOID))
        ):
            memory, base = self.state(gate, step, batch)
            result, row = self.result("input", batch)
            offset = number * units
            self.apply(
                program, a=(Operand.STATE_1, where.temporary + offset), b=(result, row + offset),
                first=Combination.ADD, c=(Operand.SCALAR, where.biases["input"] + offset), second=Combination.ADD,
                function=function, features=units, to=((memory, base, 1, 1),), after=number == 0,
            )  # fmt: skip
        self.apply(
            program, a=self.state("i", step, batch), b=self.state("g", step, batch), first=Combination.MULTIPLY,
            features=units, to=((Destination.STATE_0, where.temporary, 1, 0),),
        )  # fmt: skip
        cell, u = self.state("c", step + 1, batch), self.state("u", step, batch)
        self.apply(
            program, a=self.state("f", step, batch), b=self.state("c", step, batch), first=Combination.MULTIPLY,
            c=(Operand.STATE_0, where.temporary), second=Combination.ADD, function=Function.TANH, features=units,
            to=((*cell, 1, 0), (*u, 1, 1)),
        )  # fmt: skip
        h = self.state("h", step + 1, batch)
        self.apply(
            program, a=self.state("o", step, batch), b=u, first=Combination.MULTIPLY, features=units,
            to=(
                (*h, 1, 0),
                (Destination.ACTIVATION, where.frame(step + 1, batch) * where.activation_frame + where.h, 1, 0),
            ),
        )  # fmt: skip

    def _heads(self, program, step, batch):
        """Values, choices, what agents say next; all that the host wants of them."""
        where, network = self.map, self.network
        blocks = self.hardware.device.blocks
        frame = where.frame(step, batch) * where.state_frame
        value = frame + where.in_state_0["value"]
        self.apply(
            program, a=self.result("value", batch), b=(Operand.SCALAR, where.biases["value"]),
            first=Combination.ADD, features=1, to=((Destination.STATE_0, value, 1, 0),), wait=("matrix", "transfer"),
            core=where.layers["value"].cores[0],
        )  # fmt: skip
        for head, choices in (("policy", network.actions), ("gate", 2)):
            core = where.layers[head].cores[0]
            self.apply(
                program, a=self.result(head, batch), b=(Operand.SCALAR, where.biases[head]), first=Combination.ADD,
                features=choices, to=((Destination.LOGIT, 0, 1, 0),), wait=("softmax",), core=core,
            )  # fmt: skip
            program.emit("choose", wait=("elementwise",), core=core, choices=choices, blocks=self.blocks)
            self.apply(
                program, a=(Operand.CHOICE, 0), features=choices, wait=("softmax",), core=core,
                to=((Destination.STATE_0, frame + where.probabilities[head], 1, 0),),
            )  # fmt: skip
            chosen = frame + where.chosen[head]
            self.apply(
                program, a=(Operand.CHOICE, self.hardware.choices), features=choices,
                to=((Destination.STATE_1, chosen, 1, 0),), core=core,
            )  # fmt: skip
            program.store(
                (head, batch), choices * blocks, wait=("elementwise",),
                memory=Memory.STATE_1, core=core, base=chosen * blocks,
            )  # fmt: skip
        gate = where.layers["gate"].cores[0]
        program.emit(
            "copy", wait=("elementwise", "transfer"), memory=Memory.STATE_1, core=gate,
            base=frame + where.chosen["gate"] + 1, target=0, words=1,
        )  # fmt: skip
        self.apply(
            program, a=(Operand.AGGREGATE, 0), b=(Operand.STATE_2, where.present + batch), first=Combination.MULTIPLY,
            features=1, to=((*self.state("spoke", step + 1, batch), 1, 0),), wait=("transfer",),
        )  # fmt: skip
        program.store(
            ("value", batch), blocks, wait=("elementwise",),
            memory=Memory.STATE_0, core=where.layers["value"].cores[0], base=value * blocks,
        )  # fmt: skip
