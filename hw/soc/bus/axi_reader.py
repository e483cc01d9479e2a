"""Rows from a memory on AXI4."""

from amaranth.hdl import Module, Signal, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ...cores.component import ConfiguredComponent
from ...cores.stream.buffer import StreamBuffer
from ...cores.stream.buffer_config import StreamBufferConfig
from ...cores.stream.packet import packet_signature
from .axi4 import Axi4ReadSignature
from .bursts import BurstGenerator
from .row_beats import BeatsToRows
from .transfers import TRANSFER_ERRORS, connect_bursts, note_response, place_of

__all__ = ["AxiReader", "read_layout", "read_result_layout"]

# Errors of a transfer.
read_result_layout = data.StructLayout(TRANSFER_ERRORS)


def read_layout(config):
    """Payload of a command: ``address`` of the first row, number of ``rows``, whether the ``last`` ends a packet."""
    return data.StructLayout(
        {"address": unsigned(config.address_width), "rows": unsigned(config.count_width), "last": unsigned(1)}
    )


class AxiReader(ConfiguredComponent):
    """Moves rows from a memory on AXI4 into a stream of packets.

    Up to ``outstanding`` bursts are under way, each with room for all of its beats in the buffer: a stream that stalls
    does not stall the memory. A beat that the memory answers with an error is passed on as it is; the transfer goes on
    to its end, and its completion says so.

    ::

        commands -> BurstGenerator -> AR      R -> StreamBuffer -> BeatsToRows -> o

    Latency: a burst's address stands on ``bus`` from the third cycle after the command, a row two cycles after its last
    beat. Throughput: a beat or a row a cycle, whichever are more; one command at a time. Back-pressure: R never waits.

    Parameters
    ----------
    config : DataMoverConfig

    Members
    -------
    commands : :py:`In(stream.Signature(read_layout(config)))`
        Ready while no transfer is under way. An address that is no multiple of ``row_bytes`` moves nothing and is
        ``unaligned``; no rows are done at once.
    completions : :py:`Out(stream.Signature(read_result_layout, always_ready=True))`
        One a command, when its last row has been taken.
    o : :py:`Out(packet_signature(row_width))`
        The rows.
    bus : :py:`Out(Axi4ReadSignature(address_width, data_width))`
        To the memory.
    """

    def __init__(self, config):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(read_layout(config))),
                "completions": Out(stream.Signature(read_result_layout, always_ready=True)),
                "o": Out(packet_signature(config.row_width)),
                "bus": Out(Axi4ReadSignature(config.address_width, config.data_width)),
            },
        )

    @property
    def latency(self):
        """Cycles from a command to the address of its first burst."""
        return 1 + BurstGenerator(self.config).latency

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.generator = generator = BurstGenerator(config)
        m.submodules.rows = rows = BeatsToRows(config)
        command = Signal(read_layout(config))
        rows_left = Signal(config.count_width)
        beats_left = Signal(config.beat_count_width)
        result = self.completions.payload
        unaligned, lane, beat = place_of(config, command.address)
        in_beat = command.rows << (config.beats_per_row.bit_length() - 1)
        if config.rows_per_beat > 1:
            in_beat = (command.rows + lane + config.rows_per_beat - 1) >> (config.rows_per_beat.bit_length() - 1)
        m.d.comb += [rows.lane.eq(lane), generator.address.eq(beat)]

        taken = self._requests(m, generator, beats_left)
        idle = self._beats(m, generator, rows, taken, result)
        m.d.comb += [
            self.o.payload.data.eq(rows.o.payload),
            self.o.payload.last.eq(command.last & rows.final),
            rows.final.eq(rows_left == 1),
            self.o.valid.eq(rows.o.valid),
            rows.o.ready.eq(self.o.ready),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += rows_left.eq(rows_left - 1)
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                with m.If(self.commands.valid):
                    m.d.sync += [command.eq(self.commands.payload), result.eq(0)]
                    m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.sync += result.unaligned.eq(unaligned)
                m.next = "FINISH"
                with m.If(~unaligned & command.rows.any()):
                    m.d.comb += [generator.begin.eq(1), rows.begin.eq(1)]
                    m.d.sync += [rows_left.eq(command.rows), beats_left.eq(in_beat)]
                    m.next = "READ"
            with m.State("READ"):
                with m.If((rows_left == 0) & idle):
                    m.next = "FINISH"
            with m.State("FINISH"):
                m.d.comb += self.completions.valid.eq(1)
                m.next = "IDLE"
        return m

    def _requests(self, m, generator, beats_left):
        """Bursts from the generator to the bus; whether one is taken."""
        burst, taken = generator.bursts, Signal()
        m.d.comb += [generator.available.eq(beats_left), generator.final.eq(1)]
        connect_bursts(m, self.config, burst, self.bus.read_address)
        m.d.comb += taken.eq(burst.valid & burst.ready)
        with m.If(taken):
            m.d.sync += beats_left.eq(beats_left - burst.payload.beats)
        return taken

    def _beats(self, m, generator, rows, taken, result):
        """Beats through the buffer, in which each burst under way has its room; whether none is under way."""
        config, answer = self.config, self.bus.read_data
        shape = data.StructLayout({"data": unsigned(config.data_width), "last": 1})
        depth = config.outstanding * config.burst_beats
        m.submodules.buffer = buffer = StreamBuffer(shape, StreamBufferConfig(depth=depth))
        under_way = Signal(range(config.outstanding + 1))
        left = Signal()
        m.d.comb += [
            buffer.i.valid.eq(answer.valid),
            answer.ready.eq(buffer.i.ready),
            buffer.i.payload.data.eq(answer.payload.data),
            buffer.i.payload.last.eq(answer.payload.last),
            rows.i.valid.eq(buffer.o.valid),
            rows.i.payload.eq(buffer.o.payload.data),
            buffer.o.ready.eq(rows.i.ready),
            left.eq(buffer.o.valid & buffer.o.ready & buffer.o.payload.last),
            generator.room.eq(under_way != config.outstanding),
        ]
        m.d.sync += under_way.eq(under_way + taken - left)
        note_response(m, answer.valid & answer.ready, answer.payload.response, result)
        return under_way == 0
