"""Activation and error memories of all cores, and who reads them when."""

from types import SimpleNamespace

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory as Storage
from amaranth.lib.wiring import In, Out

from ...cores.memory.activation import ActivationMemory
from ...cores.memory.config import ActivationMemoryConfig
from ...cores.pipeline import delay
from .config import FixarConfig
from .drain_sequencer import drained_layout, reads_activations, reads_errors
from .instructions import Destination, Memory
from .tile_sequencer import stationary_layout, streamed_layout
from .transfer_engine import read_layout

__all__ = ["READ_LATENCY", "REQUEST_LATENCY", "CoreMemories"]

# The sequencers' requests are registered, the host's is not; from then until the words come.
REQUEST_LATENCY = 1
READ_LATENCY = 2


class CoreMemories(wiring.Component):
    """The memories of ``N`` cores in lockstep: the same request to all, each its own data.

    The controller sees to it that at most one of the streamed row, the stationary row and the drain's auxiliary row
    comes from each kind of memory in a cycle; the host reads when nobody else does.

    Parameters
    ----------
    config : FixarConfig

    Members
    -------
    stationary, streamed, drained : in
        Requests of this cycle.
    read : stream, in
        The host's; accepted when the memory is free.
    activation_words, error_words : out
        What was read, ``REQUEST_LATENCY + READ_LATENCY`` cycles after the request.
    read_data : out
        The same, ``READ_LATENCY`` cycles after the host's request, of the core that it asked for.
    auxiliary_errors : out
        The drained row's auxiliary words are read from the error memories (``REQUEST_LATENCY`` after the request).
    write_enable, write_destination, write_row, write_index, write_half, write_parity, write_mask, write_data : in
        Row to write, from :class:`WritebackPath`.
    out_of_range : out
        A row behind the end of its memory was asked for.
    """

    def __init__(self, config: FixarConfig):
        self.config = config
        cores, lanes = config.cores, config.lanes
        rows = max(config.activation_rows, config.error_rows)
        words = data.ArrayLayout(32, lanes)
        super().__init__(
            {
                "stationary": In(stationary_layout(config)),
                "streamed": In(streamed_layout(config)),
                "drained": In(drained_layout(config)),
                "read": In(stream.Signature(read_layout(config))),
                "activation_words": Out(words).array(cores),
                "error_words": Out(words).array(cores),
                "read_data": Out(words),
                "auxiliary_errors": Out(1),
                "write_enable": In(cores),
                "write_destination": In(1),
                "write_row": In(range(rows)),
                "write_index": In(range(lanes)),
                "write_half": In(1),
                "write_parity": In(1),
                "write_mask": In(lanes),
                "write_data": In(32).array(cores, lanes),
                "out_of_range": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # Registered with the requests, so that a memory's address does not wait for them to be decoded.
        wants_activation = Signal()
        wants_error = Signal()
        streams_activation = Signal()
        streams_error = Signal()
        loads_error = Signal()
        drains = self.drained.valid & ~self.drained.gradient
        m.d.sync += [
            wants_activation.eq(drains & reads_activations(self.drained.command.operation)),
            wants_error.eq(drains & reads_errors(self.drained.command.operation)),
            streams_activation.eq(self.streamed.valid & ~self.streamed.errors),
            streams_error.eq(self.streamed.valid & self.streamed.errors),
            loads_error.eq(self.stationary.valid & self.stationary.errors),
        ]
        self.requests = SimpleNamespace(
            **{
                name: delay(m, getattr(self, name), REQUEST_LATENCY, name)
                for name in ("stationary", "streamed", "drained")
            }
        )
        m.d.comb += [
            self.auxiliary_errors.eq(wants_error),
            self.read.ready.eq(
                Mux(
                    self.read.payload.memory == Memory.ACTIVATION,
                    ~streams_activation & ~wants_activation,
                    ~streams_error & ~loads_error & ~wants_error,
                )
            ),
        ]
        self.elaborate_activations(m, streams_activation, wants_activation)
        self.elaborate_errors(m, streams_error, loads_error, wants_error)

        delayed = Signal.like(self.read.payload)
        arrived = Signal.like(self.read.payload)
        m.d.sync += [delayed.eq(self.read.payload), arrived.eq(delayed)]
        with m.Switch(arrived.core):
            for number in range(self.config.cores):
                with m.Case(number):
                    m.d.comb += self.read_data.eq(
                        Mux(arrived.memory == Memory.ERROR, self.error_words[number], self.activation_words[number])
                    )
        self.elaborate_range_check(m, streams_activation, streams_error, loads_error, wants_activation, wants_error)
        return m

    def elaborate_activations(self, m, streams, wants):
        for number in range(self.config.cores):
            memory = ActivationMemory(ActivationMemoryConfig(lanes=self.config.lanes, rows=self.config.activation_rows))
            assert memory.latency == READ_LATENCY
            m.submodules[f"activation_{number}"] = memory
            request = self.read.payload
            m.d.comb += [
                memory.read_enable.eq(streams | wants | (self.read.valid & (request.memory == Memory.ACTIVATION))),
                memory.read_row.eq(request.row),
                memory.read_index.eq(request.index),
            ]
            with m.If(wants):
                m.d.comb += [
                    memory.read_row.eq(self.requests.drained.auxiliary_row),
                    memory.read_index.eq(self.requests.drained.auxiliary_index),
                    memory.read_half.eq(self.requests.drained.command.packed_auxiliary),
                ]
            with m.If(streams):
                m.d.comb += [
                    memory.read_row.eq(self.requests.streamed.row + self.requests.streamed.core_stride * number),
                    memory.read_index.eq(self.requests.streamed.index),
                    memory.read_column.eq(self.requests.streamed.column),
                    memory.read_lane.eq(self.requests.streamed.lane),
                    memory.read_half.eq(self.requests.streamed.half),
                    memory.read_parity.eq(self.requests.streamed.parity),
                ]
            m.d.comb += [
                memory.write_enable.eq(self.write_enable[number] & (self.write_destination == Destination.ACTIVATION)),
                memory.write_row.eq(self.write_row),
                memory.write_index.eq(self.write_index),
                memory.write_half.eq(self.write_half),
                memory.write_parity.eq(self.write_parity),
                memory.write_mask.eq(self.write_mask),
            ]
            for lane in range(self.config.lanes):
                m.d.comb += [
                    memory.write_data[lane].eq(self.write_data[number][lane]),
                    self.activation_words[number][lane].eq(memory.read_data[lane]),
                ]

    def elaborate_errors(self, m, streams, loads, wants):
        rows = self.config.error_rows
        words = data.ArrayLayout(32, self.config.lanes)
        row = Signal(range(rows))
        request = self.read.payload
        m.d.comb += row.eq(request.row)
        with m.If(wants):
            m.d.comb += row.eq(self.requests.drained.auxiliary_row)
        with m.If(loads):
            m.d.comb += row.eq(self.requests.stationary.row)
        with m.If(streams):
            m.d.comb += row.eq(self.requests.streamed.row)
        for number in range(self.config.cores):
            memory = Storage(shape=words, depth=rows, init=[])
            m.submodules[f"error_{number}"] = memory
            read = memory.read_port()
            write = memory.write_port(granularity=1)
            m.d.comb += [
                read.addr.eq(row),
                write.en.eq(
                    Mux(
                        self.write_enable[number] & (self.write_destination == Destination.ERROR),
                        self.write_mask,
                        0,
                    )
                ),
                write.addr.eq(self.write_row),
            ]
            m.d.sync += self.error_words[number].eq(read.data)
            for lane in range(self.config.lanes):
                m.d.comb += write.data[lane].eq(self.write_data[number][lane])

    def elaborate_range_check(self, m, streams_activation, streams_error, loads_error, wants_activation, wants_error):
        activation_rows, error_rows = self.config.activation_rows, self.config.error_rows
        write_limit = Mux(self.write_destination == Destination.ERROR, error_rows, activation_rows)
        # The constant one that follows the last input has no row: its address may lie behind the memory's end.
        m.d.comb += self.out_of_range.eq(
            (streams_activation & ~self.requests.streamed.constant & (self.requests.streamed.row >= activation_rows))
            | (streams_error & (self.requests.streamed.row >= error_rows))
            | (loads_error & (self.requests.stationary.row >= error_rows))
            | (wants_activation & (self.requests.drained.auxiliary_row >= activation_rows))
            | (wants_error & (self.requests.drained.auxiliary_row >= error_rows))
            | (self.write_enable.any() & (self.write_row >= write_limit))
        )
