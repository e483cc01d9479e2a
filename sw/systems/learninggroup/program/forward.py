"""Programs of LearningGroup: a step forward."""

from .....hw.cores.vector.elementwise_config import Combination, Destination, Function, Operand
from .....hw.soc.learninggroup.config import HEADS
from .....hw.soc.learninggroup.instructions import EVERY_CORE, Memory
from ....mapping.overlap import Overlap
from .stage import Stage

__all__ = ["Forward"]


class Forward(Stage):
    """A step forward, each batch a stream of its own: one is in the matrix engine while another is in the elementwise
    unit."""

    def begin(self, overlap: Overlap) -> None:
        """The first step of episodes: at first every agent that is there is heard."""
        for batch in range(self.batches):
            memory, base = self.state("spoke", 0, batch)
            self.load(overlap, batch, ("spoke", batch), Memory(memory), EVERY_CORE, base, 1)
            self.ahead(overlap, 0, batch)

    def ahead(self, overlap: Overlap, step: int, batch: int) -> None:
        """Emit the work of a step that needs no observations, which keeps the engines busy while earlier work ends.

        The communication of the last batch is left to the step: there it runs while observations arrive.
        """
        self.product(overlap, "hidden", step, batch, self.map.h)
        if batch + 1 < self.batches:
            self._communicate(overlap, step, batch)

    def observe(self, overlap: Overlap, step: int, batch: int) -> None:
        """The rest of a step: observations in, choices and values out."""
        where = self.map
        if batch + 1 == self.batches:
            self._communicate(overlap, step, batch)
        self.product(overlap, "communication", step, batch, where.heard)
        base = where.frame(step, batch) * where.activation_frame + where.observation
        for core in range(self.hardware.device.cores):
            self.load(overlap, batch, ("observation", batch, core), Memory.ACTIVATION, core, base, where.inputs)
        self.product(overlap, "encoder", step, batch, where.observation)
        self._join(overlap, step, batch)
        self.product(overlap, "input", step, batch, where.x)
        self._cell(overlap, step, batch)
        for head in HEADS:
            self.product(overlap, head, step + 1, batch, where.h)
        self._heads(overlap, step, batch)

    def _communicate(self, overlap: Overlap, step: int, batch: int) -> None:
        """q = h * a; totals over the agents; r = (total + (-q)) * w, to all cores."""
        where, units = self.map, self.map.units
        own = (Operand.STATE_2, self.temporary(batch))
        self.apply(
            overlap, batch, a=self.state("h", step, batch), b=(*self.state("spoke", step, batch), 0),
            first=Combination.MULTIPLY, features=units, to=((Destination.STATE_2, self.temporary(batch), 1, 0),),
        )  # fmt: skip
        total = self.total(overlap, batch)
        self.apply(
            overlap, batch, a=total, b=own, first=Combination.SUBTRACT, c=(Operand.SCALAR, where.share, 0),
            second=Combination.MULTIPLY, features=units,
            to=((Destination.ACTIVATION, where.frame(step, batch) * where.activation_frame + where.heard, 1, 0),),
        )  # fmt: skip

    def _join(self, overlap: Overlap, step: int, batch: int) -> None:
        """x = (encoder + communication) + b, to all cores."""
        where = self.map
        self.apply(
            overlap, batch, a=self.result("encoder", batch), b=self.result("communication", batch),
            first=Combination.ADD, c=(Operand.SCALAR, where.biases["encoder"]), second=Combination.ADD,
            features=where.units,
            to=((Destination.ACTIVATION, where.frame(step, batch) * where.activation_frame + where.x, 1, 0),),
        )  # fmt: skip

    def _cell(self, overlap: Overlap, step: int, batch: int) -> None:
        """The LSTM's gates, cell and hidden state."""
        where, units = self.map, self.map.units
        (first, first_row), (second, second_row) = self.result("input", batch), self.result("hidden", batch)
        for number, (gate, function) in enumerate(
            (("i", Function.SIGMOID), ("f", Function.SIGMOID), ("g", Function.TANH), ("o", Function.SIGMOID))
        ):
            memory, base = self.state(gate, step, batch)
            offset = number * units
            self.apply(
                overlap, batch, a=(first, first_row + offset), b=(second, second_row + offset), first=Combination.ADD,
                c=(Operand.SCALAR, where.biases["input"] + offset), second=Combination.ADD, function=function,
                features=units, to=((Destination(memory), base, 1, 1),),
            )  # fmt: skip
        temporary = self.temporary(batch)
        self.apply(
            overlap, batch, a=self.state("i", step, batch), b=self.state("g", step, batch), first=Combination.MULTIPLY,
            features=units, to=((Destination.STATE_0, temporary, 1, 0),),
        )  # fmt: skip
        (cell_memory, cell), (u_memory, u) = self.state("c", step + 1, batch), self.state("u", step, batch)
        self.apply(
            overlap, batch, a=self.state("f", step, batch), b=self.state("c", step, batch), first=Combination.MULTIPLY,
            c=(Operand.STATE_0, temporary), second=Combination.ADD, function=Function.TANH, features=units,
            to=((Destination(cell_memory), cell, 1, 0), (Destination(u_memory), u, 1, 1)),
        )  # fmt: skip
        memory, h = self.state("h", step + 1, batch)
        self.apply(
            overlap, batch, a=self.state("o", step, batch), b=(u_memory, u), first=Combination.MULTIPLY,
            features=units,
            to=(
                (Destination(memory), h, 1, 0),
                (Destination.ACTIVATION, where.frame(step + 1, batch) * where.activation_frame + where.h, 1, 0),
            ),
        )  # fmt: skip

    def _heads(self, overlap: Overlap, step: int, batch: int) -> None:
        """Values, choices, what agents say next; all that the host wants of them."""
        where, network = self.map, self.network
        frame = where.frame(step, batch) * where.state_frame
        for head, choices in (("policy", network.actions), ("gate", 2)):
            core = where.layers[head].cores[0]
            self.apply(
                overlap, batch, a=self.result(head, batch), b=(Operand.SCALAR, where.biases[head]),
                first=Combination.ADD, features=choices, to=((Destination.LOGIT, 0, 1, 0),), core=core,
            )  # fmt: skip
            self.choose(overlap, batch, core, choices)
            held = self.hardware.choices
            self.apply(
                overlap, batch, a=(Operand.CHOICE, 0), features=choices, core=core,
                to=((Destination.STATE_0, frame + where.probabilities[head], 1, 0),),
            )  # fmt: skip
            self.apply(
                overlap, batch, a=(Operand.CHOICE, held), features=choices, core=core,
                to=((Destination.STATE_1, frame + where.chosen[head], 1, 0),),
            )  # fmt: skip
            self.store(overlap, batch, (head, batch), Memory.CHOICE, core, held, choices)
        gate, value = (where.layers[head].cores[0] for head in ("gate", "value"))
        self.copy(overlap, batch, Memory.CHOICE, gate, held + 1, self.shared(batch))
        spoke, base = self.state("spoke", step + 1, batch)
        self.apply(
            overlap, batch, a=(Operand.AGGREGATE, self.shared(batch)), b=(Operand.STATE_2, where.present + batch),
            first=Combination.MULTIPLY, features=1, to=((Destination(spoke), base, 1, 0),),
        )  # fmt: skip
        place = frame + where.in_state_0["value"]
        self.apply(
            overlap, batch, a=self.result("value", batch), b=(Operand.SCALAR, where.biases["value"]),
            first=Combination.ADD, features=1, core=value, to=((Destination.STATE_0, place, 1, 0),),
        )  # fmt: skip
        self.store(overlap, batch, ("value", batch), Memory.STATE_0, value, place, 1)
