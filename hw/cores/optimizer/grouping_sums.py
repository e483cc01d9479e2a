"""Sums of the products of compressed weights and their gradients, over rows or own columns of a core's groups."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay
from ..replicated import replicated
from ..sparse.lists import table_entry
from ..sparse.networks import rotate
from ..sparse.selection import times
from .grouping_gradient_config import GroupingGradientConfig

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


class GroupingSums(wiring.Component):
    """For each row m of a group, or each own column n, in the order of the list::

        rows      0 + dW[m, n0] * W[m, n0] + dW[m, n1] * W[m, n1] + ...      n0 < n1 < ... own columns of the group
        columns   0 + dW[m0, n] * W[m0, n] + dW[m1, n] * W[m1, n] + ...      m0 < m1 < ... rows of the group

    Number format: the configuration's; products and sums are rounded, each by itself, in the order written.

    A lane keeps as many sums as its adder has stages; ``block`` sums of a group are done together. Groups come as the
    forward table has them.

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
    table_read_enable, table_read_address, table_data
        ``table_entry``. The data of all memories come in the next cycle.
    read_enable : Out(1)
        Of all banks of weights and gradients.
    read_addresses : out, array of ``banks``
        What is read from behind a group is not used.
    weights, gradients : in, arrays of ``banks``
    words : stream, out
        ``grouping_word``; none without a lane.

    Source
    ------
    LearningGroup, III-A.
    """

    def __init__(self, config: GroupingGradientConfig):
        self._config = config
        sparse = config.sparse
        super().__init__(
            {
                "commands": In(stream.Signature(grouping_sums_command(config))),
                "completions": Out(stream.Signature(1)),
                "table_read_enable": Out(1),
                "table_read_address": Out(range(2 * sparse.tuples)),
                "table_data": In(table_entry(sparse)),
                "read_enable": Out(1),
                "read_addresses": Out(range(sparse.weight_words)).array(sparse.banks),
                "weights": In(sparse.weight_width).array(sparse.banks),
                "gradients": In(sparse.weight_width).array(sparse.banks),
                "words": Out(stream.Signature(grouping_word(config))),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from the step of a sum to the sum."""
        return 3 + self._config.multiplier_depth + self._config.adder_depth

    def elaborate(self, platform):
        m = Module()
        sparse, depth = self._config.sparse, self._config.adder_depth
        count = range(sparse.entries + 1)
        self.command = command = Signal(grouping_sums_command(self._config))
        self.entry = entry = Signal(table_entry(sparse))
        rank = Signal(range(sparse.groups + 1))
        self.left = left = Signal(count)
        self.steps = Signal(count)
        self.step, self.slot = Signal(count), Signal(range(depth))
        self.begin_group, self.begin_block, self.running = Signal(), Signal(), Signal()
        self.emitting = Signal()
        settling = Signal(range(self.latency + 1))
        word = self.words.payload
        last_slot, last_step = Signal(), Signal()
        m.d.comb += [
            self.table_read_address.eq(command.table_base + rank),
            last_slot.eq(self.slot == depth - 1),
            last_step.eq(self.step + 1 >= self.steps),
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
                m.d.comb += self.table_read_enable.eq(1)
                m.d.sync += rank.eq(rank + 1)
                m.next = "GROUP"
            with m.State("GROUP"):
                m.d.comb += self.begin_group.eq(1)
                found = self.table_data
                m.d.sync += [
                    entry.eq(found),
                    left.eq(Mux(command.columns, found.outer_count, found.inner_count)),
                    self.steps.eq(Mux(command.columns, found.inner_count, found.outer_count)),
                    word.group.eq(found.group),
                    word.place.eq(Mux(command.columns, found.outer_start, found.inner_start)),
                ]
                m.next = "BLOCK"
            with m.State("BLOCK"):
                m.d.comb += self.begin_block.eq(1)
                m.d.sync += [self.step.eq(0), self.slot.eq(0), settling.eq(self.latency)]
                m.next = "RUN"
                with m.If(left == 0):
                    next_group()
            with m.State("RUN"):
                m.d.comb += self.running.eq(1)
                m.d.sync += self.slot.eq(self.slot + 1)
                with m.If(last_slot):
                    m.d.sync += [self.slot.eq(0), self.step.eq(self.step + 1)]
                    with m.If(last_step):
                        m.next = "SETTLE"
            with m.State("SETTLE"):
                m.d.sync += settling.eq(settling - 1)
                with m.If(settling == 0):
                    m.d.sync += self.slot.eq(0)
                    m.next = "EMIT"
            with m.State("EMIT"):
                m.d.comb += [
                    self.words.valid.eq(left != 0),
                    self.emitting.eq(~self.words.valid | self.words.ready),
                ]
                with m.If(self.emitting):
                    m.d.sync += [
                        self.slot.eq(self.slot + 1),
                        word.place.eq(word.place + sparse.banks),
                        left.eq(Mux(left > sparse.banks, left - sparse.banks, 0)),
                    ]
                    with m.If(last_slot):
                        m.next = "BLOCK"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        first, final = Signal(), Signal()
        m.d.comb += [first.eq(self.step == 0), final.eq(self.running & last_step)]
        turn = self._addresses(m, last_slot)
        self._lanes(m, turn, first, final)
        return m

    def _addresses(self, m, last_slot):
        """Reads the weights of a step; returns how far their banks are turned, in the cycle in which they come."""
        sparse, command, entry = self._config.sparse, self.command, self.entry
        banks = sparse.banks
        bank_bits = (banks - 1).bit_length()
        address = range(sparse.weight_words)
        # Of the block's first slot, of the step's first slot, and of this one: lane 0.
        block_base, step_base, here = Signal(address), Signal(address), Signal(address)
        next_step = Signal(address)
        turn, turn_late = Signal(bank_bits), Signal(bank_bits)
        # A lane for rows reads each from a row of its own; those for columns read one row together.
        distance = Signal(entry.pitch.shape())
        m.d.comb += [
            next_step.eq(step_base + Mux(command.columns, entry.pitch, (self.step & (banks - 1)) == (banks - 1))),
            distance.eq(Mux(command.columns, 0, entry.pitch)),
        ]
        slot_distance = Signal(range(banks * (1 << len(entry.pitch))))
        m.d.comb += slot_distance.eq(Mux(command.columns, 1, entry.pitch << bank_bits))
        with m.If(self.begin_group):
            m.d.sync += block_base.eq(self.table_data.weights_base)
        with m.If(self.begin_block):
            m.d.sync += [step_base.eq(block_base), here.eq(block_base)]
        with m.If(self.running):
            m.d.sync += here.eq(here + slot_distance)
            with m.If(last_slot):
                m.d.sync += [step_base.eq(next_step), here.eq(next_step)]
            with m.If(last_slot & (self.step == 0)):
                m.d.sync += block_base.eq(here + slot_distance)
        addresses = []
        for lane in range(banks):
            register = Signal(address, name=f"address_{lane}", reset_less=True)
            m.d.sync += register.eq(here + times(distance, lane) if lane else here)
            addresses.append(register)
        m.d.sync += [turn.eq(self.step), turn_late.eq(turn), self.read_enable.eq(self.running)]
        turned = rotate(m, addresses, turn, "address")
        m.d.comb += [port.eq(value) for port, value in zip(self.read_addresses, turned, strict=True)]
        return turn_late

    def _lanes(self, m, turn, first, final):
        """Products and sums, and the registers that sums leave from."""
        config, banks = self._config, self._config.sparse.banks
        depth, width = config.adder_depth, config.format.width
        operands = {}
        for name, port in (("weight", self.weights), ("gradient", self.gradients)):
            turned = rotate(m, list(port), turn, name, back=True)
            operands[name] = [Signal(width, name=f"{name}_{lane}", reset_less=True) for lane in range(banks)]
            m.d.sync += [register.eq(word) for register, word in zip(operands[name], turned, strict=True)]
        to_add = 3 + config.multiplier_depth
        first = delay(m, first, to_add, "first")
        nothing = delay(m, self.steps == 0, to_add, "nothing")
        finished = Signal()
        m.d.comb += finished.eq(delay(m, final, to_add + depth, "final"))
        sums = [Signal(data.ArrayLayout(width, banks), name=f"sums_{slot}") for slot in range(depth)]
        multiplier = FloatConfig(format=config.format, depth=config.multiplier_depth)
        adder = FloatConfig(format=config.format, depth=depth)
        with m.If(finished | self.emitting):
            m.d.sync += [early.eq(late) for early, late in zip(sums, sums[1:], strict=False)]
        for lane in range(banks):
            m.submodules[f"multiplier_{lane}"] = product = replicated(FloatMultiplier(multiplier), name="multiplier")
            m.submodules[f"adder_{lane}"] = total = replicated(FloatAdder(adder), name="adder")
            m.d.comb += [
                product.a.eq(operands["gradient"][lane]),
                product.b.eq(operands["weight"][lane]),
                total.a.eq(Mux(first, Const(0, width), total.result)),
                total.b.eq(Mux(nothing, Const(0, width), product.result)),
            ]
            with m.If(finished):
                m.d.sync += sums[-1][lane].eq(total.result)
            m.d.comb += self.words.payload.mask[lane].eq(lane < self.left)
        m.d.comb += self.words.payload.sums.eq(sums[0])
