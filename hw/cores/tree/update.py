"""The second half of a stage's service: an edge and its node are read, changed and written."""

from amaranth.hdl import Module, Mux, Signal, Value, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .choice import chosen_layout
from .config import PRIOR_WIDTH, REWARD_WIDTH, TreeConfig
from .layouts import edge_layout, node_layout
from .memoization import Part, remember_layout
from .node_buffer import write_layout
from .records import LEVEL_WIDTH, RequestKind, Status, new_edge
from .score_pass import edge_place_layout
from .stage_layouts import CommandKind, place_layout, routed_command_layout, stage_request_layout

__all__ = ["Update"]


class Update(wiring.Component):
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
    place, edge, node, write, new_place, new_edge, new_node :
        Those of :class:`.NodeBuffer`.
    command : Out(routed_command_layout)
    is_blank : Out(1)
        Nothing is sent, and ``node`` and ``edge`` of the command are those of a new node.
    is_late, send : Out(1)
        Those of :class:`.CommandQueue`.
    command_room : In(1)
    available, waiting, row, is_first, asks, take :
        Those of :class:`.Inserter`, ``row`` its node.
    claims : Out(1)
        A score pass starts in this cycle, or is to start in the next one: none else must start.
    start : Out(1)
        It starts, with ``new_place``, ``new_node`` and ``new_edge``.
    has_edge : Out(1)
        It has an edge.
    pass_ready_next, mean_next : In(1)
        A pass can start in the next cycle; a pass will write value and factor of an edge then.
    remember : Out
        That of :class:`.Memoization`.
    release : Out(1)
        The slot of ``new_place`` is not needed any more.
    forward : Out(stream of stage_request_layout)
    idle : Out(1)
    """

    def __init__(self, config: TreeConfig):
        self._config = config
        super().__init__(
            {
                "chosen": In(chosen_layout(config)),
                "accept": In(1),
                "room": Out(1),
                "is_odd": In(1),
                "alternate": In(1),
                "level": In(LEVEL_WIDTH),
                "place": Out(edge_place_layout(config)),
                "edge": In(edge_layout(config)),
                "node": In(node_layout(config)),
                "write": Out(write_layout),
                "new_place": Out(edge_place_layout(config)),
                "new_edge": Out(edge_layout(config)),
                "new_node": Out(node_layout(config)),
                "command": Out(routed_command_layout(config)),
                "is_blank": Out(1),
                "is_late": Out(1),
                "send": Out(1),
                "command_room": In(1),
                "available": In(1),
                "waiting": In(1),
                "row": In(place_layout(config)),
                "is_first": In(1),
                "asks": In(1),
                "take": Out(1),
                "claims": Out(1),
                "start": Out(1),
                "has_edge": Out(1),
                "pass_ready_next": In(1),
                "mean_next": In(1),
                "remember": Out(remember_layout(config)),
                "release": Out(1),
                "forward": Out(stream.Signature(stage_request_layout(config))),
                "idle": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        reading, has_reading = Signal(chosen_layout(self._config), reset_less=True), Signal()
        writing, has_writing = Signal(chosen_layout(self._config), reset_less=True), Signal()
        edge, node = (Signal.like(port, reset_less=True) for port in (self.edge, self.node))
        reward = Signal(signed(REWARD_WIDTH), reset_less=True)
        goes = Signal()
        m.d.comb += [
            # Two requests are two cycles apart, so that the second reads what the first has written.
            self.room.eq(~has_reading),
            self.idle.eq(~has_reading & ~has_writing & ~self.forward.valid),
            self.place.eq(reading.place),
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
        m.d.comb += negative.eq(Mux(given == -largest - 1, largest, -given))
        m.d.sync += [
            writing.eq(reading),
            reward.eq(Mux(goes & _backs_up(reading), Mux(self.alternate & self.is_odd, negative, given), 0)),
        ]
        changes = reading.chooses | (_has_node(reading) & (reading.queued.request.kind != RequestKind.SELECT))
        with m.If(goes & changes):
            m.d.sync += [edge.eq(self.edge), node.eq(self.node), self.is_blank.eq(0)]
        with m.Else():
            m.d.sync += [Value.cast(edge).eq(new_edge(self._config)), Value.cast(node).eq(0), self.is_blank.eq(1)]
        self._write(m, writing, has_writing, edge, node, reward)
        return m

    def _goes(self, m, reading, has_reading):
        """Whether all that the request will need is there in the next cycle."""
        request = reading.queued.request
        starts, lacks_row, can = Signal(), Signal(), Signal()
        m.d.comb += [
            starts.eq(_has_node(reading) & (request.kind == RequestKind.BACKUP)),
            lacks_row.eq(reading.chooses & ~self.edge.child & request.body.select.may_insert & self.waiting),
            can.eq(has_reading & self.command_room & (~self.forward.valid | self.forward.ready) & ~lacks_row),
        ]
        if self._config.policy != "uct":
            with m.If((request.kind == RequestKind.PRIOR) & self.mean_next):
                m.d.comb += can.eq(0)
        # A pass is claimed only by a request that nothing else holds up: flits must not wait for other streams.
        m.d.comb += self.claims.eq(self.start | (can & starts))
        return can & (~starts | self.pass_ready_next)

    def _write(self, m, writing, has_writing, edge, node, reward):
        config, queued = self._config, writing.queued
        request = queued.request
        chooses, backs_up, evaluates, sets_prior, has_node, passes = (
            Signal(name=name) for name in ("chooses", "backs_up", "evaluates", "sets_prior", "has_node", "passes")
        )
        is_backup = request.kind == RequestKind.BACKUP
        m.d.comb += [
            has_node.eq(has_writing & _has_node(writing)),
            chooses.eq(has_writing & writing.chooses),
            backs_up.eq(has_writing & _backs_up(writing)),
            evaluates.eq(has_node & is_backup & (queued.part == Part.END) & ~node.evaluated),
            passes.eq(has_node & is_backup),
        ]

        m.d.comb += [self.new_place.eq(writing.place), self.new_edge.eq(edge), self.new_node.eq(node)]
        inserts = Signal()
        m.d.comb += [
            inserts.eq(chooses & ~edge.child & request.body.select.may_insert & self.available),
            self.take.eq(inserts),
        ]
        with m.If(chooses & ~edge.child):
            m.d.comb += [
                self.new_edge.child.eq(inserts),
                self.new_edge.bank.eq(self.row.bank),
                self.new_edge.row.eq(self.row.row),
            ]
        # What is added is 0 of every other request.
        m.d.comb += [
            self.new_edge.in_flight.eq(edge.in_flight + Mux(backs_up, -1, chooses)),
            self.new_edge.visits.eq(edge.visits + backs_up),
            self.new_edge.total.eq(edge.total + reward),
            self.new_node.visits.eq(node.visits + backs_up),
        ]
        with m.If(evaluates):
            m.d.comb += [
                self.new_node.evaluated.eq(1),
                self.new_node.terminal.eq(request.body.backup.terminal),
                self.new_node.legal.eq(request.body.backup.legal),
            ]
        if config.policy != "uct":
            prior = Signal(PRIOR_WIDTH)
            arguments = request.body.prior
            m.d.comb += [
                sets_prior.eq(has_node & (request.kind == RequestKind.PRIOR) & ~node.evaluated & writing.exists),
                prior.eq(Mux(writing.place.action[0], arguments.odd_prior, arguments.even_prior)),
            ]
            with m.If(sets_prior):
                # Without a visit the factor is the prior.
                m.d.comb += [
                    self.new_edge.in_flight.eq(0),
                    self.new_edge.prior.eq(prior),
                    self.new_edge.factor.eq(prior),
                ]
        m.d.comb += [
            self.write.links.eq(chooses | backs_up),
            self.write.statistics.eq(backs_up | sets_prior),
            self.write.mean.eq(sets_prior),
            self.write.node.eq(passes),
            self.command.bank.eq(queued.node.bank),
            self.command.body.kind.eq(CommandKind.WRITE),
            self.command.body.row.eq(queued.node.row),
            self.command.body.write_node.eq(passes),
            self.command.body.write_edge.eq(chooses | backs_up | sets_prior),
            self.command.body.action.eq(writing.place.action),
            self.command.body.node.eq(self.new_node),
            self.command.body.edge.eq(self.new_edge),
            self.is_late.eq(backs_up),
            self.send.eq(chooses | passes | sets_prior),
            self.start.eq(passes),
            self.has_edge.eq(backs_up),
            self.release.eq(has_node & writing.is_last),
        ]
        self._go_on(m, writing, has_writing, edge, inserts)

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
                selection.node.eq(Mux(edge.child | inserts, _place(self.new_edge), 0)),
                selection.is_first.eq(inserts & self.is_first),
                selection.asks.eq(inserts & self.asks),
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
        memory = self.remember.memory
        m.d.comb += [
            self.remember.valid.eq(has_writing & is_select & before.accepted),
            self.remember.worker.eq(before.worker),
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
    """Of an edge's child."""
    return (edge.bank << len(edge.row)) | edge.row
