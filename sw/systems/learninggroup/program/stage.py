"""Base of the stages of LearningGroup's programs: places of tensors, and operations on them."""

from collections.abc import Hashable, Sequence
from typing import TypedDict

from .....hw.cores.vector.elementwise_config import Combination, Destination, ElementwiseLaneConfig, Operand
from .....hw.cores.vector.matrix_config import Product
from .....hw.soc.learninggroup.config import Network
from .....hw.soc.learninggroup.hardware import LearningGroupHardware
from .....hw.soc.learninggroup.instructions import EVERY_CORE, Memory
from ....mapping.overlap import ElementwiseTiming, Operation, Overlap, Span
from .map import LayerPlace, MemoryMap

__all__ = ["Source", "Stage", "Target", "Terms", "pass_latency"]

# An operand of a pass: memory, base, and if it is not 1 the stride, and if it is not each block's own the block.
Source = tuple[Operand, int] | tuple[Operand, int, int] | tuple[Operand, int, int, int]

# A destination of a pass: memory, base, stride, and whether the function is applied.
Target = tuple[Destination, int, int, int]


class ThirdTerm(TypedDict, total=False):
    """The last operand of a pass, and how it is combined with the others."""

    c: Source
    second: Combination


class Terms(ThirdTerm, total=False):
    """All operands of a pass but the first, and how they are combined with it."""

    b: Source
    first: Combination


# Cycles, about, for the order of operations: from the end of a product's or pass's last command to its completion, and
# what an aggregation, a transfer and a choice take besides their words.
PRODUCT_LATENCY = 80
CHOICE_CYCLES = 120
OVERHEAD_CYCLES = 10
# Exactly, of a pass from the read of a word to its write, without its adders and multipliers: the functions of the
# elementwise unit, and its memories.
PASS_OVERHEAD = 17
# Mode of an operand: each block has its own.
OWN_BLOCK = 4
# Halves of the result memory.
RESULTS = {Operand.RESULT_0: 0, Operand.RESULT_1: 1}


def pass_latency(lane: ElementwiseLaneConfig) -> int:
    """Cycles of a pass from the read of a word to its write: a gradient's two units, and a combination."""
    return PASS_OVERHEAD + lane.adder_depth + lane.multiplier_depth + max(lane.adder_depth, lane.multiplier_depth)


class Stage:
    """A stage of an iteration: adds its operations to an :class:`~.overlap.Overlap`.

    Parameters
    ----------
    hardware : LearningGroupHardware
    network : Network
    batches, blocks : int
        Words of an iteration, and blocks in use of each.
    lanes_of_agent : int
        Lanes of a block that an agent has: episodes of a batch, rounded up to a power of two.
    steps : int
        Steps of an iteration.

    Members
    -------
    map : MemoryMap
    """

    def __init__(
        self, hardware: LearningGroupHardware, network: Network, *, batches: int, blocks: int, lanes_of_agent: int,
        steps: int,
    ):  # fmt: skip
        self.hardware, self.network = hardware, network
        self.pass_latency = pass_latency(hardware.elementwise.lane)
        self.batches, self.blocks, self.lanes_of_agent = batches, blocks, lanes_of_agent
        self.map = MemoryMap(hardware, network, batches, steps)

    def sparse_fields(self, place: LayerPlace) -> dict[str, int]:
        """Where a layer is, as the sparse data engine wants to know."""
        return {
            "groups": place.groups, "rows": place.rows, "columns": place.columns, "cores": place.core_mask,
            "grouping_base": place.grouping, "index_base": place.index, "group_base": place.group,
            "row_base": place.row, "column_base": place.column, "weight_base": place.weight,
            "parameter_base": place.parameter,
        }  # fmt: skip

    def overlap(self) -> Overlap:
        """An empty :class:`~.overlap.Overlap` of this device."""
        return Overlap(ElementwiseTiming(width=self.hardware.elementwise.width, latency=self.pass_latency))

    def group(self, overlap: Overlap, key: str) -> None:
        """Weight grouping of a layer, and its compressed weights; of ``bias/...`` there is nothing to compress."""
        place = self.map.layers[key]
        words = place.weight_words
        lists = place.rows + len(place.cores) * place.columns
        overlap.add(
            Operation(
                instruction="group", engine="sparse", stream=self.batches, cycles=max(2 * lists, words), latency=words,
                writes=[self.sparse_data(key)],
                fields={
                    "find": 1, "encode": 1, "transpose": 1, "compress": int(not key.startswith("bias/")), "walk": 0,
                    **self.sparse_fields(place),
                },
            )
        )  # fmt: skip

    def sparse_data(self, key: str) -> Span:
        """Tables, lists and compressed weights of a layer."""
        return Span(f"sparse data of {key}", 0, 1)

    # Products

    def product(self, overlap: Overlap, name: str, step: int, batch: int, operand: int) -> None:
        """A layer forward; its operand is in the frame of ``step``."""
        where, place = self.map, self.map.layers[name]
        base = where.frame(step, batch) * where.activation_frame + operand
        results = place.half * where.half + batch * where.results + place.result
        self._matrix(
            overlap, batch, name, place.rows * place.columns, product=Product.FORWARD, table=2 * place.group,
            operands=base, results=results, reads=[Span("activation", base, place.owned)],
            writes=[Span("result", results, place.columns)],
        )  # fmt: skip

    def product_backward(
        self, overlap: Overlap, name: str, step: int, batch: int, stream: int, *, first: bool, to: str | None = None,
        **cores: int,
    ) -> None:  # fmt: skip
        """A layer backward, to its own place or to that of ``to``.

        The ``first`` of an iteration writes the zeros of groups without columns, and they stay.
        """
        where, place = self.map, self.map.layers[name]
        base, results = self.error(name, step, batch), batch * where.results + where.backward[to or name]
        self._matrix(
            overlap, stream, name, place.rows * place.columns, product=Product.BACKWARD,
            table=2 * place.group + place.groups, operands=base, results=results, skip_empty=int(not first), **cores,
            reads=[Span("error", base, place.columns)], writes=[Span("result", results, place.rows)],
        )  # fmt: skip

    def heads_backward(self, overlap: Overlap, place: str, step: int, batch: int, stream: int, *, first: bool) -> None:
        """Heads of different cores backward, each by its core; a core that has none computes zeros.

        ``first`` is as that of :meth:`product_backward`.
        """
        cores = self.hardware.device.cores
        left = (1 << cores) - 1
        heads = self.map.head_groups[place]
        for head in heads:
            own = left if head == heads[-1] else 1 << self.map.layers[head].cores[0]
            left &= ~own
            self.product_backward(overlap, head, step, batch, stream, first=first, to=place, cores=own)

    def product_gradient(self, overlap: Overlap, key: str, steps: int, operand: int) -> None:
        """The gradient of a layer's weights over all batches of so many steps; of ``bias/...`` operands are ones."""
        where, place = self.map, self.map.layers[key]
        name = key.removeprefix("bias/")
        frames, errors = steps * self.batches, self.error(name, 0, 0)
        reads = [
            Span("error", errors + column, frames, where.error_frame)
            for column in range(place.columns)
        ]  # fmt: skip
        if key == name:
            reads += [Span("activation", operand + row, frames, where.activation_frame) for row in range(place.owned)]
        self._matrix(
            overlap, 0, key, place.rows * place.columns * frames, product=Product.GRADIENT,
            ones=int(key != name), table=2 * place.group, operands=operand, errors=errors, results=0, steps=frames,
            operand_stride=where.activation_frame, error_stride=where.error_frame, reads=reads,
            writes=[self.gradient(key)],
        )  # fmt: skip

    def gradient(self, key: str) -> Span:
        """The compressed gradient of a layer."""
        place = self.map.layers[key]
        return Span("gradient", place.weight, place.weight_words)

    def _matrix(
        self, overlap: Overlap, stream: int, key: str, products: int, *, reads: Sequence[Span], writes: Sequence[Span],
        **fields: int,
    ) -> None:  # fmt: skip
        device, place = self.hardware.device, self.map.layers[key]
        groups = max(place.groups, 1)
        cycles = -(-4 * products * self.blocks // (groups * device.clusters))
        overlap.add(
            Operation(
                instruction="matrix", engine="matrix", stream=stream, cycles=cycles, latency=PRODUCT_LATENCY,
                reads=[*reads, self.sparse_data(key)], writes=writes,
                fields={
                    "blocks": (self.blocks - 1).bit_length(), "groups": place.groups, "owned": place.owned, "ones": 0,
                    **fields,
                },
            )
        )  # fmt: skip

    def aggregate(self, overlap: Overlap, name: str, batch: int, stream: int) -> None:
        """Sums of what the cores have of a product backward."""
        where = self.map
        source = batch * where.results + where.backward[name]
        target = batch * where.aggregates + where.aggregated[name]
        features = self.network.hidden_size
        overlap.add(
            Operation(
                instruction="aggregate", engine="aggregator", stream=stream,
                cycles=features * self._turns(self.blocks) + OVERHEAD_CYCLES, latency=0,
                reads=[Span("result", source, features)], writes=[Span("aggregate", target, where.units)],
                ports=frozenset({f"read result_{source // where.half}", "write aggregate"}),
                fields={"source": source, "target": target, "features": features, "share": where.units,
                        "blocks": self.blocks},
            )
        )  # fmt: skip

    def _turns(self, blocks: int) -> int:
        return -(-blocks // self.hardware.elementwise.width)

    # Passes

    def apply(
        self, overlap: Overlap, stream: int, *, a: Source, b: Source | None = None, c: Source | None = None,
        to: Sequence[Target], features: int, exchange: int = 0, blocks: int | None = None, core: int = EVERY_CORE,
        **how: int,
    ) -> None:  # fmt: skip
        """A pass; operands are (memory, base[, stride[, block]]), destinations (memory, base, stride, after function).

        ``core`` is the one that does it: what is nobody's may be no number.
        """
        fields: dict[str, int] = {}
        reads: list[Span] = []
        writes: list[Span] = []
        ports: set[str] = set()
        for name, operand in (("a", a), ("b", b), ("c", c)):
            if operand is not None:
                memory, base = operand[:2]
                stride = operand[2] if len(operand) > 2 else 1
                block = operand[3] if len(operand) > 3 else OWN_BLOCK
                fields |= {f"{name}_memory": memory, f"{name}_base": base, f"{name}_stride": stride,
                           f"{name}_block": block}  # fmt: skip
                if memory != Operand.SCALAR:
                    reads.append(self._operand(memory, base, features if stride else 1, max(stride, 1), core))
                    if memory in RESULTS:
                        ports.add(f"read result_{RESULTS[memory]}")
        for index, (target, base, stride, applied) in enumerate(to):
            fields |= {f"memory_{index}": target, f"base_{index}": base, f"stride_{index}": stride,
                       f"after_function_{index}": applied}  # fmt: skip
            writes.append(Span(Destination(target).name.lower(), base, features, stride))
        blocks = blocks or self.blocks
        overlap.add(
            Operation(
                instruction="elementwise", engine="elementwise", stream=stream, cycles=features * self._turns(blocks),
                latency=self.pass_latency, reads=reads, writes=writes, ports=frozenset(ports),
                fields={"exchange": exchange, "features": features, "blocks": blocks, "core": core, **fields, **how},
            )
        )  # fmt: skip

    def _operand(self, memory: Operand, base: int, count: int, stride: int, core: int) -> Span:
        """Words of its memory that an operand reads."""
        if memory in RESULTS:
            return Span("result", RESULTS[memory] * self.map.half + base, count, stride)
        name = Operand(memory).name.lower()
        return Span(f"{name}_{core}" if memory == Operand.CHOICE else name, base, count, stride)

    # Choices and transfers

    def choose(self, overlap: Overlap, stream: int, core: int, choices: int) -> None:
        """Probabilities and choices from the logits of a core."""
        held = self.hardware.choices
        overlap.add(
            Operation(
                instruction="choose", engine="softmax", stream=stream, cycles=CHOICE_CYCLES, latency=0,
                reads=[Span("logit", 0, choices)],
                writes=[Span(f"choice_{core}", 0, choices), Span(f"choice_{core}", held, choices)],
                fields={"core": core, "choices": choices, "blocks": self.blocks},
            )
        )  # fmt: skip

    def load(
        self, overlap: Overlap, stream: int, key: Hashable, memory: Memory, core: int, base: int, words: int
    ) -> None:
        """Words of a packet into a memory of vectors."""
        self._transfer(overlap, stream, "load", key, memory, core, base, words)

    def store(
        self, overlap: Overlap, stream: int, key: Hashable, memory: Memory, core: int, base: int, words: int
    ) -> None:
        """Words of a core to the host."""
        self._transfer(overlap, stream, "store", key, memory, core, base, words)

    def _transfer(
        self, overlap: Overlap, stream: int, instruction: str, key: Hashable, memory: Memory, core: int, base: int,
        words: int,
    ) -> None:  # fmt: skip
        blocks = self.hardware.device.blocks
        span = self._held(memory, core, base, words)
        loads = instruction == "load"
        overlap.add(
            Operation(
                instruction=instruction, engine="transfer", stream=stream, cycles=words * blocks + OVERHEAD_CYCLES,
                latency=0, reads=[] if loads else [span], writes=[span] if loads else [],
                packet=(key, words * blocks),
                fields={"memory": memory, "core": core, "base": base * blocks},
            )
        )  # fmt: skip

    def copy(self, overlap: Overlap, stream: int, memory: Memory, core: int, base: int, target: int) -> None:
        """A word of a core to the aggregate memory of all cores."""
        span = self._held(memory, core, base, 1)
        overlap.add(
            Operation(
                instruction="copy", engine="transfer", stream=stream, cycles=OVERHEAD_CYCLES, latency=0, reads=[span],
                writes=[Span("aggregate", target, 1)], ports=frozenset({"write aggregate"}),
                fields={"memory": memory, "core": core, "base": base, "target": target, "words": 1},
            )
        )  # fmt: skip

    def _held(self, memory: Memory, core: int, base: int, words: int) -> Span:
        name = Memory(memory).name.lower()
        return Span(f"{name}_{core}" if memory == Memory.CHOICE else name, base, words)

    # Places

    def state(self, name: str, step: int, batch: int) -> tuple[Operand, int]:
        """(memory, base) of a tensor in the state memories."""
        where = self.map
        base = where.frame(step, batch) * where.state_frame
        for memory, names in enumerate((where.in_state_0, where.in_state_1, where.in_state_2)):
            if name in names:
                return Operand(memory), base + names[name]
        raise KeyError(name)

    def temporary(self, stream: int) -> int:
        """First word of what passes by in a stream, in every state memory."""
        return self.map.temporary + stream * self.map.temporaries

    def result(self, name: str, batch: int) -> tuple[Operand, int]:
        """(memory, base) of a layer's results."""
        where, place = self.map, self.map.layers[name]
        return (Operand.RESULT_0, Operand.RESULT_1)[place.half], batch * where.results + place.result

    def error(self, name: str, step: int, batch: int) -> int:
        """First word of the errors at a layer's outputs."""
        where = self.map
        return where.frame(step, batch) * where.error_frame + where.errors[name]

    def aggregated(self, name: str, batch: int) -> tuple[Operand, int]:
        """(memory, base) of the sums of a product backward."""
        where = self.map
        return Operand.AGGREGATE, batch * where.aggregates + where.aggregated[name]

    def shared(self, batch: int) -> int:
        """The word that one core gives to all."""
        return batch * self.map.aggregates + self.map.shared_value

    def passing(self, number: int, batch: int) -> int:
        """First word of dh (0), dh (1) or dc (2) of the step after."""
        where = self.map
        return where.passing + (3 * batch + number) * where.units

    def total(self, overlap: Overlap, stream: int) -> Source:
        """Sums over the agents of what passes by in state memory 2: an operand that has them for every block."""
        units = self.map.units
        own = (Operand.STATE_2, self.temporary(stream))
        total = (Operand.STATE_0, self.temporary(stream))
        to_total = ((Destination.STATE_0, self.temporary(stream), 1, 0),)
        first, block = (*own, 1, 0), 1
        if self.blocks == 1:
            self.apply(overlap, stream, a=first, features=units, to=to_total, blocks=1)
        while block < self.blocks:
            further: ThirdTerm = {}
            if first[0] == own[0] and block + 1 < self.blocks:
                # Three blocks of one word: a memory gives them at once.
                further = {"c": (*own, 1, block + 1), "second": Combination.ADD}
            self.apply(
                overlap, stream, a=first, b=(*own, 1, block), first=Combination.ADD, features=units, to=to_total,
                blocks=1, **further,
            )  # fmt: skip
            first, block = (*total, 1, 0), block + 1 + bool(further)
        distance = self.lanes_of_agent
        while distance < self.hardware.device.lanes:
            self.apply(
                overlap, stream, a=(*total, 1, 0), b=(*total, 1, 0), first=Combination.ADD, features=units,
                to=to_total, exchange=distance.bit_length(), blocks=1,
            )  # fmt: skip
            distance *= 2
        return (*total, 1, 0)
