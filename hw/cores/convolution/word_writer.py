"""Makes words of rows of totals, and writes them to a feature map."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..layouts import layout_of_fields, layout_without, take_fields
from ..memory.ports import ReadPort
from ..memory.unaligned import UnalignedWritePort
from ..pipeline import delay
from ..replicated import replicated
from ..stream.join import join_streams
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .loop_nest import LoopNest, nest_command
from .requantizer import Requantizer
from .requantizer_config import MULTIPLIER_WIDTH, SHIFT_WIDTH
from .row_transposition import RowTransposition, block_size
from .window_reader import window_command
from .word_writer_config import WordWriterConfig

__all__ = ["WordWriter", "begin_together", "parameter_row", "word_command"]

# A read of the parameters.
LATENCY = 1


def parameter_row(config: WordWriterConfig) -> data.StructLayout:
    """Biases and multipliers of as many channels as a row has totals."""
    return data.StructLayout(
        {
            "biases": data.ArrayLayout(signed(config.sum_width), config.lanes),
            "multipliers": data.ArrayLayout(MULTIPLIER_WIDTH, config.lanes),
        }
    )


def word_command(config: WordWriterConfig) -> data.StructLayout:
    """Layout of a command: parameters, requantisation and places of totals.

    ``turned``: a row has a channel's pixels, and not a pixel's channels. ``block``, only with several planes: what
    there is of a block that is turned, as of :class:`.RowTransposition`. ``parameters``: loops over rows of parameters,
    one for each row of totals, and where these are turned, over the words of a row. ``shift``, ``rectifies``: as of
    :class:`.Requantizer`. ``target``: loops over places of the feature map, one for each row of words, and the
    picture's lines and the elements of a line; what is outside of it is not written.
    """
    block = {"block": block_size(config.turned)} if config.planes > 1 else {}
    return data.StructLayout(
        {
            "turned": 1,
            **block,
            "parameters": nest_command(config.parameters),
            "shift": SHIFT_WIDTH,
            "rectifies": 1,
            "target": window_command(config.target),
        }
    )


def begin_together(m, unit, writer, source, payload):
    """Begins commands of a unit in the writer of its words and in what makes its totals.

    Parameters
    ----------
    m : Module
    unit : component
        Has the writer's ports but ``totals``; its commands have a field ``words`` for the writer.
    writer : WordWriter
        Its ``totals`` are left to the unit.
    source : stream
        Commands of what makes totals, which is idle when the writer is.
    payload : Value
        What goes to ``source``.

    Returns
    -------
    Signal
        A command begins in this cycle.
    """
    begins = Signal()
    m.d.comb += [
        unit.commands.ready.eq(writer.commands.ready),
        begins.eq(unit.commands.valid & unit.commands.ready),
        writer.commands.valid.eq(unit.commands.valid),
        writer.commands.payload.eq(unit.commands.payload.words),
        source.valid.eq(begins),
        source.payload.eq(payload),
        unit.busy.eq(writer.busy),
        unit.saturated.eq(writer.saturated),
    ]
    for name in ("completions", "parameters", "features", "features_granted"):
        forward_port(m, writer, unit, name)
    return begins


class WordWriter(ConfiguredComponent):
    """Requantises rows of totals, and writes the words where a pixel's channels belong.

    ::

        totals ------------------------> Requantizers --> [RowTransposition] --> feature map
        parameters --> their memory ----------'                    target ----------'

    A row has a pixel's channels, or a channel's pixels; then blocks of as many rows as there are lanes are turned, in
    one plane or in several.

    Latency: of rows and their words as :class:`.StoreUnit` says. Throughput: a row a cycle. Back-pressure: a command
    begins when the words of the one before are written, and rows of totals wait for it. Words wait until they are
    granted.

    Parameters
    ----------
    config : WordWriterConfig

    Members
    -------
    commands : :py:`In(stream.Signature(word_command(config)))`
    completions : :py:`Out(stream.Signature(1, always_ready=True))`
        One for each command whose words are written.
    busy : Out(1)
        A command is under way.
    totals : :py:`In(stream.Signature(data.ArrayLayout(signed(sum_width), lanes)))`
        As many rows as a command has loops for.
    saturated : Out(lanes)
        Words that are written in this cycle and were saturated.
    parameters : Out(ReadPort(parameter_row(config), parameter_rows))
    features : Out(UnalignedWritePort(config.features))
    features_granted : In(1)
        The memory takes the words of this cycle; where nobody drives it, always.
    """

    def __init__(self, config: WordWriterConfig):
        totals = data.ArrayLayout(signed(config.sum_width), config.lanes)
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(word_command(config))),
                "completions": Out(stream.Signature(1, always_ready=True)),
                "busy": Out(1),
                "totals": In(stream.Signature(totals)),
                "saturated": Out(config.lanes),
                "parameters": Out(ReadPort(parameter_row(config), config.parameter_rows)),
                "features": Out(UnalignedWritePort(config.features)),
                "features_granted": In(1, init=1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        command = self.commands.payload
        # The nests have the rest.
        kept = Signal(layout_without(command.shape(), "parameters", "target"), reset_less=True)
        picture = Signal(layout_of_fields(window_command(config.target), ("height", "pitch")), reset_less=True)
        begins, ends = Signal(), Signal()
        m.d.comb += [
            self.commands.ready.eq(~self.busy),
            begins.eq(self.commands.valid & self.commands.ready),
            self.completions.valid.eq(ends),
        ]
        with m.If(begins):
            m.d.sync += [self.busy.eq(1), *take_fields(kept, command), *take_fields(picture, command.target)]
        with m.Elif(ends):
            m.d.sync += self.busy.eq(0)
        m.submodules.parameter_nest = parameter_nest = LoopNest(config.parameters)
        m.submodules.target_nest = target_nest = LoopNest(config.target.nest)
        for nest, of in ((parameter_nest, command.parameters), (target_nest, command.target.nest)):
            # Both are idle when nothing is under way.
            m.d.comb += [nest.commands.valid.eq(begins), nest.commands.payload.eq(of)]
        parameters = self._read_parameters(m, parameter_nest.o, kept.turned)
        words = self._turn(m, self._requantize(m, parameters, kept), kept)
        self._write(m, words, target_nest.o, picture, ends)
        return m

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
                chosen = Signal(values.shape().elem_shape, name=f"chosen_{name}")
                m.d.comb += [
                    chosen.eq(values[word]),
                    Value.cast(pipeline.result[name]).eq(Value.cast(chosen).replicate(self._config.lanes)),
                ]
        return pipeline.o

    def _requantize(self, m, parameters, command):
        """The stream of rows of words, and which were saturated."""
        config = self._config
        word = data.StructLayout(
            {"words": data.ArrayLayout(signed(config.features.width), config.lanes), "saturated": config.lanes}
        )
        joined = join_streams(m, "requantized", totals=self.totals, parameters=parameters)
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

    def _turn(self, m, words, command):
        """The stream of rows of words, each of a pixel's channels."""
        lanes = range(self._config.lanes)
        m.submodules.turned = turn = RowTransposition(self._config.turned)
        found = stream.Signature(words.payload.shape()).create(path=("turned_words",))
        m.d.comb += [
            turn.i.payload[lane].eq(Cat(words.payload.words[lane], words.payload.saturated[lane])) for lane in lanes
        ]
        if self._config.planes > 1:
            m.d.comb += turn.block.eq(command.block)
        with m.If(command.turned):
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

    def _write(self, m, words, places, picture, ends):
        """Words to their places, where these are in the picture."""
        config = self._config
        values, writes = places.payload.values, Signal()
        line = Signal(signed(config.line_width))
        enable = Signal(config.lanes)
        m.d.comb += [
            line.eq(values.line),
            writes.eq(words.valid & places.valid),
            words.ready.eq(places.valid & self.features_granted),
            places.ready.eq(words.valid & self.features_granted),
            ends.eq(writes & self.features_granted & places.payload.ends[0]),
        ]
        for lane in range(config.lanes):
            number = Signal(signed(config.element_width + 1), name=f"number_{lane}")
            m.d.comb += [
                number.eq(values.element.as_signed() + lane),
                enable[lane].eq(writes & (line < picture.height) & (number < picture.pitch) & (lane < values.rest)),
            ]
        m.d.comb += [
            self.saturated.eq(Mux(self.features_granted, enable & words.payload.saturated, 0)),
            self.features.enable.eq(enable),
            self.features.row.eq(values.row),
            self.features.lane.eq(values.lane),
            Cat(self.features.data).eq(Cat(words.payload.words)),
        ]
