"""Everything that can be exported, by name. Importing this module imports no Amaranth; creating a design does."""

import dataclasses
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...cores.layer.config import NetworkConfig

__all__ = ["CATALOGUE", "Design", "find_design"]

_PACKAGE = __package__.rpartition(".soc.")[0]  # of the gateware


@dataclass(frozen=True, kw_only=True)
class Design:
    """A core or system that stands in the catalogue.

    Parameters
    ----------
    name : str
        As on the command line.
    component : str
        Module and class, within the gateware.
    configuration : str
        Module and class of its configuration, or empty: the component has no parameters.
    defaults : Mapping
        Settings where the configuration has no default of its own.
    of_preset : callable or None
        Settings that a system's configuration gives this core.
    system : bool
        A whole device: it is exported within its AXI top.
    default_preset : str
        Preset whose settings are the defaults, or empty.
    preset_system : str
        Whose presets they are.
    arguments : Mapping
        What the component is given besides its configuration.
    """

    name: str
    component: str
    configuration: str = ""
    defaults: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    of_preset: Callable[[Any], Mapping[str, Any]] | None = None
    system: bool = False
    default_preset: str = ""
    preset_system: str = "fixar"
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def kind(self) -> str:
        """``"system"`` or ``"core"``."""
        return "system" if self.system else "core"

    @property
    def description(self) -> str:
        """First line of the component's documentation."""
        return (inspect.getdoc(_load(self.component)) or "").partition("\n")[0]

    def parameters(self) -> dict[str, Any]:
        """Names of the settings with their defaults; ``None`` where there is none."""
        if not self.configuration:
            return {}
        found = {}
        for field in dataclasses.fields(_load(self.configuration)):
            if field.init:
                default = None if field.default is dataclasses.MISSING else field.default
                found[field.name] = self.defaults.get(field.name, default)
        return found

    def configure(self, preset: Any = None, settings: Mapping[str, Any] | None = None) -> Any:
        """The configuration: defaults, over them what the preset says, over them ``settings``.

        Raises
        ------
        ValueError
            A setting that the design does not have, or a value that the configuration refuses.
        """
        settings = dict(settings or {})
        known = self.parameters()
        for name in settings:
            if name not in known:
                allowed = ", ".join(known) or "none: it has no parameters"
                raise ValueError(f"Parameter of {self.name} must be one of {allowed}, not {name!r}")
        if not self.configuration:
            return None
        given = dict(self.defaults)
        if preset is not None:
            if self.system:
                given = {name: getattr(preset, name) for name in known}
            elif self.of_preset is not None:
                given |= self.of_preset(preset)
        return _load(self.configuration)(**given | settings)

    def create(self, configuration: Any) -> Any:
        """The component of a configuration made by :meth:`configure`."""
        component = _load(self.component)
        return component() if configuration is None else component(configuration, **self.arguments)


def find_design(name: str) -> Design:
    """The design of that name.

    Raises
    ------
    ValueError
        There is none; the text names those there are.
    """
    if name not in CATALOGUE:
        raise ValueError(f"Design must be one of {', '.join(CATALOGUE)}, not {name!r}")
    return CATALOGUE[name]


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(f"{_PACKAGE}.{module}"), name)


def _array(config: Any) -> dict[str, int]:
    return {"lanes": config.lanes, "accumulator_depth": config.accumulator_depth}


def _writeback(config: Any) -> dict[str, int]:
    rows = max(config.activation_rows, config.error_rows)
    return {"cores": config.cores, "lanes": config.lanes, "rows": rows, "slots": config.slots}


def _gradient(config: Any) -> dict[str, int]:
    return {"lanes": config.lanes, "rows": 2 * config.weight_rows}


def _optimizer(config: Any) -> dict[str, int]:
    return {"lanes": config.lanes, "rows": config.weight_rows, "weight_fraction": config.weight_fraction}


def _shell(config: Any) -> dict[str, Any]:
    return {field.name: getattr(config.shell, field.name) for field in dataclasses.fields(config.shell)}


def _system(name: str, component: str, configuration: str, preset: str = "small") -> Design:
    """A whole device, whose presets are under its own name."""
    return Design(
        name=name,
        component=f"soc.{component}",
        configuration=f"soc.{configuration}",
        system=True,
        default_preset=preset,
        preset_system=name,
    )


_DESIGNS = (
    _system("fixar", "fixar.device:FixarSystem", "fixar.config:FixarConfig", "paper"),
    _system(
        "learninggroup",
        "learninggroup.device:LearningGroupSystem",
        "learninggroup.hardware:LearningGroupHardware",
        "paper",
    ),
    _system("mcts", "mcts.device:MCTSSystem", "mcts.config:MCTSConfig"),
    _system("pearl", "pearl.device:PearlSystem", "pearl.config:PearlConfig"),
    _system(
        "pearl_learner", "pearl.learner_device:PearlLearnerSystem", "pearl.dqn_learner_config:PearlDQNLearnerConfig"
    ),
    _system(
        "pearl_ddpg_learner",
        "pearl.learner_device:PearlLearnerSystem",
        "pearl.ddpg_learner_config:PearlDDPGLearnerConfig",
    ),
    Design(
        name="shell",
        component="soc.shell.shell:Shell",
        configuration="soc.shell.config:ShellConfig",
        of_preset=_shell,
        default_preset="small",
    ),
    Design(
        name="uart_bridge",
        component="soc.bus.uart_bridge:UartBridge",
        configuration="soc.bus.uart_config:UartConfig",
        defaults={"divisor": 50},
        arguments={"address_width": 16, "stream_width": 128},
    ),
    Design(
        name="gaussian_noise",
        component="cores.random.gaussian:GaussianNoise",
        configuration="cores.random.config:GaussianConfig",
        of_preset=lambda config: {"lanes": config.lanes},
    ),
    Design(name="processing_element", component="cores.array.processing_element:ProcessingElement"),
    Design(
        name="processing_element_column",
        component="cores.array.column:ProcessingElementColumn",
        configuration="cores.array.config:ArrayConfig",
        of_preset=_array,
    ),
    Design(
        name="operand_former",
        component="cores.array.operand:OperandFormer",
        configuration="cores.array.config:ArrayConfig",
        of_preset=_array,
    ),
    Design(
        name="array_core",
        component="cores.array.core:AdaptiveArrayCore",
        configuration="cores.array.config:ArrayConfig",
        of_preset=_array,
    ),
    Design(
        name="accumulator_bank",
        component="cores.array.accumulator:AccumulatorBank",
        configuration="cores.array.config:ArrayConfig",
        of_preset=_array,
    ),
    Design(name="rescaler", component="cores.array.rescaler:Rescaler"),
    Design(name="activation_unit", component="cores.array.activation_unit:ActivationUnit"),
    Design(
        name="writeback_path",
        component="cores.array.writeback:WritebackPath",
        configuration="cores.array.config:WritebackConfig",
        of_preset=_writeback,
    ),
    Design(
        name="gradient_writeback",
        component="cores.array.gradient_writeback:GradientWriteback",
        configuration="cores.memory.config:TransposableConfig",
        defaults={"lanes": 16, "rows": 1024},
        of_preset=_gradient,
    ),
    Design(
        name="transposable_memory",
        component="cores.memory.transposable:TransposableMemory",
        configuration="cores.memory.config:TransposableConfig",
        defaults={"lanes": 16, "rows": 1024},
        of_preset=_gradient,
    ),
    Design(
        name="activation_memory",
        component="cores.memory.activation:ActivationMemory",
        configuration="cores.memory.config:ActivationMemoryConfig",
        defaults={"lanes": 16, "rows": 1024},
        of_preset=lambda config: {"lanes": config.lanes, "rows": config.activation_rows},
    ),
    Design(name="quantizer", component="cores.quantization.quantizer:Quantizer"),
    Design(
        name="range_unit",
        component="cores.quantization.range_unit:RangeUnit",
        configuration="cores.quantization.config:RangeConfig",
        of_preset=lambda config: {"slots": config.slots, "cores": config.cores, "lanes": config.lanes},
    ),
    Design(
        name="adam_lane",
        component="cores.optimizer.adam_lane:AdamLane",
        configuration="cores.optimizer.config:OptimizerConfig",
        of_preset=_optimizer,
    ),
    Design(
        name="optimizer_engine",
        component="cores.optimizer.engine:OptimizerEngine",
        configuration="cores.optimizer.config:OptimizerConfig",
        of_preset=_optimizer,
    ),
    Design(
        name="vector_processing_unit",
        component="cores.vector.vpu:VectorProcessingUnit",
        configuration="cores.vector.matrix_config:VpuConfig",
    ),
    Design(
        name="vpu_cluster",
        component="cores.vector.cluster:Cluster",
        configuration="cores.vector.matrix_config:ClusterConfig",
    ),
    Design(
        name="lane_reduction",
        component="cores.vector.lane_reduction:LaneReduction",
        configuration="cores.vector.matrix_config:LaneReductionConfig",
    ),
    Design(
        name="matrix_core",
        component="cores.vector.matrix_core:MatrixCore",
        configuration="cores.vector.matrix_config:MatrixConfig",
    ),
    Design(
        name="float_adder", component="cores.float.adder:FloatAdder", configuration="cores.float.config:FloatConfig"
    ),
    Design(
        name="float_multiplier",
        component="cores.float.multiplier:FloatMultiplier",
        configuration="cores.float.config:FloatConfig",
    ),
    Design(
        name="float_fused_multiply_add",
        component="cores.float.fused_multiply_add:FloatFusedMultiplyAdd",
        configuration="cores.float.config:FloatConfig",
    ),
    Design(
        name="float_comparator",
        component="cores.float.comparison:FloatComparator",
        configuration="cores.float.config:FloatConfig",
    ),
    Design(
        name="fixed_to_float",
        component="cores.float.conversion:FixedToFloat",
        configuration="cores.float.config:FloatFixedConfig",
    ),
    Design(
        name="float_to_fixed",
        component="cores.float.conversion:FloatToFixed",
        configuration="cores.float.config:FloatFixedConfig",
    ),
    Design(
        name="float_converter",
        component="cores.float.conversion:FloatConverter",
        configuration="cores.float.config:FloatConversionConfig",
    ),
    Design(
        name="float_reciprocal",
        component="cores.float.functions.reciprocal:FloatReciprocal",
        configuration="cores.float.functions.config:FloatFunctionConfig",
    ),
    Design(
        name="float_square_root",
        component="cores.float.functions.square_root:FloatSquareRoot",
        configuration="cores.float.functions.config:FloatFunctionConfig",
    ),
    Design(
        name="float_reciprocal_square_root",
        component="cores.float.functions.square_root:FloatReciprocalSquareRoot",
        configuration="cores.float.functions.config:FloatFunctionConfig",
    ),
    Design(
        name="float_exponential",
        component="cores.float.functions.exponential:FloatExponential",
        configuration="cores.float.functions.config:FloatFunctionConfig",
    ),
    Design(
        name="float_logarithm",
        component="cores.float.functions.logarithm:FloatLogarithm",
        configuration="cores.float.functions.config:FloatFunctionConfig",
    ),
    Design(
        name="float_sigmoid_tanh",
        component="cores.float.functions.sigmoid_tanh:FloatSigmoidTanh",
        configuration="cores.float.functions.config:FloatFunctionConfig",
    ),
    Design(
        name="max_index_unit",
        component="cores.sparse.max_index:MaxIndexUnit",
        configuration="cores.sparse.config:SparseConfig",
    ),
    Design(
        name="sparse_data_encoder",
        component="cores.sparse.encoder:SparseDataEncoder",
        configuration="cores.sparse.config:SparseConfig",
    ),
    Design(
        name="load_allocation_unit",
        component="cores.sparse.load_allocation:LoadAllocationUnit",
        configuration="cores.sparse.config:SparseConfig",
    ),
    Design(
        name="group_tables",
        component="cores.sparse.lists:GroupTables",
        configuration="cores.sparse.config:SparseConfig",
    ),
    Design(
        name="address_generator",
        component="cores.sparse.address_generator:AddressGenerator",
        configuration="cores.sparse.config:SparseConfig",
    ),
    Design(
        name="weight_compressor",
        component="cores.sparse.compression:WeightCompressor",
        configuration="cores.sparse.config:SparseConfig",
    ),
    Design(
        name="weight_expander",
        component="cores.sparse.compression:WeightExpander",
        configuration="cores.sparse.config:SparseConfig",
    ),
    Design(
        name="sparse_data_engine",
        component="cores.sparse.engine:SparseDataEngine",
        configuration="cores.sparse.config:SparseConfig",
    ),
    Design(
        name="rms_prop_lane",
        component="cores.optimizer.rms_prop_lane:RMSpropLane",
        configuration="cores.optimizer.rms_prop_config:RMSpropConfig",
    ),
    Design(
        name="update_engine",
        component="cores.optimizer.update_engine:UpdateEngine",
        configuration="cores.optimizer.update_config:UpdateConfig",
    ),
    Design(
        name="grouping_gradient",
        component="cores.optimizer.grouping_gradient:GroupingGradient",
        configuration="cores.optimizer.grouping_gradient_config:GroupingGradientConfig",
    ),
    Design(
        name="grouping_update",
        component="cores.optimizer.grouping_update:GroupingUpdate",
        configuration="cores.optimizer.grouping_update_config:GroupingUpdateConfig",
    ),
    Design(
        name="selector",
        component="cores.tree.selector:Selector",
        configuration="cores.tree.selector_config:SelectorConfig",
    ),
    Design(
        name="stage_bank_interconnect",
        component="cores.tree.interconnect:StageBankInterconnect",
        configuration="cores.tree.interconnect_config:InterconnectConfig",
        # About those of six children and two transfers a node.
        arguments={"request_shape": 120, "response_shape": 352},
    ),
    Design(name="node_bank", component="cores.tree.bank:Bank", configuration="cores.tree.config:TreeConfig"),
    Design(
        name="bank_assigner",
        component="cores.tree.bank_assigner:BankAssigner",
        configuration="cores.tree.config:TreeConfig",
    ),
    Design(
        name="level_stage",
        component="cores.tree.level_stage:LevelStage",
        configuration="cores.tree.config:TreeConfig",
    ),
    Design(
        name="forward_stage",
        component="cores.layer.forward_stage:ForwardStage",
        configuration="cores.layer.config:LayerConfig",
        defaults={"inputs": 64, "outputs": 64, "units": 8},
    ),
    Design(
        name="backward_stage",
        component="cores.layer.backward_stage:BackwardStage",
        configuration="cores.layer.config:LayerConfig",
        defaults={"inputs": 64, "outputs": 64, "units": 8},
    ),
    Design(
        name="gradient_stage",
        component="cores.layer.gradient_stage:GradientStage",
        configuration="cores.layer.config:LayerConfig",
        defaults={"inputs": 64, "outputs": 64, "units": 8},
    ),
    Design(
        name="float_adam_lane",
        component="cores.optimizer.float_lane:FloatAdamLane",
        configuration="cores.float.config:FloatLaneConfig",
    ),
    Design(
        name="dqn_learner",
        component="cores.layer.dqn_learner:DQNLearner",
        configuration="cores.layer.learner_config:DQNLearnerConfig",
        defaults={"network": NetworkConfig(sizes=(4, 16, 2), units=(2, 1))},
    ),
    Design(
        name="ddpg_learner",
        component="cores.layer.ddpg_learner:DDPGLearner",
        configuration="cores.layer.learner_config:DDPGLearnerConfig",
        defaults={
            "actor": NetworkConfig(sizes=(2, 16, 1), units=(2, 1), output_activation="tanh"),
            "critic": NetworkConfig(sizes=(3, 16, 1), units=(2, 1)),
        },
    ),
    Design(
        name="sum_tree",
        component="cores.replay.sum_tree:SumTree",
        configuration="cores.replay.config:SumTreeConfig",
        defaults={"leaves": 1 << 17},
    ),
    Design(name="draw_generator", component="cores.replay.draw_generator:DrawGenerator"),
    Design(
        name="search_tree",
        component="cores.tree.search_tree:SearchTree",
        configuration="cores.tree.config:TreeConfig",
        defaults={"levels": 4, "banks": 8, "nodes": 1000},
    ),
    Design(name="hyperbolic_tangent", component="cores.function.hyperbolic_tangent:HyperbolicTangent"),
    Design(name="reciprocal_square_root", component="cores.function.reciprocal_square_root:ReciprocalSquareRoot"),
)

CATALOGUE = {design.name: design for design in _DESIGNS}
