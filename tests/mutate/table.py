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
    component : str
        The class, as ``package.module:Class``, where the tests simulate it with Amaranth or prove it: they build no
        simulator, so it is elaborated with its mutants.
    """

    room: str
    name: str
    tests: tuple[str, ...]
    beside: tuple[str, ...] = ()
    component: str = ""

    @property
    def paths(self) -> list[str]:
        """The tests, from the root of the repository."""
        return [f"tests/hw/{self.room}/{test}" for test in self.tests]


CORES = (
    Core(room="cores/stream", name="SkidBuffer", tests=("test_skid_buffer.py",)),
    Core(room="cores/stream", name="StreamBuffer", tests=("test_buffer.py",)),
    Core(room="cores/stream", name="StreamFork", tests=("test_fork.py",)),
    Core(room="cores/stream", name="StreamConcatenation, StreamSplit", tests=("test_concatenation.py",)),
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
    Core(
        room="cores/float",
        name="FloatExponential, FloatLogarithm, FloatReciprocal, FloatSigmoidTanh, FloatSquareRoot",
        tests=("functions/test_functions.py::test_units_follow_their_references",),
    ),
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
    Core(room="cores/array", name="ProcessingElementColumn, ProcessingElement", tests=("test_column.py",)),
    Core(room="cores/array", name="AdaptiveArrayCore", tests=("test_core.py::test_equals_reference",)),
    Core(room="cores/array", name="OperandFormer", tests=("test_operand.py",)),
    Core(room="cores/array", name="ActivationUnit", tests=("test_activation_unit.py",)),
    Core(room="cores/array", name="WritebackPath, WritebackLane", tests=("test_writeback.py::test_equals_reference",)),
    Core(
        room="cores/array",
        name="GradientWriteback",
        tests=("test_gradient_writeback.py::test_equals_reference",),
        beside=("memory",),
    ),
    Core(room="cores/array", name="CoreMemories", tests=("test_core_memories.py",)),
    Core(room="cores/array", name="HostRows", tests=("test_host_rows.py",), beside=("map",)),
    Core(
        room="cores/array",
        name="TileSequencer",
        tests=("test_tile_rows.py", "test_tile_sequencer.py"),
        component="rewardware.hw.cores.array.tile_sequencer:TileSequencer",
    ),
    Core(room="cores/array", name="RangeNoiseEngine", tests=("test_range_noise_engine.py",)),
    Core(room="cores/replay", name="DrawGenerator", tests=("test_draw_generator.py",)),
    Core(room="cores/replay", name="SumTree", tests=("test_sum_tree.py",)),
    Core(room="cores/replay", name="ReplayEngine", tests=("test_replay_engine.py",)),
    Core(room="cores/optimizer", name="AdamLane", tests=("test_adam_lane.py",)),
    Core(room="cores/optimizer", name="AdamEngine", tests=("test_adam_engine.py::test_engine",)),
    Core(room="cores/optimizer", name="FloatAdamLane, SGDLane", tests=("test_float_lane.py",)),
    Core(room="cores/optimizer", name="RMSpropLane", tests=("test_rms_prop.py::test_lane",)),
    Core(room="cores/layer", name="MultiplyAccumulate", tests=("test_multiply_accumulate.py",)),
    Core(
        room="cores/layer",
        name="ActivationDerivative",
        tests=("test_activation_derivative.py::test_activation_derivative",),
    ),
    Core(room="cores/layer", name="ParameterArray", tests=("test_parameter_array.py::test_parameter_array",)),
    Core(room="cores/layer", name="RunningSums", tests=("test_running_sums.py::test_running_sums",)),
    Core(room="cores/layer", name="ForwardStage", tests=("test_forward_stage.py",), beside=("weights",)),
    Core(room="cores/layer", name="BackwardStage", tests=("test_backward_stage.py",), beside=("weights",)),
    Core(room="cores/layer", name="GradientStage", tests=("test_gradient_stage.py::test_gradient_stage",)),
    Core(room="cores/learner", name="TemporalDifferenceLoss", tests=("test_temporal_difference_loss.py",)),
    Core(
        room="cores/layer",
        name="UpdateStage",
        tests=("test_update_stage.py",),
        beside=(
            "weights",
            "gradients",
            "state_",
        ),
    ),
    Core(
        room="cores/fractional_convolution",
        name="FractionalConvolutionEngine",
        tests=("test_engine.py::test_engine",),
        beside=("inputs", "weights"),
    ),
    Core(room="cores/graph", name="ForwardGraph, BackwardGraph", tests=("test_segments.py",), beside=("weights_",)),
    Core(room="cores/attention", name="OthersProduct", tests=("test_others_product.py",)),
    Core(room="cores/attention", name="AttentionSoftmax", tests=("test_softmax.py::test_softmax",)),
    Core(
        room="cores/attention",
        name="AttentionSoftmaxDerivative",
        tests=("test_softmax.py::test_softmax_derivative",),
    ),
    Core(room="cores/attention", name="WeightTransposition", tests=("test_attention.py::test_weight_transposition",)),
    Core(room="cores/attention", name="AttentionForward", tests=("test_attention.py::test_attention_forward",)),
    Core(room="cores/attention", name="AttentionBackward", tests=("test_attention.py::test_attention_backward",)),
    Core(room="cores/learner", name="DQNLearner", tests=("test_dqn_learner.py",)),
    Core(room="cores/learner", name="DDPGLearner", tests=("test_ddpg_learner.py",)),
    Core(room="cores/learner", name="SACLearner", tests=("test_sac_learner.py",)),
    Core(room="cores/learner", name="SquashedGaussian", tests=("test_sac_cores.py::test_squashed_gaussian",)),
    Core(
        room="cores/learner",
        name="SquashedGaussianDerivative",
        tests=("test_sac_cores.py::test_squashed_gaussian_derivative",),
    ),
    Core(room="cores/learner", name="TwinCriticLoss", tests=("test_sac_cores.py::test_twin_critic_loss",)),
    Core(room="cores/learner", name="LesserValue", tests=("test_sac_cores.py::test_lesser_value",)),
    Core(room="cores/learner", name="TemperatureStage", tests=("test_sac_cores.py::test_temperature_stage",)),
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
    Core(
        room="soc/bus",
        name="AxiLiteSlave",
        tests=("test_axi_lite_slave.py", "test_axi_lite_formal.py::test_slave_keeps_the_protocol[5]"),
        component="rewardware.hw.soc.bus.axi_lite:AxiLiteSlave",
    ),
    Core(
        room="soc/bus",
        name="RegisterBank",
        tests=("test_register_accesses.py",),
        component="rewardware.hw.soc.bus.register_bank:RegisterBank",
    ),
    Core(room="soc/bus", name="AxiReader", tests=("test_axi_reader.py",), beside=("write",)),
    Core(room="soc/bus", name="AxiWriter", tests=("test_axi_writer.py",), beside=("read",)),
    Core(
        room="soc/bus",
        name="AxiLiteDecoder",
        tests=("test_axi_lite_decoder.py::test_accesses_reach_their_slave",),
        component="rewardware.hw.soc.bus.axi_lite_decoder:AxiLiteDecoder",
    ),
    Core(room="soc/bus", name="ClockCrossing", tests=("test_clock_crossing.py",), beside=("system.system",)),
    Core(
        room="soc/bus",
        name="UartReceiver",
        tests=("test_uart.py",),
        component="rewardware.hw.soc.bus.uart:UartReceiver",
    ),
    Core(
        room="soc/bus",
        name="UartTransmitter",
        tests=("test_uart.py",),
        component="rewardware.hw.soc.bus.uart:UartTransmitter",
    ),
    Core(
        room="soc/bus",
        name="FrameReceiver",
        tests=("test_uart_frame.py",),
        # Amaranth's, of whose copies of the register a bit each is used.
        beside=("crc",),
        component="rewardware.hw.soc.bus.uart_frame:FrameReceiver",
    ),
    Core(
        room="soc/bus",
        name="FrameTransmitter",
        tests=("test_uart_frame.py",),
        beside=("crc",),
        component="rewardware.hw.soc.bus.uart_frame:FrameTransmitter",
    ),
    Core(
        room="soc/bus",
        name="RequestDispatcher",
        tests=("test_uart_dispatcher.py",),
        component="rewardware.hw.soc.bus.uart_dispatcher:RequestDispatcher",
    ),
    Core(
        room="soc/bus",
        name="RegisterRequests",
        tests=("test_uart_registers.py",),
        component="rewardware.hw.soc.bus.uart_registers:RegisterRequests",
    ),
    Core(
        room="soc/bus",
        name="RowsToSystem",
        tests=(
            "test_uart_rows.py::test_rows_are_sent_all_or_none",
            "test_uart_rows.py::test_rows_are_sent_at_the_stated_rate",
        ),
        component="rewardware.hw.soc.bus.uart_rows:RowsToSystem",
    ),
    Core(
        room="soc/bus",
        name="RowsToHost",
        tests=("test_uart_rows.py::test_no_more_rows_are_received_than_wanted_there_and_fit",),
        component="rewardware.hw.soc.bus.uart_rows:RowsToHost",
    ),
    Core(
        room="soc/shell",
        name="TransferEngine",
        tests=("test_transfer_engine.py::test_equals_reference",),
        beside=("memories",),
    ),
    Core(room="soc/fixar", name="TransferDispatch", tests=("test_transfer_dispatch.py",), beside=("buffer",)),
    Core(room="soc/learninggroup", name="CommandBroadcast", tests=("test_broadcast.py",)),
)
