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
    Core(room="soc/sequencer", name="Sequencer", tests=("test_sequencer.py::test_rules",)),
)
