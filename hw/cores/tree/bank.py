"""A memory bank of nodes."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .config import TreeConfig
from .layouts import edge_layout, node_layout

__all__ = ["Bank", "CommandKind", "bank_command", "bank_response", "edges_in_flit"]


class CommandKind(enum.Enum, shape=2):  # type: ignore[call-arg]
    """What a bank is asked to do with a row."""

    READ = 0
    WRITE_EDGE = 1
    WRITE_NODE = 2
    CLEAR = 3


def bank_command(config: TreeConfig):
    """``kind``, ``row``; of a read ``slot``, which comes back; of a write ``record``, and the ``edge`` it is for."""
    return data.StructLayout(
        {
            "kind": CommandKind,
            "row": config.row_width,
            "slot": range(config.slots),
            "edge": range(config.fanout),
            "record": data.UnionLayout({"node": node_layout(config), "edge": edge_layout(config)}),
        }
    )


def edges_in_flit(config: TreeConfig) -> int:
    """Edges that travel at once. Edge a is in flit a // edges_in_flit; behind the last edge there are zeros."""
    return -(-config.fanout // config.flits)


def bank_response(config: TreeConfig):
    """``slot`` of the read, number of the ``flit``, the ``node`` without its edges, and the ``edges`` of this flit."""
    return data.StructLayout(
        {
            "slot": range(config.slots),
            "flit": range(config.flits),
            "node": node_layout(config),
            "edges": data.ArrayLayout(edge_layout(config), edges_in_flit(config)),
        }
    )


class Bank(wiring.Component):
    """Keeps R nodes with their edges; reads, writes and clears them in the order of the commands.

    A node is read in ``flits`` transfers, which follow each other without another node between them. Two memories, one
    of nodes and one of the edges of a flit, each with a synchronous read port and a write port (of single edges),
    are block RAM; they start as zeros. What is written is seen by the next command.

    Latency: 1 cycle from a read to its first flit. Throughput: a write a cycle; a read or a clear in ``flits`` cycles.
    Back-pressure: the command behind a read is taken once the last flit has left the memory; ``ready`` of the commands
    is a register, so that no path joins it to ``ready`` of the responses.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    commands : stream, in
        ``stage`` that asks, and :func:`bank_command` as ``body``.
    responses : stream, out
        ``stage`` that asked, and :func:`bank_response` as ``body``.
    """

    def __init__(self, config: TreeConfig):
        self._config = config
        stage = range(config.levels)
        command = data.StructLayout({"stage": stage, "body": bank_command(config)})
        response = data.StructLayout({"stage": stage, "body": bank_response(config)})
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
        width, count = edge_layout(config).size, edges_in_flit(config)
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
        taken, active, free, step = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.commands.ready.eq(~busy),
            taken.eq(self.commands.valid & ~busy),
            kind.eq(body.kind),
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

        clear = Signal()
        m.d.comb += [
            clear.eq(step & asked.clears),
            node_write.addr.eq(asked.row),
            node_write.data.eq(Mux(clear, 0, Value.cast(body.record.node))),
            node_write.en.eq(clear | (taken & (kind == CommandKind.WRITE_NODE))),
            edge_write.addr.eq(Cat(asked.row, flit)),
            edge_write.en.eq(clear.replicate(count)),
        ]
        for place in range(count):
            m.d.comb += edge_write.data[place].eq(Mux(clear, 0, Value.cast(body.record.edge)))
        with m.If(taken & (kind == CommandKind.WRITE_EDGE)), m.Switch(body.edge):
            for edge in range(config.fanout):
                with m.Case(edge):
                    m.d.comb += [
                        edge_write.addr.eq(Cat(asked.row, Value.cast(edge // count))),
                        edge_write.en.eq(1 << edge % count),
                    ]
        return m
