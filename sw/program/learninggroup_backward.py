"""Programs of LearningGroup: backward through time."""

from ...hw.cores.vector.elementwise_config import Combination, Destination, Operand
from ...hw.soc.learninggroup.config import HEADS
from ...hw.soc.learninggroup.instructions import EVERY_CORE, Memory
from .learninggroup_stage import Stage

__all__ = ["Backward"]


class Backward(Stage):
    """The errors of all layers, from the last step to the first."""

    def emit(self, program, steps):
        """Returns and scales in; errors of ``steps`` steps to the error memories."""
        where, blocks = self.map, self.hardware.device.blocks
        for step in range(steps):
            for batch in range(self.batches):
                for name in ("return", "scale"):
                    memory, base = self.state(name, step, batch)
                    program.load(
                        (name, step, batch), blocks, memory=Memory(memory), core=EVERY_CORE, base=base * blocks
                    )
        for step in reversed(range(steps)):
            self._heads_errors(program, step)
            for head in HEADS:
                self.product_backward(program, head, step)
            self.aggregate(program, HEADS)
            for batch in range(self.batches):
                self._cell_errors(program, step, batch, last=step == steps - 1)
            for name in ("input", "hidden"):
                self.product_backward(program, name, step)
            self.aggregate(program, ("input", "hidden"))
            for batch in range(self.batches):
                self.apply(
                    program, a=self.aggregated("input", batch), features=where.units, wait=("aggregator",),
                    to=((Destination.ERROR, self.error("encoder", step, batch), 1, 0),),
                )  # fmt: skip
            if step:
                self.product_backward(program, "communication", step)
                self.aggregate(program, ("communication",))
                for batch in range(self.batches):
                    self._heard_errors(program, step, batch)

    def _heads_errors(self, program, step):
        """Errors at the outputs of the heads, into the error memory."""
        where, network = self.map, self.network
        for batch in range(self.batches):
            frame = where.frame(step, batch) * where.state_frame
            target = batch * where.aggregates + where.shared_value
            program.emit(
                "copy", wait=("elementwise", "transfer", "aggregator"), memory=Memory.STATE_0,
                core=where.layers["value"].cores[0], base=frame + where.in_state_0["value"], target=target, words=1,
            )  # fmt: skip
            returned, scale = self.state("return", step, batch), self.state("scale", step, batch)
            advantage = (Operand.STATE_2, where.temporary)
            part = (Operand.STATE_1, where.temporary)
            to_part = ((Destination.STATE_1, where.temporary, 1, 0),)
            self.apply(
                program, a=returned, b=(Operand.AGGREGATE, target), first=Combination.SUBTRACT, features=1,
                to=((Destination.STATE_2, where.temporary, 1, 0),), wait=("transfer",),
            )  # fmt: skip
            for head, choices in (("policy", network.actions), ("gate", 2)):
                core = where.layers[head].cores[0]
                self.apply(
                    program, core=core, a=(Operand.STATE_0, frame + where.probabilities[head]),
                    b=(Operand.STATE_1, frame + where.chosen[head]), first=Combination.SUBTRACT,
                    c=(*advantage, 0), second=Combination.MULTIPLY, features=choices, to=to_part,
                )  # fmt: skip
                self.apply(
                    program, core=core, a=part, b=(*scale, 0), first=Combination.MULTIPLY, features=choices,
                    to=((Destination.ERROR, self.error(head, step, batch), 1, 0),),
                )  # fmt: skip
            core = where.layers["value"].cores[0]
            self.apply(
                program, core=core, a=(Operand.STATE_0, frame + where.in_state_0["value"]), b=returned,
                first=Combination.SUBTRACT, c=(Operand.SCALAR, where.value_factor), second=Combination.MULTIPLY,
                features=1, to=to_part,
            )  # fmt: skip
            self.apply(
                program, core=core, a=part, b=scale, first=Combination.MULTIPLY, features=1,
                to=((Destination.ERROR, self.error("value", step, batch), 1, 0),),
            )  # fmt: skip

    def _cell_errors(self, program, step, batch, last):
        """From dh and dc of the step after to the errors at the gates, and dc."""
        where, units = self.map, self.map.units
        policy, gate, value = (self.aggregated(head, batch) for head in HEADS)
        temporary = (Operand.STATE_0, where.temporary)
        to_temporary = ((Destination.STATE_0, where.temporary, 1, 0),)
        dh, dh_after, dc_after = ((Operand.STATE_1, self.passing(number, batch)) for number in range(3))
        dc = self.passing(0, batch)
        self.apply(program, a=policy, features=units, to=to_temporary, wait=("aggregator",))
        self.apply(program, a=temporary, b=gate, first=Combination.ADD, features=units, to=to_temporary)
        # After the last step there is nothing to add: a sum that begins with +0 changes no bit.
        after = {} if last else {"c": dh_after, "second": Combination.ADD}
        self.apply(program, a=temporary, b=value, first=Combination.ADD, features=units, to=((*dh, 1, 0),), **after)
        u, o = self.state("u", step, batch), self.state("o", step, batch)
        self.apply(
            program, a=dh, b=o, first=Combination.MULTIPLY, c=u, second=Combination.TANH_GRADIENT, features=units,
            to=to_temporary,
        )  # fmt: skip
        after = {} if last else {"b": dc_after, "first": Combination.ADD}
        self.apply(
            program, a=temporary, features=units, to=((Destination.STATE_0, dc, 1, 0), (Destination.STATE_2, dc, 1, 0)),
            **after,
        )  # fmt: skip
        error = self.error("input", step, batch)
        i, f, g = (self.state(name, step, batch) for name in "ifg")
        for number, (a, b, c, slope) in enumerate(
            (
                ((Operand.STATE_2, dc), g, i, Combination.SIGMOID_GRADIENT),
                ((Operand.STATE_0, dc), self.state("c", step, batch), f, Combination.SIGMOID_GRADIENT),
                ((Operand.STATE_2, dc), i, g, Combination.TANH_GRADIENT),
                (dh, u, o, Combination.SIGMOID_GRADIENT),
            )
        ):
            self.apply(
                program, a=a, b=b, first=Combination.MULTIPLY, c=c, second=slope, features=units,
                to=((Destination.ERROR, error + number * units, 1, 0),), after=number == 0,
            )  # fmt: skip
        self.apply(
            program, a=(Operand.STATE_0, dc), b=f, first=Combination.MULTIPLY, features=units,
            to=((*dc_after, 1, 0),),
        )  # fmt: skip

    def _heard_errors(self, program, step, batch):
        """dh of a step: what came back by the communication, and by the hidden state."""
        where, units = self.map, self.map.units
        own = (Operand.STATE_2, where.temporary)
        self.apply(
            program, a=self.aggregated("communication", batch), features=units, wait=("aggregator",),
            to=((Destination.STATE_2, where.temporary, 1, 0),),
        )  # fmt: skip
        total = self.total(program)
        self.apply(
            program, a=total, b=own, first=Combination.SUBTRACT, c=(Operand.SCALAR, where.share, 0),
            second=Combination.MULTIPLY, features=units, to=((Destination.STATE_0, where.temporary, 1, 0),),
        )  # fmt: skip
        self.apply(
            program, a=(Operand.STATE_0, where.temporary), b=(*self.state("spoke", step, batch), 0),
            first=Combination.MULTIPLY, c=self.aggregated("hidden", batch), second=Combination.ADD, features=units,
            to=((Destination.STATE_1, self.passing(1, batch), 1, 0),),
        )  # fmt: skip
