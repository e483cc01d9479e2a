"""Tests that hold the streams of cores to the rule of streams.

The rule is checked at every component in every simulation of a bench (:mod:`rewardware.sim.cocotb.stream_rules`).
While a test of the first table runs, ``conftest.py`` asks whether the core really was in it and carried values.
"""

from rewardware.sim.cocotb.stream_rules import rules_are_on

CORES = "rewardware.hw.cores"
TESTS = "tests/hw/cores"

# Core, by its room and class: its test, below tests/hw/cores.
TESTED = {
    "a3c.AgentsEngine": "a3c/test_agents_engine.py::test_agents_engine",
    "a3c.Entrance": "a3c/test_entrance.py::test_entrance",
    "a3c.ErrorWriter": "a3c/test_rollout_reader.py::test_rollout_reader_and_error_writer",
    "a3c.Exit": "a3c/test_exit.py::test_exit",
    "a3c.ForwardUnit": "a3c/test_agents_engine.py::test_agents_engine",
    "a3c.RolloutReader": "a3c/test_rollout_reader.py::test_rollout_reader_and_error_writer",
    "stream.StreamArbiter": "stream/test_arbiter.py::test_arbiters_and_dispatchers",
    "stream.StreamDispatcher": "stream/test_arbiter.py::test_arbiters_and_dispatchers",
    "a3c.DiscountedReturn": "a3c/test_loss_gradient_unit.py::test_loss_gradient_unit",
    "a3c.LossGradientUnit": "a3c/test_loss_gradient_unit.py::test_loss_gradient_unit",
    "a3c.BackwardEngine": "a3c/test_backward_engine.py::test_backward_engine",
    "a3c.BackwardSequencer": "a3c/test_backward_engine.py::test_backward_engine",
    "a3c.ForwardEngine": "a3c/test_forward_engine.py::test_forward_engine",
    "a3c.ForwardSequencer": "a3c/test_forward_engine.py::test_forward_engine",
    "a3c.GradientSequencer": "a3c/test_gradient_unit.py::test_gradient_unit",
    "a3c.GradientUnit": "a3c/test_gradient_unit.py::test_gradient_unit",
    "a3c.RMSPropUnit": "a3c/test_rms_prop_unit.py::test_rms_prop_unit",
    "convolution.LoopNest": "convolution/test_loop_nest.py::test_all_iterations_in_order",
    "convolution.WindowReader": "convolution/test_window_reader.py::test_windows",
    "convolution.RowPacker": "convolution/test_row_packer.py::test_rows",
    "convolution.LinearTransform": "convolution/test_transforms.py::test_linear_transform",
    "convolution.BlockTransposition": "convolution/test_transforms.py::test_transposition",
    "convolution.WindowReduction": "convolution/test_window_reduction.py::test_window_reduction",
    "convolution.ColumnReduction": "convolution/test_window_reduction.py::test_column_reduction",
    "convolution.LayoutTransformationUnit": "convolution/test_layout_transformation_unit.py::test_layouts",
    "convolution.TileTransform": "convolution/test_transforms.py::test_tiles",
    "convolution.StoreUnit": "convolution/test_store_unit.py::test_store_unit",
    "convolution.RowTransposition": "convolution/test_transforms.py::test_row_transposition",
    "convolution.WordWriter": "convolution/test_store_unit.py::test_store_unit",
    "convolution.PoolUnit": "convolution/test_pool_unit.py::test_pool_unit",
    "array.HostRows": "array/test_host_rows.py::test_rows",
    "array.RangeNoiseEngine": "array/test_range_noise_engine.py::test_engine",
    "attention.AttentionBackward": "attention/test_attention.py::test_attention_backward",
    "attention.AttentionBackwardLane": "attention/test_attention.py::test_attention_backward",
    "attention.AttentionForward": "attention/test_attention.py::test_attention_forward",
    "attention.AttentionForwardLane": "attention/test_attention.py::test_attention_forward",
    "attention.WeightTransposition": "attention/test_attention.py::test_weight_transposition",
    "attention.OthersProduct": "attention/test_others_product.py::test_others_product",
    "attention.AttentionSoftmax": "attention/test_softmax.py::test_softmax",
    "attention.AttentionSoftmaxDerivative": "attention/test_softmax.py::test_softmax_derivative",
    "attention.Softmax": "attention/test_softmax.py::test_softmax",
    "attention.SequentialSum": "attention/test_softmax.py::test_softmax",
    "stream.ArrayElements": "a3c/test_loss_gradient_unit.py::test_loss_gradient_unit",
    "stream.ElementArray": "a3c/test_loss_gradient_unit.py::test_loss_gradient_unit",
    "stream.StreamSplit": "stream/test_concatenation.py::test_there_and_back",
    "stream.HeldOperand": "attention/test_softmax.py::test_softmax",
    "convolution.GemmEngine": "convolution/test_gemm_engine.py::test_gemm_engine",
    "convolution.PassGenerator": "convolution/test_gemm_engine.py::test_gemm_engine",
    "convolution.PassSequencer": "convolution/test_gemm_engine.py::test_gemm_engine",
    "fixed.SequentialDivider": "fixed/test_sequential.py::test_divider",
    "fixed.SequentialSquareRoot": "fixed/test_sequential.py::test_square_root",
    "fractional_convolution.ColumnWalk": "fractional_convolution/test_engine.py::test_engine",
    "fractional_convolution.FractionalConvolutionEngine": "fractional_convolution/test_engine.py::test_engine",
    "fractional_convolution.FractionalConvolutionUnit": "fractional_convolution/test_unit.py::test_unit",
    "fractional_convolution.PixelLoader": "fractional_convolution/test_unit.py::test_unit",
    "fractional_convolution.PixelWalk": "fractional_convolution/test_engine.py::test_engine",
    "fractional_convolution.RowReader": "fractional_convolution/test_engine.py::test_engine",
    "fractional_convolution.TaskSequencer": "fractional_convolution/test_engine.py::test_engine",
    "graph.BackwardGraph": "graph/test_graph.py::test_attention_critic",
    "graph.ErrorSum": "graph/test_graph.py::test_attention_critic",
    "graph.ForwardGraph": "graph/test_graph.py::test_attention_critic",
    "layer.ActivationDerivative": "layer/test_activation_derivative.py::test_activation_derivative",
    "layer.BackwardStage": "layer/test_backward_stage.py::test_backward_stage",
    "learner.AttentiveCriticLoss": "learner/test_attentive_critic_loss.py::test_attentive_critic_loss",
    "learner.CategoricalSampler": "learner/test_categorical_sampler.py::test_categorical_sampler",
    "learner.CounterfactualLoss": "learner/test_counterfactual_loss.py::test_counterfactual_loss",
    "learner.InverseTransform": "learner/test_categorical_sampler.py::test_categorical_sampler",
    "stream.ElementChoice": "learner/test_attentive_critic_loss.py::test_attentive_critic_loss",
    "stream.OneHot": "learner/test_attentive_critic_loss.py::test_attentive_critic_loss",
    "stream.StreamJoin": "learner/test_attentive_critic_loss.py::test_attentive_critic_loss",
    "learner.DDPGLearner": "learner/test_ddpg_learner.py::test_ddpg_learner",
    "learner.DQNLearner": "learner/test_dqn_learner.py::test_dqn_learner",
    "layer.ForwardOutputs": "graph/test_segments.py::test_segments",
    "layer.ForwardStage": "layer/test_forward_stage.py::test_forward_stage",
    "layer.ForwardSums": "graph/test_segments.py::test_segments",
    "layer.GradientStage": "layer/test_gradient_stage.py::test_gradient_stage",
    "learner.LearnerControl": "learner/test_dqn_learner.py::test_dqn_learner",
    "layer.NetworkParameters": "learner/test_dqn_learner.py::test_dqn_learner",
    "layer.ParameterTransfer": "learner/test_dqn_learner.py::test_dqn_learner",
    "learner.MAACLearner": "learner/test_maac_learner.py::test_maac_learner",
    "learner.SampleGate": "learner/test_sample_gate.py::test_sample_gate",
    "learner.LesserValue": "learner/test_sac_cores.py::test_lesser_value",
    "learner.SACLearner": "learner/test_sac_learner.py::test_sac_learner",
    "learner.SquashedGaussian": "learner/test_sac_cores.py::test_squashed_gaussian",
    "learner.SquashedGaussianDerivative": "learner/test_sac_cores.py::test_squashed_gaussian_derivative",
    "learner.TemperatureStage": "learner/test_sac_cores.py::test_temperature_stage",
    "learner.TwinCriticLoss": "learner/test_sac_cores.py::test_twin_critic_loss",
    "learner.TemporalDifferenceLoss": "learner/test_temporal_difference_loss.py::test_temporal_difference_loss",
    "layer.WordCollector": "layer/test_word_collector.py::test_word_collector",
    "memory.HostMap": "memory/test_host_map.py::test_equals_reference",
    "optimizer.AdamEngine": "optimizer/test_adam_engine.py::test_engine",
    "random.GaussianNoise": "random/test_gaussian.py::test_gaussian_noise",
    "replay.DrawGenerator": "replay/test_draw_generator.py::test_draw_generator",
    "replay.ReplayEngine": "replay/test_replay_engine.py::test_replay_engine",
    "replay.SumTree": "replay/test_sum_tree.py::test_sum_tree",
    "sparse.AddressGenerator": "sparse/test_engine.py::test_engine",
    "sparse.BitVectorGenerator": "sparse/test_engine.py::test_engine",
    "sparse.WeightCompressor": "sparse/test_engine.py::test_engine",
    "sparse.WeightExpander": "sparse_update/test_core_parameters.py::test_parameters",
    "sparse.SparseCore": "sparse/test_engine.py::test_engine",
    "sparse.EncodeStage": "sparse/test_engine.py::test_engine",
    "sparse.SparseDataEncoder": "sparse/test_engine.py::test_engine",
    "sparse.SparseDataEngine": "sparse/test_engine.py::test_engine",
    "sparse.FindStage": "sparse/test_engine.py::test_engine",
    "sparse.IndexReader": "sparse/test_engine.py::test_engine",
    "sparse.GroupTables": "sparse/test_engine.py::test_engine",
    "sparse.LoadAllocationUnit": "sparse/test_engine.py::test_engine",
    "sparse.MaxIndexUnit": "sparse/test_engine.py::test_engine",
    "sparse.RowReader": "sparse/test_engine.py::test_engine",
    "sparse.WalkStage": "sparse/test_engine.py::test_engine",
    "sparse_update.CoreParameters": "sparse_update/test_core_parameters.py::test_parameters",
    "sparse_update.GroupingGradient": "sparse_update/test_grouping_gradient.py::test_gradients",
    "sparse_update.GroupingSums": "sparse_update/test_update_engine.py::test_update_engine",
    "sparse_update.GroupingUpdate": "sparse_update/test_grouping_update.py::test_update",
    "sparse_update.RowSums": "sparse_update/test_update_engine.py::test_update_engine",
    "sparse_update.SumAddresses": "sparse_update/test_update_engine.py::test_update_engine",
    "sparse_update.UpdateEngine": "sparse_update/test_update_engine.py::test_update_engine",
    "sparse_update.WeightUpdate": "sparse_update/test_weight_update.py::test_engine",
    "stream.StreamBuffer": "stream/test_buffer.py::test_buffer",
    "stream.StreamConcatenation": "stream/test_concatenation.py::test_there_and_back",
    "stream.StreamFork": "stream/test_fork.py::test_fork",
    "stream.PacketReader": "stream/test_packet.py::test_packets",
    "stream.PacketIntake": "stream/test_packet_buffer.py::test_packets",
    "stream.PacketOutlet": "stream/test_packet_buffer.py::test_packets",
    "stream.PacketService": "stream/test_packet_service.py::test_packets",
    "stream.CreditBuffer": "stream/test_pipeline.py::test_pipelines",
    "stream.StreamPipeline": "stream/test_pipeline.py::test_pipelines",
    "stream.SkidBuffer": "stream/test_skid_buffer.py::test_skid_buffer",
    "tree.Arrival": "tree/test_level_stage.py::test_equals_the_reference",
    "tree.Bank": "tree/test_bank.py::test_bank",
    "tree.BankAssigner": "tree/test_bank_assigner.py::test_equals_the_reference",
    "tree.Butterfly": "tree/test_interconnect.py::test_traffic",
    "tree.CommandQueue": "tree/test_command_queue.py::test_command_queue",
    "tree.Entrance": "tree/test_entrance.py::test_entrance",
    "tree.Exit": "tree/test_exit.py::test_answers_and_grants",
    "tree.StageBankInterconnect": "tree/test_interconnect.py::test_traffic",
    "tree.LevelStage": "tree/test_level_stage.py::test_equals_the_reference",
    "tree.NodeReader": "tree/test_node_reader.py::test_node_reader",
    "tree.SearchEngine": "tree/test_search_engine.py::test_search_engine",
    "tree.SearchTree": "tree/test_search_tree.py::test_equals_the_reference",
    "tree.Switch": "tree/test_switch.py::test_switch",
    "tree.TreeManager": "tree/test_tree_manager.py::test_tree_manager",
    "tree.Update": "tree/test_update.py::test_update",
    "vector.Aggregator": "vector/test_aggregator.py::test_aggregator",
    "vector.DescriptorBuilder": "vector/test_wave_builder.py::test_waves",
    "vector.Drain": "vector/test_drain.py::test_drain",
    "vector.DrainSequencer": "vector/test_drain.py::test_drain",
    "vector.ElementwiseSequencer": "vector/test_elementwise.py::test_unit",
    "vector.ElementwiseUnit": "vector/test_elementwise.py::test_unit",
    "vector.GroupReader": "vector/test_work_item_generator.py::test_work_item_generator",
    "vector.GroupedMatrixEngine": "vector/test_matrix_core.py::test_bits_do_not_depend_on_packing",
    "vector.LaneReduction": "vector/test_lane_reduction.py::test_equals_reference",
    "vector.MatrixCore": "vector/test_matrix_core.py::test_bits_do_not_depend_on_packing",
    "vector.SoftmaxSequencer": "vector/test_softmax.py::test_softmax_unit",
    "vector.SoftmaxUnit": "vector/test_softmax.py::test_softmax_unit",
    "vector.StepSequencer": "vector/test_step_sequencer.py::test_step_sequencer",
    "vector.WaveBuilder": "vector/test_wave_builder.py::test_waves",
    "vector.WaveTracker": "vector/test_matrix_core.py::test_bits_do_not_depend_on_packing",
    "vector.WorkItemGenerator": "vector/test_work_item_generator.py::test_work_item_generator",
}

# Cores that no bench has: they stand in whole systems, which that test compares with their references in every word,
# without a look at these streams.
ONLY_IN_SYSTEMS = {
    "array.ArrayMatrixEngine": "soc/fixar/test_system.py::test_jobs_equal_reference",
    "array.ResultPath": "soc/fixar/test_system.py::test_jobs_equal_reference",
    "array.TileGenerator": "soc/fixar/test_system.py::test_jobs_equal_reference",
    "array.TileSequencer": "soc/fixar/test_system.py::test_jobs_equal_reference",
    "learner.ExperienceResults": "soc/maac/test_system.py::test_rows_with_stalls",
    "learner.ExperienceSplitter": "soc/maac/test_system.py::test_rows_with_stalls",
    "learner.LearnerEngine": "soc/pearl/test_learner_system.py::test_gradient_steps_of_any_length",
    "learner.SampleSplitter": "soc/pearl/test_learner_system.py::test_gradient_steps_of_any_length",
}


def missing_streams(test: str, seen: dict[str, bool]) -> list[str]:
    """Streams that the tables name for a test and its simulations do not show, or the other way round.

    Parameters
    ----------
    test : str
        As pytest names it.
    seen : dict
        The streams that carried values in it.
    """
    if not rules_are_on():
        return []
    place = test.partition("[")[0].removeprefix(f"{TESTS}/")
    here = CORES.removeprefix("rewardware.")
    cores = {short_name(name.partition(" ")[0], here) for name in seen if name.startswith(f"{here}.")}
    absent = [core for core, where in sorted(TESTED.items()) if where == place and core not in cores]
    unknown = sorted(cores - TESTED.keys() - ONLY_IN_SYSTEMS.keys())
    return [f"{core} carried no values in this test" for core in absent] + [
        f"{core} has streams and no row in tests/hw/streams.py" for core in unknown
    ]


def short_name(place: str, above: str) -> str:
    """Room and class of a core, from its module and class."""
    module, _, name = place.removeprefix(f"{above}.").partition(":")
    return f"{module.rpartition('.')[0]}.{name}"
