"""Which tests speak for which core."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Core:
    """A core and its tests.

    Parameters
    ----------
    room : str
        Folder below ``hw/cores`` or ``hw/soc``.
    name : str
        Class of the core.
    tests : tuple of str
        As pytest takes them, below the folder of tests of that room. Those that build no simulator, proofs for
        instance, see no mutants.
    beside : tuple of str
        Instances in what the tests simulate that are no part of the core, each by the beginning of its name.
    """

    room: str
    name: str
    tests: tuple[str, ...]
    beside: tuple[str, ...] = ()

    @property
    def paths(self) -> list[str]:
        """The tests, from the root of the repository."""
        return [f"tests/hw/{self.room}/{test}" for test in self.tests]


CORES = (
    Core(room="cores/stream", name="SkidBuffer", tests=("test_skid_buffer.py",)),
    Core(room="cores/stream", name="StreamBuffer", tests=("test_buffer.py",)),
    Core(room="cores/stream", name="StreamFork", tests=("test_fork.py",)),
    Core(room="cores/stream", name="StreamConcatenation, StreamTail", tests=("test_concatenation.py",)),
    Core(room="cores/stream", name="PacketReader", tests=("test_packet.py::test_packets",)),
    Core(room="cores/stream", name="PacketIntake, PacketOutlet", tests=("test_packet_buffer.py::test_packets",)),
    Core(room="cores/stream", name="StreamPipeline", tests=("test_pipeline.py::test_pipelines",)),
    Core(room="cores/memory", name="Memory, Rom", tests=("test_memory.py::test_equals_reference",)),
    Core(
        room="cores/memory",
        name="ReadArbiter, WriteArbiter",
        tests=("test_arbiter.py::test_equals_reference",),
        beside=("memory",),
    ),
    Core(room="cores/memory", name="SharedMemory", tests=("test_shared.py::test_equals_reference",)),
    Core(room="cores/memory", name="RowIndex", tests=("test_row_index.py",)),
    Core(room="cores/memory", name="ActivationMemory", tests=("test_activation.py::test_equals_reference",)),
    Core(room="cores/memory", name="TransposableMemory", tests=("test_transposable.py::test_equals_reference",)),
    Core(
        room="cores/memory",
        name="HostMap",
        tests=("test_host_map.py::test_equals_reference",),
        beside=("weights_", "states_", "moments_", "results_", "words_", "codes_", "pairs_"),
    ),
    Core(room="cores/fixed", name="round_half_up, saturate", tests=("test_arithmetic.py::test_every_expression",)),
    Core(room="cores/fixed", name="SequentialDivider", tests=("test_sequential.py::test_divider",)),
    Core(room="cores/fixed", name="SequentialSquareRoot", tests=("test_sequential.py::test_square_root",)),
    Core(room="cores/float", name="FloatComparator", tests=("test_comparison.py",)),
    Core(room="cores/float", name="FloatAdder", tests=("test_adder.py",)),
    Core(room="cores/float", name="FloatMultiplier", tests=("test_multiplier.py",)),
    Core(room="cores/float", name="FloatFusedMultiplyAdd", tests=("test_fused_multiply_add.py",)),
    Core(room="cores/float", name="FixedToFloat, FloatToFixed, FloatConverter", tests=("test_conversion.py",)),
    Core(room="cores/float", name="FloatAdderTree", tests=("test_adder_tree.py",)),
    Core(room="cores/function", name="HyperbolicTangent", tests=("test_functions.py::test_hyperbolic_tangent",)),
    Core(room="cores/function", name="ReciprocalSquareRoot", tests=("test_functions.py::test_reciprocal_square_root",)),
    Core(room="cores/function", name="InterpolatedTable", tests=("test_functions.py::test_interpolated_table",)),
    Core(room="cores/function", name="PolynomialEvaluator", tests=("test_polynomial.py::test_evaluator",)),
    Core(room="cores/quantization", name="Quantizer", tests=("test_quantizer.py",)),
    Core(room="cores/quantization", name="RangeUnit", tests=("test_range_unit.py",)),
    Core(room="cores/random", name="GaussianNoise", tests=("test_gaussian.py",)),
    Core(room="cores/array", name="AccumulatorBank", tests=("test_accumulator.py",)),
    Core(room="cores/array", name="Rescaler", tests=("test_rescaler.py",)),
    Core(room="cores/array", name="Dequantizer", tests=("test_dequantizer.py",)),
    Core(room="cores/replay", name="DrawGenerator", tests=("test_draw_generator.py",)),
    Core(room="cores/replay", name="SumTree", tests=("test_sum_tree.py",)),
    Core(room="cores/tree", name="CommandQueue", tests=("test_command_queue.py",)),
    Core(room="cores/tree", name="Bank", tests=("test_bank.py",)),
    Core(room="cores/tree", name="NodeTags", tests=("test_node_tags.py",)),
    Core(room="cores/tree", name="NodeBuffer", tests=("test_node_buffer.py",)),
    Core(room="cores/tree", name="NodeReader", tests=("test_node_reader.py",)),
    Core(room="cores/tree", name="Entrance", tests=("test_entrance.py",)),
    Core(room="cores/tree", name="Exit", tests=("test_exit.py",)),
    Core(room="cores/tree", name="Switch", tests=("test_switch.py",)),
    Core(room="cores/tree", name="StageBankInterconnect, Butterfly", tests=("test_interconnect.py::test_traffic",)),
    Core(room="cores/tree", name="BankAssigner", tests=("test_bank_assigner.py",)),
    Core(room="cores/tree", name="Selector", tests=("test_selector.py",)),
    Core(room="cores/tree", name="Updater", tests=("test_score_units.py::test_updater",)),
    Core(room="cores/tree", name="ExplorationUnit", tests=("test_score_units.py::test_exploration_unit",)),
    Core(room="cores/tree", name="ScoreUnit", tests=("test_score_units.py::test_score_unit",)),
    Core(room="cores/tree", name="Choice", tests=("test_choice.py",)),
    Core(room="cores/tree", name="Update", tests=("test_update.py",)),
    Core(room="cores/tree", name="Inserter", tests=("test_inserter.py",)),
    Core(room="cores/tree", name="SearchCounters", tests=("test_search_counters.py",)),
    Core(room="cores/tree", name="TreeManager", tests=("test_tree_manager.py",)),
    Core(room="cores/tree", name="LevelStage, Arrival", tests=("test_level_stage.py::test_equals_the_reference",)),
    Core(room="cores/tree", name="SearchEngine", tests=("test_search_engine.py",)),
    Core(room="cores/tree", name="SearchTree", tests=("test_search_tree.py",)),
    Core(room="cores/vector", name="LaneReduction", tests=("test_lane_reduction.py",)),
    Core(room="cores/vector", name="VectorProcessingUnit", tests=("test_vpu.py",)),
    Core(room="cores/vector", name="Aggregator", tests=("test_aggregator.py",)),
    Core(room="cores/vector", name="ElementwiseLane", tests=("test_elementwise.py::test_lane",)),
    Core(room="cores/vector", name="ElementwiseUnit", tests=("test_elementwise.py::test_unit",)),
    Core(room="cores/vector", name="SoftmaxUnit", tests=("test_softmax.py",)),
    Core(room="cores/vector", name="WaveBuilder, DescriptorBuilder", tests=("test_wave_builder.py",)),
    Core(
        room="cores/vector",
        name="Drain",
        tests=("test_drain.py",),
        beside=("fetch", "generator", "sequencer"),
    ),
    Core(
        room="cores/vector",
        name="OperandFetch",
        tests=("test_operand_fetch.py",),
        beside=("drain", "generator", "sequencer"),
    ),
    Core(
        room="cores/vector",
        name="WorkItemGenerator, GroupReader",
        tests=("test_work_item_generator.py",),
        beside=("drain", "fetch", "sequencer"),
    ),
    Core(
        room="cores/vector",
        name="StepSequencer",
        tests=("test_step_sequencer.py",),
        beside=("drain", "fetch", "generator"),
    ),
    Core(
        room="cores/vector",
        name="MatrixCore",
        tests=("test_matrix_core.py",),
        beside=("tables", "row_list", "column_list"),
    ),
    Core(room="cores/sparse", name="MaxIndexUnit", tests=("test_max_index.py",)),
    Core(room="cores/sparse", name="LoadAllocationUnit", tests=("test_load_allocation.py",)),
    Core(room="cores/sparse", name="SparseDataEncoder", tests=("test_encoder.py",)),
    Core(room="cores/sparse", name="GroupTables", tests=("test_lists.py",)),
    Core(room="cores/sparse", name="AddressGenerator", tests=("test_address_generator.py",)),
    Core(room="cores/sparse", name="WeightCompressor", tests=("test_compression.py::test_compressor",)),
    Core(room="cores/sparse", name="WeightExpander", tests=("test_compression.py::test_expander",)),
    Core(room="cores/sparse", name="SparseDataEngine", tests=("test_engine.py",)),
    Core(room="cores/sparse_update", name="WeightUpdate", tests=("test_weight_update.py::test_engine",)),
    Core(
        room="cores/sparse_update",
        name="GroupingGradient, GroupingSums",
        tests=("test_grouping_gradient.py::test_gradients",),
    ),
    Core(room="cores/sparse_update", name="GroupingUpdate", tests=("test_grouping_update.py::test_update",)),
    Core(room="cores/sparse_update", name="CoreParameters", tests=("test_core_parameters.py::test_parameters",)),
    Core(room="cores/sparse_update", name="UpdateEngine", tests=("test_update_engine.py",)),
    Core(room="soc/sequencer", name="Sequencer", tests=("test_sequencer.py::test_rules",)),
)
