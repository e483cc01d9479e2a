"""The steps of a round: which operand words, weights and error words are read in which cycle."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .matrix_config import SLOTS, MatrixConfig, Product
from .matrix_layouts import error_slot_layout, round_layout, slot_layout

__all__ = ["StepSequencer", "tick_layout"]

# Cycles before the end of a round from which the next one is wanted.
_LEAD = 2 * SLOTS


def tick_layout(config):
    """What is read in a cycle: the words and weights of one slot of one step.

    ``active``: there is a step, ``present``: the slot has a term in it (otherwise it contributes zeros); ``step``
    modulo ``weight_banks``; ``first``, ``last``: of the round.
    """
    return data.StructLayout(
        {
            "active": 1,
            "product": round_layout(config)["product"].shape,
            "index": range(SLOTS),
            "step": config.weight_bank_bits,
            "first": 1,
            "last": 1,
            "present": 1,
            "slot": slot_layout(config),
            "errors": data.ArrayLayout(error_slot_layout(config), config.error_ports),
        }
    )


class StepSequencer(wiring.Component):
    """Runs rounds: ``steps`` steps of four cycles, a slot in each.

    The four slots go round: in each cycle the one whose turn it is leads, and what it reads in the next step takes its
    place at the end. Forward and backward a slot goes on by one in its list of inner features and, in the weights, by
    a row (forward) or a column (backward, ``weight_banks`` columns to an address). In a weight gradient the strides are
    added to the base addresses. A slot that has no term left contributes zeros.

    Throughput: rounds follow each other without a gap, unless one is so short that the results of the round before
    would not have left: then it waits, so that ends of rounds are ``drain_cycles`` apart.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    round_valid : In(1)
    round : In(round_layout(config))
    take : Out(1)
        The round begins in the next cycle.
    tick : Out(tick_layout(config))
    wanted : Out(1)
        The next round is wanted.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: MatrixConfig):
        self._config = config
        super().__init__(
            {
                "round_valid": In(1),
                "round": In(round_layout(config)),
                "take": Out(1),
                "tick": Out(tick_layout(config)),
                "wanted": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        active, product, index = Signal(), Signal.like(self.round.product), Signal(range(SLOTS))
        step, steps_left, first = Signal(config.weight_bank_bits), Signal.like(self.round.steps), Signal()
        slots = [Signal(slot_layout(config), name=f"slot_{place}") for place in range(SLOTS)]
        errors = [
            [Signal(error_slot_layout(config), name=f"error_{port}_{place}") for place in range(SLOTS)]
            for port in range(config.error_ports)
        ]

        last_step, end = Signal(), Signal()
        drain, drain_cycles = Signal.like(self.round.drain_cycles), Signal.like(self.round.drain_cycles)
        length = Signal(len(steps_left) + 2)
        m.d.comb += [
            last_step.eq(steps_left == 1),
            end.eq(active & last_step & (index == SLOTS - 1)),
            length.eq(self.round.steps << 2),
            self.take.eq(self.round_valid & (~active | end) & (Mux(end, drain_cycles, drain) <= length)),
            self.wanted.eq(~active | (steps_left <= _LEAD // SLOTS)),
        ]
        # How many cycles until the results of the last round will have left, once all of the next one have come.
        with m.If(end):
            m.d.sync += drain.eq(Mux(drain_cycles == 0, 0, drain_cycles - 1))
        with m.Elif(drain != 0):
            m.d.sync += drain.eq(drain - 1)

        head, after = slots[0], Signal(slot_layout(config))
        m.d.comb += after.eq(head)
        with m.If(head.count != 0):
            m.d.comb += after.count.eq(head.count - 1)
        with m.Switch(product):
            with m.Case(Product.GRADIENT):
                m.d.comb += after.base.eq(head.base + head.stride)
            with m.Case(Product.FORWARD):
                m.d.comb += [after.place.eq(head.place + 1), after.weights.eq(head.weights + head.pitch)]
            with m.Case(Product.BACKWARD):
                m.d.comb += [after.place.eq(head.place + 1), after.weights.eq(head.weights + step.all())]

        with m.If(active):
            m.d.sync += [slots[place].eq(slots[place + 1]) for place in range(SLOTS - 1)]
            m.d.sync += slots[-1].eq(after)
            m.d.sync += index.eq(index + 1)
            for port in errors:
                m.d.sync += [port[place].eq(port[place + 1]) for place in range(SLOTS - 1)]
                m.d.sync += [
                    port[-1].eq(port[0]),
                    port[-1].base.eq(port[0].base + port[0].stride),
                    port[-1].count.eq(Mux(port[0].count == 0, 0, port[0].count - 1)),
                ]
            with m.If(index == SLOTS - 1):
                m.d.sync += [step.eq(step + 1), steps_left.eq(steps_left - 1), first.eq(0)]
        with m.If(end):
            m.d.sync += active.eq(0)
        with m.If(self.take):
            m.d.sync += [
                active.eq(1),
                product.eq(self.round.product),
                index.eq(0),
                step.eq(0),
                steps_left.eq(self.round.steps),
                drain_cycles.eq(self.round.drain_cycles),
                first.eq(1),
            ]
            m.d.sync += [slots[place].eq(self.round.slots[place]) for place in range(SLOTS)]
            for port, ring in enumerate(errors):
                m.d.sync += [ring[place].eq(self.round.errors[port * SLOTS + place]) for place in range(SLOTS)]

        m.d.comb += [
            self.tick.active.eq(active),
            self.tick.product.eq(product),
            self.tick.index.eq(index),
            self.tick.step.eq(step),
            self.tick.first.eq(first),
            self.tick.last.eq(last_step),
            self.tick.present.eq(active & (head.count != 0)),
            self.tick.slot.eq(head),
        ]
        for port, ring in enumerate(errors):
            m.d.comb += self.tick.errors[port].eq(ring[0])
        return m
