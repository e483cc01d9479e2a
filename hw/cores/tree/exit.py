"""The exit after the last level: answers, and blocks of rows for the levels that need them."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .bank_assigner import AssignerCommand, assigner_request_layout, block_layout
from .config import TreeConfig
from .layouts import answer_layout
from .records import LEVEL_WIDTH, ROW_WIDTH
from .requests import WORKER_WIDTH, RequestKind, Status
from .stage_layouts import grant_layout, stage_request_layout

__all__ = ["Exit", "finished_layout", "level_grant_layout"]

# Requests whose blocks are due at the same time; more of them wait with their answers.
DUE = 8


def finished_layout():
    """A selection that has passed all levels, for one cycle: could it insert, and did it."""
    return data.StructLayout({"valid": 1, "worker": WORKER_WIDTH, "may_insert": 1, "inserted": 1})


def level_grant_layout(config: TreeConfig):
    """A grant, and the level of the stage that it is for."""
    return data.StructLayout({"level": LEVEL_WIDTH, "grant": grant_layout(config)})


class Exit(ConfiguredComponent):
    """Answers requests in the order in which they come out of the last level, and has blocks assigned.

    After the first node of level l, level l + 1 gets its current block, if there is such a level; after that, level l
    gets a reserve, if the node asks for one. A grant goes to the stage that gives the level's rows, the one above.
    Grants keep the order of requests; answers do not wait for them.

    Latency: 1 cycle to the answer; a grant comes 2 cycles and the assigner's latency after the request. Throughput: a
    request a cycle, while no more than 8 wait for blocks and no more than 2 answers. Back-pressure: ``requests.ready``
    depends on registers alone.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    requests : In(stream of stage_request_layout)
    answers : Out(stream of 64 bits)
    finished : Out(finished_layout)
        In the cycle in which the selection comes.
    assignments : Out(stream of assigner_request_layout)
        To the assigner.
    blocks : In(stream of block_layout, always ready)
        From the assigner; those that were not asked for here do not count.
    grant : Out(level_grant_layout)
        For one cycle.
    root_stage : In(range(levels))
        Stage that serves level 0; it changes only while ``idle``.
    clear : In(1)
        There is a new tree.
    turn : In(1)
        The root has moved one level down: the last level is a new one.
    idle : Out(1)
        No block is due.
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            config,
            {
                "requests": In(stream.Signature(stage_request_layout(config))),
                "answers": Out(stream.Signature(ROW_WIDTH)),
                "finished": Out(finished_layout()),
                "assignments": Out(stream.Signature(assigner_request_layout(config))),
                "blocks": In(stream.Signature(block_layout(config), always_ready=True)),
                "grant": Out(level_grant_layout(config)),
                "root_stage": In(range(config.levels)),
                "clear": In(1),
                "turn": In(1),
                "idle": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        due_layout = data.StructLayout({"level": LEVEL_WIDTH, "current": 1, "reserve": 1})
        # A register says whether there is room, one cycle late: two more have a place.
        m.submodules.due = fifo = SyncFIFO(width=due_layout.size, depth=DUE + 2)
        due, next_due, has_room = Signal(due_layout), Signal(due_layout), Signal(init=1)
        m.d.sync += has_room.eq(fifo.level <= DUE)
        m.d.comb += [
            Value.cast(next_due).eq(fifo.r_data),
            fifo.w_data.eq(due),
        ]
        takes = self._answer(m, has_room)

        request = self.requests.payload
        selection = request.body.select
        is_selection, inserted, is_first = (Signal(name=name) for name in ("is_selection", "inserted", "is_first"))
        m.d.comb += [
            is_selection.eq(takes & request.accepted & (request.kind == RequestKind.SELECT)),
            inserted.eq(is_selection & (request.status == Status.INSERTED)),
            is_first.eq(inserted & selection.is_first),
            self.finished.valid.eq(is_selection),
            self.finished.worker.eq(request.worker),
            self.finished.may_insert.eq(selection.may_insert),
            self.finished.inserted.eq(inserted),
        ]

        # Levels get their first nodes from the root down, so the deepest one tells which have nodes.
        last = self._config.levels - 1
        deepest = Signal(range(self._config.levels))
        with m.If(self.clear):
            m.d.sync += deepest.eq(0)
        with m.Elif(self.turn):
            m.d.sync += deepest.eq(deepest - 1)
        with m.Elif(is_first):
            m.d.sync += deepest.eq(selection.level)
        m.d.comb += [
            due.level.eq(selection.level),
            due.current.eq(is_first & (selection.level != last)),
            due.reserve.eq(inserted & selection.asks),
            fifo.w_en.eq(due.current | due.reserve),
        ]
        with m.If(self.turn):
            m.d.comb += [due.level.eq(last - 1), due.current.eq(deepest == last), due.reserve.eq(0)]
        self._grant(m, fifo, next_due)
        return m

    def _answer(self, m, has_room):
        """Answer a request; whether one is taken."""
        # The host's ready ends here: it would go on through the last stage and the interconnect to the banks.
        m.submodules.waiting = waiting = StreamBuffer(ROW_WIDTH, StreamBufferConfig(depth=2, latency=1))
        wiring.connect(m, waiting.o, wiring.flipped(self.answers))
        request, takes = self.requests.payload, Signal(name="takes")
        selection = request.body.select
        answer = Signal(answer_layout)
        m.d.comb += [answer.kind.eq(request.kind), answer.worker.eq(request.worker), answer.status.eq(request.status)]
        # The body of backups and priors has arguments.
        with m.If((request.kind != RequestKind.BACKUP) & (request.kind != RequestKind.PRIOR)):
            m.d.comb += [
                answer.level.eq(selection.level),
                answer.action.eq(selection.action),
                answer.parent.eq(selection.parent),
                answer.node.eq(selection.node),
            ]
        m.d.comb += [
            self.requests.ready.eq(waiting.i.ready & has_room),
            takes.eq(self.requests.valid & self.requests.ready),
            waiting.i.payload.eq(answer),
            waiting.i.valid.eq(takes & request.answered),
        ]
        return takes

    def _grant(self, m, fifo, due):
        """One block after the other."""
        config = self._config
        waits, has_current = Signal(), Signal()
        reserve, last = Signal(), Signal()
        owner, stage = Signal(range(config.levels)), Signal(range(2 * config.levels))
        m.d.comb += [
            reserve.eq(~due.current | has_current),
            last.eq(reserve | ~due.reserve),
            owner.eq(Mux(reserve, due.level, due.level + 1)),
            stage.eq(owner + self.root_stage),
            self.assignments.valid.eq(fifo.r_rdy & ~waits),
            self.assignments.payload.command.eq(AssignerCommand.ASSIGN),
            self.assignments.payload.stage.eq(Mux(stage >= config.levels, stage - config.levels, stage)),
            self.idle.eq(~fifo.r_rdy & ~self.grant.grant.valid),
        ]
        block = self.blocks.payload
        m.d.sync += [
            self.grant.grant.valid.eq(waits & self.blocks.valid),
            # Level 0 gets no blocks, so this is never below 0.
            self.grant.level.eq((owner - 1)[: len(owner)]),
            self.grant.grant.reserve.eq(reserve),
            self.grant.grant.given.eq(block.given),
            self.grant.grant.node.eq(block.node),
        ]
        with m.If(self.assignments.valid & self.assignments.ready):
            m.d.sync += waits.eq(1)
        with m.If(waits & self.blocks.valid):
            m.d.sync += [waits.eq(0), has_current.eq(~last)]
            m.d.comb += fifo.r_en.eq(last)
