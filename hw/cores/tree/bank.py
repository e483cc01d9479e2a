"""A memory bank of nodes."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .config import TreeConfig
from .layouts import edge_layout, node_layout
from .stage_layouts import CommandKind, bank_command_layout, flit_layout

__all__ = ["Bank"]


class Bank(wiring.Component):
    """Keeps R nodes with their edges; reads, writes and clears them in the order of the commands.

    A clear writes the node of its command, and all edges of the node as the command's edge.

    A node is read in ``flits`` transfers, which follow each other without another node between them. Two memories, one
    of nodes and one of the edges of a flit, each with a synchronous read port and a write port (of single edges),
    are block RAM; they start as zeros. What is written is seen by the next command. Behind a node's last edge a flit
    means nothing.

    Latency: 1 cycle from a read to its first flit. Throughput: a write a cycle; a read or a clear in ``flits`` cycles;
    writes of other rows take none of their own beside a read. Back-pressure: any other command behind a read is taken
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
        self._config = config
        stage = range(config.levels)
        command = data.StructLayout({"stage": stage, "body": bank_command_layout(config)})
        response = data.StructLayout({"stage": stage, "body": flit_layout(config)})
        super().__init__({"commands": In(stream.Signature(command)), "responses": Out(stream.Signature(response))})

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from a read to its first flit."""
        return 1

    def elaborate(self, platform):
        m = Module()
        config = self._config
        width, count = edge_layout(config).size, config.lanes
        # Asked for, as it is narrow enough for a tool to choose distributed RAM.
        nodes = m.submodules.nodes = Memory(
            shape=node_layout(config).size, depth=config.rows, init=[], attrs={"ram_style": "block"}
        )
        edges = m.submodules.edges = Memory(
            shape=data.ArrayLayout(width, count), depth=config.rows * config.flits, init=[]
        )
        node_read, node_write = nodes.read_port(), nodes.write_port()
        edge_read, edge_write = edges.read_port(), edges.write_port(granularity=1)

        # A read that is not at its end yet waits here, without a command's record; a clear stays outside.
        asked = Signal(
            data.StructLayout({"row": config.row_width, "stage": range(config.levels), "slot": range(config.slots)})
        )
        arriving, waiting = Signal.like(asked), Signal.like(asked)
        busy, flit = Signal(), Signal(range(config.flits))
        command, body = self.commands.payload, self.commands.payload.body
        kind = Signal(CommandKind)
        clears, passes, active, free, read, is_last = (
            Signal(name=name) for name in ("clears", "passes", "active", "free", "read", "is_last")
        )
        m.d.comb += [
            kind.eq(body.kind),
            is_last.eq(flit == config.flits - 1),
            clears.eq(self.commands.valid & ~busy & (kind == CommandKind.CLEAR)),
            # The write port is free beside a read, whose row stays as it is.
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
            node_read.en.eq(read),
            node_read.addr.eq(asked.row),
            edge_read.en.eq(read),
            edge_read.addr.eq(Cat(asked.row, flit)),
            Value.cast(response.body.node).eq(node_read.data),
            Value.cast(response.body.edges).eq(Value.cast(edge_read.data)),
        ]
        with m.If(free):
            m.d.sync += self.responses.valid.eq(read)
        with m.If(read):
            m.d.sync += [response.stage.eq(asked.stage), response.body.slot.eq(asked.slot), response.body.flit.eq(flit)]

        write = Signal()
        m.d.comb += [
            write.eq(self.commands.valid & self.commands.ready & (kind == CommandKind.WRITE)),
            node_write.addr.eq(body.row),
            node_write.data.eq(body.node),
            node_write.en.eq(clears | (write & body.write_node)),
            edge_write.addr.eq(Cat(body.row, flit)),
            edge_write.en.eq(clears.replicate(count)),
        ]
        m.d.comb += [edge_write.data[lane].eq(Value.cast(body.edge)) for lane in range(count)]
        with m.If(write & body.write_edge), m.Switch(body.action):
            for action in range(config.fanout):
                with m.Case(action):
                    m.d.comb += [
                        edge_write.addr.eq(Cat(body.row, Value.cast(action // count))),
                        edge_write.en.eq(1 << action % count),
                    ]
        return m
