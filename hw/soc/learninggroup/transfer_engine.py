"""Moves rows between the host's streams and the memories, and words between cores."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, fifo, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.pipeline import delay
from ...cores.stream.packet import PacketReader
from ...cores.stream.packet_config import PacketReaderConfig
from ..bus.axi_stream import packet_signature
from ..sequencer.layouts import command_layout
from .hardware import LearningGroupHardware
from .instructions import COPY, INSTRUCTION_SET, LOAD, STORE, Memory

__all__ = ["READ_LATENCY", "TransferEngine"]

ROW_WIDTH = 20
# Cycles from a read to its data, the same for every memory.
READ_LATENCY = 2
STORE_DEPTH = 8


class TransferEngine(wiring.Component):
    """Executes load, store and copy instructions, one at a time.

    A load takes one packet of the input stream, a beat a row; a store gives one packet. A copy moves words of one
    core's memory to the aggregate memory of all cores.

    Throughput: one row or word a cycle, while the other side of the stream keeps up and the port of the memory is free.
    Latency: a store's first beat comes 6 cycles after its command, a copy's first word is written 4 cycles after it.

    Parameters
    ----------
    hardware : LearningGroupHardware

    Members
    -------
    commands, completions, busy, errors
        See :class:`..shell.engine.EngineSignature`. ``address_out_of_range``: the rows are not all in the memory;
        nothing is moved, a load's packet is dropped. ``stream_underflow``: the packet ended early; ``stream_overflow``:
        it did not end with the last row.
    packets_in, packets_out : streams of rows
    memory, core, row : Out
        Of the access in this cycle.
    write, write_data : Out
    read, read_data : Out, In
        Data ``READ_LATENCY`` cycles after.
    read_taken, write_taken : In(1)
        Somebody else uses the port of ``memory`` in this cycle: nothing is read, nothing written.
    copy_write, copy_address : Out
        The word that was read ``READ_LATENCY`` cycles ago goes to the aggregate memories.

    Source
    ------
    LearningGroup, section III, figure 3.
    """

    def __init__(self, hardware: LearningGroupHardware):
        self.config = hardware
        width = hardware.shell.stream_width
        flags = ("address_out_of_range", "stream_underflow", "stream_overflow")
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(INSTRUCTION_SET, "transfer"))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout(dict.fromkeys(flags, 1))),
                "packets_in": In(packet_signature(width)),
                "packets_out": Out(packet_signature(width)),
                "memory": Out(4),
                "core": Out(5),
                "row": Out(ROW_WIDTH),
                "write": Out(1),
                "write_data": Out(width),
                "read": Out(1),
                "read_data": In(width),
                "read_taken": In(1),
                "write_taken": In(1),
                "copy_write": Out(1),
                "copy_address": Out(16),
            }
        )

    def memory_rows(self, memory):
        """Rows of each memory as loads and stores address it."""
        config = self.config
        blocks = config.device.blocks
        return {
            Memory.STATE_0: blocks * config.state_rows,
            Memory.STATE_1: blocks * config.state_rows,
            Memory.STATE_2: blocks * config.state_rows,
            Memory.RESULT: blocks * config.result_rows,
            Memory.CHOICE: blocks * 2 * config.choices,
            Memory.ACTIVATION: blocks * config.activation_rows,
            Memory.SCALAR: config.scalar_rows,
            Memory.PARAMETER: config.parameter_rows,
            Memory.GROUPING: config.grouping_rows,
            Memory.GRADIENT: config.weight_rows,
            Memory.PARAMETER_SQUARE: config.parameter_rows,
            Memory.GROUPING_SQUARE: config.grouping_rows,
        }[memory]

    def elaborate(self, platform):
        m = Module()
        config = self.config
        blocks = config.device.blocks
        width = config.shell.stream_width
        command = Signal(self.commands.payload.shape())
        arguments = command.arguments
        row, target, remaining = Signal(ROW_WIDTH), Signal(16), Signal(ROW_WIDTH)
        loading, storing, copying = Signal(), Signal(), Signal()
        m.d.comb += [
            loading.eq(command.opcode == LOAD.opcode),
            storing.eq(command.opcode == STORE.opcode),
            copying.eq(command.opcode == COPY.opcode),
            self.memory.eq(arguments.load.memory),
            self.core.eq(arguments.load.core),
            self.row.eq(row),
        ]
        # What is behind the end, told a cycle after the command.
        rows = Signal(ROW_WIDTH + 1)
        with m.Switch(arguments.load.memory):
            for kind in Memory:
                with m.Case(kind):
                    m.d.comb += rows.eq(self.memory_rows(kind))
        ending = Signal(ROW_WIDTH + 2)
        m.d.comb += ending.eq(
            Mux(
                copying,
                (arguments.copy.base + arguments.copy.words) * blocks,
                arguments.load.base + arguments.load.count,
            )
        )
        outside = Signal()
        m.d.comb += outside.eq(
            (ending > rows) | copying & (arguments.copy.target + arguments.copy.words > config.aggregate_rows)
        )

        m.submodules.reader = reader = PacketReader(PacketReaderConfig(width=width, count_width=ROW_WIDTH))
        wiring.connect(m, wiring.flipped(self.packets_in), reader.i)
        refused = Signal()
        m.d.comb += [
            reader.o.ready.eq(~self.write_taken),
            reader.requests.payload.eq(arguments.load.count),
            self.write.eq(reader.o.valid & ~refused & ~self.write_taken),
            self.write_data.eq(reader.o.payload),
            self.errors.stream_underflow.eq(reader.underflow),
            self.errors.stream_overflow.eq(reader.overflow),
        ]

        m.submodules.rows_out = rows_out = fifo.SyncFIFOBuffered(width=width + 1, depth=STORE_DEPTH)
        # After a soft reset nothing more arrives: nobody has counted it.
        arriving = delay(m, self.read & storing, READ_LATENCY, "arriving", reset_less=False)
        final = delay(m, self.read & (remaining == 1), READ_LATENCY, "final")
        outstanding = Signal(range(STORE_DEPTH + 1))
        taken = Signal()
        m.d.comb += [
            rows_out.w_en.eq(arriving),
            rows_out.w_data.eq((final << width) | self.read_data),
            self.packets_out.valid.eq(rows_out.r_rdy),
            self.packets_out.payload.data.eq(rows_out.r_data[:width]),
            self.packets_out.payload.last.eq(rows_out.r_data[-1]),
            rows_out.r_en.eq(self.packets_out.ready),
            taken.eq(self.packets_out.valid & self.packets_out.ready),
            self.copy_write.eq(delay(m, self.read & copying, READ_LATENCY, "copying")),
            self.copy_address.eq(delay(m, target, READ_LATENCY, "target")),
        ]
        m.d.sync += outstanding.eq(outstanding + (self.read & storing) - taken)

        with m.If(self.write):
            m.d.sync += row.eq(row + 1)
        with m.If(self.read):
            m.d.sync += [row.eq(row + Mux(copying, blocks, 1)), target.eq(target + 1), remaining.eq(remaining - 1)]

        settling = Signal(range(READ_LATENCY + 2))
        m.d.comb += self.busy.eq(~self.commands.ready)
        with m.FSM(name="transfer"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                given = self.commands.payload
                m.d.sync += [command.eq(given), refused.eq(0), settling.eq(READ_LATENCY + 1)]
                with m.If(self.commands.valid):
                    m.next = "CHECK"
            with m.State("CHECK"):
                m.d.sync += [
                    row.eq(Mux(copying, arguments.copy.base * blocks, arguments.load.base)),
                    target.eq(arguments.copy.target),
                    remaining.eq(Mux(copying, arguments.copy.words, arguments.load.count)),
                    refused.eq(outside),
                ]
                m.d.comb += self.errors.address_out_of_range.eq(outside)
                with m.If(loading):
                    m.d.comb += reader.requests.valid.eq(1)
                    m.next = "LOAD"
                with m.Elif(outside):
                    m.next = "COMPLETE"
                with m.Else():
                    m.next = "MOVE"
            with m.State("LOAD"):
                with m.If(reader.done):
                    m.next = "COMPLETE"
            with m.State("MOVE"):
                with m.If(remaining == 0):
                    m.next = "SETTLE"
                with m.Else():
                    m.d.comb += self.read.eq((copying | (outstanding != STORE_DEPTH)) & ~self.read_taken)
            with m.State("SETTLE"):
                m.d.sync += settling.eq(Mux(settling == 0, 0, settling - 1))
                with m.If((settling == 0) & (outstanding == 0)):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        return m
