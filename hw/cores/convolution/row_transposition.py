"""Turns blocks of rows: what comes as rows leaves as columns."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import TransposableConfig
from ..memory.transposable import TransposableMemory
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig

__all__ = ["RowTransposition", "block_size"]


def block_size(config: TransposableConfig) -> data.StructLayout:
    """Size of a block, less one each: ``planes`` whose rows come in turn, and ``columns`` that leave."""
    return data.StructLayout({"planes": range(_planes(config)), "columns": range(config.lanes)})


class RowTransposition(ConfiguredComponent):
    """Two halves of a transposable memory: a block is written while the columns of the one before are read.

    A block has several planes, of as many rows as there are lanes. Rows come in turn: the first one of each plane, then
    the second ones. Columns leave plane by plane, from the first column on as many as are wanted.

    Latency: 4 cycles from a block's last row to its first column. Throughput: a row a cycle. Back-pressure: that of
    ``o``, once both halves are full.

    Parameters
    ----------
    config : TransposableConfig
        ``rows`` twice the lanes for each plane that a block may have.

    Members
    -------
    i, o : :py:`stream.Signature(data.ArrayLayout(signed(width), lanes))`
    block : In(block_size(config))
        Stays while there is anything of a block. Where nobody drives it, all columns of one plane.

    Raises
    ------
    ValueError
        Rows that are not those of two blocks.
    """

    def __init__(self, config: TransposableConfig):
        if config.rows % (2 * config.lanes):
            raise ValueError(f"Rows must be a multiple of twice the {config.lanes} lanes, not {config.rows}")
        row = stream.Signature(data.ArrayLayout(signed(config.width), config.lanes))
        whole = {"planes": 0, "columns": config.lanes - 1}
        super().__init__(config, {"i": In(row), "o": Out(row), "block": In(block_size(config), init=whole)})

    def elaborate(self, platform):
        m = Module()
        lanes, rows, planes = self._config.lanes, self._config.rows, _planes(self._config)
        m.submodules.memory = memory = TransposableMemory(self._config)
        m.submodules.pipeline = pipeline = StreamPipeline(
            self.o.payload.shape(), StreamPipelineConfig(latency=memory.latency)
        )
        full, write_half, read_half = Signal(2), Signal(), Signal()
        row, column = Signal(range(lanes)), Signal(range(lanes))
        write_plane, read_plane = Signal(range(planes)), Signal(range(planes))
        # A plane's first row in its half.
        write_first, read_first = (
            Signal(range(rows // 2 - lanes + 1), name=f"{name}_first") for name in ("write", "read")
        )
        takes = Signal()
        m.d.comb += [
            self.i.ready.eq(~full.bit_select(write_half, 1)),
            takes.eq(self.i.valid & self.i.ready),
            memory.write.enable.eq(takes.replicate(lanes)),
            memory.write.row.eq(Mux(write_half, rows // 2 + row, row) + write_first),
            memory.write.index.eq(row),
            Cat(memory.write.data).eq(Cat(self.i.payload)),
            pipeline.begin.eq(full.bit_select(read_half, 1) & pipeline.ready),
            memory.read.enable.eq(pipeline.begin),
            memory.read.column.eq(1),
            memory.read.row.eq(Mux(read_half, rows // 2, 0) + read_first),
            memory.read.lane.eq(column),
            Cat(pipeline.result).eq(Cat(memory.read.data)),
        ]
        with m.If(takes):
            m.d.sync += [write_plane.eq(write_plane + 1), write_first.eq(write_first + lanes)]
            with m.If(write_plane == self.block.planes):
                m.d.sync += [write_plane.eq(0), write_first.eq(0), row.eq(row + 1)]
                with m.If(row == lanes - 1):
                    m.d.sync += [
                        row.eq(0),
                        write_half.eq(~write_half),
                        full.bit_select(write_half, 1).eq(1),
                    ]
        with m.If(pipeline.begin):
            m.d.sync += column.eq(column + 1)
            with m.If(column == self.block.columns):
                m.d.sync += [column.eq(0), read_plane.eq(read_plane + 1), read_first.eq(read_first + lanes)]
                with m.If(read_plane == self.block.planes):
                    # The memory reads in this cycle; a row over it comes later.
                    m.d.sync += [
                        read_plane.eq(0),
                        read_half.eq(~read_half),
                        read_first.eq(0),
                        full.bit_select(read_half, 1).eq(0),
                    ]
        wiring.connect(m, pipeline.o, wiring.flipped(self.o))
        return m


def _planes(config):
    """Most planes of a block."""
    return config.rows // (2 * config.lanes)
