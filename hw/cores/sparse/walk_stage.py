"""Third stage of the sparse data engine: the cores walk their parameters, to compress them or to give them away."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import layout_of_fields, layout_without, take_fields
from .address_generator import walk_command
from .command import ADDRESS_WIDTH, WALKED, sparse_command
from .config import SparseConfig
from .index_reader import blocks_of

__all__ = ["WalkStage"]


class WalkStage(ConfiguredComponent):
    """Has the cores walk a layer: once to compress it, once to put its words out, as the command says.

    Latency: two cycles, and for each walk that of the slowest core and three cycles.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    commands : stream, in
        The fields ``WALKED`` of ``sparse_command``, of which this stage does ``compress`` and ``walk``.
    completions : stream, out
        One for each command, when its words are written, or taken.
    taken : Out(1)
        There is a command.
    group_base : Out
        The layer of that command.
    walks : streams, out, array of ``cores``
        ``walk_command``; all begin in the same cycle.
    walks_done : In(cores)
        A core's walk is complete.
    walk_out : Out(1)
        1: words go out; 0: they are compressed.
    compressing : Out(1)
        This cycle goes to compression.
    """

    def __init__(self, config: SparseConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(layout_of_fields(sparse_command(config), WALKED))),
                "completions": Out(stream.Signature(1)),
                "taken": Out(1),
                "group_base": Out(ADDRESS_WIDTH),
                "walks": Out(stream.Signature(walk_command(config))).array(config.cores),
                "walks_done": In(config.cores),
                "walk_out": Out(1),
                "compressing": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        command = Signal(layout_without(self.commands.payload.shape(), "columns"))
        start, walks_left = Signal(), Signal(config.cores)
        m.d.comb += self.group_base.eq(command.group_base)
        for walk, columns in zip(self.walks, self.commands.payload.columns, strict=True):
            with m.If(self.commands.ready):
                m.d.sync += walk.payload.row_words.eq(blocks_of(config, columns))
            m.d.comb += [
                walk.valid.eq(start),
                *(walk.payload[name].eq(command[name]) for name in ("groups", "group_base", "parameter_base")),
                walk.payload.every_word.eq(command.every_word & self.walk_out),
            ]
        m.d.sync += walks_left.eq(walks_left & ~self.walks_done)
        with m.FSM(name="walk_stage") as stage:
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += take_fields(command, self.commands.payload)
                with m.If(self.commands.valid):
                    m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.sync += [self.walk_out.eq(~command.compress), command.compress.eq(0)]
                m.next = "COMPLETE"
                with m.If(command.compress):
                    m.next = "WALK"
                with m.Elif(command.walk):
                    m.d.sync += command.walk.eq(0)
                    m.next = "WALK"
            with m.State("WALK"):
                m.d.comb += start.eq(1)
                m.d.sync += walks_left.eq(~0)
                m.next = "WALKING"
            with m.State("WALKING"), m.If(walks_left == 0):
                m.next = "BEGIN"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
            walking = stage.ongoing("WALK") | stage.ongoing("WALKING")
            m.d.comb += [self.taken.eq(~stage.ongoing("IDLE")), self.compressing.eq(walking & ~self.walk_out)]
        return m
