"""The first half of a stage's service: a selection chooses a child, everything else passes at the same pace."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from .arrival import queued_layout
from .config import TreeConfig
from .memoization import Part
from .records import REGISTERS
from .requests import RequestKind, Status
from .score_unit import score_of_choice
from .selector import Selector
from .selector_config import SelectorConfig
from .stage_layouts import edge_place_layout
from .stage_ports import FrontPort, ScorePort

__all__ = ["Choice", "chosen_layout"]


def chosen_layout(config: TreeConfig):
    """A request with the edge it is about.

    ``chooses`` is 1 of a selection that goes on from here, by the action of ``place``; otherwise ``status`` is why it
    ends here. ``is_last`` is 0 of the first of the two turns of a prior.
    """
    return data.StructLayout(
        {
            "queued": queued_layout(config),
            "place": edge_place_layout(config),
            "exists": 1,
            "chooses": 1,
            "status": Status,
            "is_last": 1,
        }
    )


class Choice(ConfiguredComponent):
    """Serves the request at the head of the queue: chooses the child of greatest score, and takes the loss off it.

    A selection that comes to a node that is pending, terminal or on the last level ends there. A selection waits until
    its node is there and no scores of it are to be written, a backup or prior until the node is there.

    Latency: 2 cycles, or as many as the selector has levels if that is more. Throughput: a request in that many
    cycles, also of the same node; more while a score pass writes.
    Back-pressure: ``head`` is held until ``chosen`` is taken.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    head : In(queued_layout)
    has_head : In(1)
    pop : Out(1)
        The head is taken: ``chosen`` leaves with it, unless it is the first of two turns.
    slot : Out(FrontPort)
        The head's slot.
    scores : Out(ScorePort)
        The scores of the node there.
    blocked : In(1)
        A score pass writes scores in this cycle.
    registers : In(REGISTERS)
        Steady.
    is_last_level : In(1)
    chosen : Out(chosen_layout)
    done : Out(1)
        ``chosen`` leaves; only if there is ``room``.
    room : In(1)
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            config,
            {
                "head": In(queued_layout(config)),
                "has_head": In(1),
                "pop": Out(1),
                "slot": Out(FrontPort(config)),
                "scores": Out(ScorePort(config)),
                "blocked": In(1),
                "registers": In(record_layout(REGISTERS)),
                "is_last_level": In(1),
                "chosen": Out(chosen_layout(config)),
                "done": Out(1),
                "room": In(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        head = self.head
        is_select, is_backup, has_node = (Signal(name=name) for name in ("is_select", "is_backup", "has_node"))
        m.d.comb += [
            is_select.eq(head.request.kind == RequestKind.SELECT),
            is_backup.eq(head.request.kind == RequestKind.BACKUP),
            has_node.eq((head.part == Part.EDGE) | (head.part == Part.END)),
            self.slot.front.eq(head.slot),
            self.scores.front.eq(head.slot),
        ]

        # The first cycle waits for the node and compares, the last one writes the winner's score.
        index, one_hot, greatest, cycles = self._select(m)
        phase, second = Signal(range(cycles + 1)), Signal()
        can_begin, writes = Signal(), Signal()
        m.d.comb += [
            can_begin.eq(self.has_head & (~has_node | (self.slot.filled & (~is_select | self.slot.settled)))),
            self.slot.begin_pass.eq((phase == 0) & can_begin & has_node & is_backup),
            writes.eq((phase == cycles) & self.chosen.chooses & ~self.blocked),
            self.done.eq((phase == cycles) & self.room & (~self.chosen.chooses | writes)),
            self.scores.choose.eq(self.done & writes),
            self.scores.chosen_edge.eq(one_hot),
            # One more selection under way.
            self.scores.score.eq(score_of_choice(self._config, greatest) - self.registers.loss),
            self.pop.eq(self.done & self.chosen.is_last),
        ]
        with m.If(self.done):
            m.d.sync += [phase.eq(0), second.eq(~self.chosen.is_last)]
        with m.Elif((phase != cycles) & (can_begin | (phase != 0))):
            m.d.sync += phase.eq(phase + 1)
        self._give_chosen(m, is_select, has_node, index, second)
        return m

    def _give_chosen(self, m, is_select, has_node, index, second):
        """The request with what was chosen; a prior is for two actions, one after the other, if there are so many."""
        config, head, chosen, scores = self._config, self.head, self.chosen, self.scores
        action = Signal(range(config.fanout))
        place = Signal.like(chosen.place)
        m.d.comb += [
            action.eq(Mux(is_select, index, head.action)),
            place.slot.eq(head.slot),
            place.action.eq(action),
            place.lane.eq(action),
            chosen.queued.eq(head),
            chosen.place.eq(place),
            chosen.exists.eq(1),
            chosen.is_last.eq(1),
            chosen.chooses.eq(
                is_select & (head.part == Part.EDGE) & scores.evaluated & ~scores.terminal & ~self.is_last_level
            ),
            chosen.status.eq(
                Mux(~scores.evaluated, Status.PENDING, Mux(scores.terminal, Status.TERMINAL, Status.HEIGHT_LIMIT))
            ),
        ]
        for flit in range(1, config.flits):
            with m.If(action >= config.lanes * flit):
                m.d.comb += [place.flit.eq(flit), place.lane.eq(action - config.lanes * flit)]
        if config.policy != "uct":
            wanted = Signal(len(head.request.body.prior.group) + 1)
            m.d.comb += wanted.eq(Cat(second, head.request.body.prior.group))
            with m.If(head.request.kind == RequestKind.PRIOR):
                m.d.comb += [
                    action.eq(wanted),
                    chosen.exists.eq(wanted < config.fanout),
                    chosen.is_last.eq(second | ~has_node),
                ]

    def _select(self, m):
        """The winner, and how many cycles after the scores it is there."""
        config = self._config
        shape = SelectorConfig(
            values=config.fanout,
            group=config.group,
            width=config.score_width,
            comparison=config.comparison,
            registered=True,
        )
        m.submodules.selector = selector = Selector(shape)
        m.d.comb += selector.keys.eq(self.scores.keys)
        results = [selector.index, selector.one_hot, selector.greatest]
        if selector.latency:
            return *results, selector.latency
        registers = [Signal.like(result, name=f"{result.name}_held") for result in results]
        m.d.sync += [register.eq(result) for register, result in zip(registers, results, strict=True)]
        return *registers, 1
