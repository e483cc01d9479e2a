"""What the stages of LearningGroup's programs have in common: places of tensors, products, passes."""

from ...hw.cores.vector.elementwise_config import Combination, Destination, Operand
from ...hw.cores.vector.matrix_config import Product
from ...hw.soc.learninggroup.config import Network
from ...hw.soc.learninggroup.hardware import LearningGroupHardware
from .learninggroup_map import MemoryMap

__all__ = ["Stage"]


class Stage:
    """A stage of an iteration: writes its instructions into programs.

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

    def sparse(self, program, place, *, wait=(), find=0, encode=0, transpose=0, compress=0, walk=0):
        """Stages of the sparse data engine for a layer."""
        program.emit(
            "group", wait=wait, find=find, encode=encode, transpose=transpose, compress=compress, walk=walk,
            groups=place.groups, rows=place.rows, columns=place.columns, cores=place.core_mask,
            grouping_base=place.grouping, index_base=place.index, group_base=place.group, row_base=place.row,
            column_base=place.column, weight_base=place.weight, parameter_base=place.parameter,
        )  # fmt: skip

    def product(self, program, name, step, operand, wait=()):
        """A layer forward, all batches at once; its operand is in the frames of ``step``."""
        where, place = self.map, self.map.layers[name]
        program.emit(
            "matrix", wait=wait, product=Product.FORWARD, blocks=(self.blocks - 1).bit_length(), reversed=0, ones=0,
            table=2 * place.group, groups=self.network.groups, owned=place.owned,
            operands=where.frame(step, 0) * where.activation_frame + operand, results=place.result,
            steps=self.batches, operand_stride=where.activation_frame, result_stride=where.results,
        )  # fmt: skip

    def product_backward(self, program, name, step):
        """A layer backward, all batches at once."""
        where, place = self.map, self.map.layers[name]
        program.emit(
            "matrix", wait=("elementwise",), product=Product.BACKWARD, blocks=(self.blocks - 1).bit_length(),
            reversed=0, ones=0, table=2 * place.group + place.groups, groups=place.groups, owned=place.owned,
            operands=self.error(name, step, 0), results=where.backward[name], steps=self.batches,
            operand_stride=where.error_frame, result_stride=where.results,
        )  # fmt: skip

    def aggregate(self, program, names):
        where = self.map
        for batch in range(self.batches):
            for index, name in enumerate(names):
                program.emit(
                    "aggregate", wait=("matrix", "elementwise") if batch == index == 0 else (),
                    source=batch * where.results + where.backward[name],
                    target=batch * where.aggregates + where.aggregated[name],
                    features=self.network.hidden_size, share=where.units, blocks=self.blocks,
                )  # fmt: skip

    def apply(self, program, *, a, b=None, c=None, to, features, wait=(), after=True, exchange=0, blocks=None, **how):
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

    def state(self, name, step, batch):
        """(memory, base) of a tensor in the state memories."""
        where = self.map
        base = where.frame(step, batch) * where.state_frame
        for memory, names in enumerate((where.in_state_0, where.in_state_1, where.in_state_2)):
            if name in names:
                return Operand(memory), base + names[name]
        raise KeyError(name)

    def result(self, name, batch):
        where = self.map
        return Operand.RESULT, batch * where.results + where.layers[name].result

    def error(self, name, step, batch):
        where = self.map
        return where.frame(step, batch) * where.error_frame + where.errors[name]

    def aggregated(self, name, batch):
        where = self.map
        return Operand.AGGREGATE, batch * where.aggregates + where.aggregated[name]

    def passing(self, number, batch):
        """First word of dh (0), dh (1) or dc (2) of the step after."""
        where = self.map
        return where.passing + (3 * batch + number) * where.units

    def total(self, program):
        """Sums over the agents of what passes by in state memory 2: an operand that has them for every block."""
        where, units = self.map, self.map.units
        own = (Operand.STATE_2, where.temporary)
        total = (Operand.STATE_0, where.temporary)
        to_total = ((Destination.STATE_0, where.temporary, 1, 0),)
        first = (*own, 1, 0)
        if self.blocks == 1:
            self.apply(program, a=first, features=units, to=to_total, blocks=1)
        for block in range(1, self.blocks):
            self.apply(
                program, a=first, b=(*own, 1, block), first=Combination.ADD, features=units, to=to_total, blocks=1
            )
            first = (*total, 1, 0)
        distance = self.lanes_of_agent
        while distance < self.hardware.device.lanes:
            self.apply(
                program, a=(*total, 1, 0), b=(*total, 1, 0), first=Combination.ADD, features=units, to=to_total,
                exchange=distance.bit_length(), blocks=1,
            )  # fmt: skip
            distance *= 2
        return (*total, 1, 0)
