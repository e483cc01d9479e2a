"""Moves rows between the host's streams and the memories, and makes rows of noise."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, fifo, stream, wiring
from amaranth.lib.wiring import In, Out

from ..bus.axi_stream import packet_signature
from ..sequencer.layouts import command_layout
from ..shell.engine import error_layout
from .config import FixarConfig
from .instructions import EVERY_CORE, INSTRUCTION_SET, LOAD, NOISE, STORE, Destination, Memory

__all__ = ["READ_LATENCY", "TransferEngine", "injected_layout", "read_layout", "write_layout"]

MEMORY_ROW_WIDTH = 18
# Cycles from an accepted read request to its data, the same for every memory.
READ_LATENCY = 4
STORE_DEPTH = 8


def injected_layout(config):
    """A row on its way into an activation or error memory, through the write-back path."""
    return data.StructLayout(
        {
            "words": data.ArrayLayout(32, config.lanes),
            "cores": config.cores,
            "destination": 1,
            "row": 16,
            "index": range(config.lanes),
            "parity": 1,
            "slot": 4,
            "monitor": 1,
            "quantize": 1,
            "lanes": range(config.lanes + 1),
            "merge": 1,
        }
    )


def write_layout(config):
    """A row to be written in this cycle to one of the other memories."""
    return data.StructLayout(
        {
            "valid": 1,
            "memory": 4,
            "row": MEMORY_ROW_WIDTH,
            "index": range(config.lanes),
            "words": data.ArrayLayout(32, config.lanes),
        }
    )


def read_layout(config):
    """A row to be read."""
    return data.StructLayout(
        {
            "memory": 4,
            "of_core": 1,  # an activation or error memory
            "core": range(max(config.cores, 2)),
            "row": MEMORY_ROW_WIDTH,
            "index": range(config.lanes),
        }
    )


class TransferEngine(wiring.Component):
    """Executes load, store, noise and range instructions, one at a time.

    A load takes one packet of the input stream, one beat a row. Rows for the activation and error memories are
    handed to the write-back path, which quantises them and is the only writer of these memories. In a half
    precision load two consecutive beats are the even and the odd sample of one row. A store gives one packet. The
    rows of the transposable memories (activations, gradients) are counted from a base that is a multiple of the
    lanes.

    Parameters
    ----------
    config : FixarConfig
    settle : int
        Cycles from an accepted injected row until it is in memory.

    Members
    -------
    commands, completions, busy, errors
        See :class:`..shell.engine.EngineSignature`. ``address_out_of_range``: the rows are not all in the memory;
        nothing is transferred. ``stream_underflow``: the packet ended early; ``stream_overflow``: it did not end with
        the last row. Both end the instruction.
    packets_in, packets_out : streams of rows
    noise : stream of rows, in
    injected : stream, out
        Rows for activation and error memories.
    write : out
        Row for another memory (``write_layout``).
    read : stream, out
        Row to read; ``read_data`` follows ``READ_LATENCY`` cycles after the request was accepted.
    range_clear, range_freeze : out
        Pulses; ``range_bits`` goes with them, ``range_done`` ends a freeze.

    Notes
    -----
    One row a cycle, loads and stores alike, while the other side keeps up.

    Source: FIXAR, section III, figure 3 (host transfers), PRNG.
    """

    def __init__(self, config: FixarConfig, *, settle: int):
        self.config = config
        self.settle = settle
        row = data.ArrayLayout(32, config.lanes)
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(INSTRUCTION_SET, "transfer"))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(error_layout),
                "packets_in": In(packet_signature(32 * config.lanes)),
                "packets_out": Out(packet_signature(32 * config.lanes)),
                "noise": In(stream.Signature(row)),
                "injected": Out(stream.Signature(injected_layout(config))),
                "write": Out(write_layout(config)),
                "read": Out(stream.Signature(read_layout(config))),
                "read_data": In(row),
                "range_clear": Out(1),
                "range_freeze": Out(1),
                "range_bits": Out(5),
                "range_done": In(1),
            }
        )

    def memory_rows(self, memory):
        """Rows of each memory as loads and stores address it."""
        config = self.config
        return {
            Memory.WEIGHT: 4 * config.weight_rows,
            Memory.GRADIENT: 2 * config.weight_rows,
            Memory.FIRST_MOMENT: 2 * config.weight_rows,
            Memory.SECOND_MOMENT_LOW: 2 * config.weight_rows,
            Memory.SECOND_MOMENT_HIGH: 2 * config.weight_rows,
            Memory.ACTIVATION: config.activation_rows,
            Memory.ERROR: config.error_rows,
            Memory.RANGE: config.slots,
        }[memory]

    def elaborate(self, platform):
        m = Module()
        self.command = command = Signal(self.commands.payload.shape())
        self.remaining = Signal(MEMORY_ROW_WIDTH)
        self.row = Signal(MEMORY_ROW_WIDTH)
        self.index = Signal(range(self.config.lanes))
        self.parity = Signal()
        arguments = command.arguments
        self.of_core = Signal()
        self.room = Signal()
        self.delivered = Signal()
        # What the engine does with rows in this cycle, each known by a register of its own: much depends on it.
        self.loading = Signal()
        self.storing = Signal()
        self.noising = Signal()
        # The command has been there for two cycles when a row is moved.
        m.d.sync += self.of_core.eq(
            (arguments.load.memory == Memory.ACTIVATION) | (arguments.load.memory == Memory.ERROR)
        )
        settling = Signal(range(self.settle + 1))
        refused = self.outside(m)
        self.elaborate_injection(m)
        self.elaborate_load(m)
        self.elaborate_store(m)

        with m.FSM(name="transfer"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [
                    command.eq(self.commands.payload),
                    self.remaining.eq(self.commands.payload.arguments.load.count),
                    self.row.eq(self.commands.payload.arguments.load.base),
                    self.index.eq(0),
                    self.parity.eq(0),
                    settling.eq(self.settle),
                ]
                if self.config.lanes & (self.config.lanes - 1) == 0:
                    m.d.sync += self.index.eq(self.commands.payload.arguments.load.base)
                with m.If(self.commands.valid):
                    with m.Switch(self.commands.payload.opcode):
                        with m.Case(LOAD.opcode, STORE.opcode):
                            m.next = "MEASURE"
                        with m.Case(NOISE.opcode):
                            m.d.sync += [
                                self.row.eq(self.commands.payload.arguments.noise.base),
                                self.noising.eq(1),
                            ]
                            m.next = "NOISE"
                        with m.Default():
                            m.next = "RANGE"
            with m.State("MEASURE"):
                m.next = "COMPARE"
            with m.State("COMPARE"):
                m.next = "CHECK"
            with m.State("CHECK"):
                with m.If(refused):
                    m.d.comb += self.errors.address_out_of_range.eq(1)
                    m.next = "COMPLETE"
                with m.Elif(command.opcode == STORE.opcode):
                    m.d.sync += self.storing.eq(1)
                    m.next = "STORE"
                with m.Else():
                    m.d.sync += self.loading.eq(1)
                    m.next = "LOAD"
            with m.State("LOAD"):
                with m.If(self.taken & (self.last | self.packets_in.payload.last)):
                    m.d.sync += self.loading.eq(0)
                    m.next = "SETTLE"
            with m.State("STORE"):
                with m.If(self.accepted & self.last):
                    m.d.sync += self.storing.eq(0)
                    m.next = "DELIVER"
            with m.State("DELIVER"):
                with m.If(self.delivered):
                    m.next = "COMPLETE"
            with m.State("NOISE"):
                with m.If(self.noise.valid & self.noise.ready):
                    m.d.sync += self.noising.eq(0)
                    m.next = "SETTLE"
            with m.State("RANGE"):
                m.d.comb += [
                    self.range_clear.eq(arguments.range.clear),
                    self.range_freeze.eq(arguments.range.freeze),
                ]
                m.next = "COMPLETE"
                with m.If(arguments.range.freeze):
                    m.next = "FREEZE"
            with m.State("FREEZE"):
                with m.If(self.range_done):
                    m.next = "COMPLETE"
            with m.State("SETTLE"):
                m.d.sync += settling.eq(settling - 1)
                with m.If(settling == 0):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        idle = Signal()
        m.d.comb += [
            idle.eq(self.commands.ready),
            self.busy.eq(~idle),
            self.range_bits.eq(arguments.range.bits),
        ]
        return m

    def outside(self, m):
        """Whether rows lie behind the end of the memory, three cycles after the command was taken."""
        arguments = self.command.arguments.load
        rows = Signal(MEMORY_ROW_WIDTH + 1)
        end = Signal(MEMORY_ROW_WIDTH + 1)
        limit = Signal(MEMORY_ROW_WIDTH + 1)
        packed = Signal()
        m.d.comb += [
            packed.eq(arguments.half & (self.command.opcode == LOAD.opcode)),
            rows.eq(Mux(packed, (arguments.count + 1) >> 1, arguments.count)),
        ]
        m.d.sync += end.eq(arguments.base + rows)
        with m.Switch(arguments.memory):
            for memory in Memory:
                with m.Case(memory):
                    m.d.sync += limit.eq(self.memory_rows(memory))
        refused = Signal()
        m.d.sync += refused.eq((end > limit) | (arguments.count == 0))
        return refused

    def advance(self, m, half):
        m.d.sync += [self.remaining.eq(self.remaining - 1), self.parity.eq(~self.parity & half)]
        with m.If(~half | self.parity):
            m.d.sync += [
                self.row.eq(self.row + 1),
                self.index.eq(Mux(self.index == self.config.lanes - 1, 0, self.index + 1)),
            ]

    def elaborate_injection(self, m):
        """Rows for the write-back path: of the input stream, or noise."""
        arguments, noise = self.command.arguments.load, self.command.arguments.noise
        payload = self.injected.payload
        core = Signal.like(arguments.core)
        m.d.comb += [
            core.eq(Mux(self.noising, noise.core, arguments.core)),
            payload.words.eq(Mux(self.noising, self.noise.payload, self.packets_in.payload.data)),
            payload.cores.eq(Cat((core == EVERY_CORE) | (core == number) for number in range(self.config.cores))),
            payload.destination.eq(
                Mux(self.noising | (arguments.memory == Memory.ERROR), Destination.ERROR, Destination.ACTIVATION)
            ),
            payload.row.eq(self.row),
            payload.index.eq(self.index),
            payload.parity.eq(self.parity),
            payload.slot.eq(arguments.slot),
            payload.monitor.eq(arguments.monitor & ~self.noising),
            payload.quantize.eq(arguments.quantize & ~self.noising),
            payload.lanes.eq(Mux(self.noising, noise.lanes, arguments.lanes)),
            payload.merge.eq(arguments.merge & ~self.noising),
            self.injected.valid.eq(
                Mux(self.noising, self.noise.valid, self.packets_in.valid & self.loading & self.of_core)
            ),
            self.noise.ready.eq(self.noising & self.injected.ready),
        ]

    def elaborate_load(self, m):
        arguments = self.command.arguments.load
        self.taken = Signal()
        self.last = Signal()
        m.d.comb += [
            self.packets_in.ready.eq(self.loading & (self.injected.ready | ~self.of_core)),
            self.taken.eq(self.packets_in.valid & self.packets_in.ready),
            self.last.eq(self.remaining == 1),
            self.write.valid.eq(self.taken & ~self.of_core),
            self.write.memory.eq(arguments.memory),
            self.write.row.eq(self.row),
            self.write.index.eq(self.index),
            self.write.words.eq(self.packets_in.payload.data),
            self.errors.stream_underflow.eq(self.taken & self.packets_in.payload.last & ~self.last),
            self.errors.stream_overflow.eq(self.taken & ~self.packets_in.payload.last & self.last),
        ]
        with m.If(self.taken):
            self.advance(m, arguments.half & self.of_core)

    def elaborate_store(self, m):
        arguments = self.command.arguments.store
        self.accepted = Signal()
        m.d.comb += [
            self.read.valid.eq(self.storing & self.room),
            self.read.payload.memory.eq(arguments.memory),
            self.read.payload.of_core.eq(self.of_core),
            self.read.payload.core.eq(arguments.core),
            self.read.payload.row.eq(self.row),
            self.read.payload.index.eq(self.index),
            self.accepted.eq(self.read.valid & self.read.ready),
        ]
        with m.If(self.accepted):
            self.advance(m, Const(0))
        self.elaborate_output(m)

    def elaborate_output(self, m):
        """Rows on their way out: a buffer with room for every read under way."""
        m.submodules.buffer = buffer = fifo.SyncFIFO(width=32 * self.config.lanes + 1, depth=STORE_DEPTH)
        under_way = Signal(READ_LATENCY)
        lasts = Signal(READ_LATENCY)
        reserved = Signal(range(STORE_DEPTH + 1))
        leaves = Signal()
        m.d.comb += [
            self.room.eq(reserved != STORE_DEPTH),
            leaves.eq(self.packets_out.valid & self.packets_out.ready),
            buffer.w_en.eq(under_way[-1]),
            buffer.w_data.eq(Cat(self.read_data, lasts[-1])),
            self.packets_out.valid.eq(buffer.r_rdy),
            self.packets_out.payload.eq(buffer.r_data),
            buffer.r_en.eq(self.packets_out.ready),
            self.delivered.eq(reserved == 0),
        ]
        m.d.sync += [
            under_way.eq(Cat(self.accepted, under_way)),
            lasts.eq(Cat(self.last, lasts)),
            reserved.eq(reserved + self.accepted - leaves),
        ]
