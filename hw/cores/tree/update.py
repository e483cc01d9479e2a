"""The second half of a stage's service: an edge and its node are read, changed and written."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.ports import WritePort
from .choice import chosen_layout
from .config import PRIOR_WIDTH, REWARD_WIDTH, TreeConfig
from .memoization import Part, memory_layout
from .records import LEVEL_WIDTH
from .requests import RequestKind, Status
from .stage_layouts import CommandKind, routed_command_layout, stage_request_layout
from .stage_ports import EdgePort, RowPort

__all__ = ["Update"]


class Update(ConfiguredComponent):
    """Does to the tree what a request does on this level, and passes the request on.

    A selection that goes on: the edge gains one under way, and a child if it has none and there is a row. Backup: the
    edge loses one under way and gains a visit and the reward, the node gains a visit; a pending node at the selection's
    end becomes evaluated. Prior: prior and factor of a pending node's action.

    Latency: 2 cycles: reading, which waits for everything that the change will need, and writing. Throughput: a request
    in two cycles. Back-pressure: ``room``.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    chosen : In(chosen_layout)
    accept : In(1)
        Take it; only if there is ``room``.
    room : Out(1)
    is_odd, alternate : In(1)
        The level is odd; rewards count negative there.
    level : In(7)
    edges : Out(EdgePort)
        The nodes that the stage holds.
    command : Out(routed_command_layout)
    is_quiet : Out(1)
        Nothing is sent. A register.
    is_late, send : Out(1)
        See :class:`.CommandQueue`.
    command_room : In(1)
    rows : Out(RowPort)
        Rows for new nodes.
    claims : Out(1)
        A score pass starts in this cycle, or is to start in the next one: none else must start.
    start : Out(1)
        It starts, with the new place, node and edge of ``edges``.
    has_edge : Out(1)
        It has an edge.
    pass_ready_next, mean_next : In(1)
        A pass can start in the next cycle; a pass will write value and factor of an edge then.
    selections : Out(WritePort(memory_layout, workers))
        What the last selection of each worker did here.
    release : Out(1)
        The slot of the new place is not needed any more.
    forward : Out(stream of stage_request_layout)
    idle : Out(1)
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            config,
            {
                "chosen": In(chosen_layout(config)),
                "accept": In(1),
                "room": Out(1),
                "is_odd": In(1),
                "alternate": In(1),
                "level": In(LEVEL_WIDTH),
                "edges": Out(EdgePort(config)),
                "command": Out(routed_command_layout(config)),
                "is_quiet": Out(1),
                "is_late": Out(1),
                "send": Out(1),
                "command_room": In(1),
                "rows": Out(RowPort(config)),
                "claims": Out(1),
                "start": Out(1),
                "has_edge": Out(1),
                "pass_ready_next": In(1),
                "mean_next": In(1),
                "selections": Out(WritePort(memory_layout(config), config.workers)),
                "release": Out(1),
                "forward": Out(stream.Signature(stage_request_layout(config))),
                "idle": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        reading, has_reading = Signal(chosen_layout(self._config), reset_less=True), Signal()
        writing, has_writing = Signal(chosen_layout(self._config), reset_less=True), Signal()
        edge, node = (Signal.like(port, reset_less=True) for port in (self.edges.edge, self.edges.node))
        reward = Signal(signed(REWARD_WIDTH), reset_less=True)
        goes = Signal()
        m.d.comb += [
            # Two requests are two cycles apart, so that the second reads what the first has written.
            self.room.eq(~has_reading),
            self.idle.eq(~has_reading & ~has_writing & ~self.forward.valid),
            self.edges.place.eq(reading.place),
            goes.eq(self._goes(m, reading, has_reading)),
        ]
        m.d.sync += has_writing.eq(goes)
        with m.If(self.accept):
            m.d.sync += [reading.eq(self.chosen), has_reading.eq(1)]
        with m.Elif(goes):
            m.d.sync += has_reading.eq(0)

        given = reading.queued.request.body.backup.reward
        negative = Signal(signed(REWARD_WIDTH))
        largest = (1 << REWARD_WIDTH - 1) - 1
        changes = reading.chooses | (_has_node(reading) & (reading.queued.request.kind != RequestKind.SELECT))
        m.d.comb += negative.eq(Mux(given == -largest - 1, largest, -given))
        m.d.sync += [
            writing.eq(reading),
            edge.eq(self.edges.edge),
            node.eq(self.edges.node),
            reward.eq(Mux(_backs_up(reading), Mux(self.alternate & self.is_odd, negative, given), 0)),
            self.is_quiet.eq(~(goes & changes)),
        ]
        self._write(m, writing, has_writing, edge, node, reward)
        return m

    def _goes(self, m, reading, has_reading):
        """Whether all that the request will need is there in the next cycle."""
        request = reading.queued.request
        starts, lacks_row, can = Signal(), Signal(), Signal()
        m.d.comb += [
            starts.eq(_has_node(reading) & (request.kind == RequestKind.BACKUP)),
            lacks_row.eq(reading.chooses & ~self.edges.edge.child & request.body.select.may_insert & self.rows.waiting),
            can.eq(has_reading & self.command_room & (~self.forward.valid | self.forward.ready)),
            # A pass is claimed only by a request that nothing else holds up: flits must not wait for other streams.
            # Claims go on to the banks in the same cycle, so what holds up selections and priors stays out of them.
            self.claims.eq(self.start | (can & starts)),
        ]
        waits = lacks_row
        if self._config.policy != "uct":
            waits = waits | ((request.kind == RequestKind.PRIOR) & self.mean_next)
        return can & ~waits & (~starts | self.pass_ready_next)

    def _write(self, m, writing, has_writing, edge, node, reward):
        """Writes edge and node to the buffer and to the bank, and lets the request go on."""
        queued, request = writing.queued, writing.queued.request
        chooses, backs_up, sets_prior, has_node, passes, inserts = (
            Signal(name=name) for name in ("chooses", "backs_up", "sets_prior", "has_node", "passes", "inserts")
        )
        m.d.comb += [
            has_node.eq(has_writing & _has_node(writing)),
            chooses.eq(has_writing & writing.chooses),
            backs_up.eq(has_writing & _backs_up(writing)),
            passes.eq(has_node & (request.kind == RequestKind.BACKUP)),
            inserts.eq(chooses & ~edge.child & request.body.select.may_insert & self.rows.available),
            self.rows.take.eq(inserts),
        ]
        if self._config.policy != "uct":
            is_prior = request.kind == RequestKind.PRIOR
            m.d.comb += sets_prior.eq(has_node & is_prior & ~node.evaluated & writing.exists)
        self._change_edge(m, writing, edge, reward, chooses, backs_up, inserts)
        self._change_node(m, queued, node, passes, backs_up)
        if self._config.policy != "uct":
            self._set_prior(m, writing, sets_prior)
        write, command = self.edges.write, self.command.body
        m.d.comb += [
            self.edges.new_place.eq(writing.place),
            write.links.eq(chooses | backs_up),
            write.statistics.eq(backs_up | sets_prior),
            write.mean.eq(sets_prior),
            write.node.eq(passes),
            self.command.bank.eq(queued.node.bank),
            command.kind.eq(CommandKind.WRITE),
            command.row.eq(queued.node.row),
            command.write_node.eq(passes),
            command.write_edge.eq(chooses | backs_up | sets_prior),
            command.action.eq(writing.place.action),
            command.node.eq(self.edges.new_node),
            command.edge.eq(self.edges.new_edge),
            self.is_late.eq(backs_up),
            self.send.eq(chooses | passes | sets_prior),
            self.start.eq(passes),
            self.has_edge.eq(backs_up),
            self.release.eq(has_node & writing.is_last),
        ]
        self._go_on(m, writing, has_writing, edge, inserts)

    def _change_edge(self, m, writing, edge, reward, chooses, backs_up, inserts):
        """The edge of a selection that goes on, or of a backup; 0 is added for every other request."""
        new_edge = self.edges.new_edge
        m.d.comb += new_edge.eq(edge)
        with m.If(chooses & ~edge.child):
            m.d.comb += [
                new_edge.child.eq(inserts),
                new_edge.bank.eq(self.rows.row.bank),
                new_edge.row.eq(self.rows.row.row),
            ]
        m.d.comb += [
            new_edge.in_flight.eq(edge.in_flight + Mux(backs_up, -1, chooses)),
            new_edge.visits.eq(edge.visits + backs_up),
            new_edge.total.eq(edge.total + reward),
        ]

    def _change_node(self, m, queued, node, passes, backs_up):
        """The node of a backup; a pending one at the selection's end becomes evaluated."""
        new_node, given = self.edges.new_node, queued.request.body.backup
        m.d.comb += [new_node.eq(node), new_node.visits.eq(node.visits + backs_up)]
        with m.If(passes & (queued.part == Part.END) & ~node.evaluated):
            m.d.comb += [
                new_node.evaluated.eq(1),
                new_node.terminal.eq(given.terminal),
                new_node.legal.eq(given.legal),
            ]

    def _set_prior(self, m, writing, sets_prior):
        """Prior and factor of a pending node's edge: without a visit the factor is the prior."""
        prior, new_edge, given = Signal(PRIOR_WIDTH), self.edges.new_edge, writing.queued.request.body.prior
        m.d.comb += prior.eq(Mux(writing.place.action[0], given.odd_prior, given.even_prior))
        with m.If(sets_prior):
            m.d.comb += [new_edge.in_flight.eq(0), new_edge.prior.eq(prior), new_edge.factor.eq(prior)]

    def _go_on(self, m, writing, has_writing, edge, inserts):
        """The request for the next stage, and what is remembered of it."""
        queued = writing.queued
        before = queued.request
        is_select = before.kind == RequestKind.SELECT
        request = Signal(stage_request_layout(self._config))
        selection = request.body.select
        ends_here = Signal()
        m.d.comb += [request.eq(before), ends_here.eq(~writing.chooses & (queued.part != Part.NONE))]
        with m.If(is_select & writing.chooses):
            m.d.comb += [
                selection.level.eq(self.level + 1),
                selection.action.eq(writing.place.action),
                selection.parent.eq(queued.node),
                selection.descends.eq(edge.child | inserts),
                selection.inserted.eq(inserts),
                selection.node.eq(Mux(edge.child | inserts, _place(self.edges.new_edge), 0)),
                selection.is_first.eq(inserts & self.rows.is_first),
                selection.asks.eq(inserts & self.rows.asks),
                request.status.eq(Mux(inserts, Status.INSERTED, Status.FULL)),
            ]
        with m.If(is_select & ends_here):
            m.d.comb += selection.descends.eq(0)
            with m.If(queued.part == Part.EDGE):
                m.d.comb += request.status.eq(writing.status)
        with m.If(has_writing & writing.is_last):
            m.d.sync += [self.forward.payload.eq(request), self.forward.valid.eq(1)]
        with m.Elif(self.forward.ready):
            m.d.sync += self.forward.valid.eq(0)
        memory = self.selections.data
        m.d.comb += [
            self.selections.enable.eq(has_writing & is_select & before.accepted),
            self.selections.address.eq(before.worker),
            memory.part.eq(Mux(writing.chooses, Part.EDGE, Mux(ends_here, Part.END, Part.NONE))),
            memory.node.eq(queued.node),
            memory.action.eq(writing.place.action),
        ]


def _has_node(chosen):
    part = chosen.queued.part
    return (part == Part.EDGE) | (part == Part.END)


def _backs_up(chosen):
    """It is a backup of an edge."""
    return (chosen.queued.part == Part.EDGE) & (chosen.queued.request.kind == RequestKind.BACKUP)


def _place(edge):
    """The place of an edge's child."""
    return (edge.bank << len(edge.row)) | edge.row
