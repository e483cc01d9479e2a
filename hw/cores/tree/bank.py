"""A memory bank of nodes."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from .config import TreeConfig
from .layouts import edge_layout, node_layout
from .stage_layouts import CommandKind, bank_command_layout, flit_layout

__all__ = ["Bank"]


class Bank(ConfiguredComponent):
    """Keeps R nodes with their edges; reads, writes and clears them in the order of the commands.

    A clear writes the node of its command, and all edges of the node as the command's edge.

    A node is read in ``flits`` transfers, which follow each other without another node between them. A memory of nodes
    and one for each edge of a flit, each with a read and a write port, are block RAM; they start as zeros. The next
    command sees what is written. After a node's last edge a flit means nothing.

    Latency: 1 cycle from a read to its first flit. Throughput: a write a cycle; a read or a clear in ``flits`` cycles;
    writes of other rows take none of their own beside a read. Back-pressure: any other command after a read is taken
    once the last flit has left the memory, a clear with its last write; ``ready`` of the commands depends on registers
    and on the command, so that no path joins it to ``ready`` of the responses.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    commands : stream, in
        ``stage`` that asks, and :func:`.bank_command_layout` as ``body``.
    responses : stream, out
        ``stage`` that asked, and :func:`.flit_layout` as ``body``.
    """

    def __init__(self, config: TreeConfig):
        stage = range(config.levels)
        command = data.StructLayout({"stage": stage, "body": bank_command_layout(config)})
        response = data.StructLayout({"stage": stage, "body": flit_layout(config)})
        super().__init__(
            config, {"commands": In(stream.Signature(command)), "responses": Out(stream.Signature(response))}
        )

    @property
    def latency(self):
        """Cycles from a read to its first flit."""
        return 1

    def elaborate(self, platform):
        m = Module()
        config = self._config
        # Block RAM is asked for, as a node is narrow enough for a tool to choose distributed RAM.
        m.submodules.nodes = nodes = Memory(node_layout(config), MemoryConfig(depth=config.rows, style="block"))
        m.submodules.edges = edges = Memory(
            data.ArrayLayout(edge_layout(config), config.lanes),
            MemoryConfig(depth=config.rows * config.flits, lanes=config.lanes),
        )
        body = self.commands.payload.body
        kind, flit, clears = Signal(CommandKind), Signal(range(config.flits)), Signal()
        m.d.comb += kind.eq(body.kind)
        self._read(m, nodes.reads[0], edges.reads[0], kind, flit, clears)
        self._write(m, nodes.write, edges.write, kind, flit, clears)
        return m

    def _read(self, m, node, edges, kind, flit, clears):
        """Nodes to the responses, flit after flit; decides which commands are taken."""
        config = self._config
        # A read that is not at its end yet waits here, without a command's record; a clear stays outside.
        asked = Signal(
            data.StructLayout({"row": config.row_width, "stage": range(config.levels), "slot": range(config.slots)})
        )
        arriving, waiting, busy = Signal.like(asked), Signal.like(asked), Signal()
        command, body = self.commands.payload, self.commands.payload.body
        passes, active, free, read, is_last = (
            Signal(name=name) for name in ("passes", "active", "free", "read", "is_last")
        )
        m.d.comb += [
            is_last.eq(flit == config.flits - 1),
            clears.eq(self.commands.valid & ~busy & (kind == CommandKind.CLEAR)),
            # The write port is free during a read, whose row stays as it is.
            passes.eq((kind == CommandKind.WRITE) & (body.row != waiting.row)),
            self.commands.ready.eq(Mux(busy, passes, is_last | (kind != CommandKind.CLEAR))),
            arriving.row.eq(body.row),
            arriving.stage.eq(command.stage),
            arriving.slot.eq(body.slot),
            asked.eq(Mux(busy, waiting, arriving)),
            active.eq(busy | (self.commands.valid & (kind == CommandKind.READ))),
            free.eq(~self.responses.valid | self.responses.ready),
            read.eq(active & free),
        ]
        with m.If(active):
            m.d.sync += [busy.eq(~(read & is_last)), waiting.eq(asked)]
        with m.If(read | clears):
            m.d.sync += flit.eq(Mux(is_last, 0, flit + 1))

        response = self.responses.payload
        m.d.comb += [
            node.enable.eq(read),
            node.address.eq(asked.row),
            edges.enable.eq(read),
            edges.address.eq(Cat(asked.row, flit)),
            response.body.node.eq(node.data),
            response.body.edges.eq(edges.data),
        ]
        with m.If(free):
            m.d.sync += self.responses.valid.eq(read)
        with m.If(read):
            m.d.sync += [response.stage.eq(asked.stage), response.body.slot.eq(asked.slot), response.body.flit.eq(flit)]

    def _write(self, m, node, edges, kind, flit, clears):
        """Writes of a command: the node, one of its edges, or, in a clear, all edges of a flit."""
        config, body = self._config, self.commands.payload.body
        count, writes = config.lanes, Signal()
        m.d.comb += [
            writes.eq(self.commands.valid & self.commands.ready & (kind == CommandKind.WRITE)),
            node.address.eq(body.row),
            node.data.eq(body.node),
            node.enable.eq(clears | (writes & body.write_node)),
            edges.address.eq(Cat(body.row, flit)),
            edges.enable.eq(clears.replicate(count)),
        ]
        m.d.comb += [Value.cast(edge).eq(Value.cast(body.edge)) for edge in edges.data]
        # The address waits for the kind alone: whether the command is taken is known late.
        with m.If(kind == CommandKind.WRITE), m.Switch(body.action):
            for action in range(config.fanout):
                with m.Case(action):
                    m.d.comb += edges.address.eq(Cat(body.row, Value.cast(action // count)))
                    with m.If(writes & body.write_edge):
                        m.d.comb += edges.enable.eq(1 << action % count)
