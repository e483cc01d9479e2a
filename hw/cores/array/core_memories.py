"""Activation and error memories of all cores, and who reads them when."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.activation import ActivationMemory
from ..memory.arbiter import ReadArbiter
from ..memory.config import ActivationMemoryConfig, ArbiterConfig, MemoryConfig
from ..memory.memory import Memory
from ..pipeline import delay
from .block_queue import reads_activations, reads_errors
from .commands import ROW_WIDTH, Destination
from .config import WORD_WIDTH
from .engine_config import ArrayEngineConfig
from .layouts import drained_layout, stationary_layout, streamed_layout
from .writeback_ports import ResultPort

__all__ = ["READ_LATENCY", "REQUEST_LATENCY", "CoreMemories", "RowReadPort"]

# The sequencers' requests are registered, those from outside are not; from then until the words come.
REQUEST_LATENCY = 1
READ_LATENCY = 2


class RowReadPort(wiring.Signature):
    """Reads a row of a core's memory while nobody else does, seen from the user.

    Parameters
    ----------
    config : ArrayEngineConfig

    Members
    -------
    enable : Out(1)
    row : Out(16)
    index : Out(range(lanes))
        ``row mod lanes``.
    granted : In(1)
        A read is taken in this cycle; it does not depend on ``enable``.
    data : In(data.ArrayLayout(32, lanes))
        ``READ_LATENCY`` cycles after the read was taken.
    """

    def __init__(self, config: ArrayEngineConfig):
        super().__init__(
            {
                "enable": Out(1),
                "row": Out(ROW_WIDTH),
                "index": Out(range(config.lanes)),
                "granted": In(1),
                "data": In(data.ArrayLayout(WORD_WIDTH, config.lanes)),
            }
        )


class CoreMemories(ConfiguredComponent):
    """The memories of ``N`` cores in lockstep: the same request to all, each its own data.

    ::

        streamed -----+-> activation memory of each core --> activation_words
        drained ----. |                                        (row, column)
        outside -.  '-+-> error memory of each core ------> error_words
                 '----'        ^
        stationary ------------'                              results are written by the write-back path

    The sequencers see to it that at most one of the streamed row, the stationary row and the drain's auxiliary row
    comes from each kind of memory in a cycle; from outside it is read when nobody else does.

    Latency: ``REQUEST_LATENCY + READ_LATENCY`` cycles from a sequencer's request to its words, ``READ_LATENCY`` from a
    read from outside. No back-pressure but ``granted`` of those.

    Parameters
    ----------
    config : ArrayEngineConfig

    Members
    -------
    stationary : In(stationary_layout(config))
    streamed : In(streamed_layout(config))
    drained : In(drained_layout(config))
        Requests of this cycle.
    activation_rows, error_rows : In(RowReadPort(config)).array(cores)
        From outside.
    activation_words, error_words : Out(data.ArrayLayout(32, cores * lanes))
        The rows that were read, core after core.
    auxiliary_errors : Out(1)
        The drained row's auxiliary words are read from the error memories (``REQUEST_LATENCY`` after the request).
    results : In(ResultPort(config.writeback))
        Row to write.
    out_of_range : Out(1)
        A row past the end of its memory was asked for.
    """

    def __init__(self, config: ArrayEngineConfig):
        words = data.ArrayLayout(WORD_WIDTH, config.cores * config.lanes)
        super().__init__(
            config,
            {
                "stationary": In(stationary_layout(config)),
                "streamed": In(streamed_layout(config)),
                "drained": In(drained_layout(config)),
                "activation_rows": In(RowReadPort(config)).array(config.cores),
                "error_rows": In(RowReadPort(config)).array(config.cores),
                "activation_words": Out(words),
                "error_words": Out(words),
                "auxiliary_errors": Out(1),
                "results": In(ResultPort(config.writeback)),
                "out_of_range": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        stationary, streamed, drained = self.stationary, self.streamed, self.drained
        drains = drained.valid & ~drained.gradient
        # Who reads is registered with the requests, so that a memory's address does not wait for them to be decoded.
        reader = Signal(_reader_layout)
        m.d.sync += [
            reader.streams_activations.eq(streamed.valid & ~streamed.errors),
            reader.streams_errors.eq(streamed.valid & streamed.errors),
            reader.loads_errors.eq(stationary.valid & stationary.errors),
            reader.drains_activations.eq(drains & reads_activations(drained.command.operation)),
            reader.drains_errors.eq(drains & reads_errors(drained.command.operation)),
        ]
        stationary, streamed, drained = (
            delay(m, request, REQUEST_LATENCY, name)
            for request, name in ((stationary, "stationary"), (streamed, "streamed"), (drained, "drained"))
        )
        m.d.comb += self.auxiliary_errors.eq(reader.drains_errors)
        self._activations(m, reader, streamed, drained)
        self._errors(m, reader, stationary, streamed, drained)
        self._check_ranges(m, reader, stationary, streamed, drained)
        return m

    def _activations(self, m, reader, streamed, drained):
        """A transposable memory a core."""
        lanes = self._config.lanes
        config = ActivationMemoryConfig(lanes=lanes, rows=self._config.activation_rows)
        for number, outside in enumerate(self.activation_rows):
            m.submodules[f"activations_{number}"] = memory = ActivationMemory(config)
            assert memory.latency == READ_LATENCY
            read, write = memory.read, memory.write
            words = slice(number * lanes, (number + 1) * lanes)
            m.d.comb += [
                outside.granted.eq(~reader.streams_activations & ~reader.drains_activations),
                outside.data.eq(read.data),
                Cat(list(self.activation_words)[words]).eq(read.data),
                read.enable.eq(reader.streams_activations | reader.drains_activations | outside.enable),
                read.row.eq(outside.row),
                read.index.eq(outside.index),
            ]
            with m.If(reader.drains_activations):
                m.d.comb += [
                    read.row.eq(drained.auxiliary_row),
                    read.index.eq(drained.auxiliary_index),
                    read.half.eq(drained.command.packed_auxiliary),
                ]
            with m.If(reader.streams_activations):
                m.d.comb += [
                    read.row.eq(streamed.row + streamed.core_stride * number),
                    read.index.eq(streamed.index),
                    read.column.eq(streamed.column),
                    read.lane.eq(streamed.lane),
                    read.half.eq(streamed.half),
                    read.parity.eq(streamed.parity),
                ]
            enable = self.results.enable[number] & (self.results.destination == Destination.ACTIVATION)
            m.d.comb += [
                write.enable.eq(Mux(enable, self.results.mask, 0)),
                write.row.eq(self.results.row),
                write.index.eq(self.results.index),
                write.half.eq(self.results.half),
                write.parity.eq(self.results.parity),
                write.data.eq(Cat(list(self.results.words)[words])),
            ]

    def _errors(self, m, reader, stationary, streamed, drained):
        """One memory for all cores, a lane of it for each lane of each core: their addresses are the same."""
        cores, lanes, rows = self._config.cores, self._config.lanes, self._config.error_rows
        shape = data.ArrayLayout(WORD_WIDTH, cores * lanes)
        m.submodules.errors = memory = Memory(
            shape, MemoryConfig(depth=rows, lanes=cores * lanes, latency=READ_LATENCY)
        )
        m.submodules.error_readers = readers = ReadArbiter(
            shape, ArbiterConfig(depth=rows, users=3 + cores, latency=READ_LATENCY)
        )
        wiring.connect(m, readers.port, memory.reads[0])
        enables_rows = [
            (reader.streams_errors, streamed.row),
            (reader.loads_errors, stationary.row),
            (reader.drains_errors, drained.auxiliary_row),
            *((outside.enable, outside.row) for outside in self.error_rows),
        ]
        for user, (enable, row) in zip(readers.users, enables_rows, strict=True):
            m.d.comb += [user.enable.eq(enable), user.address.eq(row)]
        writes = self.results.destination == Destination.ERROR
        m.d.comb += [
            self.error_words.eq(readers.users[0].data),
            memory.write.enable.eq(
                Cat(Mux(writes & self.results.enable[number], self.results.mask, 0) for number in range(cores))
            ),
            memory.write.address.eq(self.results.row),
            memory.write.data.eq(self.results.words),
        ]
        for number, outside in enumerate(self.error_rows):
            m.d.comb += [
                outside.granted.eq(~reader.streams_errors & ~reader.loads_errors & ~reader.drains_errors),
                outside.data.eq(Cat(list(self.error_words)[number * lanes : (number + 1) * lanes])),
            ]

    def _check_ranges(self, m, reader, stationary, streamed, drained):
        activation_rows, error_rows = self._config.activation_rows, self._config.error_rows
        write_limit = Mux(self.results.destination == Destination.ERROR, error_rows, activation_rows)
        # The constant one that follows the last input has no row: its address may lie past the memory's end.
        m.d.comb += self.out_of_range.eq(
            (reader.streams_activations & ~streamed.constant & (streamed.row >= activation_rows))
            | (reader.streams_errors & (streamed.row >= error_rows))
            | (reader.loads_errors & (stationary.row >= error_rows))
            | (reader.drains_activations & (drained.auxiliary_row >= activation_rows))
            | (reader.drains_errors & (drained.auxiliary_row >= error_rows))
            | (self.results.enable.any() & (self.results.row >= write_limit))
        )


_reader_layout = data.StructLayout(
    {
        "streams_activations": 1,
        "streams_errors": 1,
        "loads_errors": 1,
        "drains_activations": 1,
        "drains_errors": 1,
    }
)
