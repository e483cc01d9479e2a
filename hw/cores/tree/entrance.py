"""Where requests come in: what is wrong with them is found here, and in what order they go on is kept."""

from types import SimpleNamespace

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..checks import require_integer
from ..component import ConfiguredComponent
from .config import VISIT_WIDTH, TreeConfig
from .exit import finished_layout
from .layouts import request_layout
from .records import ROW_WIDTH, STATUS_WIDTH
from .requests import ACTION_WIDTH, RequestKind, Status
from .stage_layouts import place_layout, stage_request_layout

__all__ = ["Entrance", "management_layout"]

MOST_SELECTIONS = (1 << VISIT_WIDTH) - 1

# Signals that the methods share. In a cycle: the register behind is free; a request goes there; the row is done; a
# selection enters the tree; a worker's selection ends with its backup; the root of a new tree is made.
ACT = ("can_go", "goes", "done", "enters", "leaves", "plants")
# The row's worker has a selection; any worker has one. In the cycle before: that of the row's worker was on its way
# through the levels; a node was left, and it was decided whether one was. Nothing but a request that goes changes any
# of them to its disadvantage, so what held holds until the row goes.
KNOWN = ("own", "some", "travels", "left", "decided")


def management_layout():
    """A request to the tree's manager: clear the tree, or advance its root by an action."""
    return data.StructLayout({"advance": 1, "action": ACTION_WIDTH})


class Entrance(ConfiguredComponent):
    """Checks requests and sends them to the root's stage in order, also those with errors, which need an answer.

    Errors are looked for in the order of :class:`~.tree.requests.Status`. A selection may insert if a node is left for
    it, whatever the selections before it do, and may not if there are as many nodes as can be; while neither is known,
    it waits. A request without an error waits until its worker's selection before it has passed all levels.

    Clear and advance wait for the manager. The root of a new tree is then made by two requests of the same worker
    without an answer: a selection that has inserted it, and a backup that evaluates it, unless it is pending.

    Latency: 3 cycles. Throughput: a request in two cycles, as a stage takes them. Back-pressure:
    ``requests.ready`` depends on registers alone.

    Parameters
    ----------
    config : TreeConfig
    most_selections : int
        Selections between two clears at most (1 to 65 535).

    Members
    -------
    requests : In(stream of 64 bits)
    forward : Out(stream of stage_request_layout)
        To the stage of the root.
    finished : In(finished_layout)
        From the exit.
    management : Out(stream of management_layout)
        It is taken when it has been done.
    found : In(1)
        While management is taken: an advance found its child.
    root : In(place_layout)
        From the cycle on that follows.
    starved : Out(1)
        No request waits to be sent.
    idle : Out(1)
        There is no request.

    Raises
    ------
    TypeError, ValueError
        ``most_selections`` is no integer, or out of its range.
    """

    def __init__(self, config: TreeConfig, most_selections: int = MOST_SELECTIONS):
        require_integer("Most selections", most_selections, 1, MOST_SELECTIONS)
        self._most_selections = most_selections
        super().__init__(
            config,
            {
                "requests": In(stream.Signature(ROW_WIDTH)),
                "forward": Out(stream.Signature(stage_request_layout(config))),
                "finished": In(finished_layout()),
                "management": Out(stream.Signature(management_layout())),
                "found": In(1),
                "root": In(place_layout(config)),
                "starved": Out(1),
                "idle": Out(1),
            },
        )

    @property
    def most_selections(self) -> int:
        """Selections between two clears at most."""
        return self._most_selections

    @property
    def latency(self) -> int:
        """Cycles from a request to the root's stage."""
        return 3

    def elaborate(self, platform):
        m = Module()
        row, has_row = Signal(request_layout(self._config), reset_less=True), Signal()
        request, act = Signal(stage_request_layout(self._config)), _signals(ACT)
        m.d.comb += [
            self.requests.ready.eq(~has_row | act.done),
            self.starved.eq(~has_row),
            self.idle.eq(~has_row & ~self.forward.valid),
            self.management.payload.advance.eq(row.kind == RequestKind.ADVANCE),
            self.management.payload.action.eq(row.arguments.advance.action),
            # Not in the cycle after a request that went: what is known does not count it yet.
            act.can_go.eq(~self.forward.valid),
            # `request` is sent in the cycle after the one in which it goes.
            request.kind.eq(row.kind),
            request.worker.eq(row.worker),
            request.answered.eq(1),
        ]
        with m.If(self.requests.ready):
            m.d.sync += [row.eq(self.requests.payload[: row.shape().size]), has_row.eq(self.requests.valid)]
        with m.If(act.goes):
            m.d.sync += [self.forward.payload.eq(request), self.forward.valid.eq(1)]
        with m.Elif(self.forward.ready):
            m.d.sync += self.forward.valid.eq(0)

        has_tree, selections = Signal(), Signal(range(self._most_selections + 1))
        known = self._count(m, row, act, selections)
        error = self._find_error(m, row, has_tree, known, selections)
        # The result for a row is there in the cycle after its first one.
        checked = Signal()
        m.d.sync += checked.eq(has_row & ~act.done)
        with m.FSM(name="entrance"):
            with m.State("CHECK"), m.If(checked):
                self._check(m, row, request, act, known, error)
            self._manage(m, row, request, act, has_tree)
            self._plant(m, row, request, act, known)
        return m

    def _check(self, m, row, request, act, known, error):
        """Sends a request that needs no management."""
        selection, is_backup = request.body.select, row.kind == RequestKind.BACKUP
        with m.If(error.valid):
            m.d.comb += [request.status.eq(error.status), act.goes.eq(act.can_go), act.done.eq(act.goes)]
        with m.Elif((row.kind == RequestKind.CLEAR) | (row.kind == RequestKind.ADVANCE)):
            m.next = "MANAGE"
        with m.Elif(row.kind == RequestKind.SELECT):
            m.d.comb += [
                request.accepted.eq(1),
                selection.descends.eq(1),
                selection.node.eq(self.root),
                selection.may_insert.eq(known.left),
                # The worker of a clear may still have the selection that makes the root.
                act.goes.eq(act.can_go & known.decided & ~known.travels),
                act.enters.eq(act.goes),
                act.done.eq(act.goes),
            ]
        with m.Else():
            m.d.comb += [
                request.accepted.eq(1),
                request.status.eq(Status.DONE),
                act.goes.eq(act.can_go & ~known.travels),
                act.leaves.eq(act.goes & is_backup),
                act.done.eq(act.goes),
            ]
            if self._config.policy == "uct":
                m.d.comb += request.body.backup.eq(row.arguments.backup)
            else:
                with m.If(is_backup):
                    m.d.comb += request.body.backup.eq(row.arguments.backup)
                with m.Else():
                    m.d.comb += request.body.prior.eq(row.arguments.prior)

    def _manage(self, m, row, request, act, has_tree):
        """Waits for the manager, and answers."""
        status, is_clear = Signal(STATUS_WIDTH), row.kind == RequestKind.CLEAR
        with m.State("MANAGE"):
            m.d.comb += self.management.valid.eq(1)
            m.d.sync += status.eq(Mux(is_clear | self.found, Status.DONE, Status.NO_CHILD))
            with m.If(self.management.ready):
                m.next = "ANSWER"
                with m.If(is_clear):
                    m.d.sync += has_tree.eq(1)
                    m.next = "PLANT"
        with m.State("ANSWER"):
            m.d.comb += [request.status.eq(status), act.goes.eq(act.can_go), act.done.eq(act.goes)]
            with m.If(status == Status.DONE):
                m.d.comb += request.body.select.node.eq(self.root)
            with m.If(act.goes):
                m.next = "CHECK"

    def _plant(self, m, row, request, act, known):
        """Makes the root of a new tree, as if a selection had inserted it, and evaluates it unless it is pending."""
        selection, backup, given = request.body.select, request.body.backup, row.arguments.clear
        with m.State("PLANT"):
            m.d.comb += [
                request.kind.eq(RequestKind.SELECT),
                request.status.eq(Status.INSERTED),
                request.accepted.eq(1),
                request.answered.eq(0),
                selection.descends.eq(1),
                selection.inserted.eq(1),
                selection.may_insert.eq(1),
                selection.is_first.eq(1),
                selection.node.eq(self.root),
                act.goes.eq(act.can_go),
                act.plants.eq(act.goes),
            ]
            with m.If(act.goes):
                m.next = "ANSWER"
                with m.If(given.terminal | given.legal.any()):
                    m.next = "EVALUATE"
        with m.State("EVALUATE"):
            m.d.comb += [
                request.kind.eq(RequestKind.BACKUP),
                request.accepted.eq(1),
                request.answered.eq(0),
                backup.terminal.eq(given.terminal),
                backup.legal.eq(given.legal),
                act.goes.eq(act.can_go & ~known.travels),
            ]
            with m.If(act.goes):
                m.next = "ANSWER"

    def _count(self, m, row, act, selections):
        """Keep the state of workers and nodes, and count selections."""
        config = self._config
        workers, known = config.workers, _signals(KNOWN)
        selected, travelling, worker, ended = (
            Signal(workers, name=name) for name in ("selected", "travelling", "worker", "ended")
        )
        m.d.comb += worker.eq(1 << row.worker)
        with m.If(self.finished.valid):
            m.d.comb += ended.eq(1 << self.finished.worker)
        m.d.sync += travelling.eq((travelling & ~ended) | Mux(act.enters | act.plants, worker, 0))
        with m.If(act.enters):
            m.d.sync += selected.eq(selected | worker)
        with m.If(act.leaves):
            m.d.sync += selected.eq(selected & ~worker)

        # Nodes that nobody has taken nor may be about to take; and selections that may.
        nodes, undecided = Signal(range(config.nodes + 1)), Signal(range(workers + 1))
        clears, takes, decides, spares = (Signal(name=name) for name in ("clears", "takes", "decides", "spares"))
        m.d.comb += [
            clears.eq(self.management.valid & self.management.ready & ~self.management.payload.advance),
            takes.eq(act.plants | (act.enters & known.left)),
            decides.eq(self.finished.valid & self.finished.may_insert),
            spares.eq(decides & ~self.finished.inserted),
            known.own.eq((selected & worker).any()),
            known.some.eq(selected.any()),
        ]
        m.d.sync += [
            known.travels.eq((travelling & worker).any()),
            known.left.eq(nodes != 0),
            known.decided.eq((nodes != 0) | (undecided == 0)),
            undecided.eq(undecided + takes - decides),
            nodes.eq(nodes + spares - takes),
        ]
        with m.If(clears):
            m.d.sync += [nodes.eq(config.nodes), selections.eq(0)]
        with m.Elif(act.enters):
            m.d.sync += selections.eq(selections + 1)
        return known

    def _find_error(self, m, row, has_tree, known, selections):
        """The first error of the request in the cycle before, in the order of their statuses."""
        kinds = [kind for kind in RequestKind if self._config.policy != "uct" or kind != RequestKind.PRIOR]
        is_select, is_clear, is_advance = (
            row.kind == kind for kind in (RequestKind.SELECT, RequestKind.CLEAR, RequestKind.ADVANCE)
        )
        is_known, uses_selection = Signal(), Signal()
        m.d.comb += [
            is_known.eq(sum(row.kind == kind for kind in kinds)),
            uses_selection.eq((row.kind == RequestKind.BACKUP) | (row.kind == RequestKind.PRIOR)),
        ]
        holds = {
            Status.UNKNOWN_KIND: ~is_known,
            Status.UNKNOWN_WORKER: row.worker >= self._config.workers,
            Status.NO_TREE: ~has_tree & ~is_clear,
            Status.SELECTED_BEFORE: is_select & known.own,
            Status.NOT_SELECTED: uses_selection & ~known.own,
            Status.VISIT_LIMIT: is_select & (selections == self._most_selections),
            Status.UNDER_WAY: (is_clear | is_advance) & known.some,
        }
        error = Signal(data.StructLayout({"valid": 1, "status": STATUS_WIDTH}))
        m.d.sync += error.valid.eq(0)
        for status in sorted(holds, reverse=True):
            with m.If(holds[status]):
                m.d.sync += [error.valid.eq(1), error.status.eq(status)]
        return error


def _signals(names):
    return SimpleNamespace(**{name: Signal(name=name) for name in names})
