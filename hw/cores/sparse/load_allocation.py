"""Workload of each core when the rows of a layer are dealt out, in two ways."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.ports import ReadPort, WritePort
from .config import SparseConfig
from .index_reader import IndexReader
from .max_index import index_word
from .selection import times

__all__ = ["LoadAllocationUnit", "load_command", "workload_shape"]


def workload_shape(config):
    """The shape of a number of unmasked weights of a layer."""
    return range(config.rows * config.positions + 1)


def load_command(config):
    """A layer: its groups, rows and the first word of its index list."""
    return data.StructLayout(
        {
            "groups": range(config.groups + 1),
            "rows": range(config.rows + 1),
            "index_base": range(config.index_words),
        }
    )


class LoadAllocationUnit(ConfiguredComponent):
    """Counts the unmasked weights that each core gets of a layer.

    Row-based: core ``row * min(cores, rows) div rows`` gets a row, whatever its workload. Threshold-based, the
    baseline: a core gets row after row until it has more than ``total / cores``, then the next; the last gets the rest.
    The deviation is ``max over cores of |cores * workload - total|``: ``cores`` times that from the ideal.

    Latency: ``2 * (rows + 3) + cores + 1`` cycles from a command to its completion: the rows pass once for total and
    row-based workloads, once for the threshold.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    workloads : In(WritePort)
        Sets the workload of a row of a group.
    commands : stream, in
        ``load_command``
    completions : stream, out
        One for each command; the results stand until the next command. They are 0 after a reset.
    indexes : Out(ReadPort)
        The memory of index lists.
    total : out
        Unmasked weights of the layer.
    row_based, threshold_based : out, arrays of ``cores``
    row_deviation, threshold_deviation : out
    missing_tuple : Out(1)
        A row names a group that the layer does not have; it counts nothing.

    Source
    ------
    LearningGroup, III-C and IV-D, table I.
    """

    def __init__(self, config: SparseConfig):
        workload = workload_shape(config)
        deviation = range(config.rows * config.positions * config.cores + 1)
        super().__init__(
            config,
            {
                "workloads": In(WritePort(range(config.positions + 1), config.groups)),
                "commands": In(stream.Signature(load_command(config))),
                "completions": Out(stream.Signature(1)),
                "indexes": Out(ReadPort(index_word(config), config.index_words)),
                "total": Out(workload),
                "row_based": Out(workload).array(config.cores),
                "threshold_based": Out(workload).array(config.cores),
                "row_deviation": Out(deviation),
                "threshold_deviation": Out(deviation),
                "missing_tuple": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.reader = reader = IndexReader(config)
        wiring.connect(m, reader.indexes, wiring.flipped(self.indexes))
        command = Signal(load_command(config))
        core = Signal(range(config.cores + 1))
        workload, counted, last, second = Signal(self.total.shape()), Signal(), Signal(), Signal()
        begin = Signal()
        m.d.comb += [
            reader.ranges.payload.rows.eq(command.rows),
            reader.ranges.payload.base.eq(command.index_base),
        ]
        with m.FSM(name="load_allocation"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), second.eq(0)]
                with m.If(self.commands.valid):
                    m.d.sync += [self.total.eq(0), self.row_deviation.eq(0), self.threshold_deviation.eq(0)]
                    m.d.sync += [part.eq(0) for part in (*self.row_based, *self.threshold_based)]
                    m.next = "ASK"
            with m.State("ASK"):
                m.d.comb += [reader.ranges.valid.eq(1), begin.eq(1)]
                m.d.sync += core.eq(0)
                m.next = "COUNT"
            with m.State("COUNT"):
                with m.If(counted & last):
                    m.d.sync += second.eq(1)
                    m.next = "ASK"
                    with m.If(second):
                        m.next = "DEVIATE"
            with m.State("DEVIATE"):
                m.d.sync += core.eq(core + 1)
                self._deviate(m, core)
                with m.If(core == config.cores - 1):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        self._look_up(m, reader.words, command, workload, counted, last)
        self._deal(m, command, core, workload, counted & ~second, counted & second, begin)
        with m.If(counted & last):
            m.d.sync += core.eq(0)
        return m

    def _look_up(self, m, words, command, workload, counted, last):
        """One row a cycle: the workload of its group, into a register."""
        config = self.config
        lane = Signal(range(config.lanes))
        index = Signal(range(config.groups))
        final = Signal()
        word = words.payload
        workloads = [Signal(self.workloads.data.shape(), name=f"workload_{group}") for group in range(config.groups)]
        with m.If(self.workloads.enable):
            with m.Switch(self.workloads.address):
                for group, kept in enumerate(workloads):
                    with m.Case(group):
                        m.d.sync += kept.eq(self.workloads.data)
        m.d.comb += [
            index.eq(word.indexes[lane]),
            final.eq(lane + 1 == word.count),
            words.ready.eq(final),
            self.missing_tuple.eq(words.valid & (index >= command.groups)),
        ]
        m.d.sync += [counted.eq(words.valid), last.eq(final & word.last), workload.eq(0)]
        with m.If(words.valid):
            m.d.sync += lane.eq(Mux(final, 0, lane + 1))
        with m.If(index < command.groups):
            with m.Switch(index):
                for group, kept in enumerate(workloads):
                    with m.Case(group):
                        m.d.sync += workload.eq(kept)

    def _deal(self, m, command, core, workload, first, second, begin):
        """A row's workload to its core: row-based in the first pass, by the threshold in the second."""
        config = self.config
        # Row-based: cores times the rows so far, less rows for each core that is full; where there are fewer rows than
        # cores, each row goes to the next core. Threshold: cores times weights.
        progress = Signal(range(config.rows + config.cores + 1))
        assigned, given = Signal(self.row_deviation.shape()), Signal(self.row_deviation.shape())
        m.d.comb += given.eq(assigned + times(workload, config.cores))
        with m.If(begin):
            m.d.sync += [progress.eq(0), assigned.eq(0)]
        with m.If(first):
            m.d.sync += [self.total.eq(self.total + workload), progress.eq(progress + config.cores)]
            with m.If(progress + config.cores >= command.rows):
                m.d.sync += [progress.eq(progress + config.cores - command.rows), core.eq(core + 1)]
        with m.If(second):
            m.d.sync += assigned.eq(given)
            with m.If((given > self.total) & (core != config.cores - 1)):
                m.d.sync += [assigned.eq(0), core.eq(core + 1)]
        for now, parts in ((first, self.row_based), (second, self.threshold_based)):
            for number, part in enumerate(parts):
                with m.If(now & (core == number)):
                    m.d.sync += part.eq(part + workload)

    def _deviate(self, m, core):
        """The largest deviation up to ``core``."""
        config = self.config
        for name, parts, deviation in (
            ("row", self.row_based, self.row_deviation),
            ("threshold", self.threshold_based, self.threshold_deviation),
        ):
            scaled = Signal(deviation.shape(), name=f"{name}_scaled")
            distance = Signal(deviation.shape(), name=f"{name}_distance")
            for number, part in enumerate(parts):
                with m.If(core == number):
                    m.d.comb += scaled.eq(times(part, config.cores))
            m.d.comb += distance.eq(Mux(scaled > self.total, scaled - self.total, self.total - scaled))
            with m.If(distance > deviation):
                m.d.sync += deviation.eq(distance)
