"""Counts the tiles of matrix commands."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .commands import ROW_WIDTH, Dataflow
from .engine_config import ArrayEngineConfig
from .layouts import matrix_command, tile_layout

__all__ = ["TileGenerator"]


class TileGenerator(ConfiguredComponent):
    """Gives the tiles of each command: for every outer block its inner blocks.

    With ``intra_layer`` a tile is as many inner blocks as there are cores.

    Latency: the first tile is offered two cycles after its command, every further one two cycles after the one before
    was taken. Back-pressure: a command is taken when the last tile of the one before has been.

    Parameters
    ----------
    config : ArrayEngineConfig

    Members
    -------
    commands : In(stream.Signature(matrix_command))
    tiles : Out(stream.Signature(tile_layout(config)))
    busy : Out(1)
        A command has tiles left.

    Source
    ------
    FIXAR, section V-B.
    """

    def __init__(self, config: ArrayEngineConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(matrix_command)),
                "tiles": Out(stream.Signature(tile_layout(config))),
                "busy": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        command = Signal(matrix_command, reset_less=True)
        # First rows of the outer block and of the tile in it.
        rows = Signal(
            data.StructLayout(dict.fromkeys(("block", "tile", "auxiliary", "stream"), ROW_WIDTH)), reset_less=True
        )
        accepted, taken, prepared = Signal(), Signal(), Signal()
        m.d.comb += [
            self.commands.ready.eq(~self.busy),
            accepted.eq(self.commands.valid & self.commands.ready),
            self.tiles.valid.eq(self.busy & prepared),
            taken.eq(self.tiles.valid & self.tiles.ready),
            self.tiles.payload.command.eq(command),
        ]
        # The registered fields of a tile follow a cycle after the others.
        m.d.sync += prepared.eq(~taken & ~accepted)
        self._count(m, command, rows, accepted, taken)
        self._prepare(m, command, rows)
        return m

    def _count(self, m, command, rows, accepted, taken):
        """The place of the tile that is offered, and where its rows begin."""
        lanes, tile = self._config.lanes, self.tiles.payload
        place = Signal(
            data.StructLayout(
                {"outer": 9, "outer_index": range(lanes), "inner": 9, "first": 1, "first_outer": 1, "first_inner": 1}
            ),
            reset_less=True,
        )
        step = Signal(range(self._config.cores + 1))
        following_inner = Signal(10)
        m.d.comb += [
            step.eq(Mux(command.intra_layer, self._config.cores, 1)),
            following_inner.eq(place.inner + step),
            *(tile[name].eq(place[name]) for name, _ in place.shape()),
            tile.last_inner.eq(following_inner >= command.inner_count),
            tile.last_outer.eq(place.outer + 1 == command.outer_count),
            tile.stream_row.eq(rows.stream),
        ]
        with m.If(taken):
            m.d.sync += place.first.eq(0)
            with m.If(tile.last_inner):
                m.d.sync += [
                    self.busy.eq(~tile.last_outer),
                    place.outer.eq(place.outer + 1),
                    place.outer_index.eq(Mux(place.outer_index == lanes - 1, 0, place.outer_index + 1)),
                    place.inner.eq(0),
                    place.first_inner.eq(1),
                    place.first_outer.eq(0),
                    rows.block.eq(rows.block + command.outer_stride),
                    rows.tile.eq(rows.block + command.outer_stride),
                    rows.auxiliary.eq(rows.auxiliary + command.auxiliary_stride),
                    rows.stream.eq(command.stream_base),
                ]
            with m.Else():
                m.d.sync += [
                    place.inner.eq(following_inner),
                    place.first_inner.eq(0),
                    rows.tile.eq(rows.tile + command.inner_stride * step),
                    rows.stream.eq(rows.stream + command.stream_stride * step),
                ]
        with m.If(accepted):
            given = self.commands.payload
            m.d.sync += [
                self.busy.eq(1),
                command.eq(given),
                place.eq(place.shape().const({"first": 1, "first_outer": 1, "first_inner": 1})),
                # Row modulo lanes of the first bias gradient.
                place.outer_index.eq(given.destination_stride),
                rows.block.eq(given.weight_base),
                rows.tile.eq(given.weight_base),
                rows.auxiliary.eq(given.auxiliary_base),
                rows.stream.eq(given.stream_base),
            ]

    def _prepare(self, m, command, rows):
        """Where the tile's stationary rows begin and what their load waits for; registered."""
        lanes, tile = self._config.lanes, self.tiles.payload
        is_gradient = Signal()
        # Stationary errors are block `inner` of the samples; in half precision the even, then the odd samples of a
        # block of twice the size.
        pair = Signal(9)
        sample = Signal(ROW_WIDTH)
        m.d.comb += [
            is_gradient.eq(command.dataflow == Dataflow.GRADIENT),
            pair.eq(tile.inner >> 1),
            sample.eq(Mux(command.half, pair * (2 * lanes) + tile.inner[0], tile.inner * lanes)),
        ]
        m.d.sync += [
            tile.loads_errors.eq(is_gradient),
            tile.load_waits.eq(is_gradient & tile.first & command.hold),
            tile.stationary_sample.eq(sample),
            tile.stationary_row.eq(Mux(is_gradient, rows.auxiliary + sample, rows.tile)),
        ]
