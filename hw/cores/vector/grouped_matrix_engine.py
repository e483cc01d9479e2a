"""The matrix engine of a core: products of masked matrices as many small dense products, one for each group."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.nonfinite import is_nonfinite
from ..forwarding import forward_port
from ..memory.arbiter import ReadArbiter
from ..memory.config import ArbiterConfig
from ..memory.ports import ReadPort, WritePort
from ..pipeline import delay
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .cluster_array import ISSUE_TO_SUM, ClusterArray
from .drain import DRAIN_LATENCY, Drain
from .lane_reduction import LaneReduction
from .matrix_config import MatrixConfig
from .matrix_layouts import (
    command_layout,
    list_port,
    result_descriptor_layout,
    table_port,
    vector_block_layout,
    vector_word_layout,
    weight_port,
)
from .operand_fetch import OperandFetch
from .step_sequencer import StepSequencer
from .wave_builder import WaveBuilder
from .wave_tracker import WaveTracker
from .work_item_generator import WorkItemGenerator

__all__ = ["GroupedMatrixEngine"]


class GroupedMatrixEngine(ConfiguredComponent):
    """Products of masked matrices: forward, backward and weight gradients of a core's columns, for a word of vectors.

    ::

        forward    result[n] = 0 + x[m0] * W[m0, n] + x[m1] * W[m1, n] + ...     m in the rows of n's group, in order
        backward   result[m] = 0 + d[n0] * W[m, n0] + d[n1] * W[m, n1] + ...     n in the own columns of m's group
        gradient   dW[m, n]  = sum over blocks and lanes of (0 + x[0, m] * d[0, n] + x[1, m] * d[1, n] + ...)

        commands ──> WorkItemGenerator ──> WaveBuilder ──┬──> StepSequencer ──> OperandFetch ──> ClusterArray ──┐
                                                         └──> result descriptors ──────────────────> Drain <────┘
                       result memory <───────────────────────────────────────────────────────────────┤
                       gradient memory <── LaneReduction <───────────────────────────────────────────┘

    Each sum stays in one accumulator from its first term to its last: the bits depend neither on how groups are packed
    into waves nor on the number of VPUs. See docs/learninggroup.md for work items, segments, waves and steps.

    Number format: ``config.format``; every product and every sum rounded to nearest even, unfused.

    Throughput: ``clusters * cluster_vpus`` multiplications and additions a cycle while waves are full; a wave takes
    four cycles for each term of its longest sum. Waves of successive commands of one kind follow each other back to
    back and share clusters; between kinds the engine runs empty.

    Latency: ``latency`` cycles from a command to the first result of a sum of one term, in an idle engine; more for
    longer ones.

    Back-pressure: commands wait; completions wait for ``ready``. A command completes when its last result has been
    written; in order.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    commands : In(stream.Signature(command_layout(config)))
    completions : Out(stream.Signature(1))
    busy : Out(1)
    errors : Out
        ``address_out_of_range``: past the end of the activation, error or result memory.
    nonfinite : Out(1)
        An infinity or NaN was written, a few cycles ago; it is not an error of the engine.
    read_tables, read_row_list, read_column_list : Out(ReadPort)
    read_activations : Out(ReadPort(vector_word_layout(config), activation_rows)).array(cores)
    read_errors : Out(ReadPort(vector_word_layout(config), error_rows)).array(error_ports)
    read_weights : Out(ReadPort(format.width, weight_rows)).array(weight_banks)
    write_results : Out(WritePort(vector_block_layout(config), result_rows)).array(blocks)
    write_gradients : Out(WritePort(format.width, weight_rows)).array(weight_banks)

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: MatrixConfig):
        block, word = vector_block_layout(config), vector_word_layout(config)
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(command_layout(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"address_out_of_range": 1})),
                "nonfinite": Out(1),
                "read_tables": Out(table_port(config)),
                "read_row_list": Out(list_port(config)),
                "read_column_list": Out(list_port(config)),
                "read_activations": Out(ReadPort(word, config.activation_rows)).array(config.cores),
                "read_errors": Out(ReadPort(word, config.error_rows)).array(config.error_ports),
                "read_weights": Out(weight_port(config)).array(config.weight_banks),
                "write_results": Out(WritePort(block, config.result_rows)).array(config.blocks),
                "write_gradients": Out(WritePort(config.format.width, config.weight_rows)).array(config.weight_banks),
            },
        )

    @property
    def latency(self):
        """Cycles from a command to its first result, of a single term."""
        # Command to work item, to wave, to issue slot, to sum; drain.
        return 4 + 2 + 2 + ISSUE_TO_SUM + DRAIN_LATENCY

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.generator = generator = WorkItemGenerator(config)
        m.submodules.builder = builder = WaveBuilder(config)
        m.submodules.sequencer = sequencer = StepSequencer(config)
        m.submodules.fetch = fetch = OperandFetch(config)
        m.submodules.clusters = clusters = ClusterArray(config)
        m.submodules.drain = drain = Drain(config)
        m.submodules.reduction = reduction = LaneReduction(config.reduction)
        m.submodules.tracker = tracker = WaveTracker(config)
        self._connect_waves(m, generator, builder, sequencer, drain)
        self._connect_clusters(m, builder, sequencer, fetch, clusters, drain)
        self._connect_lists(m, generator, fetch)
        self._write_gradients(m, drain, reduction)
        for part, names in (
            (generator, ("commands", "read_tables")),
            (fetch, ("read_activations", "read_errors", "read_weights")),
            (drain, ("write_results",)),
            (tracker, ("completions",)),
        ):
            for name in names:
                forward_port(m, part, self, name)
        wiring.connect(m, builder.ends, tracker.ends)
        sums_done = delay(m, drain.drained_sums, reduction.latency, "sums_done", reset_less=False)
        m.d.comb += tracker.drained.eq(drain.drained | sums_done)
        self._change_kinds(m, generator, builder, sequencer, tracker)
        m.d.comb += self.errors.address_out_of_range.eq(fetch.out_of_range | drain.out_of_range)
        return m

    def _connect_waves(self, m, generator, builder, sequencer, drain):
        """Work items, waves and result descriptors."""
        config = self._config
        m.submodules.descriptors = descriptors = StreamBuffer(
            result_descriptor_layout(config),
            StreamBufferConfig(depth=1 << (2 * config.clusters + 32).bit_length()),
        )
        wiring.connect(m, generator.work_items, builder.work_items)
        wiring.connect(m, builder.waves, sequencer.waves)
        wiring.connect(m, builder.descriptors, descriptors.i)
        wiring.connect(m, descriptors.o, drain.descriptors)

    def _connect_clusters(self, m, builder, sequencer, fetch, clusters, drain):
        """Issue slots, broadcasts and drain chains."""
        wiring.connect(m, fetch.broadcast, clusters.broadcast)
        m.d.comb += [
            fetch.issue.eq(sequencer.issue),
            clusters.issue.eq(sequencer.issue),
            clusters.begin.eq(builder.waves.valid & builder.waves.ready),
            clusters.assignments.eq(builder.waves.payload.assignments),
            clusters.shift.eq(drain.shift),
            drain.load.eq(clusters.load),
        ]
        for given, taken in zip(clusters.chains, drain.chains, strict=True):
            m.d.comb += [end.eq(link) for end, link in zip(taken, given, strict=True)]

    def _connect_lists(self, m, generator, fetch):
        """The lists: for the inner features to the fetch, for the outer ones to the generator."""
        config = self._config
        for name in ("read_row_list", "read_column_list"):
            arbiter = ReadArbiter(list_port(config).shape, ArbiterConfig(depth=config.list_rows, users=2))
            m.submodules[f"{name}_arbiter"] = arbiter
            wiring.connect(m, getattr(fetch, name), arbiter.users[0])
            wiring.connect(m, getattr(generator, name), arbiter.users[1])
            wiring.connect(m, arbiter.port, wiring.flipped(getattr(self, name)))

    def _change_kinds(self, m, generator, builder, sequencer, tracker):
        """A list has one port, and products of different kinds would read it for outer and for inner features at once:
        so one kind waits until all waves of the other are done."""
        product, empty, starved = Signal.like(generator.product), Signal(), Signal()
        m.d.comb += [
            generator.enable.eq(generator.product == product),
            empty.eq(builder.idle & ~generator.work_items.valid & (tracker.waves == builder.closed)),
            starved.eq(generator.idle & ~self.commands.valid | generator.waiting & ~generator.enable),
            builder.flush.eq(starved & sequencer.wanted),
            self.busy.eq(self.commands.valid | ~generator.idle | ~empty | ~tracker.idle),
        ]
        with m.If(generator.waiting & empty):
            m.d.sync += product.eq(generator.product)

    def _write_gradients(self, m, drain, reduction):
        """Sums of weight gradients to bank and row."""
        bank_bits, sums = self._config.weight_bank_bits, reduction.sums
        wiring.connect(m, drain.lane_blocks, reduction.lane_blocks)
        nonfinite = sums.valid & is_nonfinite(self._config.format, sums.payload.sum)
        m.d.comb += self.nonfinite.eq(drain.nonfinite | nonfinite)
        for bank, port in enumerate(self.write_gradients):
            m.d.comb += [
                port.enable.eq(sums.valid & (sums.payload.tag[:bank_bits] == bank)),
                port.address.eq(sums.payload.tag[bank_bits:]),
                port.data.eq(sums.payload.sum),
            ]
