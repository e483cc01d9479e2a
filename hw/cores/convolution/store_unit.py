"""The layout transformation unit on the way from the array: from accumulators to a feature map."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal, signed
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.ports import ReadPort
from ..memory.unaligned import UnalignedWritePort
from ..pipeline import delay
from ..replicated import replicated
from ..stream.join import join_streams
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .loop_nest import LoopNest, nest_command
from .quotient import ExactQuotient
from .requantizer import Requantizer
from .requantizer_config import MULTIPLIER_WIDTH, SHIFT_WIDTH
from .row_accumulator import sum_read
from .row_transposition import RowTransposition
from .store_config import StoreConfig
from .tile_transform import TileTransform
from .window_reader import window_command

__all__ = ["StoreUnit", "parameter_row", "store_command"]

# Of the memories of sums and parameters.
LATENCY = 1


def parameter_row(config: StoreConfig) -> data.StructLayout:
    """Biases and multipliers of as many channels as a row has sums."""
    return data.StructLayout(
        {
            "biases": data.ArrayLayout(signed(config.gemm.array.sum_width), config.lanes),
            "multipliers": data.ArrayLayout(MULTIPLIER_WIDTH, config.lanes),
        }
    )


def store_command(config: StoreConfig) -> data.StructLayout:
    """What becomes of which sums.

    ``sums``: loops over rows of the accumulators. ``transform``: 0, or the number of a transform of tiles, from 1 on.
    ``turned``: a row has a channel's pixels, and not a pixel's channels. ``parameters``: loops over rows of parameters,
    one for each row of sums or of what is made of them, and where these are turned, over the words of a row. ``shift``,
    ``rectifies``: as of :class:`.Requantizer`. ``target``: loops over places of the feature map, one for each row of
    words, and the picture's lines and the elements of a line; what is outside of it is not written.
    """
    return data.StructLayout(
        {
            "sums": nest_command(config.sums),
            "transform": range(len(config.transforms) + 1),
            "turned": 1,
            "parameters": nest_command(config.parameters),
            "shift": SHIFT_WIDTH,
            "rectifies": 1,
            "target": window_command(config.target),
        }
    )


class StoreUnit(ConfiguredComponent):
    """Reads rows of sums, makes words of them, and writes these to a feature map.

    ::

        sums --> accumulators --> [TileTransform --> ExactQuotient] --.
        parameters --> their memory --> Requantizers <----------------'
                                             '--> [RowTransposition] --> feature map <-- target

    A row has a pixel's channels, as NS and WS leave them, or a channel's pixels, as IS does: then blocks of as many
    rows as there are lanes are turned. Sums of Winograd's algorithm are those of a tile, number after number; results
    leave column by column, and only rows of channels are transformed.

    Number format: integers. Sums, the transform and its quotient are exact, as far as a quotient fits ``sum_width``
    bits; :class:`.Requantizer` says how words are made of them.

    Throughput: a row of sums a cycle, or a row of words where a transform makes more of them. A command begins when
    the words of the one before are written.

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
    parameters : Out(ReadPort(parameter_row(config), parameter_rows))
    features : Out(UnalignedWritePort(config.features))

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
                "parameters": Out(ReadPort(parameter_row(config), config.parameter_rows)),
                "features": Out(UnalignedWritePort(config.features)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        command, kept = self.commands.payload, Signal(store_command(config))
        begins, ends = Signal(), Signal()
        m.d.comb += [
            self.commands.ready.eq(~self.busy),
            begins.eq(self.commands.valid & self.commands.ready),
            self.completions.valid.eq(ends),
        ]
        with m.If(begins):
            m.d.sync += [self.busy.eq(1), kept.eq(command)]
        with m.Elif(ends):
            m.d.sync += self.busy.eq(0)

        nests = {}
        for name, nest_config, of in (
            ("sums", config.sums, command.sums),
            ("parameters", config.parameters, command.parameters),
            ("target", config.target.nest, command.target.nest),
        ):
            m.submodules[f"{name}_nest"] = nests[name] = nest = LoopNest(nest_config)
            # All are idle when nothing is under way.
            m.d.comb += [nest.commands.valid.eq(begins), nest.commands.payload.eq(of)]
        sums = self._read_sums(m, nests["sums"].o)
        totals = self._transform(m, sums, kept.transform)
        parameters = self._read_parameters(m, nests["parameters"].o, kept.turned)
        words = self._turn(m, self._requantize(m, totals, parameters, kept), kept.turned)
        self._write(m, words, nests["target"].o, kept.target, ends)
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

    def _read_parameters(self, m, rows, turned):
        """The stream of rows of parameters; where rows of sums are turned, all of a row are those of one channel."""
        layout = parameter_row(self._config)
        m.submodules.parameter_pipeline = pipeline = StreamPipeline(layout, StreamPipelineConfig(latency=LATENCY))
        m.d.comb += [
            pipeline.begin.eq(rows.valid & pipeline.ready),
            rows.ready.eq(pipeline.ready),
            self.parameters.enable.eq(pipeline.begin),
            self.parameters.address.eq(rows.payload.values.row),
            pipeline.result.eq(self.parameters.data),
        ]
        word = delay(m, rows.payload.values.word, LATENCY, "word")
        with m.If(turned):
            for name, _ in layout:
                values = self.parameters.data[name]
                chosen = Array([values[lane] for lane in range(self._config.lanes)])[word]
                m.d.comb += [pipeline.result[name][lane].eq(chosen) for lane in range(self._config.lanes)]
        return pipeline.o

    def _transform(self, m, sums, transform):
        """The stream of totals: the sums, or what a transform makes of them."""
        config = self._config
        width = config.gemm.array.sum_width
        totals = stream.Signature(data.ArrayLayout(signed(width), config.lanes)).create(path=("totals",))
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
        return totals

    def _requantize(self, m, totals, parameters, command):
        """The stream of rows of words, and which were saturated."""
        config = self._config
        word = data.StructLayout(
            {"words": data.ArrayLayout(signed(config.features.width), config.lanes), "saturated": config.lanes}
        )
        joined = join_streams(m, "requantized", totals=totals, parameters=parameters)
        lanes = [replicated(Requantizer(config.requantizer)) for _ in range(config.lanes)]
        m.submodules.word_pipeline = pipeline = StreamPipeline(word, StreamPipelineConfig(latency=lanes[0].latency))
        m.d.comb += [pipeline.begin.eq(joined.valid & pipeline.ready), joined.ready.eq(pipeline.ready)]
        for number, lane in enumerate(lanes):
            m.submodules[f"requantizer_{number}"] = lane
            m.d.comb += [
                lane.total.eq(joined.payload.totals[number]),
                lane.bias.eq(joined.payload.parameters.biases[number]),
                lane.multiplier.eq(joined.payload.parameters.multipliers[number]),
                lane.shift.eq(command.shift),
                lane.rectifies.eq(command.rectifies),
                pipeline.result.words[number].eq(lane.word),
                pipeline.result.saturated[number].eq(lane.saturated),
            ]
        return pipeline.o

    def _turn(self, m, words, turned):
        """The stream of rows of words, each of a pixel's channels."""
        lanes = range(self._config.lanes)
        m.submodules.turned = turn = RowTransposition(self._config.turned)
        found = stream.Signature(words.payload.shape()).create(path=("turned_words",))
        m.d.comb += [
            turn.i.payload[lane].eq(Cat(words.payload.words[lane], words.payload.saturated[lane])) for lane in lanes
        ]
        with m.If(turned):
            m.d.comb += [
                turn.i.valid.eq(words.valid),
                words.ready.eq(turn.i.ready),
                found.valid.eq(turn.o.valid),
                turn.o.ready.eq(found.ready),
                *(
                    Cat(found.payload.words[lane], found.payload.saturated[lane]).eq(turn.o.payload[lane])
                    for lane in lanes
                ),
            ]
        with m.Else():
            m.d.comb += [found.valid.eq(words.valid), words.ready.eq(found.ready), found.payload.eq(words.payload)]
        return found

    def _write(self, m, words, places, target, ends):
        """Words to their places, where these are in the picture."""
        config = self._config
        values, writes = places.payload.values, Signal()
        line = Signal(signed(config.line_width))
        enable = Signal(config.lanes)
        m.d.comb += [
            line.eq(values.line),
            writes.eq(words.valid & places.valid),
            words.ready.eq(places.valid),
            places.ready.eq(words.valid),
            ends.eq(writes & places.payload.ends[0]),
        ]
        for lane in range(config.lanes):
            number = Signal(signed(config.element_width + 1), name=f"number_{lane}")
            m.d.comb += [
                number.eq(values.element.as_signed() + lane),
                enable[lane].eq(writes & (line < target.height) & (number < target.pitch) & (lane < values.rest)),
            ]
        m.d.comb += [
            self.saturated.eq(Mux(writes, enable & words.payload.saturated, 0)),
            self.features.enable.eq(enable),
            self.features.row.eq(values.row),
            self.features.lane.eq(values.lane),
            Cat(self.features.data).eq(Cat(words.payload.words)),
        ]
