"""The engine of a search device: packets of requests for the tree, and packets of nodes for who looks at it."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.tree.records import NODE_WIDTH, ROW_WIDTH
from ...cores.tree.stage_layouts import flit_layout, place_layout
from ..bus.axi_stream import packet_signature
from ..sequencer.layouts import command_layout
from ..shell.packet_service import PacketService
from .config import MCTSConfig
from .instructions import INSTRUCTION_SET, READ, SERVE

__all__ = ["SearchEngine"]


class SearchEngine(wiring.Component):
    """Executes serve and read instructions, one at a time.

    A serve is one of :class:`..shell.packet_service.PacketService`. A read gives nodes as a packet: each in ``flits``
    flits, a flit in :attr:`MCTSConfig.flit_rows` beats, lowest bits first: the node's record, then those of the flit's
    edges.

    Throughput: that of the tree; of a read, a beat a cycle while a flit lasts. Latency: one cycle from a command to its
    first request.

    Parameters
    ----------
    config : MCTSConfig

    Members
    -------
    commands, completions, busy, errors
        See :class:`..shell.engine.EngineSignature`. ``address_out_of_range``: nodes to read are none, or end behind the
        last bank; nothing is read.
    packets_in, packets_out : streams of rows
    requests, answers, reads, nodes
        Of :class:`...cores.tree.search_tree.SearchTree`.
    """

    def __init__(self, config: MCTSConfig):
        self.config = config
        tree = config.tree
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(INSTRUCTION_SET, "search"))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"address_out_of_range": 1})),
                "packets_in": In(packet_signature(ROW_WIDTH)),
                "packets_out": Out(packet_signature(ROW_WIDTH)),
                "requests": Out(stream.Signature(ROW_WIDTH)),
                "answers": In(stream.Signature(ROW_WIDTH)),
                "reads": Out(stream.Signature(place_layout(tree))),
                "nodes": In(stream.Signature(flit_layout(tree))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        command = Signal(self.commands.payload.shape())
        self._serving, self._reading = Signal(), Signal()
        served = self._serve(m)
        read = self._read(m, command.arguments.read)
        base, count = command.arguments.read.base, command.arguments.read.count
        outside = Signal()
        m.d.comb += [
            outside.eq((count == 0) | (base + count > self.config.banks * self.config.rows)),
            self.busy.eq(~self.commands.ready),
        ]
        with m.FSM(name="search"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += command.eq(self.commands.payload)
                with m.If(self.commands.valid):
                    with m.Switch(self.commands.payload.opcode):
                        with m.Case(SERVE.opcode):
                            m.next = "SERVE"
                        with m.Case(READ.opcode):
                            m.next = "CHECK"
            with m.State("SERVE"):
                m.d.comb += self._serving.eq(1)
                with m.If(served):
                    m.next = "COMPLETE"
            with m.State("CHECK"):
                m.d.comb += self.errors.address_out_of_range.eq(outside)
                m.next = "READ"
                with m.If(outside):
                    m.next = "COMPLETE"
            with m.State("READ"):
                m.d.comb += self._reading.eq(1)
                with m.If(read):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        return m

    def _serve(self, m):
        """Requests in, answers out; whether the last answer has left."""
        m.submodules.service = service = PacketService(ROW_WIDTH)
        wiring.connect(m, wiring.flipped(self.packets_in), service.packets_in)
        wiring.connect(m, service.requests, wiring.flipped(self.requests))
        wiring.connect(m, wiring.flipped(self.answers), service.answers)
        m.d.comb += [service.serving.eq(self._serving), service.packets_out.ready.eq(self.packets_out.ready)]
        with m.If(self._serving):
            m.d.comb += [
                self.packets_out.valid.eq(service.packets_out.valid),
                self.packets_out.payload.eq(service.packets_out.payload),
            ]
        return service.served

    def _read(self, m, arguments):
        """Nodes out, a flit after another; whether the last beat has left."""
        config = self.config
        begun = Signal()
        node, asked = Signal(NODE_WIDTH + 1), Signal(NODE_WIDTH + 1)
        beats = Signal(config.flit_rows * ROW_WIDTH)
        left = Signal(range(config.flit_rows + 1))
        taken = Signal()
        m.d.comb += [
            self.reads.payload.eq((arguments.base + asked)[:NODE_WIDTH]),
            self.reads.valid.eq(begun & (asked != arguments.count)),
            self.nodes.ready.eq(begun & ((left == 0) | ((left == 1) & taken))),
        ]
        with m.If(self._reading):
            m.d.comb += [
                self.packets_out.valid.eq(left != 0),
                self.packets_out.payload.data.eq(beats[:ROW_WIDTH]),
                self.packets_out.payload.last.eq((left == 1) & (node == arguments.count)),
                taken.eq(self.packets_out.valid & self.packets_out.ready),
            ]
        with m.If(taken):
            m.d.sync += [beats.eq(beats >> ROW_WIDTH), left.eq(left - 1)]
        with m.If(self.nodes.valid & self.nodes.ready):
            flit = self.nodes.payload
            m.d.sync += [
                beats.eq(Cat(flit.node.as_value(), flit.edges.as_value())),
                left.eq(config.flit_rows),
                node.eq(node + (flit.flit == config.flits - 1)),
            ]
        with m.If(self.reads.valid & self.reads.ready):
            m.d.sync += asked.eq(asked + 1)
        m.d.sync += begun.eq(self._reading)
        with m.If(~self._reading):
            m.d.sync += [node.eq(0), asked.eq(0)]
        return begun & (node == arguments.count) & (left == 0)
