"""Workload of each core when the rows of a layer are dealt out, in two ways."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .config import SparseConfig
from .index_reader import IndexReader
from .max_index import index_word
from .selection import times

__all__ = ["LoadAllocationUnit", "load_command", "workload_shape"]


def workload_shape(config):
    """Of a number of unmasked weights of a layer."""
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


class LoadAllocationUnit(wiring.Component):
    """Counts the unmasked weights that each core gets of a layer.

    Row-based: core ``row * cores div rows`` gets a row, whatever its workload. Threshold-based, the baseline: a core
    gets row after row until it has more than ``total / cores``, then the next; the last gets the rest. The deviation
    is ``max over cores of |cores * workload - total|``: ``cores`` times that from the ideal.

    Latency: ``2 * (rows + 3) + cores + 1`` cycles from a command to its completion: the rows pass once for total and
    row-based workloads, once for the threshold.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    workload_enable, workload_group, workload
        Sets the workload of the rows of a group.
    commands : stream, in
        ``load_command``
    completions : stream, out
        One for each command; the results stand until the next command.
    read_enable, read_address, read_data
        Of the memory of index lists; the word comes in the next cycle and stays until the next read.
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
        self._config = config
        workload = workload_shape(config)
        super().__init__(
            {
                "workload_enable": In(1),
                "workload_group": In(range(config.groups)),
                "workload": In(range(config.positions + 1)),
                "commands": In(stream.Signature(load_command(config))),
                "completions": Out(stream.Signature(1)),
                "read_enable": Out(1),
                "read_address": Out(range(config.index_words)),
                "read_data": In(index_word(config)),
                "total": Out(workload),
                "row_based": Out(workload).array(config.cores),
                "threshold_based": Out(workload).array(config.cores),
                "row_deviation": Out(range(config.rows * config.positions * config.cores + 1)),
                "threshold_deviation": Out(range(config.rows * config.positions * config.cores + 1)),
                "missing_tuple": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.reader = reader = IndexReader(config)
        command = Signal(load_command(config))
        second = Signal()
        core = Signal(range(config.cores + 1))
        # Row-based: cores times the rows so far, less rows for each core that is full. Threshold: cores times weights.
        progress = Signal(range(config.rows + config.cores + 1))
        assigned = Signal(range(config.rows * config.positions * config.cores + 1))
        workload = Signal(self.workload.shape())
        counted = Signal()
        last = Signal()
        m.d.comb += [
            reader.ranges.payload.rows.eq(command.rows),
            reader.ranges.payload.base.eq(command.index_base),
            self.read_enable.eq(reader.read_enable),
            self.read_address.eq(reader.read_address),
            reader.read_data.eq(self.read_data),
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
                m.d.comb += reader.ranges.valid.eq(1)
                m.d.sync += [core.eq(0), progress.eq(0), assigned.eq(0)]
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
        self._look_up(m, reader, command, workload, counted, last)

        with m.If(counted):
            with m.If(~second):
                m.d.sync += [self.total.eq(self.total + workload), progress.eq(progress + config.cores)]
                with m.If(progress + config.cores >= command.rows):
                    m.d.sync += [progress.eq(progress + config.cores - command.rows), core.eq(core + 1)]
                self._give(m, core, self.row_based, workload)
            with m.Else():
                given = Signal.like(assigned)
                m.d.comb += given.eq(assigned + times(workload, config.cores))
                m.d.sync += assigned.eq(given)
                with m.If((given > self.total) & (core != config.cores - 1)):
                    m.d.sync += [assigned.eq(0), core.eq(core + 1)]
                self._give(m, core, self.threshold_based, workload)
            with m.If(last):
                m.d.sync += core.eq(0)
        return m

    def _look_up(self, m, reader, command, workload, counted, last):
        """One row a cycle: the workload of its group, into a register."""
        config = self._config
        lane = Signal(range(config.lanes))
        index = Signal(range(config.groups))
        final = Signal()
        word = reader.words.payload
        workloads = [Signal(self.workload.shape(), name=f"workload_{group}") for group in range(config.groups)]
        with m.If(self.workload_enable):
            with m.Switch(self.workload_group):
                for group, kept in enumerate(workloads):
                    with m.Case(group):
                        m.d.sync += kept.eq(self.workload)
        m.d.comb += [
            index.eq(word.indexes[lane]),
            final.eq(lane + 1 == word.count),
            reader.words.ready.eq(final),
            self.missing_tuple.eq(reader.words.valid & (index >= command.groups)),
        ]
        m.d.sync += [counted.eq(reader.words.valid), last.eq(final & word.last), workload.eq(0)]
        with m.If(reader.words.valid):
            m.d.sync += lane.eq(Mux(final, 0, lane + 1))
        with m.If(index < command.groups):
            with m.Switch(index):
                for group, kept in enumerate(workloads):
                    with m.Case(group):
                        m.d.sync += workload.eq(kept)

    def _give(self, m, core, parts, workload):
        for number, part in enumerate(parts):
            with m.If(core == number):
                m.d.sync += part.eq(part + workload)

    def _deviate(self, m, core):
        """The largest deviation up to ``core``."""
        config = self._config
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
