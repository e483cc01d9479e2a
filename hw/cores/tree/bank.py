"""A memory bank of nodes."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .config import SCORE_FRACTION, TreeConfig
from .layouts import edge_layout, node_layout
from .records import edge_record
from .stage_layouts import CommandKind, bank_command_layout, flit_layout

__all__ = ["Bank"]


class Bank(wiring.Component):
    """Keeps R nodes with their edges; reads, writes and clears them in the order of the commands.

    A row that is cleared has a new node: all zeros, but for the factor of its edges, 1 in UCT, and prior and factor of
    PUCT, ``2**16 // fanout``.

    A node is read in ``flits`` transfers, which follow each other without another node between them. Two memories, one
    of nodes and one of the edges of a flit, each with a synchronous read port and a write port (of single edges),
    are block RAM; they start as zeros. What is written is seen by the next command. Behind a node's last edge a flit
    means nothing.

    Latency: 1 cycle from a read to its first flit. Throughput: a write a cycle; a read or a clear in ``flits`` cycles;
    writes of other rows take none of their own beside a read. Back-pressure: any other command behind a read is taken
    once the last flit has left the memory; ``ready`` of the commands depends on registers and on the command, so that
    no path joins it to ``ready`` of the responses.

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
        nodes = m.submodules.nodes = Memory(shape=node_layout(config).size, depth=config.rows, init=[])
        edges = m.submodules.edges = Memory(
            shape=data.ArrayLayout(width, count), depth=config.rows * config.flits, init=[]
        )
        node_read, node_write = nodes.read_port(), nodes.write_port()
        edge_read, edge_write = edges.read_port(), edges.write_port(granularity=1)

        # A read or a clear that is not at its end yet waits here, without a command's record.
        asked = Signal(
            data.StructLayout(
                {"clears": 1, "row": config.row_width, "stage": range(config.levels), "slot": range(config.slots)}
            )
        )
        arriving, waiting = Signal.like(asked), Signal.like(asked)
        busy, next_flit, flit = Signal(), Signal(range(config.flits)), Signal(range(config.flits))
        command, body = self.commands.payload, self.commands.payload.body
        kind = Signal(CommandKind)
        passes, taken, active, free, step = (
            Signal(name=name) for name in ("passes", "taken", "active", "free", "step")
        )
        m.d.comb += [
            kind.eq(body.kind),
            # The write port is free beside a read, whose row stays as it is.
            passes.eq((kind == CommandKind.WRITE) & ~waiting.clears & (body.row != waiting.row)),
            self.commands.ready.eq(~busy | passes),
            taken.eq(self.commands.valid & self.commands.ready),
            arriving.clears.eq(kind == CommandKind.CLEAR),
            arriving.row.eq(body.row),
            arriving.stage.eq(command.stage),
            arriving.slot.eq(body.slot),
            asked.eq(Mux(busy, waiting, arriving)),
            flit.eq(Mux(busy, next_flit, 0)),
            active.eq(busy | (taken & ((kind == CommandKind.READ) | (kind == CommandKind.CLEAR)))),
            free.eq(~self.responses.valid | self.responses.ready),
            step.eq(active & (asked.clears | free)),
        ]
        with m.If(active):
            m.d.sync += [
                busy.eq(~step | (flit != config.flits - 1)),
                next_flit.eq(flit + step),
                waiting.eq(asked),
            ]

        read = Signal()
        response = self.responses.payload
        m.d.comb += [
            read.eq(step & ~asked.clears),
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

        clear, write, new_edge = Signal(), Signal(), Signal(width)
        written_row = Signal(config.row_width)
        m.d.comb += [
            clear.eq(step & asked.clears),
            write.eq(taken & (kind == CommandKind.WRITE)),
            new_edge.eq(self._new_edge()),
            written_row.eq(Mux(busy & waiting.clears, waiting.row, body.row)),
            node_write.addr.eq(written_row),
            node_write.data.eq(Mux(clear, 0, Value.cast(body.node))),
            node_write.en.eq(clear | (write & body.write_node)),
            edge_write.addr.eq(Cat(written_row, flit)),
            edge_write.en.eq(clear.replicate(count)),
        ]
        for lane in range(count):
            m.d.comb += edge_write.data[lane].eq(Mux(clear, new_edge, Value.cast(body.edge)))
        with m.If(write & body.write_edge), m.Switch(body.action):
            for action in range(config.fanout):
                with m.Case(action):
                    m.d.comb += [
                        edge_write.addr.eq(Cat(written_row, Value.cast(action // count))),
                        edge_write.en.eq(1 << action % count),
                    ]
        return m

    def _new_edge(self):
        """The word of an edge of a new node."""
        values = dict.fromkeys(edge_layout(self._config).members, 0)
        if self._config.policy == "uct":
            values["factor"] = 1 << SCORE_FRACTION
        else:
            values["prior"] = values["factor"] = (1 << SCORE_FRACTION) // self._config.fanout
        return edge_record(self._config).pack(values)
