"""Where requests come in: what is wrong with them is found here, and in what order they go on is kept."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .config import VISIT_WIDTH, TreeConfig
from .exit import finished_layout
from .layouts import request_layout
from .records import ACTION_WIDTH, ROW_WIDTH, STATUS_WIDTH, RequestKind, Status
from .stage_layouts import place_layout, stage_request_layout

__all__ = ["Entrance", "management_layout"]

MOST_SELECTIONS = (1 << VISIT_WIDTH) - 1


def management_layout():
    """What the tree's manager is to do: clear the tree, or advance its root by an action."""
    return data.StructLayout({"advance": 1, "action": ACTION_WIDTH})


class Entrance(wiring.Component):
    """Checks requests and sends them to the stage of the root, in order; those with errors, too, for their answers.

    Errors are looked for in the order of :class:`.Status`. A selection may insert if a node is left for it, whatever
    the selections before it do, and may not if there are as many nodes as can be; while neither is known, it waits. A
    request without an error waits until its worker's selection before it has passed all levels.

    Clear and advance wait for the manager. The root of a new tree is then made by two requests of the same worker
    without an answer: a selection that has inserted it, and a backup that evaluates it, unless it is pending.

    Latency: 2 cycles. Throughput: a request a cycle. Back-pressure: ``requests.ready`` depends on registers and
    ``forward.ready``.

    Parameters
    ----------
    config : TreeConfig

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
    """

    def __init__(self, config: TreeConfig):
        self._config = config
        super().__init__(
            {
                "requests": In(stream.Signature(ROW_WIDTH)),
                "forward": Out(stream.Signature(stage_request_layout(config))),
                "finished": In(finished_layout()),
                "management": Out(stream.Signature(management_layout())),
                "found": In(1),
                "root": In(place_layout(config)),
                "starved": Out(1),
                "idle": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self) -> int:
        """Cycles from a request to the root's stage."""
        return 2

    def elaborate(self, platform):
        m = Module()
        config = self._config
        row, has_row, done = Signal(request_layout(config), reset_less=True), Signal(), Signal()
        m.d.comb += [
            self.requests.ready.eq(~has_row | done),
            self.starved.eq(~has_row),
            self.idle.eq(~has_row & ~self.forward.valid),
        ]
        with m.If(self.requests.ready):
            m.d.sync += [row.eq(self.requests.payload[: row.shape().size]), has_row.eq(self.requests.valid)]

        # What there is to send, and whether it goes: `request` is then sent in the next cycle.
        request, goes, free = Signal(stage_request_layout(config)), Signal(), Signal()
        m.d.comb += [
            free.eq(~self.forward.valid | self.forward.ready),
            request.kind.eq(row.kind),
            request.worker.eq(row.worker),
            request.answered.eq(1),
        ]
        with m.If(goes):
            m.d.sync += [self.forward.payload.eq(request), self.forward.valid.eq(1)]
        with m.Elif(self.forward.ready):
            m.d.sync += self.forward.valid.eq(0)

        plants, enters, leaves = (Signal(name=name) for name in ("plants", "enters", "leaves"))
        selected, travels, room, selections = self._count(m, row, plants, enters, leaves)
        has_tree, status = Signal(), Signal(STATUS_WIDTH)
        error = self._find_error(m, row, has_tree, selected, selections)
        selection = request.body.select
        is_select, is_backup, is_clear, is_advance = (
            row.kind == kind
            for kind in (RequestKind.SELECT, RequestKind.BACKUP, RequestKind.CLEAR, RequestKind.ADVANCE)
        )
        with m.FSM(name="entrance"):
            with m.State("CHECK"), m.If(has_row):
                with m.If(error.valid):
                    m.d.comb += [request.status.eq(error.status), goes.eq(free), done.eq(goes)]
                with m.Elif(is_clear | is_advance):
                    m.next = "MANAGE"
                with m.Elif(is_select):
                    m.d.comb += [
                        request.accepted.eq(1),
                        selection.descends.eq(1),
                        selection.node.eq(self.root),
                        selection.may_insert.eq(room.left),
                        # The worker of a clear may still have the selection that makes the root.
                        goes.eq(free & room.known & ~travels),
                        enters.eq(goes),
                        done.eq(goes),
                    ]
                with m.Else():
                    m.d.comb += [
                        request.accepted.eq(1),
                        request.status.eq(Status.DONE),
                        goes.eq(free & ~travels),
                        leaves.eq(goes & is_backup),
                        done.eq(goes),
                    ]
                    if config.policy == "uct":
                        m.d.comb += request.body.backup.eq(row.arguments.backup)
                    else:
                        with m.If(is_backup):
                            m.d.comb += request.body.backup.eq(row.arguments.backup)
                        with m.Else():
                            m.d.comb += request.body.prior.eq(row.arguments.prior)

            with m.State("MANAGE"):
                m.d.comb += self.management.valid.eq(1)
                m.d.sync += status.eq(Mux(is_clear | self.found, Status.DONE, Status.NO_CHILD))
                with m.If(self.management.ready):
                    m.next = "ANSWER"
                    with m.If(is_clear):
                        m.d.sync += has_tree.eq(1)
                        m.next = "PLANT"

            with m.State("PLANT"):
                # As if a selection had inserted it.
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
                    goes.eq(free),
                    plants.eq(goes),
                ]
                with m.If(goes):
                    m.next = "ANSWER"
                    with m.If(row.arguments.clear.terminal | row.arguments.clear.legal.any()):
                        m.next = "EVALUATE"

            with m.State("EVALUATE"):
                m.d.comb += [
                    request.kind.eq(RequestKind.BACKUP),
                    request.accepted.eq(1),
                    request.answered.eq(0),
                    request.body.backup.terminal.eq(row.arguments.clear.terminal),
                    request.body.backup.legal.eq(row.arguments.clear.legal),
                    goes.eq(free & ~travels),
                ]
                with m.If(goes):
                    m.next = "ANSWER"

            with m.State("ANSWER"):
                m.d.comb += [request.status.eq(status), goes.eq(free), done.eq(goes)]
                with m.If(status == Status.DONE):
                    m.d.comb += selection.node.eq(self.root)
                with m.If(goes):
                    m.next = "CHECK"
        m.d.comb += [
            self.management.payload.advance.eq(is_advance),
            self.management.payload.action.eq(row.arguments.advance.action),
        ]
        return m

    def _count(self, m, row, plants, enters, leaves):
        """What is known of workers and nodes.

        Returns whether the row's worker has a selection and any has, whether it is on its way through the levels;
        whether a node is left and whether that is known; and how many selections there were.
        """
        config = self._config
        workers = config.workers
        selected, travelling = Signal(workers), Signal(workers)
        worker = Signal(workers)
        ended = Signal(workers)
        m.d.comb += worker.eq(1 << row.worker)
        with m.If(self.finished.valid):
            m.d.comb += ended.eq(1 << self.finished.worker)
        m.d.sync += travelling.eq((travelling & ~ended) | Mux(enters | plants, worker, 0))
        with m.If(enters):
            m.d.sync += selected.eq(selected | worker)
        with m.If(leaves):
            m.d.sync += selected.eq(selected & ~worker)

        # Nodes that nobody has taken nor may be about to take; and selections that may.
        nodes, undecided = Signal(range(config.nodes + 1)), Signal(range(workers + 1))
        clears, takes, decides, spares = (Signal(name=name) for name in ("clears", "takes", "decides", "spares"))
        m.d.comb += [
            clears.eq(self.management.valid & self.management.ready & ~self.management.payload.advance),
            takes.eq(plants | (enters & (nodes != 0))),
            decides.eq(self.finished.valid & self.finished.may_insert),
            spares.eq(decides & ~self.finished.inserted),
        ]
        m.d.sync += [undecided.eq(undecided + takes - decides), nodes.eq(nodes + spares - takes)]
        with m.If(clears):
            m.d.sync += nodes.eq(config.nodes)

        selections = Signal(VISIT_WIDTH)
        with m.If(clears):
            m.d.sync += selections.eq(0)
        with m.Elif(enters):
            m.d.sync += selections.eq(selections + 1)

        of_workers = Signal(data.StructLayout({"own": 1, "some": 1}))
        room = Signal(data.StructLayout({"left": 1, "known": 1}))
        m.d.comb += [
            of_workers.own.eq((selected & worker).any()),
            of_workers.some.eq(selected.any()),
            room.left.eq(nodes != 0),
            room.known.eq(room.left | (undecided == 0)),
        ]
        return of_workers, (travelling & worker).any(), room, selections

    def _find_error(self, m, row, has_tree, selected, selections):
        """The first error of the request, in the order of their statuses."""
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
            Status.SELECTED_BEFORE: is_select & selected.own,
            Status.NOT_SELECTED: uses_selection & ~selected.own,
            Status.VISIT_LIMIT: is_select & (selections == MOST_SELECTIONS),
            Status.UNDER_WAY: (is_clear | is_advance) & selected.some,
        }
        error = Signal(data.StructLayout({"valid": 1, "status": STATUS_WIDTH}))
        for status in sorted(holds, reverse=True):
            with m.If(holds[status]):
                m.d.comb += [error.valid.eq(1), error.status.eq(status)]
        return error
