"""Programs of LearningGroup: where everything is in the memories, and the instructions of grouping and acting."""

from dataclasses import dataclass

from ...hw.cores.vector.elementwise_config import Combination, Destination, Function, Operand
from ...hw.cores.vector.matrix_config import WEIGHT_BANKS
from ...hw.soc.learninggroup.config import HEADS, Network
from ...hw.soc.learninggroup.hardware import LearningGroupHardware
from ...hw.soc.learninggroup.instructions import Memory, Product
from .program import Program

__all__ = ["Compiler", "LayerPlace", "MemoryMap"]

GATES = 4


@dataclass(frozen=True)
class LayerPlace:
    """Where a layer's data are.

    Parameters
    ----------
    rows, columns : int
        Of the layer; columns of each core that has some.
    cores : tuple of int
        Those that have columns.
    owned : int
        Rows in a bank of the activation memory.
    grouping, index, group, row, column, weight, parameter : int
        First addresses, as the sparse data engine has them.
    result : int
        First word of its results in a batch's part of the result memory.
    """

    rows: int
    columns: int
    cores: tuple[int, ...]
    owned: int
    grouping: int
    index: int
    group: int
    row: int
    column: int
    weight: int
    parameter: int
    result: int


class MemoryMap:
    """Places of a network's data in the memories of a device.

    Parameters
    ----------
    hardware : LearningGroupHardware
    network : Network
    batches : int
        Words that the vectors of an iteration fill.
    steps : int
        Of an iteration.

    Raises
    ------
    ValueError
        A memory is too small: which, what is needed and what there is.
    """

    def __init__(self, hardware: LearningGroupHardware, network: Network, batches: int, steps: int):
        self.hardware, self.network, self.batches, self.steps = hardware, network, batches, steps
        cores = hardware.device.cores
        self.units = units = -(-network.hidden_size // cores)
        self.inputs = -(-network.observation_size // cores)
        self.layers: dict[str, LayerPlace] = {}
        free = dict.fromkeys(("grouping", "index", "group", "row", "column", "weight", "parameter", "result"), 0)

        def blocks(count):
            return -(-count // WEIGHT_BANKS)

        for name, layer in network.layers.items():
            mine = (HEADS.index(name) % cores,) if name in HEADS else tuple(range(cores))
            columns = layer.columns if name in HEADS else units * (layer.columns // network.hidden_size)
            self.layers[name] = LayerPlace(
                rows=layer.rows,
                columns=columns,
                cores=mine,
                owned=self.inputs if name == "encoder" else units,
                **free,
            )
            words = blocks(layer.rows) + len(mine) * blocks(columns)
            free["grouping"] += words * network.groups
            free["index"] += words
            free["group"] += network.groups
            free["row"] += layer.rows
            free["column"] += columns
            # Every group's rows times its pitch: each row has a word less than full for each group, at most.
            free["weight"] += layer.rows * blocks(columns)
            free["parameter"] += layer.rows * blocks(columns)
            free["result"] += columns
        self.results = free["result"]

        # Activation memory of an owner: a frame for each step and batch.
        self.observation, self.heard = 0, self.inputs
        self.x, self.h = self.inputs + units, self.inputs + 2 * units
        self.activation_frame = self.inputs + 3 * units

        # State memories: a frame for each step and batch, then what passes by.
        self.in_state_0 = {"i": 0, "u": units, "h": 2 * units, "value": 3 * units}
        self.in_state_1 = {"f": 0, "g": units, "spoke": 2 * units}
        self.in_state_2 = {"c": 0, "o": units}
        choices = max(network.actions, 2)
        places = {"policy": 3 * units + 1, "gate": 3 * units + 1 + network.actions}
        self.probabilities = places
        self.chosen = {head: place - units for head, place in places.items()}
        self.state_frame = 3 * units + 1 + network.actions + choices
        frames = (steps + 1) * batches
        self.temporary = frames * self.state_frame
        self.present = self.temporary + GATES * units

        # Scalars: biases, then what the mean needs.
        self.biases = {}
        place = 0
        for name in network.biases:
            self.biases[name] = place
            place += self.layers[name].columns
        self.share = place

        depths = {
            "Activation rows": (frames * self.activation_frame, hardware.activation_rows),
            "Result rows": (batches * self.results, hardware.result_rows),
            "State rows": (self.present + batches, hardware.state_rows),
            "Scalar rows": (self.share + 1, hardware.scalar_rows),
            "Weight rows": (free["weight"], hardware.weight_rows),
            "Parameter rows": (free["parameter"], hardware.parameter_rows),
            "Grouping rows": (free["grouping"], hardware.grouping_rows),
            "Index rows": (free["index"], hardware.index_rows),
            "List rows": (max(free["row"], free["column"]), hardware.list_rows),
            "Tuples": (free["group"], hardware.tuples),
            "Choices": (choices, hardware.choices),
        }
        for what, (needed, there) in depths.items():
            if needed > there:
                raise ValueError(f"{what} must be at least {needed} for this network and iteration, not {there}")

    def frame(self, step, batch):
        """Number of a frame."""
        return step * self.batches + batch


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
        for place in self.map.layers.values():
            program.emit(
                "group", wait=("sparse",), find=1, encode=1, transpose=1, compress=1, walk=0, every_word=0,
                groups=self.network.groups, rows=place.rows, columns=place.columns,
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
        total = (Operand.STATE_0, where.temporary)
        self._pass(
            program, a=self._state("h", step, batch), b=spoke, first=Combination.MULTIPLY, features=units,
            to=((Destination.STATE_2, where.temporary, 1, 0),), wait=("transfer",),
        )  # fmt: skip
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
        self._pass(
            program, a=(*total, 1, 0), b=own, first=Combination.SUBTRACT, c=(Operand.SCALAR, where.share, 0),
            second=Combination.MULTIPLY, features=units,
            to=((Destination.ACTIVATION, where.frame(step, batch) * where.activation_frame + where.heard, 1, 0),),
        )  # fmt: skip

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
