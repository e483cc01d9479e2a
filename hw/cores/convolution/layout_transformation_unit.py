"""The layout transformation unit on the way to the array: from a feature map to rows of the input buffer."""

from amaranth.hdl import Cat, Module, Signal, signed
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..memory.transposable import TransposableWritePort
from ..memory.unaligned import UnalignedReadPort
from .layout_config import LayoutConfig
from .loop_nest import LoopNest, nest_command
from .row_packer import RowPacker
from .tile_transform import TileTransform
from .window_reader import WindowReader, window_command

__all__ = ["LayoutTransformationUnit", "layout_command"]


def layout_command(config: LayoutConfig) -> data.StructLayout:
    """Layout of a command: windows to read, and rows to write.

    ``window``: what is read (:func:`.window_reader.window_command`). ``rows``: loops over rows of the buffer, in the
    order in which they are made, of ``config.nest``. ``transform``: 0, elements are packed into rows, of which one
    ends where both innermost loops of the window do; else the number of a transform of tiles, from 1 on.
    """
    return data.StructLayout(
        {
            "window": window_command(config.reader),
            "rows": nest_command(config.nest),
            "transform": range(len(config.transforms) + 1),
        }
    )


class LayoutTransformationUnit(ConfiguredComponent):
    """Reads windows of a feature map, and writes rows of the input buffer in the layout that an algorithm wants.

    - Toeplitz, for im2col: windows are packed into rows, and begin with a row.
    - 3-D tensor, for kn2row: the pixels of a unit convolution, each from a row on.
    - Winograd: tiles are transformed; each of a tile's numbers goes to a matrix of its own.

    Latency: a command of n accesses takes n + 4 cycles to its completion, and one more for each window whose last
    access fills a row and begins another; with tiles of s by s, s * s + 2 * s more; what that is for a layer say the
    functions of :mod:`.layout_cycles`. Throughput: an access of the feature map a cycle that is granted. A command
    begins when the rows of the one before are written.

    Parameters
    ----------
    config : LayoutConfig

    Members
    -------
    commands : :py:`In(stream.Signature(layout_command(config)))`
    completions : :py:`Out(stream.Signature(1, always_ready=True))`
        One for each command whose rows are written.
    busy : Out(1)
        A command is under way.
    memory : Out(UnalignedReadPort(config.reader.memory))
    memory_granted : In(1)
        As of :class:`.WindowReader`.
    buffer : Out(TransposableWritePort(config.buffer))
        Elements are extended by their sign.

    Source
    ------
    DYNAMAP, section 3.1.3, "Data Layout Transformation Module": the side of the load. What its source writes to DRAM
    with many copies of each element goes to the buffer here.
    """

    def __init__(self, config: LayoutConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(layout_command(config))),
                "completions": Out(stream.Signature(1, always_ready=True)),
                "busy": Out(1),
                "memory": Out(UnalignedReadPort(config.reader.memory)),
                "memory_granted": In(1, init=1),
                "buffer": Out(TransposableWritePort(config.buffer)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.reader = reader = WindowReader(config.reader)
        m.submodules.rows = rows = LoopNest(config.nest)
        m.submodules.packer = packer = RowPacker(config.packer)
        transform = Signal(range(len(config.transforms) + 1))
        begins, ends = Signal(), Signal()
        command = self.commands.payload
        m.d.comb += [
            self.commands.ready.eq(~self.busy),
            begins.eq(self.commands.valid & self.commands.ready),
            # Both are idle when nothing is under way.
            reader.commands.valid.eq(begins),
            reader.commands.payload.eq(command.window),
            rows.commands.valid.eq(begins),
            rows.commands.payload.eq(command.rows),
        ]
        with m.If(begins):
            m.d.sync += [self.busy.eq(1), transform.eq(command.transform)]
        with m.Elif(ends):
            m.d.sync += self.busy.eq(0)
        m.d.comb += self.completions.valid.eq(ends)
        for name in ("memory", "memory_granted"):
            forward_port(m, reader, self, name)

        # Whoever makes the rows of this command takes the elements.
        made = Signal(data.ArrayLayout(signed(config.buffer.width), config.buffer.lanes))
        valid = Signal()
        elements = reader.o.payload
        m.d.comb += [
            packer.i.payload.elements.eq(elements.elements),
            packer.i.payload.size.eq(elements.size),
            packer.i.payload.last.eq(elements.ends[config.reader.levels - 2]),
        ]
        makers = [(packer.i, packer.o)]
        for number, axes in enumerate(config.axes):
            m.submodules[f"transform_{number}"] = tile = TileTransform(*axes)
            m.d.comb += Cat(tile.i.payload).eq(Cat(elements.elements))
            makers.append((tile.i, tile.o))
        with m.Switch(transform):
            for number, (into, out) in enumerate(makers):
                with m.Case(number):
                    m.d.comb += [
                        into.valid.eq(reader.o.valid),
                        reader.o.ready.eq(into.ready),
                        valid.eq(out.valid),
                        out.ready.eq(rows.o.valid),
                        *(made[lane].eq(_signed(out.payload[lane])) for lane in range(config.buffer.lanes)),
                    ]
        m.d.comb += [
            rows.o.ready.eq(valid),
            ends.eq(rows.o.valid & valid & rows.o.payload.ends[0]),
            self.buffer.enable.eq((rows.o.valid & valid).replicate(config.buffer.lanes)),
            self.buffer.row.eq(rows.o.payload.values.row),
            self.buffer.index.eq(rows.o.payload.values.index),
            Cat(self.buffer.data).eq(Cat(made)),
        ]
        return m


def _signed(element):
    return element.as_signed() if not element.shape().signed else element
