"""Gradients of the grouping matrices: sums of each core, and of rows over all cores."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..replicated import replicated
from ..sparse.lists import table_entry
from .grouping_gradient_config import GroupingGradientConfig
from .grouping_sums import GroupingSums, grouping_word

__all__ = ["GroupingGradient", "grouping_gradient_command", "grouping_gradient_errors"]

# A layer: the first entry of its forward tables and its groups; the columns' gradients, or the rows'. Fields are wider
# than what fits, so that what does not fit is seen.
grouping_gradient_command = data.StructLayout({"table_base": 20, "groups": 8, "columns": 1})
grouping_gradient_errors = data.StructLayout({"address_out_of_range": 1, "nonfinite": 1})


class GroupingGradient(wiring.Component):
    """Straight through the selection of maxima, with unmasked positions alone::

        dIG[m, g(m)] = (s_0 + s_1) + s_2 + ...      s_c: the sum of core c over its columns of the group
        dOG[g(n), n] = the sum of the column's core over the rows of the group

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
        ``address_out_of_range``: too many groups, or their entries end behind the table memory; nothing is done.
        ``nonfinite``: a gradient that is being taken is infinite or NaN.
    rows : stream, out
        ``grouping_word``: gradients of the rows, places of the row list.
    columns : streams, out, array of ``cores``
        ``grouping_word``: gradients of a core's columns, places of its column list.
    table_read_enable, table_read_address, table_data : arrays of ``cores``
    read_enable, read_addresses, weights, gradients : arrays of ``cores`` (and ``banks``)
        See :class:`.GroupingSums`.

    Source
    ------
    LearningGroup, III-A.
    """

    def __init__(self, config: GroupingGradientConfig):
        self._config = config
        sparse = config.sparse
        cores, banks = sparse.cores, sparse.banks
        word = stream.Signature(grouping_word(config))
        super().__init__(
            {
                "commands": In(stream.Signature(grouping_gradient_command)),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(grouping_gradient_errors),
                "rows": Out(word),
                "columns": Out(word).array(cores),
                "table_read_enable": Out(1).array(cores),
                "table_read_address": Out(range(2 * sparse.tuples)).array(cores),
                "table_data": In(table_entry(sparse)).array(cores),
                "read_enable": Out(1).array(cores),
                "read_addresses": Out(range(sparse.weight_words)).array(cores, banks),
                "weights": In(sparse.weight_width).array(cores, banks),
                "gradients": In(sparse.weight_width).array(cores, banks),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        sparse = self._config.sparse
        units = [replicated(GroupingSums(self._config), name="grouping_sums") for _ in range(sparse.cores)]
        for core, unit in enumerate(units):
            m.submodules[f"sums_{core}"] = unit
            m.d.comb += [
                self.table_read_enable[core].eq(unit.table_read_enable),
                self.table_read_address[core].eq(unit.table_read_address),
                unit.table_data.eq(self.table_data[core]),
                self.read_enable[core].eq(unit.read_enable),
            ]
            for bank in range(sparse.banks):
                m.d.comb += [
                    self.read_addresses[core][bank].eq(unit.read_addresses[bank]),
                    unit.weights[bank].eq(self.weights[core][bank]),
                    unit.gradients[bank].eq(self.gradients[core][bank]),
                ]
        of_columns = self._commands(m, units)
        self._results(m, units, of_columns)
        return m

    def _commands(self, m, units):
        """Each command to all cores; returns whether it is of columns."""
        sparse = self._config.sparse
        payload = self.commands.payload
        command = Signal(grouping_gradient_command)
        started = Signal(len(units))
        end = Signal(21)
        done = Cat(unit.completions.valid for unit in units).all()
        m.d.comb += [end.eq(payload.table_base + payload.groups), self.busy.eq(~self.commands.ready)]
        for number, unit in enumerate(units):
            m.d.comb += [
                unit.commands.payload.table_base.eq(command.table_base),
                unit.commands.payload.groups.eq(command.groups),
                unit.commands.payload.columns.eq(command.columns),
            ]
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
                m.d.comb += [unit.commands.valid.eq(~started[number]) for number, unit in enumerate(units)]
                with m.If(done):
                    m.d.comb += [unit.completions.ready.eq(1) for unit in units]
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        return command.columns

    def _results(self, m, units, of_columns):
        """Words of columns leave as they are. A word of rows stays in the cores until their sums are added."""
        config, depth = self._config, self._config.adder_depth
        cores, banks = config.sparse.cores, config.sparse.banks
        taken = []
        for unit, columns in zip(units, self.columns, strict=True):
            m.d.comb += [
                columns.valid.eq(unit.words.valid & of_columns),
                columns.payload.eq(unit.words.payload),
                unit.words.ready.eq(Mux(of_columns, columns.ready, self.rows.valid & self.rows.ready)),
            ]
            taken.append((columns.valid & columns.ready, columns.payload))
        total = Signal(data.ArrayLayout(config.format.width, banks))
        core = Signal(range(cores + 1))
        cycle = Signal(range(depth + 1))
        m.d.comb += [
            self.rows.payload.eq(units[0].words.payload),
            self.rows.payload.sums.eq(total),
        ]
        everyone = Cat(unit.words.valid for unit in units).all() & ~of_columns
        with m.FSM(name="cores"):
            with m.State("FIRST"):
                m.d.sync += [total.eq(units[0].words.payload.sums), core.eq(1), cycle.eq(0)]
                with m.If(everyone):
                    m.next = "TAKE" if cores == 1 else "ADD"
            with m.State("ADD"):
                m.d.sync += cycle.eq(cycle + 1)
                with m.If(cycle == depth):
                    m.d.sync += [cycle.eq(0), core.eq(core + 1)]
                    with m.If(core == cores - 1):
                        m.next = "TAKE"
            with m.State("TAKE"):
                m.d.comb += self.rows.valid.eq(1)
                with m.If(self.rows.ready):
                    m.next = "FIRST"
        adder_config = FloatConfig(format=config.format, depth=depth)
        for lane in range(banks):
            addend = Signal(config.format.width, name=f"addend_{lane}")
            with m.Switch(core):
                for number in range(1, cores):
                    with m.Case(number):
                        m.d.comb += addend.eq(units[number].words.payload.sums[lane])
            if cores > 1:
                m.submodules[f"adder_{lane}"] = adder = replicated(FloatAdder(adder_config), name="adder")
                m.d.comb += [adder.a.eq(total[lane]), adder.b.eq(addend)]
                with m.If(cycle == depth):
                    m.d.sync += total[lane].eq(adder.result)
        taken.append((self.rows.valid & self.rows.ready, self.rows.payload))
        fraction = config.format.fraction_bits
        flags = []
        for number, (now, word) in enumerate(taken):
            nonfinite = Signal(banks, name=f"nonfinite_{number}")
            m.d.comb += [
                nonfinite[lane].eq(word.mask[lane] & word.sums[lane][fraction:-1].all()) for lane in range(banks)
            ]
            flags.append(now & nonfinite.any())
        m.d.comb += self.errors.nonfinite.eq(Cat(flags).any())
