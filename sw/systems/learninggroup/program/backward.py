"""Programs of LearningGroup: backward through time."""

from .....hw.cores.vector.elementwise_config import Combination, Destination, Operand
from .....hw.soc.learninggroup.instructions import EVERY_CORE, Memory
from ....mapping.overlap import Overlap
from .stage import Stage, Terms

__all__ = ["Backward"]


class Backward(Stage):
    """The errors of all layers, from the last step to the first.

    Each batch is a stream. So are the heads of each, which depend on no step after their own, and the products of the
    hidden state, which the next step wants last.
    """

    def emit(self, overlap: Overlap, steps: int) -> None:
        """Returns and scales in; errors of ``steps`` steps to the error memories."""
        where = self.map
        words = steps * self.batches
        for name, base in (("return", where.returns), ("scale", where.scales)):
            self.load(overlap, 0, name, Memory.STATE_2, EVERY_CORE, base, words)
        for batch in range(self.batches):
            self._heads(overlap, steps - 1, batch, last=True)
        for step in reversed(range(steps)):
            for batch in range(self.batches):
                self._layers(overlap, step, batch, last=step == steps - 1)

    def _heads(self, overlap: Overlap, step: int, batch: int, last: bool) -> None:
        stream = self.batches + batch
        self._heads_errors(overlap, step, batch, stream)
        for place in self.map.head_groups:
            self.heads_backward(overlap, place, step, batch, stream, first=last)
            self.aggregate(overlap, place, batch, stream)

    def _layers(self, overlap: Overlap, step: int, batch: int, last: bool) -> None:
        self._cell_errors(overlap, step, batch, last)
        if step:
            # The sums of this step are complete, so their place is free; so is the unit, while errors go back.
            self._heads(overlap, step - 1, batch, last=False)
        for name, stream in (("input", batch), ("hidden", 2 * self.batches + batch)):
            self.product_backward(overlap, name, step, batch, stream, first=last)
            self.aggregate(overlap, name, batch, stream)
        self.apply(
            overlap, batch, a=self.aggregated("input", batch), features=self.map.units,
            to=((Destination.ERROR, self.error("encoder", step, batch), 1, 0),),
        )  # fmt: skip
        if step:
            self.product_backward(overlap, "communication", step, batch, batch, first=last)
            self.aggregate(overlap, "communication", batch, batch)
            self._heard_errors(overlap, step, batch)

    def _heads_errors(self, overlap: Overlap, step: int, batch: int, stream: int) -> None:
        """Errors at the outputs of the heads, into the error memory."""
        where, network = self.map, self.network
        frame = where.frame(step, batch)
        base, target = frame * where.state_frame, self.shared(batch)
        value = base + where.in_state_0["value"]
        owner = where.layers["value"].cores[0]
        self.copy(overlap, stream, Memory.STATE_0, owner, value, target)
        returned, scale = (Operand.STATE_2, where.returns + frame), (Operand.STATE_2, where.scales + frame)
        advantage, part = (Operand.STATE_2, self.temporary(stream)), (Operand.STATE_1, self.temporary(stream))
        to_part = ((Destination.STATE_1, self.temporary(stream), 1, 0),)
        self.apply(
            overlap, stream, a=returned, b=(Operand.AGGREGATE, target), first=Combination.SUBTRACT, features=1,
            to=((Destination.STATE_2, self.temporary(stream), 1, 0),),
        )  # fmt: skip
        for head, choices in (("policy", network.actions), ("gate", 2)):
            core = where.layers[head].cores[0]
            self.apply(
                overlap, stream, core=core, a=(Operand.STATE_0, base + where.probabilities[head]),
                b=(Operand.STATE_1, base + where.chosen[head]), first=Combination.SUBTRACT,
                c=(*advantage, 0), second=Combination.MULTIPLY, features=choices, to=to_part,
            )  # fmt: skip
            self.apply(
                overlap, stream, core=core, a=part, b=(*scale, 0), first=Combination.MULTIPLY, features=choices,
                to=((Destination.ERROR, self.error(head, step, batch), 1, 0),),
            )  # fmt: skip
        self.apply(
            overlap, stream, core=owner, a=(Operand.STATE_0, value), b=returned, first=Combination.SUBTRACT,
            c=(Operand.SCALAR, where.value_factor), second=Combination.MULTIPLY, features=1, to=to_part,
        )  # fmt: skip
        self.apply(
            overlap, stream, core=owner, a=part, b=scale, first=Combination.MULTIPLY, features=1,
            to=((Destination.ERROR, self.error("value", step, batch), 1, 0),),
        )  # fmt: skip

    def _cell_errors(self, overlap: Overlap, step: int, batch: int, last: bool) -> None:
        """From dh and dc of the step after to the errors at the gates, and dc."""
        units = self.map.units
        a, *further = (self.aggregated(place, batch) for place in self.map.head_groups)
        temporary = (Operand.STATE_0, self.temporary(batch))
        to_temporary = ((Destination.STATE_0, self.temporary(batch), 1, 0),)
        dh, dh_after, dc_after = ((Operand.STATE_1, self.passing(number, batch)) for number in range(3))
        dc = self.passing(0, batch)
        terms: Terms = {}
        for part in further:
            self.apply(overlap, batch, a=a, features=units, to=to_temporary, **terms)
            a, terms = temporary, {"b": part, "first": Combination.ADD}
        # After the last step there is nothing to add: a sum that begins with +0 changes no bit.
        if not last and further:
            terms |= {"c": dh_after, "second": Combination.ADD}
        elif not last:
            terms |= {"b": dh_after, "first": Combination.ADD}
        self.apply(overlap, batch, a=a, features=units, to=((Destination.STATE_1, dh[1], 1, 0),), **terms)
        u, o = self.state("u", step, batch), self.state("o", step, batch)
        self.apply(
            overlap, batch, a=dh, b=o, first=Combination.MULTIPLY, c=u, second=Combination.TANH_GRADIENT,
            features=units, to=to_temporary,
        )  # fmt: skip
        after: Terms = {} if last else {"b": dc_after, "first": Combination.ADD}
        self.apply(
            overlap, batch, a=temporary, features=units,
            to=((Destination.STATE_0, dc, 1, 0), (Destination.STATE_2, dc, 1, 0)), **after,
        )  # fmt: skip
        error = self.error("input", step, batch)
        i, f, g = (self.state(name, step, batch) for name in "ifg")
        for number, a, b, c, slope in (
            (0, (Operand.STATE_2, dc), g, i, Combination.SIGMOID_GRADIENT),
            (1, (Operand.STATE_0, dc), self.state("c", step, batch), f, Combination.SIGMOID_GRADIENT),
            (3, dh, u, o, Combination.SIGMOID_GRADIENT),
            # The last one: the unit runs empty before another gradient.
            (2, (Operand.STATE_2, dc), i, g, Combination.TANH_GRADIENT),
        ):
            self.apply(
                overlap, batch, a=a, b=b, first=Combination.MULTIPLY, c=c, second=slope, features=units,
                to=((Destination.ERROR, error + number * units, 1, 0),),
            )  # fmt: skip
        self.apply(
            overlap, batch, a=(Operand.STATE_0, dc), b=f, first=Combination.MULTIPLY, features=units,
            to=((Destination.STATE_1, dc_after[1], 1, 0),),
        )  # fmt: skip

    def _heard_errors(self, overlap: Overlap, step: int, batch: int) -> None:
        """dh of a step: what came back by the communication, and by the hidden state."""
        where, units = self.map, self.map.units
        temporary = self.temporary(batch)
        self.apply(
            overlap, batch, a=self.aggregated("communication", batch), features=units,
            to=((Destination.STATE_2, temporary, 1, 0),),
        )  # fmt: skip
        total = self.total(overlap, batch)
        self.apply(
            overlap, batch, a=total, b=(Operand.STATE_2, temporary), first=Combination.SUBTRACT,
            c=(Operand.SCALAR, where.share, 0), second=Combination.MULTIPLY, features=units,
            to=((Destination.STATE_0, temporary, 1, 0),),
        )  # fmt: skip
        self.apply(
            overlap, batch, a=(Operand.STATE_0, temporary), b=(*self.state("spoke", step, batch), 0),
            first=Combination.MULTIPLY, c=self.aggregated("hidden", batch), second=Combination.ADD, features=units,
            to=((Destination.STATE_1, self.passing(1, batch), 1, 0),),
        )  # fmt: skip
