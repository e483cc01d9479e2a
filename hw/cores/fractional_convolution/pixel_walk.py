"""The pixels whose sums leave the conv cores, and where in the output pictures they belong."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import FractionalConvolutionConfig
from .layouts import pixel_command, pixel_layout
from .records import LEVELS

__all__ = ["PixelWalk"]

_PLACE = ("row", "position", "address", "lane")


class PixelWalk(ConfiguredComponent):
    """Walks over the pixels of a pass, in three nested loops for each column block, as their sums leave the conv cores.

    Equations 3.12 and 3.13 are split: what a pixel has to do with it comes from here, what a column has to do with it
    from :class:`.ColumnWalk`. Each loop adds its step to where it began; a lane that reaches N goes on in the next row.

    Latency: the first pixel of a tile is there in the cycle after ``capture``, the others ``interval`` cycles after
    each other. No back-pressure; the next capture comes when a tile has left. A command is taken with the last pixel of
    the one before.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    commands : In(stream.Signature(pixel_command(config)))
        There before the first capture of its pass.
    capture : In(1)
        The sums of a tile go into the chains of the conv cores.
    pixel : Out(pixel_layout(config))
    """

    def __init__(self, config: FractionalConvolutionConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(pixel_command(config))),
                "capture": In(1),
                "pixel": Out(pixel_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, pixel = self._config, self.pixel
        command = Signal(pixel_command(config), reset_less=True)
        active, fresh, emits, ends_pass = Signal(), Signal(), Signal(), Signal()
        left, total, wait = (
            Signal(range(config.rows + 1)),
            Signal(range(config.rows + 1)),
            Signal.like(command.interval),
        )
        tile, block = Signal.like(command.tiles), Signal.like(command.blocks)
        points, begins_block, ends_block = self._walk(m, command, emits)
        m.d.comb += [
            total.eq(Mux(fresh, Mux(tile + 1 == command.tiles, command.last_pixels, config.rows), left)),
            emits.eq(fresh | (left != 0) & (wait == 0)),
            ends_pass.eq(emits & ends_block & (block + 1 == command.blocks)),
            self.commands.ready.eq(~active | ends_pass),
            pixel.valid.eq(emits),
            *(pixel[part].eq(points[0][part]) for part in _PLACE),
            pixel.picture_rows.eq(command.picture_rows),
            pixel.row_positions.eq(command.row_positions),
            pixel.begins_block.eq(begins_block),
            pixel.last.eq(ends_pass),
        ]
        m.d.sync += [fresh.eq(self.capture), wait.eq(Mux(wait == 0, 0, wait - 1))]
        with m.If(emits):
            m.d.sync += [left.eq(total - 1), wait.eq(command.interval - 1)]
            with m.If(total == 1):
                m.d.sync += tile.eq(tile + 1)
            with m.If(ends_block):
                m.d.sync += [tile.eq(0), block.eq(block + 1)]
            with m.If(ends_pass):
                m.d.sync += [block.eq(0), active.eq(0)]
        with m.If(self.commands.valid & self.commands.ready):
            m.d.sync += [active.eq(1), command.eq(self.commands.payload)]
            for point in points:
                m.d.sync += [point[part].eq(self.commands.payload[f"first_{part}"]) for part in _PLACE]
        return m

    def _walk(self, m, command, emits):
        """For each loop the point where its present turn began, that of the innermost being the pixel; and whether the
        pixel is the first one, or the last one."""
        point_layout = data.StructLayout({part: command[f"first_{part}"].shape() for part in _PLACE})
        points = [Signal(point_layout, name=f"point_{level}") for level in LEVELS]
        counts = [Signal.like(command[f"count_{level}"], name=f"count_{level}") for level in LEVELS]
        begins, ends = Signal(init=1), Signal()
        # Which loops are in their last turn.
        last = Signal(len(LEVELS))
        m.d.comb += [
            last.eq(sum((count + 1 == command[f"count_{level}"]) << level for level, count in enumerate(counts))),
            ends.eq(last.all()),
        ]
        moved = [self._moved(m, command, points[level], level) for level in LEVELS]
        with m.If(emits):
            m.d.sync += begins.eq(ends)
            with m.If(ends):
                m.d.sync += [count.eq(0) for count in counts]
                for point in points:
                    m.d.sync += [point[part].eq(command[f"first_{part}"]) for part in _PLACE]
            for level in LEVELS:
                with m.Elif(~last[level]):
                    m.d.sync += counts[level].eq(counts[level] + 1)
                    m.d.sync += [count.eq(0) for count in counts[:level]]
                    m.d.sync += [point.eq(moved[level]) for point in points[: level + 1]]
        return points, begins, ends

    def _moved(self, m, command, point, level):
        """A point a step of a loop further."""
        moved = Signal.like(point, name=f"moved_{level}")
        lane, over = Signal(len(point.lane) + 1, name=f"lane_{level}"), Signal(name=f"over_{level}")
        lanes = self._config.lanes
        m.d.comb += [
            lane.eq(point.lane + command[f"step_{level}_lane"]),
            over.eq(lane >= lanes),
            moved.row.eq(point.row + command[f"step_{level}_row"]),
            moved.position.eq(point.position + command[f"step_{level}_position"]),
            moved.address.eq(point.address + command[f"step_{level}_address"] + over),
            moved.lane.eq(Mux(over, lane - lanes, lane)),
        ]
        return moved
