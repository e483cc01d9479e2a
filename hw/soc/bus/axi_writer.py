"""Rows into a memory on AXI4."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.component import ConfiguredComponent
from ...cores.stream.buffer import StreamBuffer
from ...cores.stream.buffer_config import StreamBufferConfig
from ...cores.stream.fork import StreamFork
from ...cores.stream.packet import packet_signature
from .axi4 import Axi4WriteSignature
from .bursts import BurstGenerator, beats_layout
from .row_beats import RowsToBeats, strobed_layout
from .transfers import TRANSFER_ERRORS, connect_bursts, note_response, place_of

__all__ = ["AxiWriter", "write_layout", "write_result_layout"]


def write_layout(config):
    """Payload of a command: ``address`` of the first row, most ``rows``, whether the end of a ``packet`` ends it."""
    return data.StructLayout(
        {"address": unsigned(config.address_width), "rows": unsigned(config.count_width), "packet": unsigned(1)}
    )


def write_result_layout(config):
    """Payload of a completion: number of ``rows`` in the memory, and what went wrong."""
    return data.StructLayout({"rows": unsigned(config.count_width), **TRANSFER_ERRORS, "overflow": 1})


class AxiWriter(ConfiguredComponent):
    """Moves rows from a stream of packets into a memory on AXI4.

    A transfer of a packet ends with the packet; if that is longer than ``rows``, the rest is dropped and the completion
    says ``overflow``. Without ``packet`` the rows alone count: so many are taken, of whatever packets they are.

    A burst begins when all of its beats are in the buffer: a stream that stalls does not stall the memory. Up to
    ``outstanding`` bursts wait for their response. Bytes that no row has are not written.

    ::

        commands, i -> RowsToBeats -+-> StreamBuffer ----------------------> W
                                    +-> BurstGenerator -> StreamFork -+----> AW
                                                                      +-> StreamBuffer (lengths of W)

    Latency: a burst's address stands on ``bus`` in the second cycle after its last row was taken, its first beat at the
    earliest in the third. Throughput: a beat or a row a cycle, whichever are more; one command at a time.
    Back-pressure: ``i`` waits for the buffer of two bursts.

    Parameters
    ----------
    config : DataMoverConfig

    Members
    -------
    commands : :py:`In(stream.Signature(write_layout(config)))`
        Ready while no transfer is under way. An address that is no multiple of ``row_bytes`` takes and moves nothing
        and is ``unaligned``; no rows are done at once.
    stop : :py:`In(1)`
        One cycle or longer: the transfer under way takes no more rows and ends with those that it has. Nothing without
        one.
    completions : :py:`Out(stream.Signature(write_result_layout(config), always_ready=True))`
        One a command, when the memory has answered all of its bursts.
    i : :py:`In(packet_signature(row_width))`
        The rows.
    bus : :py:`Out(Axi4WriteSignature(address_width, data_width))`
        To the memory.
    """

    def __init__(self, config):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(write_layout(config))),
                "stop": In(1),
                "completions": Out(stream.Signature(write_result_layout(config), always_ready=True)),
                "i": In(packet_signature(config.row_width)),
                "bus": Out(Axi4WriteSignature(config.address_width, config.data_width)),
            },
        )

    @property
    def latency(self):
        """Cycles from the last row of a burst to its address."""
        return 2

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.generator = generator = BurstGenerator(config)
        m.submodules.beats = beats = RowsToBeats(config)
        command = Signal(write_layout(config))
        rows_left = Signal(config.count_width)
        result = self.completions.payload
        unaligned, lane, beat = place_of(config, command.address)
        m.d.comb += [beats.lane.eq(lane), generator.address.eq(beat)]
        idle = self._write(m, generator, beats, result)

        row, ends, stopping = self.i.payload, Signal(), Signal()
        m.d.comb += [
            beats.i.payload.eq(row.data),
            ends.eq(command.packet & row.last),
            beats.final.eq(ends | (rows_left == 1)),
        ]
        with m.If(self.stop):
            m.d.sync += stopping.eq(1)
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += stopping.eq(0)
                with m.If(self.commands.valid):
                    m.d.sync += [command.eq(self.commands.payload), result.eq(0)]
                    m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.sync += result.unaligned.eq(unaligned)
                m.next = "FINISH"
                with m.If(~unaligned & command.rows.any()):
                    m.d.comb += [generator.begin.eq(1), beats.begin.eq(1)]
                    m.d.sync += rows_left.eq(command.rows)
                    m.next = "TAKE"
            with m.State("TAKE"):
                m.d.comb += [beats.i.valid.eq(self.i.valid), self.i.ready.eq(beats.i.ready)]
                with m.If(self.i.valid & self.i.ready):
                    m.d.sync += [rows_left.eq(rows_left - 1), result.rows.eq(result.rows + 1)]
                    with m.If(beats.final):
                        m.next = "SEND"
                        with m.If(command.packet & ~row.last):
                            m.d.sync += result.overflow.eq(1)
                            m.next = "DROP"
                    with m.Elif(stopping):
                        m.next = "FLUSH"
                # A row that is offered is still taken.
                with m.Elif(stopping & ~self.i.valid):
                    m.next = "FLUSH"
            with m.State("FLUSH"):
                m.d.comb += beats.flush.eq(1)
                with m.If(~beats.begun | beats.o.ready):
                    m.next = "SEND"
            with m.State("DROP"):
                m.d.comb += self.i.ready.eq(1)
                with m.If(Mux(self.i.valid, row.last, stopping)):
                    m.next = "SEND"
            with m.State("SEND"):
                m.d.comb += generator.final.eq(1)
                with m.If(idle):
                    m.next = "FINISH"
            with m.State("FINISH"):
                m.d.comb += self.completions.valid.eq(1)
                m.next = "IDLE"
        return m

    def _write(self, m, generator, beats, result):
        """Beats through the buffer to the bus, in bursts; whether nothing is left to do."""
        config, bus, bursts = self.config, self.bus, generator.bursts
        m.submodules.buffer = buffer = StreamBuffer(
            strobed_layout(config), StreamBufferConfig(depth=2 * config.burst_beats)
        )
        # W does not wait for AW, as AXI demands: each has the bursts in its own time.
        m.submodules.fork = fork = StreamFork(beats_layout(config), 2)
        m.submodules.lengths = lengths = StreamBuffer(beats_layout(config), StreamBufferConfig(depth=2, latency=1))
        length = lengths.o.payload.beats
        pushed, pending = Signal(), Signal(range(2 * config.burst_beats + 1))
        taken, under_way = Signal(), Signal(range(config.outstanding + 1))
        index, sent = Signal(range(config.burst_beats)), Signal()
        wiring.connect(m, beats.o, buffer.i)
        wiring.connect(m, bursts, fork.i)
        wiring.connect(m, fork.o[1], lengths.i)
        m.d.comb += [
            pushed.eq(buffer.i.valid & buffer.i.ready),
            taken.eq(bursts.valid & bursts.ready),
            generator.available.eq(pending),
            generator.room.eq(under_way != config.outstanding),
        ]
        connect_bursts(m, config, fork.o[0], bus.write_address)
        m.d.comb += [
            bus.write_data.valid.eq(buffer.o.valid & lengths.o.valid),
            bus.write_data.payload.data.eq(buffer.o.payload.data),
            bus.write_data.payload.strobe.eq(buffer.o.payload.strobe),
            bus.write_data.payload.last.eq(index == length - 1),
            sent.eq(bus.write_data.valid & bus.write_data.ready),
            buffer.o.ready.eq(sent),
            lengths.o.ready.eq(sent & bus.write_data.payload.last),
            bus.write_response.ready.eq(1),
        ]
        m.d.sync += [
            pending.eq(pending + pushed - Mux(taken, bursts.payload.beats, 0)),
            under_way.eq(under_way + taken - bus.write_response.valid),
        ]
        with m.If(sent):
            m.d.sync += index.eq(Mux(bus.write_data.payload.last, 0, index + 1))
        note_response(m, bus.write_response.valid, bus.write_response.payload, result)
        return (pending == 0) & (under_way == 0) & ~bursts.valid
