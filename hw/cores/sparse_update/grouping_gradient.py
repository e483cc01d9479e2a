"""Gradients of the grouping matrices: sums of each core, and of rows over all cores."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.nonfinite import is_nonfinite
from ..forwarding import connect_port
from ..replicated import replicated
from .grouping_gradient_config import GroupingGradientConfig
from .grouping_sums import GroupingSums, grouping_word
from .row_sums import RowSums

__all__ = ["GroupingGradient", "grouping_gradient_command", "grouping_gradient_errors"]

# Ports of the cores' sums that are the gradient's, an array of cores each, by the gradient's names.
CORE_PORTS = {"tables": "table", "weights": "weights", "gradients": "gradients"}

# A layer: the first entry of its forward tables and its groups; the columns' gradients, or the rows'. Fields are wider
# than what fits, so that what does not fit is seen.
grouping_gradient_command = data.StructLayout({"table_base": 20, "groups": 8, "columns": 1})
grouping_gradient_errors = data.StructLayout({"address_out_of_range": 1, "nonfinite": 1})


class GroupingGradient(ConfiguredComponent):
    """Straight through the selection of maxima, with unmasked positions alone::

        dIG[m, g(m)] = (s_0 + s_1) + s_2 + ...      s_c: the sum of core c over its columns of the group
        dOG[g(n), n] = the sum of the column's core over the rows of the group

    ::

        tables, banks of core 0 ──> GroupingSums ──┬──> columns[0]
                         ...                       │
        tables, banks of core C ──> GroupingSums ──┼──> columns[C]
                                                   └──> RowSums ──> rows

    Number format: the configuration's; sums as :class:`.GroupingSums` has them, those of the cores in their order.

    Throughput: that of the slowest core; for each word of rows ``(cores - 1) * (adder_depth + 1) + 1`` cycles besides.

    Parameters
    ----------
    config : GroupingGradientConfig

    Members
    -------
    commands : stream, in
        ``grouping_gradient_command``
    completions : stream, out
        One for each command, when its last word has been taken.
    busy : Out(1)
        A command is under way.
    errors : out, ``grouping_gradient_errors``
        ``address_out_of_range``: too many groups, or their entries end past the table memory; nothing is done.
        ``nonfinite``: a gradient that is being taken is infinite or NaN.
    rows : stream, out
        ``grouping_word``: gradients of the rows, places of the row list.
    columns : streams, out, array of ``cores``
        ``grouping_word``: gradients of a core's columns, places of its column list.
    tables : Out(ReadPort).array(cores)
    weights, gradients : Out(ReadPort).array(cores, banks)
        See :class:`.GroupingSums`.

    Source
    ------
    LearningGroup, III-A.
    """

    def __init__(self, config: GroupingGradientConfig):
        cores = config.sparse.cores
        self._units = [replicated(GroupingSums(config), name="grouping_sums") for _ in range(cores)]
        of_core = self._units[0].signature.members
        word = stream.Signature(grouping_word(config))
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(grouping_gradient_command)),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(grouping_gradient_errors),
                "rows": Out(word),
                "columns": Out(word).array(cores),
                **{name: of_core[port].array(cores) for name, port in CORE_PORTS.items()},
            },
        )

    def elaborate(self, platform):
        m = Module()
        command = Signal(grouping_gradient_command)
        m.submodules.rows = rows = RowSums(self.config)
        wiring.connect(m, rows.rows, wiring.flipped(self.rows))
        for core, (unit, words, columns) in enumerate(zip(self._units, rows.words, self.columns, strict=True)):
            m.submodules[f"sums_{core}"] = unit
            for name, port in CORE_PORTS.items():
                connect_port(m, getattr(unit, port), getattr(self, name)[core], Out)
            # Words of columns leave as they are, those of rows when they are added up.
            m.d.comb += [
                columns.valid.eq(unit.words.valid & command.columns),
                words.valid.eq(unit.words.valid & ~command.columns),
                columns.payload.eq(unit.words.payload),
                words.payload.eq(unit.words.payload),
                unit.words.ready.eq(Mux(command.columns, columns.ready, words.ready)),
            ]
        self._control(m, command)
        self._check(m)
        return m

    def _control(self, m, command):
        """Each command to all cores."""
        payload, sparse = self.commands.payload, self.config.sparse
        started = Signal(len(self._units))
        end = Signal(21)
        done = Cat(unit.completions.valid for unit in self._units).all()
        m.d.comb += [end.eq(payload.table_base + payload.groups), self.busy.eq(~self.commands.ready)]
        for number, unit in enumerate(self._units):
            m.d.comb += [unit.commands.payload[name].eq(command[name]) for name, _ in command.shape()]
            with m.If(unit.commands.valid & unit.commands.ready):
                m.d.sync += started[number].eq(1)
        with m.FSM(name="grouping_gradient"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(payload), started.eq(0)]
                with m.If(self.commands.valid):
                    m.next = "RUN"
                    with m.If((end > 2 * sparse.tuples) | (payload.groups > sparse.groups)):
                        m.d.comb += self.errors.address_out_of_range.eq(1)
                        m.next = "COMPLETE"
            with m.State("RUN"):
                m.d.comb += [unit.commands.valid.eq(~started[number]) for number, unit in enumerate(self._units)]
                with m.If(done):
                    m.d.comb += [unit.completions.ready.eq(1) for unit in self._units]
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"

    def _check(self, m):
        """Gradients that are taken in this cycle."""
        flags = []
        for number, port in enumerate((*self.columns, self.rows)):
            word = port.payload
            nonfinite = Signal(self.config.sparse.banks, name=f"nonfinite_{number}")
            m.d.comb += nonfinite.eq(
                Cat(
                    masked & is_nonfinite(self.config.format, total)
                    for masked, total in zip(word.mask, word.sums, strict=True)
                )
            )
            flags.append(port.valid & port.ready & nonfinite.any())
        m.d.comb += self.errors.nonfinite.eq(Cat(flags).any())
