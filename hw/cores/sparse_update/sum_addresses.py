"""Where the products of sums over a group are in the skewed banks."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..bits import rotate
from ..component import ConfiguredComponent
from ..memory.ports import ReadPort
from ..sparse.lists import table_entry
from ..sparse.selection import times
from .grouping_gradient_config import GroupingGradientConfig

__all__ = ["SumAddresses", "sum_group_layout", "sum_slot_layout"]


def sum_group_layout(config):
    """A group's compressed weights; ``columns``: its columns are summed over the rows, otherwise its rows."""
    entry = table_entry(config.sparse)
    return data.StructLayout({"columns": 1} | {name: entry[name].shape for name in ("weights_base", "pitch")})


def sum_slot_layout(config):
    """A slot of the adders, in which all lanes get a product: number ``step`` of its sum; ``last`` of this step."""
    return data.StructLayout({"step": range(config.sparse.entries + 1), "last": 1})


class SumAddresses(ConfiguredComponent):
    """Reads weights and gradients of a slot: those of ``banks`` neighbouring sums.

    A lane for rows reads each from a row of its own; lanes for columns read one row together. The first slot of a block
    begins after the last one of the block before.

    Latency: one cycle from a slot to its addresses, two to its data and their ``turn``. A slot a cycle.

    Parameters
    ----------
    config : GroupingGradientConfig

    Members
    -------
    groups : stream, in, always ready
        ``sum_group_layout``
    begin_block : In(1)
        The next slot is the first one of a block.
    slots : stream, in, always ready
        ``sum_slot_layout``
    weights, gradients : Out(ReadPort).array(banks)
        Both at the same addresses.
    turn : Out(range(banks))
        The data of lane l come from bank ``(turn + l) mod banks``.

    Source
    ------
    LearningGroup, III-A.
    """

    def __init__(self, config: GroupingGradientConfig):
        sparse = config.sparse
        banks = Out(ReadPort(sparse.weight_width, sparse.weight_words)).array(sparse.banks)
        super().__init__(
            config,
            {
                "groups": In(stream.Signature(sum_group_layout(config), always_ready=True)),
                "begin_block": In(1),
                "slots": In(stream.Signature(sum_slot_layout(config), always_ready=True)),
                "weights": banks,
                "gradients": banks,
                "turn": Out(range(sparse.banks)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        banks = self.config.sparse.banks
        bank_bits = (banks - 1).bit_length()
        address = range(self.config.sparse.weight_words)
        group, slot = Signal(sum_group_layout(self.config)), self.slots.payload
        # Lane 0 in the block's first slot, in the step's first slot, in the next step's, and in this one.
        block_base, step_base, next_step, here = (
            Signal(address, name=name) for name in ("block_base", "step_base", "next_step", "here")
        )
        # From one lane to the next, and from one slot to the next.
        distance, slot_distance = Signal(group.pitch.shape()), Signal(range(banks * (1 << len(group.pitch))))
        m.d.comb += [
            next_step.eq(step_base + Mux(group.columns, group.pitch, (slot.step & (banks - 1)) == (banks - 1))),
            distance.eq(Mux(group.columns, 0, group.pitch)),
            slot_distance.eq(Mux(group.columns, 1, group.pitch << bank_bits)),
        ]
        with m.If(self.groups.valid):
            m.d.sync += [group.eq(self.groups.payload), block_base.eq(self.groups.payload.weights_base)]
        with m.If(self.begin_block):
            m.d.sync += [step_base.eq(block_base), here.eq(block_base)]
        with m.If(self.slots.valid):
            m.d.sync += here.eq(here + slot_distance)
            with m.If(slot.last):
                m.d.sync += [step_base.eq(next_step), here.eq(next_step)]
            with m.If(slot.last & (slot.step == 0)):
                m.d.sync += block_base.eq(here + slot_distance)
        lanes = [Signal(address, name=f"address_{lane}", reset_less=True) for lane in range(banks)]
        for lane, register in enumerate(lanes):
            m.d.sync += register.eq(here + times(distance, lane) if lane else here)
        turn, enable = Signal(bank_bits), Signal()
        m.d.sync += [turn.eq(slot.step), self.turn.eq(turn), enable.eq(self.slots.valid)]
        turned = rotate(m, lanes, turn, "address")
        for ports in (self.weights, self.gradients):
            for port, place in zip(ports, turned, strict=True):
                m.d.comb += [port.enable.eq(enable), port.address.eq(place)]
        return m
