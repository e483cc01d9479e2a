"""Turns blocks of rows: what comes as rows leaves as columns."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import TransposableConfig
from ..memory.transposable import TransposableMemory
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig

__all__ = ["RowTransposition"]


class RowTransposition(ConfiguredComponent):
    """Two halves of a transposable memory: a block of as many rows as there are lanes is written while the columns of
    the one before are read.

    Latency: 4 cycles from a block's last row to its first column. Throughput: a row a cycle. Back-pressure: that of
    ``o``, once both halves are full.

    Parameters
    ----------
    config : TransposableConfig
        ``rows`` twice the lanes.

    Members
    -------
    i, o : :py:`stream.Signature(data.ArrayLayout(signed(width), lanes))`

    Raises
    ------
    ValueError
        Other than two blocks of rows.
    """

    def __init__(self, config: TransposableConfig):
        if config.rows != 2 * config.lanes:
            raise ValueError(f"Rows must be twice the {config.lanes} lanes, not {config.rows}")
        row = stream.Signature(data.ArrayLayout(signed(config.width), config.lanes))
        super().__init__(config, {"i": In(row), "o": Out(row)})

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes
        m.submodules.memory = memory = TransposableMemory(self._config)
        m.submodules.pipeline = pipeline = StreamPipeline(
            self.o.payload.shape(), StreamPipelineConfig(latency=memory.latency)
        )
        full, write_half, read_half = Signal(2), Signal(), Signal()
        row, column = Signal(range(lanes)), Signal(range(lanes))
        takes = Signal()
        m.d.comb += [
            self.i.ready.eq(~full.bit_select(write_half, 1)),
            takes.eq(self.i.valid & self.i.ready),
            memory.write.enable.eq(takes.replicate(lanes)),
            memory.write.row.eq(Mux(write_half, lanes + row, row)),
            memory.write.index.eq(row),
            Cat(memory.write.data).eq(Cat(self.i.payload)),
            pipeline.begin.eq(full.bit_select(read_half, 1) & pipeline.ready),
            memory.read.enable.eq(pipeline.begin),
            memory.read.column.eq(1),
            memory.read.row.eq(Mux(read_half, lanes, 0)),
            memory.read.lane.eq(column),
            Cat(pipeline.result).eq(Cat(memory.read.data)),
        ]
        with m.If(takes):
            m.d.sync += row.eq(row + 1)
            with m.If(row == lanes - 1):
                m.d.sync += [row.eq(0), write_half.eq(~write_half), full.bit_select(write_half, 1).eq(1)]
        with m.If(pipeline.begin):
            m.d.sync += column.eq(column + 1)
            with m.If(column == lanes - 1):
                # The memory reads in this cycle; a row over it comes later.
                m.d.sync += [column.eq(0), read_half.eq(~read_half), full.bit_select(read_half, 1).eq(0)]
        wiring.connect(m, pipeline.o, wiring.flipped(self.o))
        return m
