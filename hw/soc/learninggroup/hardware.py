"""Dimensions of LearningGroup's parts, from those of the device and the depths of its memories. No Amaranth here."""

from dataclasses import dataclass

from ...cores.checks import require_integer
from ...cores.float.config import find_format
from ...cores.memory.host_map_config import HostMapConfig, HostRegion
from ...cores.optimizer.rms_prop_config import RMSpropConfig
from ...cores.sparse.config import SparseConfig
from ...cores.sparse_update.core_parameters_config import CoreParametersConfig
from ...cores.sparse_update.grouping_gradient_config import GroupingGradientConfig
from ...cores.sparse_update.grouping_update_config import GroupingUpdateConfig
from ...cores.sparse_update.weight_update_config import WeightUpdateConfig
from ...cores.vector.aggregator_config import AggregatorConfig
from ...cores.vector.elementwise_config import ElementwiseConfig, ElementwiseLaneConfig
from ...cores.vector.matrix_config import MatrixConfig
from ...cores.vector.softmax_config import SoftmaxConfig
from ..shell.config import ShellConfig, configuration_hash
from ..shell.row_record import element_rows
from ..shell.transfer_config import TransferConfig
from .config import LearningGroupConfig
from .instructions import EVERY_CORE, INSTRUCTION_SET, ROW_WIDTH, Memory
from .registers import REGISTERS

__all__ = ["LearningGroupHardware"]


@dataclass(frozen=True, kw_only=True)
class LearningGroupHardware:
    """A device: the configuration, and how deep its memories are.

    Parameters
    ----------
    device : LearningGroupConfig
    width : int
        Blocks that elementwise units and aggregator take in a cycle.
    weight_banks : int
        Weights, and numbers of grouping matrices, in a word: a power of two, 4 to 64.
    update_interval : int
        Cycles from a word of weights to the next in the update of a core, a divisor of ``weight_banks``: each core has
        ``weight_banks / update_interval`` lanes of RMSprop.
    choices : int
        Most alternatives of a head.
    multiplier_depth : int
        Register stages of the multipliers of elementwise and softmax units, 1 to 6. With four and more a stage
        holds the operands, which come from wide memories; a pass then takes a cycle more.
    error_ports : int
        Error words that gradients read in a cycle, 1 or 2: so many copies of a core's error memory.
    activation_rows, error_rows, result_rows, state_rows, aggregate_rows, scalar_rows : int
        Words of a core's memories (of a bank of the activation memory; of each of the three state memories).
    weight_rows : int
        Addresses of each of the banks of compressed weights, and of gradients.
    parameter_rows : int
        Words of ``weight_banks`` weights of a core.
    grouping_rows, index_rows : int
        Words of ``weight_banks`` numbers of all grouping matrices, and of their index lists.
    list_rows, tuples : int
        Entries of the row list and the column list; groups of all layers together.
    instruction_depth : int
        Instructions of a program, a power of two.
    system : str
        ``"learninggroup"``: what the simulator and the exporter look the device up by.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range; here or in the configuration of a part.
    """

    device: LearningGroupConfig
    width: int = 2
    weight_banks: int = 16
    update_interval: int = 4
    choices: int = 8
    multiplier_depth: int = 3
    error_ports: int = 2
    activation_rows: int = 4096
    error_rows: int = 4096
    result_rows: int = 1024
    state_rows: int = 4096
    aggregate_rows: int = 1024
    scalar_rows: int = 1024
    weight_rows: int = 4096
    parameter_rows: int = 4096
    grouping_rows: int = 4096
    index_rows: int = 256
    list_rows: int = 2048
    tuples: int = 256
    instruction_depth: int = 4096
    system: str = "learninggroup"

    def __post_init__(self):
        if not isinstance(self.device, LearningGroupConfig):
            raise TypeError(f"Device must be a LearningGroupConfig, not {self.device!r}")
        for name in ("state_rows", "aggregate_rows", "scalar_rows"):
            require_integer(name.replace("_", " ").capitalize(), getattr(self, name), 2, 1 << 16)
        for part in ("matrix", "sparse", "elementwise", "softmax", "aggregator", "parameters", "grouping_update"):
            getattr(self, part)

    @property
    def name(self):
        """Name of the preset."""
        return self.device.name

    @property
    def matrix(self):
        """Configuration of a core's matrix engine."""
        device = self.device
        return MatrixConfig(
            cluster_vpus=device.cluster_vpus,
            blocks=device.blocks,
            error_ports=self.error_ports,
            weight_banks=self.weight_banks,
            clusters=device.clusters,
            cores=device.cores,
            features=device.features,
            activation_rows=self.activation_rows,
            error_rows=self.error_rows,
            result_rows=self.result_rows,
            weight_rows=self.weight_rows,
            list_rows=self.list_rows,
            table_rows=2 * self.tuples,
            steps=device.steps * device.batches,
        )

    @property
    def sparse(self):
        """Configuration of the sparse data engine."""
        device = self.device
        share = -(-device.features // device.cores)
        return SparseConfig(
            cores=device.cores,
            rows=device.features,
            core_columns=-(-share // self.weight_banks) * self.weight_banks,
            groups=max(device.groups, 2),
            lanes=self.weight_banks,
            banks=self.weight_banks,
            format=find_format(device.optimizer_format),
            grouping_words=self.grouping_rows,
            index_words=self.index_rows,
            tuples=self.tuples,
            row_list=self.list_rows,
            column_list=self.list_rows,
            weight_words=self.weight_rows,
            parameter_words=self.parameter_rows,
            parameter_latency=1 + self.conversion_depth,
        )

    @property
    def conversion_depth(self):
        """Cycles from a weight of the optimiser's format to one of the network's."""
        return 2 if self.device.optimizer_format != "binary16" else 0

    @property
    def elementwise(self):
        """Configuration of a core's elementwise unit."""
        return ElementwiseConfig(
            lane=ElementwiseLaneConfig(multiplier_depth=self.multiplier_depth),
            lanes=self.device.lanes,
            blocks=self.device.blocks,
            width=min(self.width, self.device.blocks),
            state_rows=self.state_rows,
            result_rows=self.matrix.result_half,
            aggregate_rows=self.aggregate_rows,
            choice_rows=2 * self.choices,
            scalar_rows=self.scalar_rows,
            error_rows=self.error_rows,
            activation_rows=self.activation_rows,
            logit_rows=self.choices,
        )

    @property
    def softmax(self):
        """Configuration of a core's softmax unit."""
        return SoftmaxConfig(
            choices=self.choices,
            lanes=self.device.lanes,
            blocks=self.device.blocks,
            multiplier_depth=self.multiplier_depth,
        )

    @property
    def aggregator(self):
        """Configuration of the aggregator."""
        device = self.device
        return AggregatorConfig(
            cores=device.cores,
            lanes=device.lanes,
            blocks=device.blocks,
            width=min(self.width, device.blocks),
            source_rows=self.result_rows,
            target_rows=self.aggregate_rows,
        )

    @property
    def parameters(self):
        """Configuration of a core's parameters and their update."""
        update = WeightUpdateConfig(sparse=self.sparse, rms_prop=self._rms_prop, interval=self.update_interval)
        return CoreParametersConfig(update=update, scalars=self.scalar_rows)

    @property
    def grouping_update(self):
        """Configuration of the gradients and the update of grouping matrices."""
        return GroupingUpdateConfig(gradient=GroupingGradientConfig(sparse=self.sparse), rms_prop=self._rms_prop)

    @property
    def _rms_prop(self):
        return RMSpropConfig(format=find_format(self.device.optimizer_format))

    @property
    def host_map(self):
        """The memories that the host sees; a row of a memory of words is a block."""
        blocks, cores = self.device.blocks, self.device.cores

        def words(memory, depth):
            return HostRegion(
                name=memory.name.lower(), number=memory, width=self.block_bits, depth=depth, parts=blocks, cores=cores
            )

        def rows(memory, width, depth, copies=cores):
            return HostRegion(name=memory.name.lower(), number=memory, width=width, depth=depth, cores=copies)

        return HostMapConfig(
            core_width=EVERY_CORE.bit_length(),
            registered=True,
            regions=(
                *(words(memory, self.state_rows) for memory in (Memory.STATE_0, Memory.STATE_1, Memory.STATE_2)),
                words(Memory.RESULT, self.result_rows),
                words(Memory.CHOICE, 2 * self.choices),
                words(Memory.ACTIVATION, self.activation_rows),
                rows(Memory.SCALAR, self.matrix.format.width, self.scalar_rows),
                rows(Memory.PARAMETER, self.parameter_bits, self.parameter_rows),
                rows(Memory.PARAMETER_SQUARE, self.parameter_bits, self.parameter_rows),
                rows(Memory.GROUPING, self.parameter_bits, self.grouping_rows, 1),
                rows(Memory.GROUPING_SQUARE, self.parameter_bits, self.grouping_rows, 1),
                rows(Memory.GRADIENT, self.weight_banks * self.matrix.format.width, self.weight_rows),
            ),
        )

    @property
    def transfer(self):
        """Configuration of the transfer engine."""
        return TransferConfig(
            host=self.host_map,
            width=self.shell.stream_width,
            address_width=ROW_WIDTH,
            copy_rows=self.aggregate_rows,
        )

    @property
    def _rows(self):
        """Rows of the streams: blocks of the network's numbers, or words of those of the optimiser."""
        network, optimiser = self.matrix.format, find_format(self.device.optimizer_format)
        return (
            *element_rows(
                "number",
                network.width,
                f"A lane of a block in {network.name}, or a gradient; the first is in the lowest bits.",
            ),
            *element_rows(
                "parameter",
                optimiser.width,
                f"A weight, a bias, a number of a grouping matrix or a mean square in {optimiser.name}, "
                f"{self.weight_banks} in a row.",
            ),
        )

    @property
    def block_bits(self):
        """Bits of a block."""
        return self.elementwise.block_bits

    @property
    def parameter_bits(self):
        """Bits of a word of parameters or grouping matrices."""
        return self.weight_banks * find_format(self.device.optimizer_format).width

    @property
    def instruction_set(self):
        """Instructions of programs."""
        return INSTRUCTION_SET

    @property
    def extent(self) -> str:
        """The device in a few words, for people."""
        return f"{self.device.cores} x {self.device.vpus} VPUs"

    @property
    def configuration_hash(self):
        """32 bits of what the hardware depends on."""
        return configuration_hash(self)

    @property
    def shell(self):
        """Configuration of the shell around the engines."""
        return ShellConfig(
            system_id="LGRP",
            configuration_hash=self.configuration_hash,
            instruction_set=INSTRUCTION_SET,
            stream_width=max(self.block_bits, self.parameter_bits),
            instruction_depth=self.instruction_depth,
            registers=REGISTERS,
            rows=self._rows,
        )
