"""Programs of LearningGroup: weight grouping, steps forward, the way back to the gradients."""

from ...hw.cores.vector.elementwise_config import Combination, Destination, Function, Operand
from ...hw.soc.learninggroup.config import HEADS, Network
from ...hw.soc.learninggroup.hardware import LearningGroupHardware
from ...hw.soc.learninggroup.instructions import EVERY_CORE, Memory, Product
from .learninggroup_map import GATES, MemoryMap
from .program import Program

__all__ = ["Compiler"]


class Compiler:
    """Makes the programs of a network.

    Parameters
    ----------
    hardware : LearningGroupHardware
    network : Network
    batches, blocks : int
        Words of an iteration, and blocks in use of each.
    lanes_of_agent : int
        Lanes of a block that an agent has: episodes of a batch, rounded up to a power of two.
    steps : int
        Of an iteration.

    Members
    -------
    map : MemoryMap
    """

    def __init__(
        self, hardware: LearningGroupHardware, network: Network, *, batches: int, blocks: int, lanes_of_agent: int,
        steps: int,
    ):  # fmt: skip
        self.hardware, self.network = hardware, network
        self.batches, self.blocks, self.lanes_of_agent = batches, blocks, lanes_of_agent
        self.map = MemoryMap(hardware, network, batches, steps)

    def group(self):
        """Weight grouping of all layers."""
        program = Program("group", self.hardware)
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
        where, blocks = self.map, self.hardware.device.blocks
        for batch in range(self.batches):
            frame = where.frame(step, batch)
            base = frame * where.activation_frame + where.observation
            for core in range(self.hardware.device.cores):
                program.load(
                    ("observation", batch, core), where.inputs * blocks,
                    memory=Memory.ACTIVATION, core=core, base=base * blocks,
                )  # fmt: skip
        self._product(program, "encoder", step, where.observation, wait=("transfer",))
        self._product(program, "hidden", step, where.h)
        for batch in range(self.batches):
            self._communicate(program, step, batch)
        self._product(program, "communication", step, where.heard, wait=("elementwise",))
        for batch in range(self.batches):
            self._join(program, step, batch, first=batch == 0)
        self._product(program, "input", step, where.x, wait=("elementwise",))
        for batch in range(self.batches):
            self._cell(program, step, batch, first=batch == 0)
        for head in HEADS:
            self._product(program, head, step + 1, where.h, wait=("elementwise",))
        for batch in range(self.batches):
            self._heads(program, step, batch)
        return program.finish()

    def _product(self, program, name, step, operand, wait=()):
        """A layer forward, all batches at once; its operand is in the frames of ``step``."""
        where, place = self.map, self.map.layers[name]
        program.emit(
            "matrix", wait=wait, product=Product.FORWARD, blocks=(self.blocks - 1).bit_length(), reversed=0, ones=0,
            table=2 * place.group, groups=self.network.groups, owned=place.owned,
            operands=where.frame(step, 0) * where.activation_frame + operand, results=place.result,
            steps=self.batches, operand_stride=where.activation_frame, result_stride=where.results,
        )  # fmt: skip

    def _pass(self, program, *, a, b=None, c=None, to, features, wait=(), after=True, exchange=0, blocks=None, **how):
        """A pass; operands are (memory, base[, stride[, block]]), destinations (memory, base[, stride])."""
        fields = {}
        for name, operand in (("a", a), ("b", b), ("c", c)):
            if operand is not None:
                parts = dict(zip(("memory", "base", "stride", "block"), (*operand, 1, 4)[:4], strict=True))
                if len(operand) == 3:
                    parts["block"] = 4
                fields |= {f"{name}_{key}": value for key, value in parts.items()}
        for index, (memory, base, stride, applied) in enumerate(to):
            fields |= {
                f"memory_{index}": memory, f"base_{index}": base, f"stride_{index}": stride,
                f"after_function_{index}": applied,
            }  # fmt: skip
        program.emit(
            "elementwise", wait=wait, exchange=exchange, features=features, blocks=blocks or self.blocks,
            after=int(after), **fields, **how,
        )  # fmt: skip

    def _state(self, name, step, batch):
        """(memory, base) of a tensor in the state memories."""
        where = self.map
        base = where.frame(step, batch) * where.state_frame
        for memory, names in enumerate((where.in_state_0, where.in_state_1, where.in_state_2)):
            if name in names:
                return Operand(memory), base + names[name]
        raise KeyError(name)

    def _communicate(self, program, step, batch):
        """q = h * a; totals over the agents; r = (total + (-q)) * w, to all cores."""
        where, units = self.map, self.map.units
        spoke = (*self._state("spoke", step, batch), 0)
        own = (Operand.STATE_2, where.temporary)
        self._pass(
            program, a=self._state("h", step, batch), b=spoke, first=Combination.MULTIPLY, features=units,
            to=((Destination.STATE_2, where.temporary, 1, 0),), wait=("transfer",),
        )  # fmt: skip
        total = self._total(program)
        self._pass(
            program, a=total, b=own, first=Combination.SUBTRACT, c=(Operand.SCALAR, where.share, 0),
            second=Combination.MULTIPLY, features=units,
            to=((Destination.ACTIVATION, where.frame(step, batch) * where.activation_frame + where.heard, 1, 0),),
        )  # fmt: skip

    def _total(self, program):
        """Sums over the agents of what passes by in state memory 2: an operand that has them for every block."""
        where, units = self.map, self.map.units
        own = (Operand.STATE_2, where.temporary)
        total = (Operand.STATE_0, where.temporary)
        to_total = ((Destination.STATE_0, where.temporary, 1, 0),)
        first = (*own, 1, 0)
        if self.blocks == 1:
            self._pass(program, a=first, features=units, to=to_total, blocks=1)
        for block in range(1, self.blocks):
            self._pass(
                program, a=first, b=(*own, 1, block), first=Combination.ADD, features=units, to=to_total, blocks=1
            )
            first = (*total, 1, 0)
        distance = self.lanes_of_agent
        while distance < self.hardware.device.lanes:
            self._pass(
                program, a=(*total, 1, 0), b=(*total, 1, 0), first=Combination.ADD, features=units, to=to_total,
                exchange=distance.bit_length(), blocks=1,
            )  # fmt: skip
            distance *= 2
        return (*total, 1, 0)

    def _result(self, name, batch):
        where = self.map
        return Operand.RESULT, batch * where.results + where.layers[name].result

    def _join(self, program, step, batch, first):
        """x = (encoder + communication) + b, to all cores."""
        where, units = self.map, self.map.units
        self._pass(
            program, a=self._result("encoder", batch), features=units,
            to=((Destination.STATE_0, where.temporary, 1, 0),), wait=("matrix",) if first else (),
        )  # fmt: skip
        self._pass(
            program, a=(Operand.STATE_0, where.temporary), b=self._result("communication", batch),
            first=Combination.ADD, c=(Operand.SCALAR, where.biases["encoder"]), second=Combination.ADD,
            features=units,
            to=((Destination.ACTIVATION, where.frame(step, batch) * where.activation_frame + where.x, 1, 0),),
        )  # fmt: skip

    def _cell(self, program, step, batch, first):
        """The LSTM's gates, cell and hidden state."""
        where, units = self.map, self.map.units
        self._pass(
            program, a=self._result("hidden", batch), features=GATES * units,
            to=((Destination.STATE_1, where.temporary, 1, 0),), wait=("matrix",) if first else (),
        )  # fmt: skip
        for number, (gate, function) in enumerate(
            (("i", Function.SIGMOID), ("f", Function.SIGMOID), ("g", Function.TANH), ("o", Function.SIGMOID))
        ):
            memory, base = self._state(gate, step, batch)
            result, row = self._result("input", batch)
            offset = number * units
            self._pass(
                program, a=(Operand.STATE_1, where.temporary + offset), b=(result, row + offset),
                first=Combination.ADD, c=(Operand.SCALAR, where.biases["input"] + offset), second=Combination.ADD,
                function=function, features=units, to=((memory, base, 1, 1),), after=number == 0,
            )  # fmt: skip
        self._pass(
            program, a=self._state("i", step, batch), b=self._state("g", step, batch), first=Combination.MULTIPLY,
            features=units, to=((Destination.STATE_0, where.temporary, 1, 0),),
        )  # fmt: skip
        cell, u = self._state("c", step + 1, batch), self._state("u", step, batch)
        self._pass(
            program, a=self._state("f", step, batch), b=self._state("c", step, batch), first=Combination.MULTIPLY,
            c=(Operand.STATE_0, where.temporary), second=Combination.ADD, function=Function.TANH, features=units,
            to=((*cell, 1, 0), (*u, 1, 1)),
        )  # fmt: skip
        h = self._state("h", step + 1, batch)
        self._pass(
            program, a=self._state("o", step, batch), b=u, first=Combination.MULTIPLY, features=units,
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
        self._pass(
            program, a=self._result("value", batch), b=(Operand.SCALAR, where.biases["value"]),
            first=Combination.ADD, features=1, to=((Destination.STATE_0, value, 1, 0),), wait=("matrix", "transfer"),
        )  # fmt: skip
        for head, choices in (("policy", network.actions), ("gate", 2)):
            core = where.layers[head].cores[0]
            self._pass(
                program, a=self._result(head, batch), b=(Operand.SCALAR, where.biases[head]), first=Combination.ADD,
                features=choices, to=((Destination.LOGIT, 0, 1, 0),), wait=("softmax",),
            )  # fmt: skip
            program.emit("choose", wait=("elementwise",), core=core, choices=choices, blocks=self.blocks)
            self._pass(
                program, a=(Operand.CHOICE, 0), features=choices, wait=("softmax",),
                to=((Destination.STATE_0, frame + where.probabilities[head], 1, 0),),
            )  # fmt: skip
            chosen = frame + where.chosen[head]
            self._pass(
                program, a=(Operand.CHOICE, self.hardware.choices), features=choices,
                to=((Destination.STATE_1, chosen, 1, 0),),
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
        self._pass(
            program, a=(Operand.AGGREGATE, 0), b=(Operand.STATE_2, where.present + batch), first=Combination.MULTIPLY,
            features=1, to=((*self._state("spoke", step + 1, batch), 1, 0),), wait=("transfer",),
        )  # fmt: skip
        program.store(
            ("value", batch), blocks, wait=("elementwise",),
            memory=Memory.STATE_0, core=where.layers["value"].cores[0], base=value * blocks,
        )  # fmt: skip

    def train(self, steps):
        """Backward through time, then the gradients of all weights and biases, of an iteration of ``steps`` steps."""
        program = Program(f"train over {steps} steps", self.hardware)
        where, blocks = self.map, self.hardware.device.blocks
        for step in range(steps):
            for batch in range(self.batches):
                for name in ("return", "scale"):
                    memory, base = self._state(name, step, batch)
                    program.load(
                        (name, step, batch), blocks, memory=Memory(memory), core=EVERY_CORE, base=base * blocks
                    )
        for step in reversed(range(steps)):
            self._heads_errors(program, step)
            for head in HEADS:
                self._backward(program, head, step)
            self._aggregate(program, HEADS)
            for batch in range(self.batches):
                self._cell_errors(program, step, batch, last=step == steps - 1)
            for name in ("input", "hidden"):
                self._backward(program, name, step)
            self._aggregate(program, ("input", "hidden"))
            for batch in range(self.batches):
                self._pass(
                    program, a=self._aggregated("input", batch), features=where.units, wait=("aggregator",),
                    to=((Destination.ERROR, self._error("encoder", step, batch), 1, 0),),
                )  # fmt: skip
            if step:
                self._backward(program, "communication", step)
                self._aggregate(program, ("communication",))
                for batch in range(self.batches):
                    self._heard_errors(program, step, batch)
        self._gradients(program, steps)
        return program.finish()

    def _error(self, name, step, batch):
        where = self.map
        return where.frame(step, batch) * where.error_frame + where.errors[name]

    def _aggregated(self, name, batch):
        where = self.map
        return Operand.AGGREGATE, batch * where.aggregates + where.aggregated[name]

    def _passing(self, number, batch):
        """First word of dh (0), dh (1) or dc (2) of the step after."""
        where = self.map
        return where.passing + (3 * batch + number) * where.units

    def _backward(self, program, name, step):
        """A layer backward, all batches at once."""
        where, place = self.map, self.map.layers[name]
        program.emit(
            "matrix", wait=("elementwise",), product=Product.BACKWARD, blocks=(self.blocks - 1).bit_length(),
            reversed=0, ones=0, table=2 * place.group + place.groups, groups=place.groups, owned=place.owned,
            operands=self._error(name, step, 0), results=where.backward[name], steps=self.batches,
            operand_stride=where.error_frame, result_stride=where.results,
        )  # fmt: skip

    def _aggregate(self, program, names):
        where = self.map
        for batch in range(self.batches):
            for index, name in enumerate(names):
                program.emit(
                    "aggregate", wait=("matrix", "elementwise") if batch == index == 0 else (),
                    source=batch * where.results + where.backward[name],
                    target=batch * where.aggregates + where.aggregated[name],
                    features=self.network.hidden_size, share=where.units, blocks=self.blocks,
                )  # fmt: skip

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
            returned, scale = self._state("return", step, batch), self._state("scale", step, batch)
            advantage = (Operand.STATE_2, where.temporary)
            part = (Operand.STATE_1, where.temporary)
            to_part = ((Destination.STATE_1, where.temporary, 1, 0),)
            self._pass(
                program, a=returned, b=(Operand.AGGREGATE, target), first=Combination.SUBTRACT, features=1,
                to=((Destination.STATE_2, where.temporary, 1, 0),), wait=("transfer",),
            )  # fmt: skip
            for head, choices in (("policy", network.actions), ("gate", 2)):
                self._pass(
                    program, a=(Operand.STATE_0, frame + where.probabilities[head]),
                    b=(Operand.STATE_1, frame + where.chosen[head]), first=Combination.SUBTRACT,
                    c=(*advantage, 0), second=Combination.MULTIPLY, features=choices, to=to_part,
                )  # fmt: skip
                self._pass(
                    program, a=part, b=(*scale, 0), first=Combination.MULTIPLY, features=choices,
                    to=((Destination.ERROR, self._error(head, step, batch), 1, 0),),
                )  # fmt: skip
            self._pass(
                program, a=(Operand.STATE_0, frame + where.in_state_0["value"]), b=returned,
                first=Combination.SUBTRACT, c=(Operand.SCALAR, where.value_factor), second=Combination.MULTIPLY,
                features=1, to=to_part,
            )  # fmt: skip
            self._pass(
                program, a=part, b=scale, first=Combination.MULTIPLY, features=1,
                to=((Destination.ERROR, self._error("value", step, batch), 1, 0),),
            )  # fmt: skip

    def _cell_errors(self, program, step, batch, last):
        """From dh and dc of the step after to the errors at the gates, and dc."""
        where, units = self.map, self.map.units
        policy, gate, value = (self._aggregated(head, batch) for head in HEADS)
        temporary = (Operand.STATE_0, where.temporary)
        to_temporary = ((Destination.STATE_0, where.temporary, 1, 0),)
        dh, dh_after, dc_after = ((Operand.STATE_1, self._passing(number, batch)) for number in range(3))
        dc = self._passing(0, batch)
        self._pass(program, a=policy, features=units, to=to_temporary, wait=("aggregator",))
        self._pass(program, a=temporary, b=gate, first=Combination.ADD, features=units, to=to_temporary)
        # After the last step there is nothing to add: a sum that begins with +0 changes no bit.
        after = {} if last else {"c": dh_after, "second": Combination.ADD}
        self._pass(program, a=temporary, b=value, first=Combination.ADD, features=units, to=((*dh, 1, 0),), **after)
        u, o = self._state("u", step, batch), self._state("o", step, batch)
        self._pass(
            program, a=dh, b=o, first=Combination.MULTIPLY, c=u, second=Combination.TANH_GRADIENT, features=units,
            to=to_temporary,
        )  # fmt: skip
        after = {} if last else {"b": dc_after, "first": Combination.ADD}
        self._pass(
            program, a=temporary, features=units, to=((Destination.STATE_0, dc, 1, 0), (Destination.STATE_2, dc, 1, 0)),
            **after,
        )  # fmt: skip
        error = self._error("input", step, batch)
        i, f, g = (self._state(name, step, batch) for name in "ifg")
        for number, (a, b, c, slope) in enumerate(
            (
                ((Operand.STATE_2, dc), g, i, Combination.SIGMOID_GRADIENT),
                ((Operand.STATE_0, dc), self._state("c", step, batch), f, Combination.SIGMOID_GRADIENT),
                ((Operand.STATE_2, dc), i, g, Combination.TANH_GRADIENT),
                (dh, u, o, Combination.SIGMOID_GRADIENT),
            )
        ):
            self._pass(
                program, a=a, b=b, first=Combination.MULTIPLY, c=c, second=slope, features=units,
                to=((Destination.ERROR, error + number * units, 1, 0),), after=number == 0,
            )  # fmt: skip
        self._pass(
            program, a=(Operand.STATE_0, dc), b=f, first=Combination.MULTIPLY, features=units,
            to=((*dc_after, 1, 0),),
        )  # fmt: skip

    def _heard_errors(self, program, step, batch):
        """dh of a step: what came back by the communication, and by the hidden state."""
        where, units = self.map, self.map.units
        own = (Operand.STATE_2, where.temporary)
        self._pass(
            program, a=self._aggregated("communication", batch), features=units, wait=("aggregator",),
            to=((Destination.STATE_2, where.temporary, 1, 0),),
        )  # fmt: skip
        total = self._total(program)
        self._pass(
            program, a=total, b=own, first=Combination.SUBTRACT, c=(Operand.SCALAR, where.share, 0),
            second=Combination.MULTIPLY, features=units, to=((Destination.STATE_0, where.temporary, 1, 0),),
        )  # fmt: skip
        self._pass(
            program, a=(Operand.STATE_0, where.temporary), b=(*self._state("spoke", step, batch), 0),
            first=Combination.MULTIPLY, c=self._aggregated("hidden", batch), second=Combination.ADD, features=units,
            to=((Destination.STATE_1, self._passing(1, batch), 1, 0),),
        )  # fmt: skip

    def _gradients(self, program, steps):
        """Weights of every layer and biases, over all steps and batches."""
        where = self.map
        inputs = {"encoder": where.observation, "communication": where.heard, "input": where.x, "hidden": where.h}
        for name, place in where.layers.items():
            layer = name.removeprefix("bias/")
            # The heads take the hidden state after the step.
            before = inputs.get(layer, where.frame(1, 0) * where.activation_frame + where.h)
            program.emit(
                "matrix", wait=("elementwise",), product=Product.GRADIENT, blocks=(self.blocks - 1).bit_length(),
                reversed=0, ones=int(name != layer), table=2 * place.group, groups=place.groups, owned=place.owned,
                operands=before, errors=self._error(layer, 0, 0), results=0, steps=steps * self.batches,
                operand_stride=where.activation_frame, error_stride=where.error_frame,
            )  # fmt: skip
