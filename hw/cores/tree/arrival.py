"""Where requests come into a stage: what they are about, and the nodes they will need."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.ports import ReadPort
from .config import TreeConfig
from .memoization import Part, memory_layout
from .requests import RequestKind
from .stage_layouts import CommandKind, place_layout, routed_command_layout, stage_request_layout
from .stage_ports import LookupPort

__all__ = ["Arrival", "queued_layout"]


def queued_layout(config: TreeConfig):
    """A request with its ``part`` on this level: node and slot if that is ``EDGE`` or ``END``, a backup's action."""
    return data.StructLayout(
        {
            "request": stage_request_layout(config),
            "part": Part,
            "node": place_layout(config),
            "action": range(config.fanout),
            "slot": range(config.slots),
        }
    )


class Arrival(ConfiguredComponent):
    """Finds the part of a request on this level, acquires a slot for its node and reads it ahead.

    A selection is about the node it descends to; a backup or prior about what the selection of its worker did here. A
    node that no slot holds is sent for at once, a node that is new is cleared in its bank. A new node takes no slot:
    requests about it come later, after the clear.

    Latency: 4 cycles. Throughput: a request in two cycles. Back-pressure: ``requests`` is ready every other cycle at
    most, by a register; it waits for a free slot, for room for the command and in the queue.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    requests : In(stream of stage_request_layout)
    queued : Out(queued_layout)
    push : Out(1)
        It is to be queued; only if there is ``space``.
    space : In(1)
    selections : Out(ReadPort(memory_layout, workers))
        What the last selection of each worker did here.
    lookup : Out(LookupPort)
        In the tags of the stage.
    command : Out(routed_command_layout)
    send : Out(1)
        The command is to be queued; only if there is ``room``. The words that a clear writes are added there.
    room : In(1)
    idle : Out(1)
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            config,
            {
                "requests": In(stream.Signature(stage_request_layout(config))),
                "queued": Out(queued_layout(config)),
                "push": Out(1),
                "space": In(1),
                "selections": Out(ReadPort(memory_layout(config), config.workers)),
                "lookup": Out(LookupPort(config)),
                "command": Out(routed_command_layout(config)),
                "send": Out(1),
                "room": In(1),
                "idle": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        fetched = Signal(stage_request_layout(self._config), reset_less=True)
        known = Signal(queued_layout(self._config), reset_less=True)
        has_fetched, has_known = Signal(), Signal()
        m.d.comb += [
            self.selections.address.eq(self.requests.payload.worker),
            self.selections.enable.eq(self.requests.valid & self.requests.ready),
            self.requests.ready.eq(~has_fetched),
            self.idle.eq(~has_fetched & ~has_known),
        ]

        # First the worker's memory is read.
        with m.If(self.selections.enable):
            m.d.sync += [fetched.eq(self.requests.payload), has_fetched.eq(1)]

        # Then it is known which node the request is about.
        selects = Signal()
        selection, found = fetched.body.select, self.selections.data
        m.d.comb += selects.eq(fetched.kind == RequestKind.SELECT)
        with m.If(has_fetched & (~has_known | self.push)):
            m.d.sync += [
                has_fetched.eq(0),
                has_known.eq(1),
                known.request.eq(fetched),
                known.node.eq(Mux(selects, selection.node, found.node)),
                known.action.eq(found.action),
            ]
            with m.If(~fetched.accepted):
                m.d.sync += known.part.eq(Part.NONE)
            with m.Elif(~selects):
                m.d.sync += known.part.eq(self._part_of(fetched, found))
            with m.Elif(selection.descends):
                m.d.sync += known.part.eq(Mux(selection.inserted, Part.NEW, Part.EDGE))
            with m.Else():
                m.d.sync += known.part.eq(Part.NONE)

        # Then its node is looked up, and acquired in the cycle after that: the request before has acquired its own
        # by then.
        looked_up = Signal()
        m.d.sync += looked_up.eq(has_known & ~self.push)
        needs_slot, misses, sends = (Signal(name=name) for name in ("needs_slot", "misses", "sends"))
        m.d.comb += [
            self.lookup.node.eq(known.node),
            needs_slot.eq((known.part == Part.EDGE) | (known.part == Part.END)),
            misses.eq(needs_slot & ~self.lookup.hit),
            sends.eq(misses | (known.part == Part.NEW)),
            self.push.eq(looked_up & (~misses | self.lookup.free) & (~sends | self.room) & self.space),
            self.queued.eq(known),
            self.queued.slot.eq(self.lookup.slot),
            self.lookup.acquire.eq(self.push & needs_slot),
            # A backup that sends for a node makes the scores of it itself.
            self.lookup.scored_when_filled.eq(known.request.kind != RequestKind.BACKUP),
            self.send.eq(self.push & sends),
            self.command.bank.eq(known.node.bank),
            self.command.body.row.eq(known.node.row),
            self.command.body.kind.eq(Mux(misses, CommandKind.READ, CommandKind.CLEAR)),
            self.command.body.slot.eq(self.lookup.slot),
        ]
        with m.If(self.push & ~has_fetched):
            m.d.sync += has_known.eq(0)
        return m

    def _part_of(self, request, found):
        """Part of a backup, or of a prior, which counts for the node at the end alone."""
        if self._config.policy == "uct":
            return found.part
        is_prior = request.kind == RequestKind.PRIOR
        return Mux(is_prior & (found.part != Part.END), Part.NONE, found.part)
