"""Everything that can be exported, by name. Importing this module imports no Amaranth; creating a design does."""

import dataclasses
import operator
from collections.abc import Callable
from typing import Any

from ...cores.checks import require_name
from ...cores.convolution.gemm_config import GemmEngineConfig
from ...cores.convolution.systolic_array_config import SystolicArrayConfig
from ...cores.convolution.word_writer_config import WordWriterConfig
from ...cores.fractional_convolution.config import FractionalConvolutionConfig, IntegerLaneConfig
from ...cores.layer.config import NetworkConfig
from ...cores.memory.config import UnalignedConfig
from ..devices import DeviceDescriptor, devices
from .design import Design

__all__ = ["catalogue", "find_design"]

HARDWARE = "rewardware.hw"


def catalogue() -> dict[str, Design]:
    """All that can be exported: the devices, then what they share and the cores."""
    return {design.name: design for design in (*(_system(device) for device in devices().values()), *_DESIGNS)}


def find_design(name: str) -> Design:
    """The design of that name.

    Raises
    ------
    ValueError
        There is none; the text names those there are.
    """
    known = catalogue()
    require_name("Design", name, known)
    return known[name]


def _part(path: str) -> Callable[[Any], dict[str, Any]]:
    """The fields of a configuration within a system's, by its attributes' names."""

    def fields(config: Any) -> dict[str, Any]:
        part = operator.attrgetter(path)(config)
        return {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}

    return fields


def _writeback(config: Any) -> dict[str, int]:
    rows = max(config.activation_rows, config.error_rows)
    return {"cores": config.cores, "lanes": config.lanes, "rows": rows, "slots": config.slots}


def _gradient(config: Any) -> dict[str, int]:
    return {"lanes": config.lanes, "rows": 2 * config.weight_rows}


def _core(name: str, component: str, configuration: str = "", **options: Any) -> Design:
    """A core; ``options`` are the further fields of the design."""
    configuration = f"{HARDWARE}.cores.{configuration}" if configuration else ""
    return Design(name=name, component=f"{HARDWARE}.cores.{component}", configuration=configuration, **options)


def _system(device: DeviceDescriptor) -> Design:
    """A whole device, whose presets are under its own name."""
    return Design(
        name=device.name,
        component=device.component,
        configuration=device.hardware or device.configuration,
        system=True,
        default_preset=device.default_preset,
        preset_system=device.name,
    )


_DESIGNS = (
    Design(
        name="shell",
        component=f"{HARDWARE}.soc.shell.shell:Shell",
        configuration=f"{HARDWARE}.soc.shell.config:ShellConfig",
        of_preset=_part("shell"),
        default_preset="small",
    ),
    Design(
        name="data_movers",
        component=f"{HARDWARE}.soc.bus.data_movers:DataMovers",
        configuration=f"{HARDWARE}.soc.bus.data_mover_config:DataMoverConfig",
        defaults={"row_width": 512},
    ),
    Design(
        name="uart_bridge",
        component=f"{HARDWARE}.soc.bus.uart_bridge:UartBridge",
        configuration=f"{HARDWARE}.soc.bus.uart_config:UartConfig",
        defaults={"divisor": 50},
        arguments={"address_width": 16, "stream_width": 128},
    ),
    _core(
        "gaussian_noise",
        "random.gaussian:GaussianNoise",
        "random.config:GaussianConfig",
        of_preset=lambda config: {"lanes": config.lanes},
    ),
    _core(
        "processing_element",
        "array.processing_element:ProcessingElement",
        "array.config:ArrayConfig",
        of_preset=_part("array_engine.array"),
    ),
    _core(
        "processing_element_column",
        "array.column:ProcessingElementColumn",
        "array.config:ArrayConfig",
        of_preset=_part("array_engine.array"),
    ),
    _core(
        "operand_former",
        "array.operand:OperandFormer",
        "array.config:ArrayConfig",
        of_preset=_part("array_engine.array"),
    ),
    _core(
        "array_core", "array.core:AdaptiveArrayCore", "array.config:ArrayConfig", of_preset=_part("array_engine.array")
    ),
    _core(
        "accumulator_bank",
        "array.accumulator:AccumulatorBank",
        "array.config:ArrayConfig",
        of_preset=_part("array_engine.array"),
    ),
    _core(
        "array_matrix_engine",
        "array.matrix_engine:ArrayMatrixEngine",
        "array.engine_config:ArrayEngineConfig",
        of_preset=_part("array_engine"),
    ),
    _core("rescaler", "array.rescaler:Rescaler"),
    _core("activation_unit", "array.activation_unit:ActivationUnit"),
    _core("writeback_path", "array.writeback:WritebackPath", "array.config:WritebackConfig", of_preset=_writeback),
    _core(
        "gradient_writeback",
        "array.gradient_writeback:GradientWriteback",
        "memory.config:TransposableConfig",
        defaults={"lanes": 16, "rows": 1024},
        of_preset=_gradient,
    ),
    _core(
        "transposable_memory",
        "memory.transposable:TransposableMemory",
        "memory.config:TransposableConfig",
        defaults={"lanes": 16, "rows": 1024},
        of_preset=_gradient,
    ),
    _core(
        "unaligned_memory",
        "memory.unaligned:UnalignedMemory",
        "memory.config:UnalignedConfig",
        defaults={"lanes": 16, "rows": 1024},
    ),
    _core(
        "activation_memory",
        "memory.activation:ActivationMemory",
        "memory.config:ActivationMemoryConfig",
        defaults={"lanes": 16, "rows": 1024},
        of_preset=lambda config: {"lanes": config.lanes, "rows": config.activation_rows},
    ),
    _core("quantizer", "quantization.quantizer:Quantizer"),
    _core(
        "range_unit",
        "quantization.range_unit:RangeUnit",
        "quantization.config:RangeConfig",
        of_preset=lambda config: {"slots": config.slots, "cores": config.cores, "lanes": config.lanes},
    ),
    _core("adam_lane", "optimizer.adam_lane:AdamLane", "optimizer.config:AdamConfig", of_preset=_part("adam")),
    _core("adam_engine", "optimizer.adam_engine:AdamEngine", "optimizer.config:AdamConfig", of_preset=_part("adam")),
    _core("vector_processing_unit", "vector.vpu:VectorProcessingUnit", "vector.matrix_config:VpuConfig"),
    _core("vpu_cluster", "vector.cluster:Cluster", "vector.matrix_config:ClusterConfig"),
    _core("lane_reduction", "vector.lane_reduction:LaneReduction", "vector.matrix_config:LaneReductionConfig"),
    _core("matrix_core", "vector.matrix_core:MatrixCore", "vector.matrix_config:MatrixConfig"),
    _core("float_adder", "float.adder:FloatAdder", "float.config:FloatConfig"),
    _core("float_multiplier", "float.multiplier:FloatMultiplier", "float.config:FloatConfig"),
    _core("float_fused_multiply_add", "float.fused_multiply_add:FloatFusedMultiplyAdd", "float.config:FloatConfig"),
    _core("float_comparator", "float.comparison:FloatComparator", "float.config:FloatConfig"),
    _core("fixed_to_float", "float.conversion:FixedToFloat", "float.config:FloatFixedConfig"),
    _core("float_to_fixed", "float.conversion:FloatToFixed", "float.config:FloatFixedConfig"),
    _core("float_converter", "float.conversion:FloatConverter", "float.config:FloatConversionConfig"),
    _core(
        "float_reciprocal", "float.functions.reciprocal:FloatReciprocal", "float.functions.config:FloatFunctionConfig"
    ),
    _core(
        "float_square_root", "float.functions.square_root:FloatSquareRoot", "float.functions.config:FloatFunctionConfig"
    ),
    _core(
        "float_reciprocal_square_root",
        "float.functions.square_root:FloatReciprocalSquareRoot",
        "float.functions.config:FloatFunctionConfig",
    ),
    _core(
        "float_exponential",
        "float.functions.exponential:FloatExponential",
        "float.functions.config:FloatFunctionConfig",
    ),
    _core("float_logarithm", "float.functions.logarithm:FloatLogarithm", "float.functions.config:FloatFunctionConfig"),
    _core(
        "float_sigmoid_tanh",
        "float.functions.sigmoid_tanh:FloatSigmoidTanh",
        "float.functions.config:FloatFunctionConfig",
    ),
    _core("max_index_unit", "sparse.max_index:MaxIndexUnit", "sparse.config:SparseConfig"),
    _core("sparse_data_encoder", "sparse.encoder:SparseDataEncoder", "sparse.config:SparseConfig"),
    _core("load_allocation_unit", "sparse.load_allocation:LoadAllocationUnit", "sparse.config:SparseConfig"),
    _core("group_tables", "sparse.lists:GroupTables", "sparse.config:SparseConfig"),
    _core("address_generator", "sparse.address_generator:AddressGenerator", "sparse.config:SparseConfig"),
    _core("weight_compressor", "sparse.compression:WeightCompressor", "sparse.config:SparseConfig"),
    _core("weight_expander", "sparse.compression:WeightExpander", "sparse.config:SparseConfig"),
    _core("sparse_data_engine", "sparse.engine:SparseDataEngine", "sparse.config:SparseConfig"),
    _core("rms_prop_lane", "optimizer.rms_prop_lane:RMSpropLane", "optimizer.rms_prop_config:RMSpropConfig"),
    _core(
        "weight_update",
        "sparse_update.weight_update:WeightUpdate",
        "sparse_update.weight_update_config:WeightUpdateConfig",
    ),
    _core(
        "grouping_gradient",
        "sparse_update.grouping_gradient:GroupingGradient",
        "sparse_update.grouping_gradient_config:GroupingGradientConfig",
    ),
    _core(
        "grouping_update",
        "sparse_update.grouping_update:GroupingUpdate",
        "sparse_update.grouping_update_config:GroupingUpdateConfig",
    ),
    _core("selector", "tree.selector:Selector", "tree.selector_config:SelectorConfig"),
    _core(
        "stage_bank_interconnect",
        "tree.interconnect:StageBankInterconnect",
        "tree.interconnect_config:InterconnectConfig",
        # Roughly the widths of a tree with six children and two transfers a node.
        arguments={"request_shape": 120, "response_shape": 352},
    ),
    _core("node_bank", "tree.bank:Bank", "tree.config:TreeConfig"),
    _core("bank_assigner", "tree.bank_assigner:BankAssigner", "tree.config:TreeConfig"),
    _core("level_stage", "tree.level_stage:LevelStage", "tree.config:TreeConfig"),
    _core(
        "forward_stage",
        "layer.forward_stage:ForwardStage",
        "layer.config:LayerConfig",
        defaults={"inputs": 64, "outputs": 64, "units": 8},
    ),
    _core(
        "backward_stage",
        "layer.backward_stage:BackwardStage",
        "layer.config:LayerConfig",
        defaults={"inputs": 64, "outputs": 64, "units": 8},
    ),
    _core(
        "gradient_stage",
        "layer.gradient_stage:GradientStage",
        "layer.config:LayerConfig",
        defaults={"inputs": 64, "outputs": 64, "units": 8},
    ),
    _core(
        "attention_forward",
        "attention.attention_forward:AttentionForward",
        "attention.config:AttentionConfig",
        defaults={"agents": 4, "heads": 4, "key_size": 32, "value_size": 32},
    ),
    _core(
        "attention_backward",
        "attention.attention_backward:AttentionBackward",
        "attention.config:AttentionConfig",
        defaults={"agents": 4, "heads": 4, "key_size": 32, "value_size": 32},
    ),
    *(
        _core(
            name,
            f"a3c.{name}:{component}",
            "a3c.config:A3CConfig",
            of_preset=_part("agents_config"),
            default_preset="small",
            preset_system="a3c",
        )
        for name, component in (
            ("forward_engine", "ForwardEngine"),
            ("backward_engine", "BackwardEngine"),
            ("gradient_unit", "GradientUnit"),
            ("loss_gradient_unit", "LossGradientUnit"),
            ("rms_prop_unit", "RMSPropUnit"),
            ("agents_engine", "AgentsEngine"),
        )
    ),
    *(
        _core(
            name,
            f"convolution.{component}",
            "convolution.systolic_array_config:SystolicArrayConfig",
            defaults={"rows": 8, "columns": 6},
        )
        for name, component in (
            ("systolic_processing_element", "processing_element:SystolicProcessingElement"),
            ("systolic_array", "systolic_array:SystolicArray"),
        )
    ),
    _core(
        "gemm_engine",
        "convolution.gemm_engine:GemmEngine",
        "convolution.gemm_config:GemmEngineConfig",
        defaults={
            "array": SystolicArrayConfig(rows=8, columns=6),
            "input_rows": 1024,
            "weight_rows": 1024,
            "sum_rows": 1024,
        },
    ),
    _core(
        "store_unit",
        "convolution.store_unit:StoreUnit",
        "convolution.store_config:StoreConfig",
        defaults={
            "gemm": GemmEngineConfig(
                array=SystolicArrayConfig(rows=8, columns=6), input_rows=1024, weight_rows=1024, sum_rows=1024
            ),
            "features": UnalignedConfig(lanes=8, rows=1024),
            "parameter_rows": 64,
        },
    ),
    _core(
        "pool_unit",
        "convolution.pool_unit:PoolUnit",
        "convolution.pool_config:PoolConfig",
        defaults={
            "writer": WordWriterConfig(
                lanes=8, sum_width=32, features=UnalignedConfig(lanes=8, rows=1024), parameter_rows=64
            )
        },
    ),
    _core(
        "conv_core",
        "fractional_convolution.conv_core:ConvCore",
        "fractional_convolution.config:FractionalConvolutionConfig",
    ),
    _core(
        "pad_accumulate",
        "fractional_convolution.pad_accumulate:PadAccumulate",
        "fractional_convolution.config:FractionalConvolutionConfig",
    ),
    _core(
        "fractional_convolution_engine",
        "fractional_convolution.engine:FractionalConvolutionEngine",
        "fractional_convolution.config:FractionalConvolutionConfig",
    ),
    _core(
        "fractional_convolution_unit",
        "fractional_convolution.unit:FractionalConvolutionUnit",
        "fractional_convolution.unit_config:FractionalConvolutionUnitConfig",
        defaults={
            "engine": FractionalConvolutionConfig(
                rows=4, columns=4, arithmetic=IntegerLaneConfig(width=8, sum_width=32)
            ),
            "writer": WordWriterConfig(
                lanes=8, sum_width=32, features=UnalignedConfig(lanes=8, rows=1024), parameter_rows=64, levels=3
            ),
        },
    ),
    _core("float_adam_lane", "optimizer.float_lane:FloatAdamLane", "float.config:FloatLaneConfig"),
    _core(
        "dqn_learner",
        "learner.dqn_learner:DQNLearner",
        "learner.learner_config:DQNLearnerConfig",
        defaults={"network": NetworkConfig(sizes=(4, 16, 2), units=(2, 1))},
    ),
    _core(
        "ddpg_learner",
        "learner.ddpg_learner:DDPGLearner",
        "learner.learner_config:DDPGLearnerConfig",
        defaults={
            "actor": NetworkConfig(sizes=(2, 16, 1), units=(2, 1), output_activation="tanh"),
            "critic": NetworkConfig(sizes=(3, 16, 1), units=(2, 1)),
        },
    ),
    _core(
        "sac_learner",
        "learner.sac_learner:SACLearner",
        "learner.sac_learner_config:SACLearnerConfig",
        defaults={
            "actor": NetworkConfig(sizes=(2, 16, 2), units=(2, 1)),
            "critic": NetworkConfig(sizes=(3, 16, 1), units=(2, 1)),
        },
    ),
    _core(
        "squashed_gaussian",
        "learner.squashed_gaussian:SquashedGaussian",
        "learner.squashed_gaussian_config:SquashedGaussianConfig",
        defaults={"actions": 6},
    ),
    _core("sum_tree", "replay.sum_tree:SumTree", "replay.config:SumTreeConfig", defaults={"leaves": 1 << 17}),
    _core("draw_generator", "replay.draw_generator:DrawGenerator"),
    _core(
        "search_tree",
        "tree.search_tree:SearchTree",
        "tree.config:TreeConfig",
        defaults={"levels": 4, "banks": 8, "nodes": 1000},
    ),
    _core("hyperbolic_tangent", "function.hyperbolic_tangent:HyperbolicTangent"),
    _core("reciprocal_square_root", "function.reciprocal_square_root:ReciprocalSquareRoot"),
)
