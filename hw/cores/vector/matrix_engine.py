"""The matrix engine of a core."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from ..pipeline import delay
from ..replicated import replicated
from .cluster_group import ClusterGroup
from .drain import DRAIN_LATENCY, Drain
from .lane_reduction import LaneReduction
from .matrix_config import ACCUMULATORS, SLOTS, MatrixConfig, Product
from .matrix_layouts import (
    BlockWriteSignature,
    WeightReadSignature,
    address_width,
    command_layout,
    entry_layout,
    group_layout,
    read_signature,
)
from .operand_fetch import FETCH_LATENCY, OperandFetch
from .round_builder import RoundBuilder
from .segment_generator import SegmentGenerator
from .step_sequencer import StepSequencer
from .vpu import SELECT_TO_FIRST, SELECT_TO_SUM

__all__ = ["MatrixEngine", "OperandReadSignature"]

# Commands that may be outstanding, as the sequencer of a shell has it.
_COMMANDS = 16


class OperandReadSignature(wiring.Signature):
    """Words of the activation and error memory, seen from the engine; data come one cycle after the address.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    activation_enable : Out(1)
    activation_bank : Out(range(cores))
    activation_address : Out(range(activation_rows))
    activation_data : In(4 * format.width).array(cores, blocks, cluster_vpus)
        Of each bank; those not asked for do not matter.
    error_enable : Out(error_ports)
    error_address : Out(range(error_rows)).array(error_ports)
    error_data : In(4 * format.width).array(error_ports, blocks, cluster_vpus)
    """

    def __init__(self, config: MatrixConfig):
        word, shape = config.vector_width, (config.blocks, config.cluster_vpus)
        super().__init__(
            {
                "activation_enable": Out(1),
                "activation_bank": Out(address_width(config.cores)),
                "activation_address": Out(address_width(config.activation_rows)),
                "activation_data": In(word).array(config.cores, *shape),
                "error_enable": Out(config.error_ports),
                "error_address": Out(address_width(config.error_rows)).array(config.error_ports),
                "error_data": In(word).array(config.error_ports, *shape),
            }
        )


class MatrixEngine(wiring.Component):
    """Products of masked matrices: forward, backward and weight gradients of a core's columns, for a word of vectors.

    ::

        forward    result[n] = 0 + x[m0] * W[m0, n] + x[m1] * W[m1, n] + ...     m in the rows of n's group, in order
        backward   result[m] = 0 + d[n0] * W[m, n0] + d[n1] * W[m, n1] + ...     n in the own columns of m's group
        gradient   dW[m, n]  = sum over blocks and lanes of (0 + x[0, m] * d[0, n] + x[1, m] * d[1, n] + ...)

    Each sum stays in one accumulator from its first term to its last: the bits depend neither on how groups are packed
    into rounds nor on the number of VPUs. See docs/learninggroup.md for tasks, segments, rounds and steps.

    Number format: ``config.format``; every product and every sum rounded to nearest even, unfused.

    Throughput: ``clusters * cluster_vpus`` multiplications and additions a cycle while rounds are full; a round takes
    four cycles for each term of its longest sum. Rounds of successive commands of one kind follow each other without a
    gap and share clusters; between kinds the engine runs empty.

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
        ``address_out_of_range``: behind the end of the activation, error or result memory.
    nonfinite : Out(1)
        An infinity or NaN was written, a few cycles ago; it is not an error of the engine.
    tables, row_list, column_list : Out(read_signature)
    operands : Out(OperandReadSignature(config))
    weights : Out(WeightReadSignature(config))
    results : Out(BlockWriteSignature(config))
    gradient_enable : Out(1)
    gradient_bank : Out(4)
    gradient_address : Out(range(weight_rows))
    gradient_data : Out(format.width)

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: MatrixConfig):
        self._config = config
        lists = read_signature(config.list_rows, address_width(config.features))
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"address_out_of_range": 1})),
                "nonfinite": Out(1),
                "tables": Out(read_signature(config.table_rows, group_layout(config))),
                "row_list": Out(lists),
                "column_list": Out(lists),
                "operands": Out(OperandReadSignature(config)),
                "weights": Out(WeightReadSignature(config)),
                "results": Out(BlockWriteSignature(config)),
                "gradient_enable": Out(1),
                "gradient_bank": Out(range(config.weight_banks)),
                "gradient_address": Out(address_width(config.weight_rows)),
                "gradient_data": Out(config.format.width),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from a command to its first result, of a single term."""
        # Command to item, to round, to step; fetch; a step is captured; exchange; sum; drain.
        return 4 + 2 + 2 + FETCH_LATENCY + SLOTS + 1 + SELECT_TO_SUM + DRAIN_LATENCY

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.generator = generator = SegmentGenerator(config)
        m.submodules.builder = builder = RoundBuilder(config)
        m.submodules.sequencer = sequencer = StepSequencer(config)
        m.submodules.fetch = fetch = OperandFetch(config)
        m.submodules.drain = drain = Drain(config)
        m.submodules.reduction = reduction = LaneReduction(config.reduction)
        wiring.connect(m, generator.items, builder.items)
        wiring.connect(m, wiring.flipped(self.commands), generator.commands)
        wiring.connect(m, generator.tables, wiring.flipped(self.tables))
        self._connect_lists(m, generator, fetch)
        self._connect_rounds(m, generator, builder, sequencer, drain, reduction)
        self._connect_clusters(m, builder, sequencer, fetch, drain)
        self._connect_memories(m, fetch, drain, reduction)
        return m

    def _connect_lists(self, m, generator, fetch):
        """The lists: for the outer features to the generator, for the inner ones to the fetch."""
        for port, outer, inner in (
            (self.row_list, generator.row_list, fetch.row_list),
            (self.column_list, generator.column_list, fetch.column_list),
        ):
            m.d.comb += [
                port.enable.eq(outer.enable | inner.enable),
                port.address.eq(Mux(inner.enable, inner.address, outer.address)),
                outer.data.eq(port.data),
                inner.data.eq(port.data),
            ]

    def _connect_rounds(self, m, generator, builder, sequencer, drain, reduction):
        """Commands, rounds, entries and completions, counted."""
        config = self._config
        m.submodules.entries = entries = SyncFIFOBuffered(
            width=entry_layout(config).size, depth=1 << (2 * config.clusters + 32).bit_length()
        )
        m.submodules.ends = ends = SyncFIFOBuffered(width=8, depth=_COMMANDS)
        drained, number, done = Signal(8), Signal(8), Signal(8)
        sums_done = delay(m, drain.drained_sums, reduction.latency, "sums_done")
        m.d.sync += drained.eq(drained + (drain.drained | sums_done))
        m.d.comb += [
            sequencer.round_valid.eq(builder.round_valid),
            sequencer.round.eq(builder.round),
            builder.take.eq(sequencer.take),
            entries.w_en.eq(builder.entry_valid),
            entries.w_data.eq(builder.entry),
            builder.entry_room.eq(entries.w_rdy),
            drain.entries.valid.eq(entries.r_rdy),
            drain.entries.payload.eq(entries.r_data),
            entries.r_en.eq(drain.entries.ready),
            ends.w_en.eq(builder.ends.valid),
            ends.w_data.eq(builder.ends.payload),
            builder.ends.ready.eq(ends.w_rdy),
            number.eq(ends.r_data),
            done.eq(drained - number),
            self.completions.valid.eq(ends.r_rdy & ~done[-1]),
            ends.r_en.eq(self.completions.valid & self.completions.ready),
        ]
        # A list has one port: products of different kinds would read it for outer and for inner features at once.
        product, quiet, starved = Signal.like(generator.product), Signal(), Signal()
        m.d.comb += [
            generator.enable.eq(generator.product == product),
            quiet.eq(builder.idle & ~generator.items.valid & (drained == builder.closed)),
            starved.eq(generator.idle & ~self.commands.valid | generator.waiting & ~generator.enable),
            builder.flush.eq(starved & sequencer.wanted),
            self.busy.eq(self.commands.valid | ~generator.idle | ~quiet | ends.r_rdy),
        ]
        with m.If(generator.waiting & quiet):
            m.d.sync += product.eq(generator.product)

    def _connect_clusters(self, m, builder, sequencer, fetch, drain):
        """Broadcasts, tasks, control and chains of all clusters."""
        config = self._config
        tick = sequencer.tick
        m.d.comb += fetch.tick.eq(tick)

        # Tasks change with the first broadcast of a round. On the way there may be one more.
        taken = [delay(m, sequencer.take, cycles, f"taken_{cycles}") for cycles in (2, FETCH_LATENCY)]
        tasks = builder.round.tasks
        under_way, current = Signal.like(tasks), Signal.like(tasks)
        with m.If(taken[0]):
            m.d.sync += under_way.eq(tasks)
        with m.If(taken[1]):
            m.d.sync += current.eq(under_way)

        # From the last broadcast of a step: captured, in use, selected, multiplied, added.
        broadcast = FETCH_LATENCY
        selected = broadcast + 1 + SLOTS
        firsts, results = selected + SELECT_TO_FIRST, selected + SELECT_TO_SUM

        def later(value, cycles, name):
            register = Signal.like(value, name=name)
            m.d.comb += register.eq(delay(m, value, cycles, name))
            return register

        active, index = later(tick.active, broadcast, "active"), later(tick.index, broadcast, "index")
        exchange = later(active & (index == SLOTS - 1), 1, "exchange")
        gradient = later(tick.product == Product.GRADIENT, selected, "gradient")
        select = later(index, selected - broadcast, "select")
        first = later(tick.first, firsts, "first")
        load = later(tick.active & tick.last, results, "load")
        turn = later(select, results - selected, "turn")

        groups, offset = [], 0
        for number, size in enumerate(config.cluster_groups):
            component = ClusterGroup(config.cluster, size)
            m.submodules[f"clusters_{number}"] = group = replicated(
                component, name="clusters", key=(config.cluster, size), hierarchical=True
            )
            m.d.comb += [group.tasks[place].eq(current[offset + place]) for place in range(size)]
            m.d.comb += [
                group.control.valid.eq(active),
                group.control.slot.eq(index),
                group.control.exchange.eq(exchange),
                group.control.gradient.eq(gradient),
                group.control.select.eq(select),
                group.control.first.eq(first),
                group.control.shift.eq(drain.shift),
            ]
            m.d.comb += [group.control.load[place].eq(load & (turn == place)) for place in range(ACCUMULATORS)]
            for block, vpu in _pairs(config.blocks, config.cluster_vpus):
                m.d.comb += group.words[block][vpu].eq(fetch.words[block][vpu])
                for port in range(config.error_ports):
                    m.d.comb += group.errors[port][block][vpu].eq(fetch.errors[port][block][vpu])
            m.d.comb += [group.weights[bank].eq(fetch.weights[bank]) for bank in range(config.weight_banks)]
            groups.append(group)
            offset += size
        m.d.comb += drain.load.eq(load & (turn == 0))
        for block, vpu in _pairs(config.blocks, config.cluster_vpus):
            m.d.comb += drain.chains[block][vpu].eq(groups[0].chain_out[block][vpu])
            for ahead, behind in zip(groups, groups[1:], strict=False):
                m.d.comb += ahead.chain_in[block][vpu].eq(behind.chain_out[block][vpu])

    def _connect_memories(self, m, fetch, drain, reduction):
        """What the parts read and write, out of the engine."""
        config = self._config
        operands = self.operands
        m.d.comb += [
            operands.activation_enable.eq(fetch.activation_enable),
            operands.activation_bank.eq(fetch.activation_bank),
            operands.activation_address.eq(fetch.activation_address),
            operands.error_enable.eq(fetch.error_enable),
        ]
        for port in range(config.error_ports):
            m.d.comb += operands.error_address[port].eq(fetch.error_address[port])
        for block, vpu in _pairs(config.blocks, config.cluster_vpus):
            for bank in range(config.cores):
                m.d.comb += fetch.activation_data[bank][block][vpu].eq(operands.activation_data[bank][block][vpu])
            for port in range(config.error_ports):
                m.d.comb += fetch.error_data[port][block][vpu].eq(operands.error_data[port][block][vpu])
        wiring.connect(m, fetch.weights_read, wiring.flipped(self.weights))
        wiring.connect(m, drain.results, wiring.flipped(self.results))

        number_format = config.format
        target, exponent = Signal(config.reduction.tag_width), Signal(number_format.exponent_bits)
        m.d.comb += [
            reduction.valid.eq(drain.sums_valid),
            reduction.block.eq(drain.sums_block),
            reduction.blocks.eq(drain.sums_blocks),
            reduction.tag.eq(drain.sums_target),
            target.eq(reduction.sum_tag),
            self.gradient_enable.eq(reduction.sum_valid),
            self.gradient_bank.eq(target),
            self.gradient_address.eq(target >> len(self.gradient_bank)),
            self.gradient_data.eq(reduction.sum),
            exponent.eq(reduction.sum >> number_format.fraction_bits),
            self.nonfinite.eq(drain.nonfinite | reduction.sum_valid & exponent.all()),
            self.errors.address_out_of_range.eq(fetch.out_of_range | drain.out_of_range),
        ]
        m.d.comb += [reduction.values[vpu].eq(drain.sums[vpu]) for vpu in range(config.cluster_vpus)]


def _pairs(first, second):
    return [(one, other) for one in range(first) for other in range(second)]
