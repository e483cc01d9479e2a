"""Commands of a stage on their way to the banks."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import TreeConfig
from .layouts import mean_layout
from .stage_layouts import routed_command_layout

__all__ = ["CommandQueue"]

# Both kinds of commands go on while a value is computed. Distributed RAM has as many rows.
DEPTH = 32


class CommandQueue(ConfiguredComponent):
    """Holds up to 32 commands in order; those of backups until their edge's value and factor are there.

    A read comes out after every write that was queued before it, so it sees them all.

    Latency: 1 cycle. Throughput: a command a cycle. Back-pressure: ``room``, while two more commands have place.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    write, send_write : In
        A command of :class:`.Update`. Its ``node`` and ``edge`` are also queued with a ``read``: a clear writes them.
    is_late : In(1)
        Value and factor of its edge follow.
    mean, send_mean : In
        Value and factor of the next late command, at least a cycle after it.
    read, send_read : In
        A command of :class:`.Arrival`; not together with a write.
    room : Out(1)
        A command can be given in this cycle and in the next one. A register.
    commands : Out(stream of routed_command_layout)
    idle : Out(1)
        There is no command.
    """

    def __init__(self, config: TreeConfig):
        command = routed_command_layout(config)
        super().__init__(
            config,
            {
                "write": In(command),
                "send_write": In(1),
                "is_late": In(1),
                "read": In(command),
                "send_read": In(1),
                "mean": In(mean_layout),
                "send_mean": In(1),
                "room": Out(1, init=1),
                "commands": Out(stream.Signature(command)),
                "idle": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        command = routed_command_layout(self._config)
        m.submodules.queue = queue = SyncFIFO(width=command.size + 1, depth=DEPTH)
        m.submodules.means = means = SyncFIFO(width=mean_layout.size, depth=DEPTH)
        entry, read = Signal(command), Signal(command)
        mean = Signal(mean_layout)
        leaves, late = Signal(), Signal()
        m.d.comb += [
            # Only what both have is chosen.
            entry.eq(self.write),
            entry.bank.eq(Mux(self.send_read, self.read.bank, self.write.bank)),
            entry.body.row.eq(Mux(self.send_read, self.read.body.row, self.write.body.row)),
            entry.body.kind.eq(Mux(self.send_read, self.read.body.kind, self.write.body.kind)),
            entry.body.slot.eq(self.read.body.slot),
            queue.w_data.eq(Value.cast(entry) | (self.is_late & self.send_write) << command.size),
            queue.w_en.eq(self.send_write | self.send_read),
            means.w_data.eq(self.mean),
            means.w_en.eq(self.send_mean),
            self.idle.eq(~queue.r_rdy),
            Value.cast(read).eq(queue.r_data),
            Value.cast(mean).eq(means.r_data),
            late.eq(queue.r_data[-1]),
            self.commands.payload.eq(read),
            self.commands.payload.body.edge.value.eq(Mux(late, mean.value, read.body.edge.value)),
            self.commands.payload.body.edge.factor.eq(Mux(late, mean.factor, read.body.edge.factor)),
            self.commands.valid.eq(queue.r_rdy & (~late | means.r_rdy)),
            leaves.eq(self.commands.valid & self.commands.ready),
            queue.r_en.eq(leaves),
            means.r_en.eq(leaves & late),
        ]
        # A level decides by it what it does, its longest path: a register, for which the next level is compared with
        # the limit before it is known.
        levels = queue.level - leaves, queue.level - leaves + 1
        m.d.sync += self.room.eq(Mux(queue.w_en, *(level <= DEPTH - 2 for level in reversed(levels))))
        return m
