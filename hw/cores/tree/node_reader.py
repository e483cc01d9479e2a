"""Nodes straight from the banks, while the stages rest."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import TreeConfig
from .stage_layouts import CommandKind, flit_layout, place_layout, routed_command_layout

__all__ = ["NodeReader"]


class NodeReader(ConfiguredComponent):
    """Reads nodes over the port of one stage to the interconnect, one after another.

    A read begins when nothing is under way in the tree. Should a request come before the last flit has been taken, what
    the stage has to say to the banks waits.

    Latency: that of the interconnect and of a bank. Back-pressure: on all streams.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    reads : In(stream of place_layout)
    nodes : Out(stream of flit_layout)
        ``flits`` of each node, in order; their ``slot`` means nothing.
    empty : In(1)
        Nothing is under way; one cycle late.
    idle : Out(1)
        Nothing is being read.
    stage_commands, stage_nodes :
        The stage's side, ``commands`` and ``nodes`` of :class:`.LevelStage`.
    bank_commands, bank_nodes :
        The interconnect's side.
    """

    def __init__(self, config: TreeConfig):
        commands = stream.Signature(routed_command_layout(config))
        flits = stream.Signature(flit_layout(config))
        super().__init__(
            config,
            {
                "reads": In(stream.Signature(place_layout(config))),
                "nodes": Out(flits),
                "empty": In(1),
                "idle": Out(1),
                "stage_commands": In(commands),
                "stage_nodes": Out(flits),
                "bank_commands": Out(commands),
                "bank_nodes": In(flits),
            },
        )

    def elaborate(self, platform):
        m = Module()
        sends, receives = Signal(), Signal()
        m.d.comb += [
            self.idle.eq(~sends & ~receives),
            self.reads.ready.eq(self.idle & self.empty),
            self.stage_nodes.payload.eq(self.bank_nodes.payload),
            self.nodes.payload.eq(self.bank_nodes.payload),
        ]
        place = Signal.like(self.reads.payload)
        with m.If(self.reads.valid & self.reads.ready):
            m.d.sync += [place.eq(self.reads.payload), sends.eq(1)]
        with m.If(self.idle):
            m.d.comb += [
                self.bank_commands.payload.eq(self.stage_commands.payload),
                self.bank_commands.valid.eq(self.stage_commands.valid),
                self.stage_commands.ready.eq(self.bank_commands.ready),
                self.stage_nodes.valid.eq(self.bank_nodes.valid),
                self.bank_nodes.ready.eq(self.stage_nodes.ready),
            ]
        with m.Else():
            m.d.comb += [
                self.bank_commands.valid.eq(sends),
                self.bank_commands.payload.bank.eq(place.bank),
                self.bank_commands.payload.body.row.eq(place.row),
                self.bank_commands.payload.body.kind.eq(CommandKind.READ),
                self.nodes.valid.eq(self.bank_nodes.valid),
                self.bank_nodes.ready.eq(self.nodes.ready),
            ]
        with m.If(sends & self.bank_commands.ready):
            m.d.sync += [sends.eq(0), receives.eq(1)]
        last = self._config.flits - 1
        with m.If(self.nodes.valid & self.nodes.ready & (self.nodes.payload.flit == last)):
            m.d.sync += receives.eq(0)
        return m
