"""The layout transformation unit on the way from the array: from accumulators to a feature map."""

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.ports import ReadPort
from ..memory.unaligned import UnalignedWritePort
from ..pipeline import delay
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .loop_nest import LoopNest, nest_command
from .quotient import ExactQuotient
from .row_accumulator import sum_read
from .store_config import StoreConfig
from .tile_transform import TileTransform
from .word_writer import WordWriter, begin_together, parameter_row, word_command

__all__ = ["StoreUnit", "store_command"]

# A read of the accumulators.
LATENCY = 1


def store_command(config: StoreConfig) -> data.StructLayout:
    """Layout of a command: sums to read, their transform, and words to write.

    ``sums``: loops over rows of the accumulators. ``transform``: 0, or the number of a transform of tiles, from 1 on.
    ``words``: as of :func:`.word_writer.word_command`.
    """
    return data.StructLayout(
        {
            "sums": nest_command(config.sums),
            "transform": range(len(config.transforms) + 1),
            "words": word_command(config.writer),
        }
    )


class StoreUnit(ConfiguredComponent):
    """Reads rows of sums, makes words of them, and writes these to a feature map.

    ::

        sums --> accumulators --> [TileTransform --> ExactQuotient] --> WordWriter --> feature map

    A row has a pixel's channels, as NS and WS leave them, or a channel's pixels, as IS does: then blocks of as many
    rows as there are lanes are turned. Sums of Winograd's algorithm are those of a tile, number after number; results
    leave column by column. In IS the lanes are tiles, and results are turned in a plane for each pixel of a tile, if
    the unit has ``turned_tiles``.

    Number format: integers. Sums, the transform and its quotient are exact, as far as a quotient fits ``sum_width``
    bits; :class:`.Requantizer` says how words are made of them.

    Latency: n rows of sums take n + 9 cycles from the command to the completion, rows that are turned 3 more and one
    for each column of the last block, with F(2, 3) 14 more and with F(4, 3) 38 more, or 39 with sums of 46 bits and
    more; what n is for a layer say the functions of :mod:`.store_cycles`. Throughput: a row of sums a cycle. A command
    begins when the words of the one before are written.

    Parameters
    ----------
    config : StoreConfig

    Members
    -------
    commands : :py:`In(stream.Signature(store_command(config)))`
    completions : :py:`Out(stream.Signature(1, always_ready=True))`
        One for each command whose words are written.
    busy : Out(1)
        A command is under way.
    saturated : Out(lanes)
        Words that are written in this cycle and were saturated.
    sum_reads : Out(sum_read(config.gemm)).array(drains)
        Row n of the accumulators is in bank ``n mod drains`` at address ``n // drains``.
    parameters : Out(ReadPort(parameter_row(config.writer), parameter_rows))
    features : Out(UnalignedWritePort(config.features))
    features_granted : In(1)
        As of :class:`.WordWriter`.

    Source
    ------
    DYNAMAP, section 3.1.3: the side of the store. The feature map has one layout here, the 3-D tensor.
    """

    def __init__(self, config: StoreConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(store_command(config))),
                "completions": Out(stream.Signature(1, always_ready=True)),
                "busy": Out(1),
                "saturated": Out(config.lanes),
                "sum_reads": Out(sum_read(config.gemm)).array(config.gemm.array.drains),
                "parameters": Out(ReadPort(parameter_row(config.writer), config.parameter_rows)),
                "features": Out(UnalignedWritePort(config.features)),
                "features_granted": In(1, init=1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.nest = nest = LoopNest(config.sums)
        m.submodules.writer = writer = WordWriter(config.writer)
        transform = Signal(range(len(config.transforms) + 1))
        begins = begin_together(m, self, writer, nest.commands, self.commands.payload.sums)
        with m.If(begins):
            m.d.sync += transform.eq(self.commands.payload.transform)
        self._transform(m, self._read_sums(m, nest.o), transform, writer.totals)
        return m

    def _read_sums(self, m, rows):
        """The stream of rows of sums."""
        drains = self._config.gemm.array.drains
        layout = self.sum_reads[0].data.shape()
        m.submodules.sum_pipeline = pipeline = StreamPipeline(layout, StreamPipelineConfig(latency=LATENCY))
        row, begins = rows.payload.values.row, Signal(name="sum_begins")
        m.d.comb += [begins.eq(rows.valid & pipeline.ready), rows.ready.eq(pipeline.ready), pipeline.begin.eq(begins)]
        bits = (drains - 1).bit_length()
        bank = row[:bits]
        for number, port in enumerate(self.sum_reads):
            m.d.comb += [port.enable.eq(begins & (bank == number)), port.address.eq(row[bits:])]
        came = delay(m, bank, LATENCY, "bank") if bits else 0
        m.d.comb += pipeline.result.eq(Array([port.data.as_value() for port in self.sum_reads])[came])
        return pipeline.o

    def _transform(self, m, sums, transform, totals):
        """Totals are the sums, or what a transform makes of them."""
        config = self._config
        ways = [(sums.valid, totals.ready, sums.payload)]
        inputs = [totals.ready]
        for number, (first, second, quotient_config) in enumerate(config.axes):
            m.submodules[f"transform_{number}"] = tile = TileTransform(first, second)
            lanes = [ExactQuotient(quotient_config) for _ in range(config.lanes)]
            m.submodules[f"quotients_{number}"] = pipeline = StreamPipeline(
                totals.payload.shape(), StreamPipelineConfig(latency=lanes[0].latency)
            )
            m.d.comb += [
                tile.i.payload.eq(sums.payload),
                tile.i.valid.eq(sums.valid & (transform == number + 1)),
                pipeline.begin.eq(tile.o.valid & pipeline.ready),
                tile.o.ready.eq(pipeline.ready),
            ]
            for lane, quotient in enumerate(lanes):
                m.submodules[f"quotient_{number}_{lane}"] = quotient
                m.d.comb += [
                    quotient.dividend.eq(tile.o.payload[lane]),
                    pipeline.result[lane].eq(quotient.quotient),
                ]
            ways.append((pipeline.o.valid, pipeline.o.ready, pipeline.o.payload))
            inputs.append(tile.i.ready)
        with m.Switch(transform):
            for number, ((valid, ready, payload), taken) in enumerate(zip(ways, inputs, strict=True)):
                with m.Case(number):
                    m.d.comb += [totals.valid.eq(valid), totals.payload.eq(payload), sums.ready.eq(taken)]
                    if number:
                        m.d.comb += ready.eq(totals.ready)
