"""All clusters of a core, and what they are told when."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay
from ..replicated import replicated
from .cluster import ClusterControl, assignment_layout, broadcast_signature
from .cluster_group import ClusterGroup
from .matrix_config import ACCUMULATORS, SLOTS, MatrixConfig, Product
from .matrix_layouts import issue_slot_layout
from .operand_fetch import FETCH_LATENCY
from .vpu import SELECT_TO_CLEAR, SELECT_TO_SUM

__all__ = ["ISSUE_TO_SUM", "ClusterArray"]

# From the last issue slot of a step: fetched, captured, in use, selected.
_BROADCAST = FETCH_LATENCY
_SELECTED = _BROADCAST + 1 + SLOTS
# Cycles from an issue slot to the sum with its product.
ISSUE_TO_SUM = _SELECTED + SELECT_TO_SUM


class ClusterArray(ConfiguredComponent):
    """The clusters, in groups that a simulator compiles by themselves, with their assignments and their control.

    ::

        issue slots ──> delay line ──> control ─────┐
        waves ────────> assignments ────────────────┼──> clusters ──> chains
        issue slots ──> OperandFetch ──> broadcast ─┘

    Number format: see :class:`.VectorProcessingUnit`.

    Latency: ``latency`` cycles from the last issue slot of a wave to ``load``. A broadcast comes ``FETCH_LATENCY``
    cycles after its issue slot. Throughput: an issue slot a cycle. No back-pressure.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    begin : In(1)
        A wave begins with the issue slot of the next cycle.
    assignments : In(ArrayLayout(assignment_layout(config), clusters))
        The wave's, from ``begin`` to two cycles later.
    issue : In(issue_slot_layout(config))
    broadcast : In(broadcast_signature(config))
    shift : In(4)
        For each accumulator: results in the chains move on.
    load : Out(1)
        Accumulator 0 of all clusters gives the result of a wave to the chains.
    chains : Out(4 * format.width).array(blocks, cluster_vpus)
        The ends of the drain chains.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            config,
            {
                "begin": In(1),
                "assignments": In(data.ArrayLayout(assignment_layout(config), config.clusters)),
                "issue": In(issue_slot_layout(config)),
                "broadcast": In(broadcast_signature(config)),
                "shift": In(ACCUMULATORS),
                "load": Out(1),
                "chains": Out(config.vector_width).array(config.blocks, config.cluster_vpus),
            },
        )

    @property
    def latency(self):
        """Cycles from the last issue slot of a wave to ``load``."""
        return ISSUE_TO_SUM

    def elaborate(self, platform):
        m = Module()
        config = self._config
        assignments, control = self._assign(m), self._control(m)
        m.d.comb += self.load.eq(control.load[0])
        groups, first = [], 0
        for number, size in enumerate(config.cluster_groups):
            group = replicated(ClusterGroup(config.cluster, size), name="clusters", key=(config.cluster, size))
            m.submodules[f"clusters_{number}"] = group
            wiring.connect(m, wiring.flipped(self.broadcast), group.broadcast)
            m.d.comb += group.control.eq(control)
            m.d.comb += [group.assignments[place].eq(assignments[first + place]) for place in range(size)]
            groups.append(group)
            first += size
        for ahead, behind in zip([self.chains, *(group.chain_in for group in groups)], groups, strict=False):
            for ends, links in zip(ahead, behind.chain_out, strict=True):
                m.d.comb += [end.eq(link) for end, link in zip(ends, links, strict=True)]
        return m

    def _assign(self, m):
        """The assignments of a wave, from its first broadcast on. On the way there may be those of one more."""
        coming, current = Signal.like(self.assignments), Signal.like(self.assignments)
        with m.If(delay(m, self.begin, 2, "coming")):
            m.d.sync += coming.eq(self.assignments)
        with m.If(delay(m, self.begin, _BROADCAST, "beginning")):
            m.d.sync += current.eq(coming)
        return current

    def _control(self, m):
        """Control signals of all clusters, each field when its time has come."""
        issue, control = self.issue, Signal(ClusterControl)

        # A reset forgets everything on its way: sums that leave late would count as those of the next wave.
        def later(value, cycles, name):
            register = Signal.like(value, name=name)
            m.d.comb += register.eq(delay(m, value, cycles, name, reset_less=False))
            return register

        active, slot = later(issue.active, _BROADCAST, "active"), later(issue.index, _BROADCAST, "slot")
        select = later(slot, _SELECTED - _BROADCAST, "select")
        load = later(issue.active & issue.last, ISSUE_TO_SUM, "load")
        turn = later(select, SELECT_TO_SUM, "turn")
        m.d.comb += [
            control.valid.eq(active),
            control.slot.eq(slot),
            control.exchange.eq(later(active & (slot == SLOTS - 1), 1, "exchange")),
            control.gradient.eq(later(issue.product == Product.GRADIENT, _SELECTED, "gradient")),
            control.select.eq(select),
            control.clear.eq(later(issue.first, _SELECTED + SELECT_TO_CLEAR, "clear")),
            control.load.eq(load << turn),
            control.shift.eq(self.shift),
        ]
        return control
