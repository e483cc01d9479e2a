"""The search tree: requests in, answers out."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..bits import choose_one_hot
from ..component import ConfiguredComponent
from ..layouts import record_layout
from ..replicated import replicated
from ..stream.connect import connect_bits
from .bank import Bank
from .bank_assigner import BankAssigner
from .config import TreeConfig
from .entrance import Entrance
from .exit import Exit
from .interconnect import StageBankInterconnect
from .interconnect_config import InterconnectConfig
from .level_stage import LevelStage
from .node_reader import NodeReader
from .records import COUNTERS, LEVEL_WIDTH, REGISTERS, ROW_WIDTH
from .requests import RequestKind
from .search_counters import SearchCounters
from .stage_layouts import bank_command_layout, flit_layout, place_layout
from .tree_manager import TreeManager

__all__ = ["SearchTree"]


class SearchTree(ConfiguredComponent):
    """Selection, insertion and backup of Monte-Carlo tree search; docs/mcts.md says what each request does.

    =================================  ==============================================================================
    :class:`~.tree.entrance.Entrance`  finds errors, counts nodes left and selections under way
    :class:`.LevelStage`               one for each level, in a ring: level 0 is where the root is
    :class:`.StageBankInterconnect`    to the banks
    :class:`~.tree.bank.Bank`          where nodes lie
    :class:`~.tree.exit.Exit`          answers, and grants blocks of rows, which the :class:`.BankAssigner` chooses
    :class:`.TreeManager`              clears the tree, moves its root
    :class:`.NodeReader`               reads nodes for the manager and for who looks from outside
    =================================  ==============================================================================

    Throughput: a request in two cycles; ``counters`` tell what selections took. Back-pressure: on all streams. While
    answers are not taken, requests stop after as many as the stages hold.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    requests : In(stream of 64 bits)
        Rows of :func:`.request_arguments`.
    answers : Out(stream of 64 bits)
        Rows of ``ANSWER``, one for each request, in order.
    registers : In(REGISTERS)
        Steady while there is a tree.
    reads : In(stream of place_layout)
        Nodes to read; taken when no request is under way.
    nodes : Out(stream of flit_layout)
        ``flits`` of each, their ``slot`` means nothing. While they are not taken, requests wait.
    busy : Out(1)
        There is a request, an answer or a read.
    counters : Out(COUNTERS)

    Source
    ------
    Meng's dissertation, sections 3.3.2 and 5.1.
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            config,
            {
                "requests": In(stream.Signature(ROW_WIDTH)),
                "answers": Out(stream.Signature(ROW_WIDTH)),
                "registers": In(record_layout(REGISTERS)),
                "reads": In(stream.Signature(place_layout(config))),
                "nodes": Out(stream.Signature(flit_layout(config))),
                "busy": Out(1),
                "counters": Out(record_layout(COUNTERS)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.entrance = self._entrance = Entrance(config)
        m.submodules.exit = self._exit = Exit(config)
        m.submodules.manager = self._manager = TreeManager(config)
        m.submodules.reader = self._reader = NodeReader(config)
        m.submodules.assigner = self._assigner = BankAssigner(config)
        self._stages = [replicated(LevelStage(config)) for _ in range(config.levels)]
        for number, stage in enumerate(self._stages):
            m.submodules[f"stage_{number}"] = stage
        wiring.connect(m, wiring.flipped(self.requests), self._entrance.requests)
        wiring.connect(m, self._exit.answers, wiring.flipped(self.answers))
        wiring.connect(m, self._entrance.management, self._manager.management)
        m.d.comb += [
            self._entrance.finished.eq(self._exit.finished),
            self._entrance.found.eq(self._manager.found),
            self._entrance.root.eq(self._manager.root),
            self._exit.root_stage.eq(self._manager.root_stage),
            self._exit.clear.eq(self._manager.clear),
            self._exit.turn.eq(self._manager.turn),
        ]
        self._turn(m)
        self._assign(m)
        network = self._store(m)
        self._read(m)

        empty = Signal()
        stages_rest = Cat(stage.idle for stage in self._stages).all()
        m.d.sync += empty.eq(stages_rest & network.idle & self._exit.idle & ~self._entrance.forward.valid)
        m.d.comb += [
            self._manager.empty.eq(empty & self._reader.idle),
            self._reader.empty.eq(empty),
            self.busy.eq(~(empty & self._entrance.idle & self._reader.idle) | self.answers.valid | self.requests.valid),
        ]
        self._count(m)
        return m

    def _turn(self, m):
        """Stages in a ring, which entrance and exit part in front of the root's."""
        config, manager = self._config, self._manager
        is_first = Signal(config.levels, init=1)
        with m.If(manager.clear):
            m.d.sync += is_first.eq(1)
        with m.Elif(manager.turn):
            m.d.sync += is_first.eq(is_first.rotate_left(1))
        source, target = self._entrance.forward, self._exit.requests
        # Ready of the entrance's and of the exit's stream is that of the stage at the parting.
        taken, given = Signal(config.levels), Signal(config.levels)
        m.d.comb += [
            source.ready.eq(taken.any()),
            target.valid.eq(given.any()),
            Value.cast(target.payload).eq(
                choose_one_hot(is_first, [self._stages[number - 1].forward.payload for number in range(config.levels)])
            ),
        ]
        for number, stage in enumerate(self._stages):
            previous, first = self._stages[number - 1], is_first[number]
            level = Signal(LEVEL_WIDTH, init=number, name=f"level_{number}")
            with m.If(manager.clear):
                m.d.sync += level.eq(number)
            with m.Elif(manager.turn):
                m.d.sync += level.eq(Mux(first, config.levels - 1, level - 1))
            m.d.comb += [
                stage.level.eq(level),
                stage.registers.eq(self.registers),
                stage.clear.eq(manager.clear | (manager.turn & first)),
                stage.grant.eq(self._exit.grant.grant),
                stage.grant.valid.eq(self._exit.grant.grant.valid & (self._exit.grant.level == level)),
                stage.requests.payload.eq(Mux(first, Value.cast(source.payload), Value.cast(previous.forward.payload))),
                stage.requests.valid.eq(Mux(first, source.valid, previous.forward.valid)),
                previous.forward.ready.eq(Mux(first, target.ready, stage.requests.ready)),
                taken[number].eq(first & stage.requests.ready),
                given[number].eq(first & previous.forward.valid),
            ]

    def _assign(self, m):
        """The assigner serves the exit; the manager asks only while the exit does not."""
        exit_, manager, assigner = self._exit, self._manager, self._assigner
        m.d.comb += [
            assigner.requests.valid.eq(exit_.assignments.valid | manager.assignments.valid),
            assigner.requests.payload.eq(exit_.assignments.payload),
            exit_.assignments.ready.eq(assigner.requests.ready),
            manager.assignments.ready.eq(assigner.requests.ready),
        ]
        with m.If(manager.assignments.valid):
            m.d.comb += assigner.requests.payload.eq(manager.assignments.payload)
        for part in (exit_, manager):
            m.d.comb += [part.blocks.valid.eq(assigner.blocks.valid), part.blocks.payload.eq(assigner.blocks.payload)]

    def _store(self, m):
        """Banks behind the interconnect."""
        config = self._config
        shape = InterconnectConfig(
            stages=config.levels,
            banks=config.banks,
            interconnect=config.interconnect,
            concentration=config.concentration,
        )
        m.submodules.network = network = StageBankInterconnect(shape, bank_command_layout(config), flit_layout(config))
        for number, stage in enumerate(self._stages):
            commands, nodes = stage.commands, stage.nodes
            if number == 0:
                wiring.connect(m, commands, self._reader.stage_commands)
                wiring.connect(m, self._reader.stage_nodes, nodes)
                commands, nodes = self._reader.bank_commands, self._reader.bank_nodes
            connect_bits(m, commands, network.stage_requests[number])
            connect_bits(m, network.stage_responses[number], nodes)
        for number in range(config.banks):
            m.submodules[f"bank_{number}"] = bank = replicated(Bank(config))
            connect_bits(m, network.bank_requests[number], bank.commands)
            connect_bits(m, bank.responses, network.bank_responses[number])
        return network

    def _read(self, m):
        """The manager reads first."""
        manager, reader = self._manager, self._reader
        m.d.comb += [
            reader.reads.payload.eq(self.reads.payload),
            manager.nodes.payload.eq(reader.nodes.payload),
            self.nodes.payload.eq(reader.nodes.payload),
        ]
        with m.If(manager.active):
            m.d.comb += [
                reader.reads.payload.eq(manager.reads.payload),
                reader.reads.valid.eq(manager.reads.valid),
                manager.reads.ready.eq(reader.reads.ready),
                manager.nodes.valid.eq(reader.nodes.valid),
                reader.nodes.ready.eq(1),
            ]
        with m.Else():
            m.d.comb += [
                reader.reads.valid.eq(self.reads.valid & self._entrance.idle),
                self.reads.ready.eq(reader.reads.ready & self._entrance.idle),
                self.nodes.valid.eq(reader.nodes.valid),
                reader.nodes.ready.eq(self.nodes.ready),
            ]

    def _count(self, m):
        m.submodules.counters = counters = SearchCounters()
        forward = self._entrance.forward
        is_request = forward.payload.accepted & forward.payload.answered
        m.d.comb += [
            counters.enters.eq(forward.valid & forward.ready),
            counters.selects.eq(is_request & (forward.payload.kind == RequestKind.SELECT)),
            counters.backs_up.eq(is_request & (forward.payload.kind == RequestKind.BACKUP)),
            counters.starved.eq(self._entrance.starved),
            counters.assigning.eq(~self._assigner.requests.ready),
            self.counters.eq(counters.counters),
        ]
