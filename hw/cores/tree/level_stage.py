"""One level of the search tree."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from .arrival import Arrival, queued_layout
from .choice import Choice
from .command_queue import CommandQueue
from .config import TreeConfig
from .inserter import Inserter
from .memoization import memory_layout
from .node_buffer import NodeBuffer
from .node_tags import NodeTags
from .records import LEVEL_WIDTH, REGISTERS
from .score_pass import ScorePass
from .stage_layouts import flit_layout, grant_layout, routed_command_layout, stage_request_layout
from .update import Update

__all__ = ["LevelStage"]


class LevelStage(ConfiguredComponent):
    """Serves requests on one level of the tree, one after another: selects, inserts on the next level, backs up.

    ====================  =================================================================================
    :class:`.Arrival`     what the request is about here; its node is read ahead
    queue                 as many requests as there are slots
    :class:`.Choice`      the child of greatest score, two cycles
    :class:`.Update`      the edge is read, then written, two cycles; the request goes on
    :class:`.ScorePass`   value, factor and all scores that follow from a backup, or of a node that has come
    ====================  =================================================================================

    The nodes it works on are in the :class:`.NodeBuffer`; what changes is written through to the banks, by the
    :class:`.CommandQueue`. Rows of the next level are taken from the :class:`.Inserter`. A node is on one level, and
    its stage takes requests in order, so the tree is what a sequential program makes of the same requests.

    Throughput: a request in two cycles (:class:`.Choice`), selections of one node too, if its node is there; a node is
    taken from a bank in ``flits`` cycles. A selection waits for the scores that a backup of its node before it makes.
    Back-pressure: on all streams; ``nodes`` are taken whatever the other streams do.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    requests : In(stream of stage_request_layout)
        From the stage before.
    forward : Out(stream of stage_request_layout)
        To the next stage.
    commands : Out(stream of routed_command_layout)
        To the banks; those of one bank must keep their order.
    nodes : In(stream of flit_layout)
        From the banks.
    grant : In(grant_layout)
        For the next level.
    registers : In(REGISTERS)
        Steady while requests are under way.
    level : In(7)
        Level that it serves; it changes only while ``idle``.
    clear : In(1)
        Forget nodes and rows; only while ``idle``.
    idle : Out(1)
        Nothing is under way here.

    Source
    ------
    Meng's dissertation, section 3.3.2.
    """

    def __init__(self, config: TreeConfig):
        request = stage_request_layout(config)
        super().__init__(
            config,
            {
                "requests": In(stream.Signature(request)),
                "forward": Out(stream.Signature(request)),
                "commands": Out(stream.Signature(routed_command_layout(config))),
                "nodes": In(stream.Signature(flit_layout(config))),
                "grant": In(grant_layout(config)),
                "registers": In(record_layout(REGISTERS)),
                "level": In(LEVEL_WIDTH),
                "clear": In(1),
                "idle": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.arrival = self._arrival = Arrival(config)
        m.submodules.tags = self._tags = NodeTags(config)
        m.submodules.buffer = self._buffer = NodeBuffer(config)
        m.submodules.choice = self._choice = Choice(config)
        m.submodules.update = self._update = Update(config)
        m.submodules.inserter = self._inserter = Inserter(config)
        m.submodules.score_pass = self._pass = ScorePass(config)
        m.submodules.command_queue = self._commands = CommandQueue(config)
        m.submodules.selections = selections = Memory(memory_layout(config), MemoryConfig(depth=config.workers))
        for source, sink in (
            (wiring.flipped(self.requests), self._arrival.requests),
            (self._update.forward, wiring.flipped(self.forward)),
            (self._commands.commands, wiring.flipped(self.commands)),
            (self._arrival.selections, selections.reads[0]),
            (self._update.selections, selections.write),
            (self._arrival.lookup, self._tags.lookup),
            (self._choice.slot, self._tags.front),
            (self._choice.scores, self._buffer.scores),
            (self._update.edges, self._buffer.edges),
            (self._update.rows, self._inserter.rows),
            (self._pass.buffer, self._buffer.score_pass),
        ):
            wiring.connect(m, source, sink)
        m.d.comb += [
            self._choice.registers.eq(self.registers),
            self._pass.registers.eq(self.registers),
            self._update.alternate.eq(self.registers.alternate),
            self._update.level.eq(self.level),
            self._update.is_odd.eq(self.level[0]),
            self._inserter.grant.eq(self.grant),
            self._inserter.clear.eq(self.clear),
            self._tags.clear.eq(self.clear),
        ]
        m.d.sync += self._choice.is_last_level.eq(self.level == config.levels - 1)
        waits = self._serve(m)
        has_flit = self._fill(m)
        self._command(m)
        m.d.comb += self.idle.eq(
            self._arrival.idle
            & self._tags.idle
            & self._update.idle
            & self._commands.idle
            & ~(self.requests.valid | waits | has_flit)
        )
        return m

    def _serve(self, m):
        """From arrival through the queue to choice and update; whether a request waits to be served."""
        arrival, choice, update = self._arrival, self._choice, self._update
        layout = queued_layout(self._config)
        m.submodules.waiting = fifo = SyncFIFO(width=layout.size, depth=self._config.slots)
        head, has_head = Signal(layout, reset_less=True), Signal()
        with m.If(~has_head | choice.pop):
            m.d.sync += [Value.cast(head).eq(fifo.r_data), has_head.eq(fifo.r_rdy)]
            m.d.comb += fifo.r_en.eq(1)
        m.d.comb += [
            fifo.w_data.eq(Value.cast(arrival.queued)),
            fifo.w_en.eq(arrival.push),
            arrival.space.eq(fifo.w_rdy),
            choice.head.eq(head),
            choice.has_head.eq(has_head),
            choice.blocked.eq(self._pass.buffer.written.valid),
            update.chosen.eq(choice.chosen),
            update.accept.eq(choice.done),
            choice.room.eq(update.room),
            self._tags.release.eq(update.release),
            self._tags.released.eq(update.edges.new_place.slot),
        ]
        return has_head | fifo.r_rdy

    def _fill(self, m):
        """Take flits into the buffer; whether one waits to be."""
        config, tags, buffer, score_pass = self._config, self._tags, self._buffer, self._pass
        flit, has_flit = Signal(flit_layout(config), reset_less=True), Signal()
        is_last, starts, fills = (Signal(name=name) for name in ("is_last_flit", "flit_starts_pass", "fills"))
        m.d.comb += [
            is_last.eq(flit.flit == config.flits - 1),
            tags.filled.eq(flit.slot),
            starts.eq(is_last & tags.scored),
            fills.eq(has_flit & ~buffer.fill_blocked & (~starts | (score_pass.ready & ~self._update.claims))),
            buffer.flit.eq(flit),
            buffer.fill.eq(fills),
            tags.fill.eq(fills & is_last),
            tags.end_pass.eq(score_pass.buffer.written.valid & score_pass.buffer.written.last),
            tags.ended.eq(score_pass.buffer.written.slot),
            self.nodes.ready.eq(~has_flit | fills),
        ]
        with m.If(self.nodes.ready):
            m.d.sync += [flit.eq(self.nodes.payload), has_flit.eq(self.nodes.valid)]
        self._start_pass(m, flit, fills & starts)
        return has_flit

    def _start_pass(self, m, flit, of_flit):
        """New scores after a backup, or of a node that has come."""
        score_pass, update, edges = self._pass, self._update, self._update.edges
        m.d.comb += [
            score_pass.start.eq(update.start | of_flit),
            score_pass.has_edge.eq(update.start & update.has_edge),
            score_pass.place.eq(edges.new_place),
            score_pass.place.slot.eq(Mux(update.start, edges.new_place.slot, flit.slot)),
            score_pass.node_visits.eq(Mux(update.start, edges.new_node.visits, flit.node.visits)),
            score_pass.legal.eq(Mux(update.start, edges.new_node.legal, flit.node.legal)),
            score_pass.visits.eq(edges.new_edge.visits),
            score_pass.total.eq(edges.new_edge.total),
            update.pass_ready_next.eq(score_pass.ready_next),
            update.mean_next.eq(score_pass.mean_next),
        ]
        if self._config.policy != "uct":
            m.d.comb += score_pass.prior.eq(edges.new_edge.prior)

    def _command(self, m):
        """Writes first, then reads."""
        queue, update, arrival, mean = self._commands, self._update, self._arrival, self._pass.buffer.mean
        m.d.comb += [
            queue.write.eq(update.command),
            queue.send_write.eq(update.send),
            queue.is_late.eq(update.is_late),
            queue.read.eq(arrival.command),
            queue.send_read.eq(arrival.send),
            queue.mean.value.eq(mean.value),
            queue.mean.factor.eq(mean.factor),
            queue.send_mean.eq(mean.valid),
            update.command_room.eq(queue.room),
            arrival.room.eq(queue.room & update.is_quiet),
        ]
