"""First stage of the sparse data engine: a layer's grouping matrices, and the indexes of their maxima."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.ports import ReadPort, WritePort
from .command import STEPS, check_command, sparse_command
from .config import SparseConfig
from .max_index import MaxIndexUnit, index_word

__all__ = ["FindStage", "find_stage_errors"]

find_stage_errors = data.StructLayout({"too_many_groups": 1, "address_out_of_range": 1, "not_a_number": 1})


class FindStage(ConfiguredComponent):
    """Checks a command, and puts the words of its grouping matrices through the max-index unit, into the index lists.

    Latency: five cycles from a command to the next stage, and W + 5 more to find the maxima in W words of grouping
    matrices. The next command is taken when the next stage has taken this one.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    commands : stream, in
        ``sparse_command``
    checked : stream, out
        The same command, for the next stage; one that is refused has no steps left.
    hold : In(1)
        A command of the layer that ``checked`` names is under way in a later stage: this one waits.
    grouping : Out(ReadPort)
        The grouping matrices.
    indexes : Out(WritePort)
        The index lists.
    errors : out, ``find_stage_errors``
        See :class:`~.engine.SparseDataEngine`.
    finding : Out(1)
        Words are read in this cycle.
    """

    def __init__(self, config: SparseConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(sparse_command(config))),
                "checked": Out(stream.Signature(sparse_command(config))),
                "hold": In(1),
                "grouping": Out(ReadPort(data.ArrayLayout(config.value_width, config.lanes), config.grouping_words)),
                "indexes": Out(WritePort(index_word(config), config.index_words)),
                "errors": Out(find_stage_errors),
                "finding": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        command = Signal(sparse_command(self.config))
        too_many, outside, words = check_command(m, self.config, command)
        found = Signal()
        m.d.comb += self.checked.payload.eq(command)
        with m.FSM(name="find_stage"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += command.eq(self.commands.payload)
                with m.If(self.commands.valid):
                    m.next = "MEASURE"
            with m.State("MEASURE"):
                m.next = "MULTIPLY"
            with m.State("MULTIPLY"):
                m.next = "CHECK"
            with m.State("CHECK"):
                m.d.comb += [self.errors.too_many_groups.eq(too_many), self.errors.address_out_of_range.eq(outside)]
                with m.If(too_many | outside):
                    m.d.sync += [command[step].eq(0) for step in STEPS]
                m.next = "HOLD"
            with m.State("HOLD"), m.If(~self.hold):
                m.next = "GIVE"
                with m.If(command.find):
                    m.next = "FIND"
            with m.State("FIND"):
                m.d.comb += self.finding.eq(1)
                with m.If(found):
                    m.next = "GIVE"
            with m.State("GIVE"):
                m.d.comb += self.checked.valid.eq(1)
                with m.If(self.checked.ready):
                    m.next = "IDLE"
        self._find(m, command, words, found)
        return m

    def _find(self, m, command, words, found):
        """``words`` of grouping matrices through the max-index unit."""
        config = self.config
        m.submodules.max_index = unit = MaxIndexUnit(config)
        left = Signal(words.shape())
        group = Signal(range(config.groups))
        running, arrived, last, ends = Signal(), Signal(), Signal(), Signal()
        m.d.sync += [
            running.eq(self.finding & ~found),
            arrived.eq(self.grouping.enable),
            # A word comes late in its cycle: it is compared in the next. The unit is always ready, since its indexes
            # never wait.
            unit.words.valid.eq(arrived),
            unit.words.payload.values.eq(self.grouping.data),
            unit.words.payload.last.eq(last),
        ]
        m.d.comb += [
            ends.eq(group + 1 == command.groups),
            self.grouping.enable.eq(running & (left != 0)),
            unit.indexes.ready.eq(1),
            found.eq(running & (left == 0) & ~arrived & ~unit.words.valid & ~unit.indexes.valid),
            self.indexes.enable.eq(unit.indexes.valid),
            self.indexes.data.eq(unit.indexes.payload.indexes),
            self.errors.not_a_number.eq(unit.indexes.valid & unit.indexes.payload.not_a_number.any()),
        ]
        with m.If(self.finding & ~running):
            m.d.sync += [
                left.eq(words),
                group.eq(0),
                self.grouping.address.eq(command.grouping_base),
                self.indexes.address.eq(command.index_base),
            ]
        with m.If(self.grouping.enable):
            m.d.sync += [
                left.eq(left - 1),
                self.grouping.address.eq(self.grouping.address + 1),
                last.eq(ends),
                group.eq(Mux(ends, 0, group + 1)),
            ]
        with m.If(unit.indexes.valid):
            m.d.sync += self.indexes.address.eq(self.indexes.address + 1)
