"""The engine of a search tree: packets of requests for it, and packets of nodes for whoever looks at it."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.packet import packet_signature
from ..stream.packet_service import PacketService
from .config import TreeConfig
from .records import NODE_WIDTH, ROW_WIDTH, flit_rows
from .stage_layouts import flit_layout, place_layout

__all__ = ["SearchEngine", "search_command"]

# Read ``count`` nodes from number ``base`` on, or else serve a packet of requests.
search_command = data.StructLayout({"reads": 1, "base": NODE_WIDTH, "count": NODE_WIDTH + 1})


class SearchEngine(ConfiguredComponent):
    """Executes serve and read commands, one at a time.

    A serve is one of :class:`.PacketService`. A read gives nodes as a packet: each in
    ``config.flits`` flits, a flit in :func:`.flit_rows` beats, lowest bits first: the node's record, then those of the
    flit's edges.

    ::

        packets_in -> PacketService -> requests -> SearchTree -> answers -> PacketService -.
                                                                                           +-> packets_out
                      reads --------------------> SearchTree -> nodes -> beats of a flit --'

    Throughput: that of the tree; of a read, a beat a cycle while a flit lasts. Latency: one cycle from a command to its
    first request. Back-pressure: on all streams.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    commands, completions, busy, errors
        See :class:`.EngineSignature`. ``address_out_of_range``: nodes to read are none, or end past the
        last bank; nothing is read.
    packets_in, packets_out : streams of rows
    requests, answers, reads, nodes
        To and from :class:`.SearchTree`.
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(search_command)),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"address_out_of_range": 1})),
                "packets_in": In(packet_signature(ROW_WIDTH)),
                "packets_out": Out(packet_signature(ROW_WIDTH)),
                "requests": Out(stream.Signature(ROW_WIDTH)),
                "answers": In(stream.Signature(ROW_WIDTH)),
                "reads": Out(stream.Signature(place_layout(config))),
                "nodes": In(stream.Signature(flit_layout(config))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        command, serving, reading, outside = Signal(search_command), Signal(), Signal(), Signal()
        served = self._serve(m, serving)
        read = self._read(m, reading, command)
        m.d.comb += [
            outside.eq((command.count == 0) | (command.base + command.count > self._config.banks * self._config.rows)),
            self.busy.eq(~self.commands.ready),
        ]
        with m.FSM(name="search"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += command.eq(self.commands.payload)
                with m.If(self.commands.valid):
                    m.next = "SERVE"
                    with m.If(self.commands.payload.reads):
                        m.next = "CHECK"
            with m.State("SERVE"):
                m.d.comb += serving.eq(1)
                with m.If(served):
                    m.next = "COMPLETE"
            with m.State("CHECK"):
                m.d.comb += self.errors.address_out_of_range.eq(outside)
                m.next = "READ"
                with m.If(outside):
                    m.next = "COMPLETE"
            with m.State("READ"):
                m.d.comb += reading.eq(1)
                with m.If(read):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        return m

    def _serve(self, m, serving):
        """Requests in, answers out; whether the last answer has left."""
        m.submodules.service = service = PacketService(ROW_WIDTH)
        wiring.connect(m, wiring.flipped(self.packets_in), service.packets_in)
        wiring.connect(m, service.requests, wiring.flipped(self.requests))
        wiring.connect(m, wiring.flipped(self.answers), service.answers)
        m.d.comb += [service.serving.eq(serving), service.packets_out.ready.eq(self.packets_out.ready)]
        with m.If(serving):
            m.d.comb += [
                self.packets_out.valid.eq(service.packets_out.valid),
                self.packets_out.payload.eq(service.packets_out.payload),
            ]
        return service.served

    def _read(self, m, reading, command):
        """Nodes out, a flit after another; whether the last beat has left."""
        config, rows = self._config, flit_rows(self._config)
        begun = Signal()
        node, asked = Signal(NODE_WIDTH + 1), Signal(NODE_WIDTH + 1)
        beats = Signal(rows * ROW_WIDTH)
        left = Signal(range(rows + 1))
        taken = Signal()
        m.d.comb += [
            self.reads.payload.eq((command.base + asked)[:NODE_WIDTH]),
            self.reads.valid.eq(begun & (asked != command.count)),
            self.nodes.ready.eq(begun & ((left == 0) | ((left == 1) & taken))),
        ]
        with m.If(reading):
            m.d.comb += [
                self.packets_out.valid.eq(left != 0),
                self.packets_out.payload.data.eq(beats[:ROW_WIDTH]),
                self.packets_out.payload.last.eq((left == 1) & (node == command.count)),
                taken.eq(self.packets_out.valid & self.packets_out.ready),
            ]
        with m.If(taken):
            m.d.sync += [beats.eq(beats >> ROW_WIDTH), left.eq(left - 1)]
        with m.If(self.nodes.valid & self.nodes.ready):
            flit = self.nodes.payload
            m.d.sync += [
                beats.eq(Cat(flit.node.as_value(), flit.edges.as_value())),
                left.eq(rows),
                node.eq(node + (flit.flit == config.flits - 1)),
            ]
        with m.If(self.reads.valid & self.reads.ready):
            m.d.sync += asked.eq(asked + 1)
        m.d.sync += begun.eq(reading)
        with m.If(~reading):
            m.d.sync += [node.eq(0), asked.eq(0)]
        return begun & (node == command.count) & (left == 0)
