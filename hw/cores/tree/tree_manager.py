"""Changes of the whole tree: a new one, or another root."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .bank_assigner import AssignerCommand, assigner_request_layout, block_layout
from .config import TreeConfig
from .entrance import management_layout
from .stage_layouts import flit_layout, place_layout

__all__ = ["TreeManager"]


class TreeManager(ConfiguredComponent):
    """Clears the tree, or makes a child of the root the root, when nothing is under way in stages, banks and exit.

    Clear takes all blocks back and assigns one to level 0, whose first row is the root's. Advance reads the root and
    its child; if the child can be the root, the blocks of the old root's stage are taken back, and the ring turns by a
    stage.

    Latency: 2 cycles until it looks whether something is under way; then of clear the assigner's for a request without
    and one with a block, of advance two reads and the assigner's for one without. One request at a time.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    management : In(stream of management_layout)
        It is taken when it has been done.
    found : Out(1)
        While it is taken: an advance found its child, evaluated and not terminal. If not, nothing has changed.
    root : Out(place_layout)
    root_stage : Out(range(levels))
        Stage that serves level 0.
    clear, turn : Out(1)
        For one cycle: all levels are to forget everything; the stage of the root is to forget everything and becomes
        the last one.
    active : Out(1)
        ``reads`` and ``nodes`` are its own.
    empty : In(1)
        Nothing is under way; one cycle late.
    assignments : Out(stream of assigner_request_layout)
    blocks : In(stream of block_layout, always ready)
    reads : Out(stream of place_layout)
    nodes : In(stream of flit_layout, always ready)
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            config,
            {
                "management": In(stream.Signature(management_layout())),
                "found": Out(1),
                "root": Out(place_layout(config)),
                "root_stage": Out(range(config.levels)),
                "clear": Out(1),
                "turn": Out(1),
                "active": Out(1),
                "empty": In(1),
                "assignments": Out(stream.Signature(assigner_request_layout(config))),
                "blocks": In(stream.Signature(block_layout(config), always_ready=True)),
                "reads": Out(stream.Signature(place_layout(config))),
                "nodes": In(stream.Signature(flit_layout(config), always_ready=True)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        assignment = self.assignments.payload
        reads_child = Signal()
        child = Signal(data.StructLayout({"exists": 1, "place": place_layout(self._config)}))
        complete, can_be_root = self._read(m, child, reads_child)
        m.d.comb += [
            self.reads.payload.eq(Mux(reads_child, Value.cast(child.place), Value.cast(self.root))),
            assignment.stage.eq(self.root_stage),
        ]
        with m.FSM(name="manager"):
            self._begin(m, reads_child)
            self._clear(m, assignment)
            self._advance(m, assignment, child, reads_child, complete, can_be_root)
            with m.State("REFUSE"):
                m.d.comb += self.management.ready.eq(1)
                m.next = "IDLE"
        return m

    def _begin(self, m, reads_child):
        """Waits until nothing is under way."""
        with m.State("IDLE"), m.If(self.management.valid):
            m.next = "SETTLE"

        with m.State("SETTLE"):
            # By now `empty` knows of the request that was sent last.
            m.next = "WAIT"

        with m.State("WAIT"), m.If(self.empty):
            with m.If(~self.management.payload.advance):
                m.d.comb += self.clear.eq(1)
                m.d.sync += self.root_stage.eq(0)
                m.next = "CLEAR"
            with m.Elif(self.management.payload.action < self._config.fanout):
                m.d.sync += reads_child.eq(0)
                m.next = "READ"
            with m.Else():
                m.next = "REFUSE"

    def _clear(self, m, assignment):
        """Takes all blocks back, and assigns one to level 0."""
        with m.State("CLEAR"):
            m.d.comb += [self.assignments.valid.eq(1), assignment.command.eq(AssignerCommand.CLEAR)]
            with m.If(self.assignments.ready):
                m.next = "ASSIGN"

        with m.State("ASSIGN"):
            m.d.comb += [self.assignments.valid.eq(1), assignment.command.eq(AssignerCommand.ASSIGN)]
            with m.If(self.assignments.ready):
                m.next = "PLANT"

        with m.State("PLANT"), m.If(self.blocks.valid):
            # There is always a bank left for the first one.
            m.d.sync += self.root.eq(self.blocks.payload.node)
            m.d.comb += self.management.ready.eq(1)
            m.next = "IDLE"

    def _advance(self, m, assignment, child, reads_child, complete, can_be_root):
        """Reads the root and its child, and makes the child the root."""
        with m.State("READ"):
            m.d.comb += [self.active.eq(1), self.reads.valid.eq(1)]
            with m.If(self.reads.ready):
                m.next = "RECEIVE"

        with m.State("RECEIVE"):
            m.d.comb += self.active.eq(1)
            with m.If(complete):
                m.next = "DECIDE"

        with m.State("DECIDE"):
            m.d.sync += reads_child.eq(1)
            with m.If(~child.exists):
                m.next = "REFUSE"
            with m.Elif(~reads_child):
                m.next = "READ"
            with m.Elif(can_be_root):
                m.next = "RELEASE"
            with m.Else():
                m.next = "REFUSE"

        with m.State("RELEASE"):
            m.d.comb += [self.assignments.valid.eq(1), assignment.command.eq(AssignerCommand.RELEASE)]
            with m.If(self.assignments.ready):
                m.next = "TURN"

        with m.State("TURN"), m.If(self.assignments.ready):
            last = self._config.levels - 1
            m.d.comb += [self.turn.eq(1), self.found.eq(1), self.management.ready.eq(1)]
            m.d.sync += [
                self.root.eq(child.place),
                self.root_stage.eq(Mux(self.root_stage == last, 0, self.root_stage + 1)),
            ]
            m.next = "IDLE"

    def _read(self, m, child, reads_child):
        """Keep of the root the child by the action, of the child whether it can be the root."""
        config, count = self._config, self._config.lanes
        flit, action = self.nodes.payload, self.management.payload.action
        complete, can_be_root = Signal(), Signal()
        m.d.comb += complete.eq(self.nodes.valid & (flit.flit == config.flits - 1))
        with m.If(self.nodes.valid & reads_child):
            m.d.sync += can_be_root.eq(flit.node.evaluated & ~flit.node.terminal)
        with m.If(self.nodes.valid & ~reads_child):
            for lane, edge in enumerate(flit.edges):
                matches = Cat(
                    (action == number) & (flit.flit == number // count) for number in range(lane, config.fanout, count)
                )
                with m.If(matches.any()):
                    m.d.sync += [
                        child.exists.eq(edge.child),
                        child.place.bank.eq(edge.bank),
                        child.place.row.eq(edge.row),
                    ]
        return complete, can_be_root
