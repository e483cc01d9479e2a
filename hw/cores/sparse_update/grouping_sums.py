"""Sums of the products of compressed weights and their gradients, over rows or own columns of a core's groups."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..memory.ports import ReadPort
from ..sparse.lists import table_entry
from .grouping_gradient_config import GroupingGradientConfig
from .product_sums import ProductSums
from .sum_addresses import SumAddresses

__all__ = ["GroupingSums", "grouping_sums_command", "grouping_word"]


def grouping_sums_command(config):
    """The first entry of a layer's forward table, and its groups.

    ``columns``: a sum for each own column, over the rows of its group; if not, one for each row, over the own columns
    of its group.
    """
    sparse = config.sparse
    return data.StructLayout({"table_base": range(2 * sparse.tuples), "groups": range(sparse.groups + 1), "columns": 1})


def grouping_word(config):
    """Neighbouring sums of a group: lane l with ``mask[l]`` is that of entry ``place + l`` of its list."""
    sparse = config.sparse
    return data.StructLayout(
        {
            "group": range(sparse.groups),
            "place": range(max(sparse.row_list, sparse.column_list) + sparse.banks),
            "mask": sparse.banks,
            "sums": data.ArrayLayout(config.format.width, sparse.banks),
        }
    )


class GroupingSums(ConfiguredComponent):
    """For each row m of a group, or each own column n, in the order of the list::

        rows      0 + dW[m, n0] * W[m, n0] + dW[m, n1] * W[m, n1] + ...      n0 < n1 < ... own columns of the group
        columns   0 + dW[m0, n] * W[m0, n] + dW[m1, n] * W[m1, n] + ...      m0 < m1 < ... rows of the group

    Number format: the configuration's; products and sums are rounded, each by itself, in the order written.

    A lane keeps as many sums as its adder has stages; ``block`` sums of a group are done together. Groups come as the
    forward table has them.

    ::

        table ──> group ──> blocks ──> steps ──> SumAddresses ──> banks ──> ProductSums ──> words

    Throughput: ``block`` sums or fewer, of N products each, take ``(max(N, 1) + 1) * adder_depth + latency + 2``
    cycles, each group 3 besides. The words leave in the last ``adder_depth`` of these, later if they are not taken.

    Parameters
    ----------
    config : GroupingGradientConfig

    Members
    -------
    commands : stream, in
        ``grouping_sums_command``
    completions : stream, out
        One for each command, when its last word has been taken.
    table : Out(ReadPort)
        ``table_entry``
    weights, gradients : Out(ReadPort).array(banks)
        Words past a group are not used.
    words : stream, out
        ``grouping_word``; none without a lane.

    Source
    ------
    LearningGroup, III-A.
    """

    def __init__(self, config: GroupingGradientConfig):
        sparse = config.sparse
        self._addresses, self._sums = SumAddresses(config), ProductSums(config)
        banks = self._addresses.signature.members
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(grouping_sums_command(config))),
                "completions": Out(stream.Signature(1)),
                "table": Out(ReadPort(table_entry(sparse), 2 * sparse.tuples)),
                "weights": banks["weights"],
                "gradients": banks["gradients"],
                "words": Out(stream.Signature(grouping_word(config))),
            },
        )

    @property
    def latency(self):
        """Cycles from the step of a sum to the sum."""
        return self._sums.latency

    def elaborate(self, platform):
        m = Module()
        sparse = self.config.sparse
        m.submodules.addresses = addresses = self._addresses
        m.submodules.sums = sums = self._sums
        forward_port(m, addresses, self, "weights")
        forward_port(m, addresses, self, "gradients")
        command, found, word = Signal(grouping_sums_command(self.config)), self.table.data, self.words.payload
        count = range(sparse.entries + 1)
        # Sums of the group still to be done; products of each.
        left, steps = Signal(count), Signal(count)
        rank = Signal(range(sparse.groups + 1))
        step, slot = Signal(count), Signal(range(self.config.adder_depth))
        last_slot, last_step, emitting = Signal(), Signal(), Signal()
        settling = Signal(range(self.latency + 1))
        self._connect(m, command, step, steps, last_slot, last_step)
        m.d.comb += [
            self.table.address.eq(command.table_base + rank),
            last_slot.eq(slot == self.config.adder_depth - 1),
            last_step.eq(step + 1 >= steps),
            sums.shift.eq(emitting),
            word.mask.eq(sum((lane < left) << lane for lane in range(sparse.banks))),
        ]

        def next_group():
            m.next = "ENTRY"
            with m.If(rank == command.groups):
                m.next = "COMPLETE"

        with m.FSM(name="sums"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), rank.eq(0)]
                with m.If(self.commands.valid):
                    m.next = "ENTRY"
                    with m.If(self.commands.payload.groups == 0):
                        m.next = "COMPLETE"
            with m.State("ENTRY"):
                m.d.comb += self.table.enable.eq(1)
                m.d.sync += rank.eq(rank + 1)
                m.next = "GROUP"
            with m.State("GROUP"):
                m.d.comb += addresses.groups.valid.eq(1)
                m.d.sync += [
                    left.eq(Mux(command.columns, found.outer_count, found.inner_count)),
                    steps.eq(Mux(command.columns, found.inner_count, found.outer_count)),
                    word.group.eq(found.group),
                    word.place.eq(Mux(command.columns, found.outer_start, found.inner_start)),
                ]
                m.next = "BLOCK"
            with m.State("BLOCK"):
                m.d.comb += addresses.begin_block.eq(1)
                m.d.sync += [step.eq(0), slot.eq(0), settling.eq(self.latency)]
                m.next = "RUN"
                with m.If(left == 0):
                    next_group()
            with m.State("RUN"):
                m.d.comb += [addresses.slots.valid.eq(1), sums.slots.final.eq(last_step)]
                m.d.sync += slot.eq(slot + 1)
                with m.If(last_slot):
                    m.d.sync += [slot.eq(0), step.eq(step + 1)]
                    with m.If(last_step):
                        m.next = "SETTLE"
            with m.State("SETTLE"):
                m.d.sync += settling.eq(settling - 1)
                with m.If(settling == 0):
                    m.d.sync += slot.eq(0)
                    m.next = "EMIT"
            with m.State("EMIT"):
                m.d.comb += [self.words.valid.eq(left != 0), emitting.eq(~self.words.valid | self.words.ready)]
                with m.If(emitting):
                    m.d.sync += [
                        slot.eq(slot + 1),
                        word.place.eq(word.place + sparse.banks),
                        left.eq(Mux(left > sparse.banks, left - sparse.banks, 0)),
                    ]
                    with m.If(last_slot):
                        m.next = "BLOCK"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        return m

    def _connect(self, m, command, step, steps, last_slot, last_step):
        """A slot of a step: its addresses, and what becomes of its products."""
        addresses, sums = self._addresses, self._sums
        group, slot, found = addresses.groups.payload, addresses.slots.payload, self.table.data
        m.d.comb += [
            group.columns.eq(command.columns),
            group.weights_base.eq(found.weights_base),
            group.pitch.eq(found.pitch),
            slot.step.eq(step),
            slot.last.eq(last_slot),
            sums.slots.first.eq(step == 0),
            sums.slots.nothing.eq(steps == 0),
            sums.turn.eq(addresses.turn),
            *(port.eq(bank.data) for port, bank in zip(sums.weights, addresses.weights, strict=True)),
            *(port.eq(bank.data) for port, bank in zip(sums.gradients, addresses.gradients, strict=True)),
            self.words.payload.sums.eq(sums.sums),
        ]
