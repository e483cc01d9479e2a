"""The steps of a wave: which operand words, weights and error words are read in which cycle."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .matrix_config import SLOTS, MatrixConfig, Product
from .matrix_layouts import error_slot_layout, issue_slot_layout, operand_slot_layout, wave_layout

__all__ = ["StepSequencer"]

# Cycles before the end of a wave from which the next one is wanted.
_LEAD = 2 * SLOTS


class StepSequencer(ConfiguredComponent):
    """Runs waves: ``steps`` steps of four issue slots.

    The four operand slots go round. In each cycle the leading one is issued, and what it reads in the next step takes
    its place at the end. Forward and backward an operand slot goes on by one in its list of inner features and, in the
    weights, by a row (forward) or a column (backward, ``weight_banks`` columns to an address). In a weight gradient the
    strides are added to the base addresses. A slot that has no term left contributes zeros.

    Latency: one cycle from a wave to its first issue slot. Throughput: waves follow each other back to back, unless one
    is so short that the results of the wave before would not have left: then it waits, so that ends of waves are
    ``drain_cycles`` apart. Back-pressure: a wave waits as long as it takes; issue slots wait for nothing.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    waves : In(stream.Signature(wave_layout(config)))
    issue : Out(issue_slot_layout(config))
    wanted : Out(1)
        The next wave is wanted.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            config,
            {
                "waves": In(stream.Signature(wave_layout(config))),
                "issue": Out(issue_slot_layout(config)),
                "wanted": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        wave = self.waves.payload
        # The issue slot, without what the operand slots and error slots say.
        issue = Signal(issue_slot_layout(self._config))
        begin, last, end, steps_left = Signal(), Signal(), Signal(), Signal.like(wave.steps)
        m.d.comb += [
            last.eq(steps_left == 1),
            end.eq(issue.active & last & (issue.index == SLOTS - 1)),
            begin.eq(self.waves.valid & self.waves.ready),
            self.waves.ready.eq((~issue.active | end) & self._results_have_left(m, begin, end)),
            self.wanted.eq(~issue.active | (steps_left <= _LEAD // SLOTS)),
        ]
        with m.If(issue.active):
            m.d.sync += issue.index.eq(issue.index + 1)
            with m.If(issue.index == SLOTS - 1):
                m.d.sync += [issue.step.eq(issue.step + 1), steps_left.eq(steps_left - 1), issue.first.eq(0)]
        with m.If(end):
            m.d.sync += issue.active.eq(0)
        with m.If(begin):
            m.d.sync += [
                issue.active.eq(1),
                issue.product.eq(wave.product),
                issue.index.eq(0),
                issue.step.eq(0),
                issue.first.eq(1),
                steps_left.eq(wave.steps),
            ]
        m.d.comb += [self.issue.eq(issue), self.issue.last.eq(last)]
        self._turn_operand_slots(m, begin, issue)
        self._turn_error_slots(m, begin, issue)
        return m

    def _results_have_left(self, m, begin, end):
        """Whether the wave that is offered ends when all results of the one before have left."""
        wave, left = self.waves.payload, Signal()
        drain_cycles, until_left = Signal.like(wave.drain_cycles), Signal.like(wave.drain_cycles)
        with m.If(begin):
            m.d.sync += drain_cycles.eq(wave.drain_cycles)
        # From the end of a wave on, results leave.
        with m.If(end):
            m.d.sync += until_left.eq(Mux(drain_cycles == 0, 0, drain_cycles - 1))
        with m.Elif(until_left != 0):
            m.d.sync += until_left.eq(until_left - 1)
        m.d.comb += left.eq(Mux(end, drain_cycles, until_left) <= wave.steps << 2)
        return left

    def _turn_operand_slots(self, m, begin, issue):
        """The operand slots go round; the leading one comes back as its next step wants it."""
        slots = Signal(data.ArrayLayout(operand_slot_layout(self._config), SLOTS))
        leading, following = slots[0], Signal(operand_slot_layout(self._config))
        m.d.comb += [
            self.issue.slot.eq(leading),
            self.issue.present.eq(issue.active & (leading.count != 0)),
            following.eq(leading),
            following.count.eq(Mux(leading.count == 0, 0, leading.count - 1)),
        ]
        with m.Switch(issue.product):
            with m.Case(Product.GRADIENT):
                m.d.comb += following.base.eq(leading.base + leading.stride)
            with m.Case(Product.FORWARD):
                m.d.comb += [
                    following.place.eq(leading.place + 1),
                    following.weights.eq(leading.weights + leading.pitch),
                ]
            with m.Case(Product.BACKWARD):
                m.d.comb += [
                    following.place.eq(leading.place + 1),
                    following.weights.eq(leading.weights + issue.step.all()),
                ]
        with m.If(begin):
            m.d.sync += slots.eq(self.waves.payload.operand_slots)
        with m.Elif(issue.active):
            m.d.sync += [slots[place].eq(slots[place + 1]) for place in range(SLOTS - 1)]
            m.d.sync += slots[SLOTS - 1].eq(following)

    def _turn_error_slots(self, m, begin, issue):
        """For each port four error slots go round."""
        layout, offered = error_slot_layout(self._config), self.waves.payload.error_slots
        for port, issued in enumerate(self.issue.errors):
            slots = Signal(data.ArrayLayout(layout, SLOTS), name=f"error_slots_{port}")
            leading, following = slots[0], Signal(layout, name=f"following_error_{port}")
            m.d.comb += [
                issued.eq(leading),
                following.eq(leading),
                following.base.eq(leading.base + leading.stride),
                following.count.eq(Mux(leading.count == 0, 0, leading.count - 1)),
            ]
            with m.If(begin):
                m.d.sync += [slots[place].eq(offered[port * SLOTS + place]) for place in range(SLOTS)]
            with m.Elif(issue.active):
                m.d.sync += [slots[place].eq(slots[place + 1]) for place in range(SLOTS - 1)]
                m.d.sync += slots[SLOTS - 1].eq(following)
