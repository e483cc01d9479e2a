"""Moves rows between the host's streams and the memories of a system."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.checks import is_power_of_two
from ...cores.component import ConfiguredComponent
from ...cores.memory.host_map import access_layout, answer_layout
from ...cores.memory.ports import WritePort
from ...cores.stream.buffer_config import StreamBufferConfig
from ...cores.stream.packet import PacketReader, packet_signature
from ...cores.stream.packet_config import PacketReaderConfig
from ...cores.stream.pipeline import CreditBuffer
from ...cores.stream.skid_buffer import SkidBuffer
from .transfer_config import TransferConfig, TransferKind

__all__ = ["TransferEngine", "transfer_command"]

BUFFER_LATENCY = 2


def transfer_command(config: TransferConfig):
    """A transfer of ``count`` rows of a memory, from row ``base`` on.

    ``memory`` and ``core`` are those of :func:`.access_layout`. Where a memory's row has several parts, a copy counts
    whole rows, and ``base`` the rows of the host still; it writes them from row ``target`` on. ``options`` is for the
    memories.
    """
    fields = {
        "kind": TransferKind,
        "memory": config.host.number_width,
        "core": config.host.core_width,
        "base": config.address_width,
        "count": config.address_width,
    }
    if config.copy_rows:
        fields["target"] = config.target_width
    if config.option_width:
        fields["options"] = config.option_width
    return data.StructLayout(fields)


class TransferEngine(ConfiguredComponent):
    """Executes loads, stores and copies, one at a time, over a :class:`.HostMap`.

    A load takes one packet of the input stream, a row a beat; a store gives one packet. A copy reads rows of a core's
    memory, which has as many parts as any, and writes them to the memory behind ``copies``.

    ::

        packets_in -> PacketReader ----\
                                        accesses -> HostMap -> memories
        packets_out <- CreditBuffer <-- answers <--/
                             copies <--/

    Latency: an access of the first row two cycles after the command, if its packet is there; the first beat of a store
    ``HostMap.latency + 4`` cycles after the command, the first row of a copy ``HostMap.latency + 2``. A load is
    complete when every row is granted and the region's ``settle`` has passed, a store when its last beat has left.
    Throughput: a row a cycle, while the other side of the stream keeps up and the memory grants it. Back-pressure: on
    all streams; a packet waits for its load.

    Parameters
    ----------
    config : TransferConfig

    Members
    -------
    commands : In(stream.Signature(transfer_command))
    completions, busy, errors
        See :class:`.EngineSignature`. ``address_out_of_range``: no such memory, no row, or not all rows are in the
        memory; nothing is moved, and the packet of a load is dropped. ``stream_underflow``: a packet ended early;
        ``stream_overflow``: it did not end with the last row, and its rest is dropped.
    packets_in, packets_out : streams of rows
    accesses : Out(stream.Signature(access_layout))
    answers : In(answer_layout)
    waiting : In(1)
        The host's map drives it.
    options : Out(option_width)
        Options of the command under way; only with ``option_width``.
    copies : Out(WritePort(row_width, copy_rows))
        Only with ``copy_rows``.

    Notes
    -----
    Where the map's modulus is no power of two, ``base`` must be a multiple of it; that is not checked.
    """

    def __init__(self, config: TransferConfig):
        host = config.host
        flags = ("address_out_of_range", "stream_underflow", "stream_overflow")
        members = {
            "commands": In(stream.Signature(transfer_command(config))),
            "completions": Out(stream.Signature(1)),
            "busy": Out(1),
            "errors": Out(data.StructLayout(dict.fromkeys(flags, 1))),
            "packets_in": In(packet_signature(config.width)),
            "packets_out": Out(packet_signature(config.width)),
            "accesses": Out(stream.Signature(access_layout(host))),
            "answers": In(answer_layout(host)),
            "waiting": In(1),
        }
        if config.option_width:
            members["options"] = Out(config.option_width)
        if config.copy_rows:
            members["copies"] = Out(WritePort(unsigned(host.row_width), config.copy_rows))
        super().__init__(config, members)

    def elaborate(self, platform):
        m = Module()
        command = Signal(transfer_command(self._config))
        begins, refused, reading = Signal(), Signal(), Signal()
        loading = command.kind == TransferKind.LOAD
        m.d.comb += self.busy.eq(~self.commands.ready)
        if self._config.option_width:
            m.d.comb += self.options.eq(command.options)
        outside = self._outside(m)
        reader = self._reader(m, command)
        # It ends the path of ready from the memories to the stream.
        m.submodules.skid_buffer = rows = SkidBuffer(reader.o.payload.shape())
        wiring.connect(m, reader.o, rows.i)
        moved, left = self._accesses(m, command, begins, rows.o, refused, reading)
        room, delivered = self._answers(m, command, begins, moved)
        settled = self._settled(m, command, moved) & ~rows.o.valid

        with m.FSM(name="transfer"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), refused.eq(0)]
                with m.If(self.commands.valid):
                    m.next = "CHECK"
            with m.State("CHECK"):
                m.d.comb += [
                    begins.eq(1),
                    reader.requests.valid.eq(loading),
                    self.errors.address_out_of_range.eq(outside),
                ]
                m.d.sync += refused.eq(outside)
                m.next = "MOVE"
                with m.If(loading):
                    m.next = "LOAD"
                with m.Elif(outside):
                    m.next = "COMPLETE"
            with m.State("LOAD"), m.If(reader.done):
                m.next = "SETTLE"
                with m.If(settled):
                    m.next = "COMPLETE"
            with m.State("SETTLE"), m.If(settled):
                m.next = "COMPLETE"
            with m.State("MOVE"):
                m.d.comb += reading.eq((left != 0) & room)
                with m.If((left == 0) & delivered):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        return m

    def _outside(self, m):
        """Whether the command of the cycle before has rows that are not there, or none."""
        config, command = self._config, self.commands.payload
        copying, parts = command.kind == TransferKind.COPY, config.host.parts
        limit, end = Signal(range(config.host.rows + 1)), Signal(config.address_width + parts.bit_length())
        empty, behind = Signal(), Signal()
        m.d.sync += [limit.eq(0), empty.eq(command.count == 0), behind.eq(0)]
        m.d.sync += end.eq(command.base + Mux(copying, command.count * parts, command.count))
        with m.Switch(command.memory):
            for region in config.host.regions:
                with m.Case(region.number):
                    m.d.sync += limit.eq(region.rows if region.parts == parts else Mux(copying, 0, region.rows))
        if config.copy_rows:
            m.d.sync += behind.eq(copying & (command.target + command.count > config.copy_rows))
        else:
            m.d.sync += behind.eq(copying)
        return empty | behind | (end > limit)

    def _reader(self, m, command):
        """Reads the packet of a load."""
        config = self._config
        m.submodules.reader = reader = PacketReader(
            PacketReaderConfig(width=config.width, count_width=config.address_width)
        )
        wiring.connect(m, wiring.flipped(self.packets_in), reader.i)
        m.d.comb += [
            reader.requests.payload.eq(command.count),
            self.errors.stream_underflow.eq(reader.underflow),
            self.errors.stream_overflow.eq(reader.overflow),
        ]
        return reader

    def _accesses(self, m, command, begins, rows, refused, reading):
        """Row after row; whether one is accessed in this cycle, and how many are left to be read.

        Rows of a load come on the stream ``rows``; others are read while ``reading``.
        """
        host, access = self._config.host, self.accesses.payload
        row, left, moved = Signal(range(max(host.rows, 2))), Signal(self._config.address_width), Signal()
        loading, copying = command.kind == TransferKind.LOAD, command.kind == TransferKind.COPY
        m.d.comb += [
            access.memory.eq(command.memory),
            access.core.eq(command.core),
            access.row.eq(row),
            access.write.eq(loading),
            access.data.eq(rows.payload),
            self.accesses.valid.eq((rows.valid & ~refused) | reading),
            rows.ready.eq(self.accesses.ready | refused),
            moved.eq(self.accesses.valid & self.accesses.ready),
        ]
        with m.If(begins):
            m.d.sync += [row.eq(command.base), left.eq(command.count)]
        with m.Elif(moved):
            m.d.sync += [row.eq(row + Mux(copying, host.parts, 1)), left.eq(left - 1)]
        if host.modulus > 1:
            self._count_index(m, command, begins, moved, row)
        return moved, left

    def _count_index(self, m, command, begins, moved, row):
        """The row of its memory that is accessed, modulo the map's modulus."""
        host = self._config.host
        index, first = Signal(range(host.modulus)), Signal(range(host.modulus))
        whole = Signal()
        m.d.comb += [self.accesses.payload.index.eq(index), whole.eq(1)]
        with m.Switch(command.memory):
            for region in host.regions:
                with m.Case(region.number):
                    # Parts of a row have the index of the row.
                    m.d.comb += whole.eq((row & (region.parts - 1)) == region.parts - 1)
                    if is_power_of_two(host.modulus):
                        m.d.comb += first.eq(command.base >> region.parts.bit_length() - 1)
        with m.If(begins):
            m.d.sync += index.eq(first)
        with m.Elif(moved & whole):
            m.d.sync += index.eq(Mux(index == host.modulus - 1, 0, index + 1))

    def _answers(self, m, command, begins, moved):
        """Rows of a store to the output stream, of a copy to its memory.

        Whether there is room for another one, and whether all of them have gone there.
        """
        config, answers = self._config, self.answers
        storing, copying = command.kind == TransferKind.STORE, command.kind == TransferKind.COPY
        places = config.host.latency + 1 + BUFFER_LATENCY
        m.submodules.buffer = buffer = CreditBuffer(
            unsigned(config.host.width), StreamBufferConfig(depth=places, latency=BUFFER_LATENCY)
        )
        remaining, leaves = Signal(config.address_width), Signal()
        m.d.comb += [
            buffer.reserve.eq(moved & storing),
            buffer.arrive.eq(answers.valid & storing),
            buffer.value.eq(answers.data),
            self.packets_out.valid.eq(buffer.o.valid),
            self.packets_out.payload.data.eq(buffer.o.payload),
            self.packets_out.payload.last.eq(remaining == 1),
            buffer.o.ready.eq(self.packets_out.ready),
            leaves.eq(self.packets_out.valid & self.packets_out.ready),
        ]
        with m.If(begins):
            m.d.sync += remaining.eq(command.count)
        with m.Elif(Mux(copying, answers.valid, leaves)):
            m.d.sync += remaining.eq(remaining - 1)
        if config.copy_rows:
            target = Signal(range(max(config.copy_rows, 2)))
            m.d.comb += [
                self.copies.enable.eq(answers.valid & copying),
                self.copies.address.eq(target),
                self.copies.data.eq(answers.row),
            ]
            with m.If(begins):
                m.d.sync += target.eq(command.target)
            with m.Elif(answers.valid):
                m.d.sync += target.eq(target + 1)
        return buffer.room | copying, remaining == 0

    def _settled(self, m, command, moved):
        """Whether the last row of a load is where every reader finds it."""
        left = Signal(range(max(2, *(region.settle + 1 for region in self._config.host.regions))))
        with m.If(moved):
            with m.Switch(command.memory):
                for region in self._config.host.regions:
                    with m.Case(region.number):
                        m.d.sync += left.eq(region.settle)
        with m.Elif(~self.waiting & (left != 0)):
            m.d.sync += left.eq(left - 1)
        return ~self.waiting & (left == 0)
