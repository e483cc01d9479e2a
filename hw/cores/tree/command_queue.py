"""Commands of a stage on their way to the banks."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .config import TreeConfig, turns_are_long
from .layouts import mean_layout
from .records import new_edge
from .stage_layouts import routed_command_layout

__all__ = ["CommandQueue"]

# Both kinds of commands go on while a value is computed. Distributed RAM has as many rows.
DEPTH = 32


class CommandQueue(ConfiguredComponent):
    """Holds up to 32 commands in order; those of backups until their edge's value and factor are there.

    A read comes out after every write that was queued before it, so it sees them all.

    Latency: 2 cycles. Throughput: a command a cycle. Back-pressure: ``room``, while two more commands have place.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    write, send_write : In
        A command of :class:`.Update`.
    is_late : In(1)
        Value and factor of its edge follow.
    mean, send_mean : In
        Value and factor of the next late command, at least a cycle after it.
    read, send_read : In
        A command of :class:`.Arrival`; not together with a write. A new node and new edges are queued with it: a clear
        writes them.
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
        queued = data.StructLayout({"command": command, "is_late": 1})
        # Where many stages take turns, what leaves goes far: it is in registers, a table for each of their bits. The
        # memories besides have as many rows as there are commands.
        registered = turns_are_long(self._config.concentration)
        buffer = StreamBufferConfig(depth=DEPTH + registered, latency=1, head_register=registered)
        m.submodules.queue = queue = StreamBuffer(queued, buffer)
        m.submodules.means = means = StreamBuffer(mean_layout, buffer)
        # Commands wait a cycle before they are written: what a stage does is known late, and a queue's rows are many.
        entry, comes, head = Signal(queued, reset_less=True), Signal(), queue.o.payload
        body = entry.command.body
        m.d.sync += [
            comes.eq(self.send_write | self.send_read),
            # Only what both have is chosen.
            entry.command.eq(self.write),
            entry.command.bank.eq(Mux(self.send_write, self.write.bank, self.read.bank)),
            body.row.eq(Mux(self.send_write, self.write.body.row, self.read.body.row)),
            body.kind.eq(Mux(self.send_write, self.write.body.kind, self.read.body.kind)),
            body.slot.eq(self.read.body.slot),
            entry.is_late.eq(self.is_late & self.send_write),
        ]
        with m.If(~self.send_write):
            m.d.sync += [Value.cast(body.node).eq(0), Value.cast(body.edge).eq(new_edge(self._config))]
        leaves = Signal()
        count, fewer, more = (Signal(range(DEPTH + 1), name=name) for name in ("count", "fewer", "more"))
        m.d.comb += [
            queue.i.payload.eq(entry),
            queue.i.valid.eq(comes),
            means.i.payload.eq(self.mean),
            means.i.valid.eq(self.send_mean),
            self.idle.eq(~comes & ~queue.o.valid),
            self.commands.payload.eq(head.command),
            self.commands.valid.eq(queue.o.valid & (~head.is_late | means.o.valid)),
            leaves.eq(self.commands.valid & self.commands.ready),
            queue.o.ready.eq(leaves),
            means.o.ready.eq(leaves & head.is_late),
        ]
        with m.If(head.is_late):
            m.d.comb += [
                self.commands.payload.body.edge.value.eq(means.o.payload.value),
                self.commands.payload.body.edge.factor.eq(means.o.payload.factor),
            ]
        # A stage decides by `room` what it does, its longest path: a register, for which the next count is compared
        # with the limit before it is known. The count is a register, as the queue's level is a sum. It is a command
        # behind, so that there is place for three more.
        m.d.comb += [fewer.eq(count - leaves), more.eq(count - leaves + 1)]
        m.d.sync += [
            count.eq(Mux(comes, more, fewer)),
            self.room.eq(Mux(comes, more <= DEPTH - 3, fewer <= DEPTH - 3)),
        ]
        return m
